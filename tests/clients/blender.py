# Blender over what bake_test.sh made: blender --background --factory-startup --python blender.py -- FOLDER
#
# 1. The soft .glb through the glTF importer: every soft clip is played, and at several frames the evaluated
#    vertices are compared with the point cache of the same bake. They must agree within the bake's tolerance.
# 2. The caches themselves, PC2 and MDD, through the Mesh Cache modifier: they must agree to rounding.
#
# Blender's axes are Z up: (x, y, z) of a file stands at (x, -z, y).
import glob
import json
import os
import sys

import numpy

numpy.bool = bool  # the importer of 3.4 uses a name that numpy has given up

import bpy

TOLERANCE = 0.005  # of the height: what bake keeps to by default
ROUNDING = 1e-5  # of the height: floats
FRAMES_PER_CLIP = 5
CACHE_FRAMES = 5


def say(text):
    print(f"sinew: {text}", flush=True)


def read_cache(path):
    """Positions of a PC2 file, [samples, points, 3]."""
    with open(path, "rb") as file:
        bytes = file.read()
    points, samples = (int(numpy.frombuffer(bytes, "<i4", 1, at)[0]) for at in (16, 28))
    return numpy.frombuffer(bytes, "<f4", offset=32).reshape(samples, points, 3)


def evaluated(thing):
    """World positions of an object as it stands now, in the file's axes."""
    mesh = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    vertices = mesh.data.vertices
    local = numpy.empty(3 * len(vertices), numpy.float32)
    vertices.foreach_get("co", local)
    matrix = numpy.array(mesh.matrix_world)
    world = local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return world[:, [0, 2, 1]] * [1, 1, -1]


def largest(a, b):
    worst = numpy.sqrt(((a - b) ** 2).sum(axis=1)).max()
    return float(worst) if numpy.isfinite(worst) else float("inf")


def go_to(frame):
    bpy.context.scene.frame_set(int(frame // 1), subframe=frame % 1)


def key_owners():
    return [thing.data.shape_keys for thing in bpy.data.objects if thing.type == "MESH" and thing.data.shape_keys]


class Rest:
    """How the things of a file stand when nothing is played."""

    def __init__(self):
        self.places, self.poses, self.keys = {}, {}, {}

    def learn(self):
        """Takes over what is not known yet: first from an import without clips, then from one with them,
        which has a few things more (a node whose weights are animated becomes two)."""
        for thing in bpy.data.objects:
            self.places.setdefault((thing.name, thing.type), thing.matrix_basis.copy())
            for bone in thing.pose.bones if thing.pose else []:
                self.poses.setdefault((thing.name, bone.name), bone.matrix_basis.copy())
        for keys in key_owners():
            for key in keys.key_blocks:
                self.keys.setdefault((keys.user.name, key.name), key.value)

    def restore(self):
        for thing in bpy.data.objects:
            thing.matrix_basis = self.places[thing.name, thing.type]
            for bone in thing.pose.bones if thing.pose else []:
                bone.matrix_basis = self.poses[thing.name, bone.name]
        for keys in key_owners():
            for key in keys.key_blocks:
                key.value = self.keys[keys.user.name, key.name]


def choose_clip(clip, rest):
    """Plays one clip; what it does not move stands as in the file."""
    for owner in list(bpy.data.objects) + key_owners():
        data = owner.animation_data
        if not data:
            continue
        data.action = None
        for track in data.nla_tracks:
            track.mute = True
            if track.name == clip:
                data.action = track.strips[0].action
    rest.restore()


def import_file(path, rate):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = round(rate)
    bpy.context.scene.render.fps_base = round(rate) / rate
    bpy.ops.import_scene.gltf(filepath=path)


def start_of(glb, clip):
    """When a clip begins, and its name: the first time of any of its samplers."""
    animation = glb["animations"][clip]
    inputs = {sampler["input"] for sampler in animation["samplers"]}
    return min(glb["accessors"][number]["min"][0] for number in inputs), animation.get("name", f"Anim_{clip}")


def read_glb(path):
    """The document of a .glb, and everything behind it."""
    with open(path, "rb") as file:
        header = file.read(20)
        document = json.loads(file.read(int.from_bytes(header[12:16], "little")))
        return document, file.read()


def write_without_clips(path, document, chunks):
    text = json.dumps({key: value for key, value in document.items() if key != "animations"}).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        sizes = (2, 20 + len(text) + len(chunks), len(text))
        file.write(b"glTF" + b"".join(size.to_bytes(4, "little") for size in sizes) + b"JSON" + text + chunks)


def match(things, caches):
    """The object of every cache: by its number of vertices, then by how near it is."""
    pairs = []
    free = list(things)
    for name, cache in caches:
        fitting = [thing for thing in free if len(thing.data.vertices) == cache.shape[1]]
        if not fitting:
            counts = sorted(len(thing.data.vertices) for thing in free)
            say(f"  {name}: no object has its {cache.shape[1]} vertices (there are {counts})")
            continue
        best = min(fitting, key=lambda thing: largest(evaluated(thing), cache[0]))
        free.remove(best)
        pairs.append((best, name, cache))
    return pairs


def play_clips(folder, name, dump, caches):
    """The largest difference of the soft clips to the caches, and the matched objects."""
    path = os.path.join(folder, f"{name}.glb")
    rate = dump["frameRate"]
    glb, chunks = read_glb(path)
    bare = os.path.join(folder, f"{name}.bare.glb")
    write_without_clips(bare, glb, chunks)
    rest = Rest()
    for file in (bare, path):
        import_file(file, rate)
        rest.learn()
    os.remove(bare)
    first = len(glb["animations"]) - len(dump["clips"])
    worst, pairs = 0.0, None
    meshes = [thing for thing in bpy.data.objects if thing.type == "MESH" and thing.users_scene]
    for number, clip in enumerate(dump["clips"]):
        start, title = start_of(glb, first + number)
        choose_clip(title, rest)
        for k in range(FRAMES_PER_CLIP):
            frame = round(k * (clip["frames"] - 1) / (FRAMES_PER_CLIP - 1))
            go_to((start + frame * clip["frameTime"]) * rate)
            pairs = pairs if pairs is not None else match(meshes, caches)
            for thing, _, cache in pairs:
                worst = max(worst, largest(evaluated(thing), cache[clip["firstFrame"] + frame]))
    return worst, pairs


def play_cache(thing, path, cache):
    """The largest difference of a cache, played by the modifier on a bare copy of its mesh, to itself."""
    mesh = thing.data.copy()
    copy = bpy.data.objects.new("copy", mesh)
    bpy.context.scene.collection.objects.link(copy)
    if mesh.shape_keys:
        copy.shape_key_clear()
    modifier = copy.modifiers.new("cache", "MESH_CACHE")
    modifier.cache_format = "PC2" if path.endswith(".pc2") else "MDD"
    modifier.filepath = path
    modifier.forward_axis = "POS_Z"
    modifier.up_axis = "NEG_Y"
    modifier.interpolation = "NONE"
    modifier.frame_start = 0
    worst = 0.0
    for k in range(CACHE_FRAMES):
        frame = round(k * (len(cache) - 1) / (CACHE_FRAMES - 1))
        go_to(frame)
        worst = max(worst, largest(evaluated(copy), cache[frame]))
    bpy.data.objects.remove(copy)
    return worst


def check(folder, name):
    with open(os.path.join(folder, f"{name}.json")) as file:
        dump = json.load(file)
    with open(os.path.join(folder, f"{name}.summary.json")) as file:
        summary = json.load(file)
    height = summary["height"]
    paths = sorted(glob.glob(os.path.join(glob.escape(folder), f"{name}.*pc2")))
    caches = [(path[:-4], read_cache(path)) for path in paths]
    worst, pairs = play_clips(folder, name, dump, caches)
    share = worst / height
    told = summary["morphError"] if "morphError" in summary else summary["boneError"]
    cached = {kind: max((play_cache(thing, f"{path}.{kind}", cache) for thing, path, cache in pairs), default=1e9) / height
              for kind in ("pc2", "mdd")}
    say(f"{name}: Blender: {len(dump['clips'])} clips, {len(pairs)} of {len(caches)} meshes: largest difference "
        f"{100 * share:.4f} % of the height (bake says {100 * told:.4f} %); "
        f"mesh cache: PC2 {100 * cached['pc2']:.6f} %, MDD {100 * cached['mdd']:.6f} %")
    allowed = max(TOLERANCE, told) + ROUNDING
    return share <= allowed and max(cached.values()) <= ROUNDING and len(pairs) == len(caches)


def main():
    folder = os.path.abspath(sys.argv[sys.argv.index("--") + 1])
    names = sorted(os.path.basename(path)[:-7] for path in glob.glob(os.path.join(glob.escape(folder), "*.in.glb")))
    failed = [name for name in names if not check(folder, name)]
    for name in failed:
        say(f"FAILED: {name}")
    say(f"{len(names) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed or not names else 0


sys.exit(main())

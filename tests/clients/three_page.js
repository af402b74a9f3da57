// Within the page: loads a soft .glb, plays its soft clips and compares vertices with point caches.
import * as THREE from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const FRAMES_PER_CLIP = 9;

async function fetchBytes(name) {
  const response = await fetch(`/baked/${encodeURIComponent(name)}`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.arrayBuffer();
}

// A PC2 file: its counts, and a view of one frame's positions.
function openCache(bytes) {
  const view = new DataView(bytes);
  const points = view.getInt32(16, true);
  const samples = view.getInt32(28, true);
  if (bytes.byteLength !== 32 + 12 * points * samples) throw new Error('the cache has the wrong size');
  return { points, samples, frame: (k) => new Float32Array(bytes, 32 + 12 * points * k, 3 * points) };
}

// Meshes of the scene by file mesh and node: the primitives of each, in the order of the file.
function collectMeshes(gltf) {
  const groups = new Map();
  gltf.scene.traverse((object) => {
    if (!object.isMesh) return;
    const own = gltf.parser.associations.get(object);
    let node = object;
    while (node && gltf.parser.associations.get(node)?.nodes === undefined) node = node.parent;
    const key = `${gltf.parser.associations.get(node)?.nodes}/${own.meshes}`;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key)[own.primitives || 0] = object;
  });
  return [...groups.values()].map((list) => {
    const primitives = list.filter((object) => object);
    return { primitives, count: primitives.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0) };
  });
}

// The distance of a mesh, as it stands now, to one frame of its cache.
function distance(mesh, expected) {
  const point = new THREE.Vector3();
  let worst = 0;
  let at = 0;
  for (const primitive of mesh.primitives) {
    const count = primitive.geometry.attributes.position.count;
    for (let v = 0; v < count; v++, at += 3) {
      primitive.getVertexPosition(v, point).applyMatrix4(primitive.matrixWorld);
      const d = Math.hypot(point.x - expected[at], point.y - expected[at + 1], point.z - expected[at + 2]);
      if (!(d <= worst)) worst = d; // also what is not a number
    }
  }
  return worst;
}

// Which mesh of the scene each cache is of: by the number of vertices, and where several have it, by
// how near they are.
function matchMeshes(meshes, caches) {
  const free = new Set(meshes);
  return caches.map((cache) => {
    const fitting = [...free].filter((mesh) => mesh.count === cache.points);
    if (fitting.length === 0) throw new Error(`no mesh with ${cache.points} vertices`);
    fitting.sort((a, b) => distance(a, cache.frame(0)) - distance(b, cache.frame(0)));
    free.delete(fitting[0]);
    return fitting[0];
  });
}

function startOf(clip) {
  return Math.min(...clip.tracks.map((track) => track.times[0]));
}

// What share of the picture is not background.
function coverage(renderer) {
  const gl = renderer.getContext();
  const [width, height] = [gl.drawingBufferWidth, gl.drawingBufferHeight];
  const pixels = new Uint8Array(4 * width * height);
  gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
  let drawn = 0;
  for (let i = 0; i < pixels.length; i += 4) {
    drawn += Math.abs(pixels[i] - pixels[0]) + Math.abs(pixels[i + 1] - pixels[1]) + Math.abs(pixels[i + 2] - pixels[2]) > 12;
  }
  return drawn / (width * height);
}

function draw(scene, box) {
  const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
  renderer.setSize(innerWidth, innerHeight);
  document.body.append(renderer.domElement);
  const camera = new THREE.PerspectiveCamera(35, innerWidth / innerHeight, 1, 2);
  const size = box.getSize(new THREE.Vector3()).length();
  camera.position.copy(box.getCenter(new THREE.Vector3())).add(new THREE.Vector3(1, 0.5, 1).multiplyScalar(size));
  camera.near = size / 100;
  camera.far = size * 10;
  camera.updateProjectionMatrix();
  camera.lookAt(box.getCenter(new THREE.Vector3()));
  scene.add(new THREE.HemisphereLight(0xffffff, 0x445566, 3));
  scene.background = new THREE.Color(0x30343c);
  renderer.render(scene, camera);
  return coverage(renderer);
}

window.compare = async (name, cacheNames) => {
  const dump = JSON.parse(new TextDecoder().decode(await fetchBytes(`${name}.json`)));
  const caches = await Promise.all(cacheNames.map(async (file) => openCache(await fetchBytes(file))));
  const gltf = await new GLTFLoader().loadAsync(`/baked/${encodeURIComponent(name)}.glb`);
  const scene = new THREE.Scene();
  scene.add(gltf.scene);
  const meshes = collectMeshes(gltf);
  const soft = gltf.animations.slice(gltf.animations.length - dump.clips.length);
  const box = new THREE.Box3();
  let matched = null;
  let worst = 0;
  let compared = 0;
  soft.forEach((clip, i) => {
    const mixer = new THREE.AnimationMixer(gltf.scene);
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
    action.play();
    const { firstFrame, frames, frameTime } = dump.clips[i];
    for (let k = 0; k < FRAMES_PER_CLIP; k++) {
      const frame = Math.round((k / (FRAMES_PER_CLIP - 1)) * (frames - 1));
      mixer.setTime(startOf(clip) + frame * frameTime);
      scene.updateMatrixWorld(true);
      if (!matched) matched = matchMeshes(meshes, caches);
      matched.forEach((mesh, c) => {
        const d = distance(mesh, caches[c].frame(firstFrame + frame));
        if (!(d <= worst)) worst = d;
      });
      compared++;
      if (i === soft.length - 1 && k === 4) { // a picture of this moment
        const points = caches.map((cache) => new THREE.Box3().setFromArray(cache.frame(firstFrame + frame)));
        points.forEach((points) => box.union(points));
        box.covered = draw(scene, box);
      }
    }
    mixer.stopAllAction();
  });
  return { worst, compared, clips: soft.length, covered: box.covered || 0,
    vertices: caches.reduce((sum, cache) => sum + cache.points, 0) };
};

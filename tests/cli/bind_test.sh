#!/bin/sh
# Surfaces without a skin that get a skeleton and its motion from other files: recordings, characters,
# joints by hand.
. "$(dirname "$0")/lib.sh"
cd "$work" || exit 1

# A tower of four unit cubes with polygons for sides, and one of 1000 times its size below.
tower() {
    awk -v s="$1" 'BEGIN {
        for (y = 0; y <= 4; y++)
            printf "v %g %g %g\nv %g %g %g\nv %g %g %g\nv %g %g %g\n",
                -s/2, s*y, -s/2, s/2, s*y, -s/2, s/2, s*y, s/2, -s/2, s*y, s/2
        for (r = 0; r < 4; r++)
            for (i = 0; i < 4; i++)
                print "f", 4*r + i + 1, 4*r + i + 5, 4*r + (i + 1) % 4 + 5, 4*r + (i + 1) % 4 + 1
        print "f 1 2 3 4"
        print "f 20 19 18 17"
    }'
}
tower 1 >tower.obj
tower 1000 >large.obj
cat >bend.bvh <<'END'
HIERARCHY
ROOT hip
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT chest
  {
    OFFSET 0 15 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 15 0
    }
  }
}
MOTION
Frames: 5
Frame Time: 0.1
0 2 0 0 0 0 0 0 0
1 2 0 0 0 0 20 0 0
2 2 0 0 0 0 40 0 0
3 2 0 0 0 0 20 0 0
4 2 0 0 0 0 0 0 0
END

run 0 info bend.bvh
grep -q '3 joints' stdout || fail "info does not count the joints"
grep -q 'clip 0 "motion": 0.400 s' stdout || fail "info does not tell the motion"
grep -q -e '--skeleton bend.bvh' stdout || fail "info does not say what a recording is for"
run 1 bake bend.bvh -o wrong.glb
[ ! -e wrong.glb ] || fail "a recording alone was baked"

for surface in tower large; do
    run 0 bake "$surface.obj" --skeleton bend.bvh --cells 200 -o "$surface.glb"
    grep -q 'motion .* 13 frames' stdout || fail "$surface: the motion was not baked"
    run 0 info "$surface.glb"
    grep -q 'motion.soft' stdout || fail "$surface: the soft clip is missing"
    grep -q 'skinned' stdout || fail "$surface: it has no skin"
done
run 0 info large.obj
grep -q 'height 4000 units; taken as 4 m (millimetres)' stdout || fail "the size is not told"

# The same through rig, and from the character that comes out.
run 0 rig tower.obj --skeleton bend.bvh -o rigged.glb
grep -q '3 joints read' stdout || fail "rig does not count the joints"
run 0 bake rigged.glb --cells 200 -q -o soft.glb
run 0 bake tower.obj --skeleton rigged.glb --cells 200 -o again.glb
grep -q '0 outside the surface; scaled by 1,' stderr || fail "a skeleton that fits was moved"
run 0 bake tower.obj --skeleton rigged.glb --skeleton-scale 0.5 --skeleton-offset 0,1,0 --skeleton-turn 90 \
    --cells 200 -q -o again.glb
printf '{"joints": [{"name": "a", "at": [0,0.3,0]}, {"name": "b", "at": [0,2,0]}, {"name": "c", "at": [0,3.8,0]}],
 "bones": [["a", "b"], ["b", "c"]]}' >three.json
run 0 bake tower.obj --skeleton three.json --cells 200 -o three.glb
grep -q 'test-sway' stdout || fail "a skeleton without motion got no test clip"

# Mistakes name their file and write nothing.
rm -f wrong.glb
run 1 bake tower.obj -o wrong.glb
run 1 bake rigged.glb --skeleton bend.bvh -o wrong.glb
grep -q 'has a skin already' stderr || fail "a second skin is not refused"
sed 's/chest/chest {/' bend.bvh >bad.bvh
run 1 bake tower.obj --skeleton bad.bvh -o wrong.glb
grep -q 'bad.bvh: line 7' stderr || fail "the mistake is not named"
run 1 bake tower.obj --skeleton none.bvh -o wrong.glb
run 2 bake tower.obj --skeleton bend.bvh --skeleton-offset 1,2 -o wrong.glb
run 2 bake tower.obj --skeleton bend.bvh --skeleton-scale 0 -o wrong.glb
run 2 rig tower.obj --skeleton bend.bvh --sway -o wrong.glb
[ ! -e wrong.glb ] || fail "something was written after all"

# Toys: neither skin nor clip.
run 0 bake tower.obj --motion full --anchor bottom --cells 200 -o toy.glb
grep -q 'rest .* 61 frames' stdout || fail "gravity did not act on a toy"
run 0 info toy.glb
grep -q 'rest.soft' stdout || fail "the toy's clip is missing"
run 0 bake tower.obj --motion full --cells 200 -o fall.glb
run 1 bake tower.obj --motion full --anchor botom --cells 200 -o wrong.glb
grep -q 'tower.obj: there is no mesh "botom" to anchor' stderr || fail "the anchor is not named"
run 0 bake tower.obj --motion full --anchor mesh --cells 200 -q -o toy.glb

# Sizes that are given.
run 0 bake rigged.glb --height 180cm --cells 200 -o soft.glb
grep -q 'taken as 1.8 m (as given)' stdout || fail "the height was not taken"
run 0 bake rigged.glb --height 6ft --cells 200 --json -o soft.glb
grep -q '"metresPerUnit": 0.4572' stdout || fail "feet are not understood"
for wrong in 0 -1m 3parsec m 1e9m; do
    run 2 bake rigged.glb "--height=$wrong" -o wrong.glb
done
finish

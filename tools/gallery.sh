#!/bin/sh
# make gallery: makes every picture of the documents again, docs/pictures/*.png. ONLY=scene-: those whose names begin so;
# OUT=FOLDER: elsewhere. `tools/gallery.sh --list` says which pictures there are; what needs a file of others (a motion
# capture in ../shared/assets) is left out where that is not there.
set -eu
cd "$(dirname "$0")/.."
sinew=build/sinew
out=${OUT:-docs/pictures}
only=${ONLY:-}
list=no
[ "${1:-}" = --list ] && list=yes
begin=$(date +%s)
made=0

# picture NAME COMMAND...: @ among its words is the file.
picture() {
    name=$1
    shift
    if [ $list = yes ]; then
        echo "$name"
        return
    fi
    case "$name" in "$only"*) ;; *) return ;; esac
    for word in "$@"; do # the same words, with the file's name in place of @
        shift
        [ "$word" = @ ] && word=$out/$name.png
        set -- "$@" "$word"
    done
    echo "$name"
    "$@" >/tmp/gallery.$$ 2>&1 || { code=$?; [ $code -eq 3 ] || { cat /tmp/gallery.$$; rm -f /tmp/gallery.$$; exit 1; }; }
    rm -f /tmp/gallery.$$
    made=$((made + 1))
}

scene() { # NAME [FILE]
    picture "scene-$1" $sinew run "${2:-examples/scenes/$1.json}" --picture @
}

# wanted BEGIN...: whether pictures are made whose names begin so. What they show is made anew, for what lies there may be of another day.
wanted() {
    [ $list = no ] || return 1
    for begin_of; do
        case "$begin_of" in "$only"*) return 0 ;; esac
        case "$only" in "$begin_of"*) return 0 ;; esac
    done
    return 1
}

if [ $list = no ]; then
    mkdir -p "$out" out examples/scenes/made
    build/tools/make-demo out/character.glb >/dev/null
fi
if wanted scene- program-; then
    build/tools/make-scenes examples/scenes/made >/dev/null
    $sinew build -q examples/characters/penguin.txt -o examples/scenes/made/penguin.character.json
fi
if wanted shake-; then # of all clips just the one that is shown
    $sinew bake -q out/character.glb --clip shake -o out/shaken.glb
fi

# The bake, and what it decides.
shake="-n 5 --columns 5 -s 300x270 --yaw 10 --pitch 8 --zoom 1 --from 0.92 --to 1.34"
hop="-n 4 --columns 4 -s 270x230 --yaw 60 --pitch 6 --from 1.17 --to 1.41"
# shellcheck disable=SC2086 # several words
{
    picture shake-rig $sinew render out/shaken.glb --clip shake $shake -o @
    picture shake-soft $sinew render out/shaken.glb --clip shake.soft $shake -o @
    for wobble in 2 3.5 8; do
        picture wobble-$wobble $sinew render out/character.glb --clip hop --simulate --wobble $wobble $hop -o @
    done
}
picture rig $sinew rig out/character.glb --picture @
picture regions $sinew render out/character.glb --clip hop --overlay regions -n 1 -s 400x320 --yaw 35 --pitch 8 --zoom 1.05 -o @
picture strain $sinew render out/character.glb --clip hop --overlay strain -n 3 --columns 3 -s 400x280 --yaw 50 --pitch 6 --from 1.1 --to 1.4 -o @

# Bare surfaces.
if wanted bare; then
    build/tools/make-demo --bare out/bare.glb >/dev/null
    $sinew rig -q out/bare.glb --sway -o out/rigged.glb
fi
picture bare $sinew render out/bare.glb -n 1 -s 480x400 --yaw 60 --pitch 8 -o @
picture bare-skeleton $sinew render out/rigged.glb --overlay skeleton -n 1 -s 480x400 --yaw 60 --pitch 8 -o @

# Bodies of the example scenes with their lattices.
bodies=
if wanted scene-dragon scene-duck scene-cucumber scene-star scene-limb; then
    bodies=$(mktemp -d)
    build/tools/make-scenes --pictures "$bodies" >/dev/null
fi
for body in dragon duck cucumber star limb; do
    picture scene-$body cp "$bodies/$body.png" @
done
[ -z "$bodies" ] || rm -rf "$bodies"

# Scenes.
for name in drop bar hung box dragon-stretched dragon-grid dragon-lip duck-tossed cucumber-shaken star-released clasp \
    poly-block poly-pendulum trunk whirl sky-hook monster leaf calf-skittles nails skittles octopus pile belly loose-skin limp calf-hit jumper \
    calf-coats penguin-cushion hook-ear hook-skittle plank clubs limb-dropped clay; do
    scene $name
done
scene puppet examples/scenes/made/puppet.json
scene tummy-pinched examples/characters/tummy-pinched.json
scene penguin-limp examples/characters/penguin-limp.json

# Layered characters.
for name in penguin wombat torso tummy forearm elbow frog; do
    picture character-$name-skin $sinew build examples/characters/$name.txt --picture @
done
picture character-penguin-shrinking $sinew build examples/characters/penguin.txt --shrinking --panels 6 --picture @
for name in penguin torso; do
    picture character-$name-muscles $sinew build examples/characters/$name.txt --muscles --picture @
done

# What the programs of examples/c/ do.
for name in drop goal grab; do
    picture program-$name $sinew run examples/c/$name.json --picture @
done
picture program-step $sinew render examples/scenes/made/demo.glb --clip shake --simulate --cells 500 -n 8 --columns 4 -s 260x220 --yaw 50 --pitch 6 -o @
picture program-surfaces $sinew render examples/scenes/made/demo.glb --clip walk --simulate -n 16 --columns 8 -s 150x140 --yaw 50 --pitch 8 -o @

# Coats, and what else scenes are made of.
picture coat-ball $sinew coat examples/scenes/ball.coat.json --elements --size 300x260 --zoom 0.75 --picture @
for name in chain jumper nail octopus skittle clay foam; do
    picture coat-$name $sinew coat examples/scenes/$name.coat.json --elements --size 300x260 --picture @
done
picture ring $sinew render examples/scenes/ring.obj -n 1 -s 300x260 --pitch 25 -o @
picture coat-jump $sinew coat examples/scenes/jumper.bvh --picture @
jump=../shared/assets/cmu_16_01_jump.bvh
if [ $list = yes ] || [ -e $jump ]; then
    # The scene of the jumper with the captured one in its place.
    captured=$(mktemp -d)
    if wanted scene-jump-captured; then
        cp $jump "$captured/jumper.bvh"
        cp examples/scenes/ball.coat.json "$captured"
        $sinew coat -q $jump -o "$captured/jumper.coat.json"
        sed -e 's/, "start": 0.3//' -e 's/"skeleton": {.*}/"skeleton": {"strength": 2.5, "hand": 2.5}/' \
            -e 's/"place": \[0.02, 0.75, 1.6\], "velocity": \[0, 3.4, -5\]/"place": [-0.08, 1, 1.3], "velocity": [0, 2.2, -5]/' \
            examples/scenes/jumper.json >"$captured/jumper.json"
    fi
    scene jump-captured "$captured/jumper.json"
    rm -rf "$captured"
else
    echo "left out: scene-jump-captured ($jump is not there)"
fi

[ $list = yes ] || echo "$made pictures in $out, $(($(date +%s) - begin)) s"

#!/bin/sh
# make scenes: makes the bodies of the example scenes, and a film strip and a table of every scene.
set -eu
cd "$(dirname "$0")/.."
sinew=build/sinew
mkdir -p examples/scenes/made out/scenes
build/tools/make-scenes examples/scenes/made >out/scenes/made.txt
$sinew build examples/characters/penguin.txt -o examples/scenes/made/penguin.character.json -q

# Every scene of the examples; coats are documents that scenes are made of.
for file in examples/scenes/*.json examples/scenes/made/puppet.json examples/characters/*.json; do
    case "$file" in *.coat.json) continue ;; esac
    scene=$(basename "$file" .json)
    echo "$scene ..."
    # A machine without a working EGL gets everything but the pictures.
    if ! $sinew run "$file" --csv "out/scenes/$scene.csv" \
        --picture "out/scenes/$scene.png" -q 2>out/scenes/log.txt; then
        grep -q -i egl out/scenes/log.txt || { cat out/scenes/log.txt >&2; exit 1; }
        $sinew run "$file" --csv "out/scenes/$scene.csv" -q
    fi
done
rm -f out/scenes/log.txt

# The mouth's opening at the end, and what the stretch costs: with the fitted lattice and in the grid.
for scene in dragon-stretched dragon-grid; do
    awk -F, -v name="$scene" '
        NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
        NR > 1 {
            x = $column["upper.x"] - $column["lower.x"]
            y = $column["upper.y"] - $column["lower.y"]
            z = $column["upper.z"] - $column["lower.z"]
            gap = sqrt(x * x + y * y + z * z)
            energy = $column["dragon.elastic"]
            if (NR == 2) first = gap
        }
        END { printf "%s: lips %.2f m apart at rest, %.2f m at the end; %.1f J\n", name, first, gap, energy }
    ' "out/scenes/$scene.csv"
done
echo "Film strips and tables are in out/scenes."

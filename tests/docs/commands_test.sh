#!/bin/sh
# Every command that stands in README.md and docs/ in a block of `sh` is run once, page by page, in a folder with files of the
# names that it speaks of. Three things are made shorter: bakes and rigs get `--cells 200` where nothing else decides on the lattice, pictures
# are small, and example scenes and characters last a twentieth or a tenth of a second. Calls of make are looked up in the Makefile. What needs a program that is
# not here (ffmpeg, EGL) is named as skipped. Pages may be given; the gallery, whose commands take long, is run by its own test.
#     commands_test.sh [PAGE ...]
. "$(dirname "$0")/../cli/lib.sh"
. "$(dirname "$0")/files.sh"
begun=$work/begun
mkdir -p "$begun/out" "$begun/build/tools" "$begun/bin"
cd "$begun" || exit 1

# sinew and build/sinew, as they stand in the documents.
cat >build/sinew <<END
#!/bin/sh
if [ "\$1" = bake ] || [ "\$1" = rig ]; then
    case " \$* " in *" --with "* | *" --rig "* | *" --cells "*) ;; *) set -- "\$@" --cells 200 ;; esac
fi
case "\$1 \$* " in
*" --size "* | *" -s "*) ;;
render* | run*--picture* | build*--picture* | coat*--picture*) set -- "\$@" --size 96x72 ;;
esac
exec "$SINEW" "\$@"
END
chmod +x build/sinew
cp build/sinew bin/sinew
ln -s "$MAKE_DEMO" build/tools/make-demo
PATH=$begun/bin:$PATH
export PATH

if [ "$*" != docs/scenes-gallery.md ]; then
    make_characters
    make_props
    make_captures
    make_ball
fi
cp -r "$SOURCE/examples" examples
mkdir -p examples/scenes/made
if [ -d "${MADE:-}" ]; then cp "$MADE"/* examples/scenes/made; else "$MAKE_SCENES" examples/scenes/made >/dev/null; fi
for scene in examples/scenes/*.json examples/scenes/made/*.json examples/characters/*.json examples/c/*.json; do
    sed 's/"duration": *[^,}]*/"duration": 0.05/' "$scene" >shorter && mv shorter "$scene"
done
# Characters are drawn in few frames, of their first moments.
for script in examples/characters/*.txt; do
    sed 's/rate=24/rate=10/; s/duration=[0-9.]*/duration=0.1/' "$script" >shorter && mv shorter "$script"
done

# The commands of a page, one in a line, comments at the end taken off.
commands_of() {
    awk '/^ *```sh/ { on = 1; next } /^ *```/ { on = 0 }
        on && NF { sub(/^ +/, ""); sub(/ +#.*$/, ""); print }' "$1"
}

can_draw=yes
"$SINEW" render -q examples/scenes/ring.obj -n 1 -s 16x16 -o x.png 2>/dev/null || can_draw=no

# Why a command is not run here; nothing where it is.
why_not() {
    case "$1" in
    *.mp4*) command -v ffmpeg >/dev/null || echo "no ffmpeg" ;;
    '$EDITOR'*) echo "for a person" ;;
    cc\ * | ctest* | ninja* | cmake* | .ci/run*) echo "about the build" ;;
    *png* | *render*) [ $can_draw = yes ] || echo "no EGL" ;;
    esac
}

# may_warn PAGE COMMAND: made smaller here, or the page says "exit code 3" in the paragraph, or heading, before the block.
may_warn() {
    grep -q "stretched to .* times its length\|script stopped\|keep up with the clock" "$work/log" && return
    awk -v command="$2" '/^ *```/ { on = !on; next } !on && NF { said = /exit code 3/ }
        on && index($0, command) { found = found || said } END { exit !found }' "$SOURCE/$1"
}

try() { # PAGE COMMAND
    case "$2" in
    make\ *)
        target=$(echo "$2" | cut -d' ' -f2)
        grep -q "^$target:" "$SOURCE/Makefile" || fail "$1: $2: the Makefile knows no $target"
        return
        ;;
    esac
    reason=$(why_not "$2")
    if [ -n "$reason" ]; then
        echo "left out ($reason): $2"
        return
    fi
    code=0 start=$(date +%s%N)
    sh -c "$2" >"$work/log" 2>&1 </dev/null || code=$?
    # 3 is "made, but look at it": flesh of 200 cells may stretch where that of 2,000 does not, no script comes to its end
    # in so short a time, and a busy machine does not keep up with the clock. Other commands end with it where the sentence before them says so.
    if [ $code -eq 3 ] && may_warn "$1" "$2"; then
        echo "exit code 3: $2"
        code=0
    fi
    if [ $code -ne 0 ]; then
        fail "$1: $2: exit code $code"
        cat "$work/log"
    fi
    tried=$((tried + 1))
    echo "$((($(date +%s%N) - start) / 1000000)) ms: $2"
}

# In one folder, so that a command that stands on several pages is run once.
tried=0
: >"$work/seen"
given=$*
pages=${given:-README.md $(cd "$SOURCE" && ls docs/*.md docs/*/*.md | grep -vx docs/scenes-gallery.md)}
for page in $pages; do
    commands_of "$SOURCE/$page" >"$work/commands"
    while IFS= read -r command; do
        same=$(echo "$command" | sed 's|build/sinew|sinew|')
        grep -qxF -- "$same" "$work/seen" && continue
        echo "$same" >>"$work/seen"
        try "$page" "$command"
    done <"$work/commands"
done
echo "$tried commands of the documents were run"
[ -n "$given" ] || [ $tried -gt 50 ] || fail "only $tried commands were found"
finish

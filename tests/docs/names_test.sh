#!/bin/sh
# Commands that stand within sentences are not run (commands_test.sh has those in blocks), but what they name is there: subcommands and options
# in the program's own help, files of examples/, targets of the Makefile, the parts that ONLY= picks of benchmarks and pictures, and tests.
set -eu
cd "$SOURCE"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
    echo "$*"
    failed=1
}

# Code within sentences, one piece in a line.
awk 'FNR == 1 { on = 0 } /^ *```/ { on = !on; next } !on' README.md docs/*.md docs/*/*.md | tr '\n' ' ' | grep -o '`[^`]*`' | tr -d '`' | sort -u >"$work/inline"

sed -n 's|^\(build/\)\{0,1\}sinew ||p' "$work/inline" >"$work/sinew"
while IFS= read -r rest; do
    command=${rest%% *}
    case "$command" in COMMAND | -*) continue ;; esac
    [ -e "$work/$command.help" ] || "$SINEW" "$command" --help >"$work/$command.help" 2>&1 ||
        complain "sinew $rest: there is no $command"
    for word in $rest; do
        case "$word" in
        --*) grep -qE -- "(^|[ ,])$word([ ,=]|$)" "$work/$command.help" || complain "sinew $rest: its help has no $word" ;;
        examples/scenes/made/*) ;;
        examples/*) [ -e "$word" ] || complain "sinew $rest: there is no $word" ;;
        esac
    done
done <"$work/sinew"

# Calls of make, in blocks too. ONLY= begins like a part of the benchmarks, or goes on where one ends; likewise pictures.
"$BUILD/sinew-bench" --list >"$work/parts" || complain "the benchmarks do not say their parts"
tools/gallery.sh --list >"$work/pictures"
grep -ohE '`make [a-z][a-z-]*( ONLY=[a-z0-9/.-]+)?`' README.md docs/*.md docs/*/*.md | tr -d '`' >"$work/make"
awk 'FNR == 1 { on = 0 } /^ *```/ { on = /```sh/; next } on' README.md docs/*.md docs/*/*.md | grep -oE '^make [a-z][a-z-]*( ONLY=[a-z0-9/.-]+)?' >>"$work/make"
sort -u "$work/make" >"$work/calls"
while IFS= read -r call; do
    target=$(echo "$call" | cut -d' ' -f2) only=
    case "$call" in *ONLY=*) only=${call##*ONLY=} ;; esac
    grep -q "^$target:" Makefile || complain "$call: the Makefile knows no $target"
    case "$target" in bench) list=$work/parts ;; gallery) list=$work/pictures ;; *) continue ;; esac
    [ -z "$only" ] || awk -v only="$only" 'index($0, only) == 1 || index(only, $0) == 1 { found = 1 } END { exit !found }' "$list" ||
        complain "$call: nothing begins with $only"
done <"$work/calls"

# Tests that are picked by name, in tables too.
ctest --test-dir "$BUILD" -N | sed -n 's/^ *Test *#[0-9]*: //p' >"$work/tests"
grep -ohE 'ctest [^`]*-R [^ `]+' README.md docs/*.md docs/*/*.md | sed "s/.*-R //; s/[\"']//g" | grep -v '^NAME$' | sort -u >"$work/picked"
while IFS= read -r name; do
    grep -qE -- "$name" "$work/tests" || complain "ctest -R $name: there is no such test"
done <"$work/picked"
calls=$(cat "$work/sinew" "$work/calls" "$work/picked" | wc -l)
[ "$calls" -gt 60 ] || complain "only $calls calls were found"
[ $failed -eq 0 ] && echo "ok: $calls calls name what is there"

#!/bin/sh
# make site: README.md and docs/ as a static site, out/site/index.html. Markdown becomes HTML by cmark-gfm, page.awk
# gives headings their anchors and turns links to pages into links between them; files that pages link to come along.
# Ends with an error that names every link that leads nowhere.
set -eu
cd "$(dirname "$0")/../.."
site=${SITE:-out/site}
tools=tools/site
command -v cmark-gfm >/dev/null || { echo "make site needs cmark-gfm: apt-get install cmark-gfm" >&2; exit 1; }
rm -rf "$site"
mkdir -p "$site"
links=$(mktemp) anchors=$(mktemp)
trap 'rm -f "$links" "$anchors"' EXIT

# Pages in the order of the bar beside them: title and file.
menu() {
    sed -n 's/^\(.*\) | \(.*\)$/\1|\2/p' "$tools/menu.txt"
}

# The way from a page's folder up to the site's root: "../" for each folder.
up_of() {
    dirname "$1" | awk -F/ '{ if ($1 != ".") for (i = 1; i <= NF; i++) printf "../" }'
}

address_of() { # FILE.md
    case "$1" in
    README.md) echo index.html ;;
    *) echo "${1%.md}.html" ;;
    esac
}

side_bar() { # PAGE UP
    menu | while IFS='|' read -r title file; do
        if [ "$file" = - ]; then
            echo "<h4>$title</h4>"
        elif [ "$file" = "$1" ]; then
            echo "<b>$title</b>"
        else
            echo "<a href=\"$2$(address_of "$file")\">$title</a>"
        fi
    done
}

page() { # FILE.md
    file=$1
    out=$site/$(address_of "$file")
    up=$(up_of "$file")
    mkdir -p "$(dirname "$out")"
    title=$(sed -n 's/^# //p' "$file" | head -n 1)
    {
        printf '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        printf '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        printf '<title>%s</title><link rel="stylesheet" href="%sstyle.css"></head>\n' "$title" "$up"
        printf '<body><nav><a class="home" href="%sindex.html">Sinew</a>\n' "$up"
        side_bar "$file" "$up"
        printf '</nav><main>\n'
        cmark-gfm -e table -e strikethrough -e autolink --unsafe "$file" |
            awk -v page="$file" -v links="$links" -v anchors="$anchors" -f "$tools/page.awk"
        printf '</main></body></html>\n'
    } >"$out"
}

# A folder that is linked to becomes a list of its files.
folder() {
    mkdir -p "$site/$1"
    [ -e "$site/$1/index.html" ] && return
    {
        printf '<!doctype html><meta charset="utf-8"><title>%s</title>' "$1"
        printf '<link rel="stylesheet" href="%sstyle.css"><main><h1>%s</h1><ul>\n' "$(up_of "$1/x")" "$1"
        git ls-files "$1" | grep -v "^$1/.*/" | while read -r f; do
            case "$f" in
            *.md) printf '<li><a href="%s">%s</a></li>\n' "$(basename "${f%.md}").html" "$(basename "$f")" ;;
            *)
                cp "$f" "$site/$f"
                printf '<li><a href="%s">%s</a></li>\n' "$(basename "$f")" "$(basename "$f")"
                ;;
            esac
        done
        printf '</ul></main>\n'
    } >"$site/$1/index.html"
}

cp "$tools/style.css" "$site/style.css"
pages=$(git ls-files README.md CHANGELOG.md docs | grep '\.md$')
for file in $pages; do page "$file"; done

# Every link: PAGE TARGET ANCHOR, the target a file of the project. What is no page comes along.
broken=0
while read -r from target anchor; do
    if [ ! -e "$target" ]; then
        echo "$from: a link leads to $target, which is not there" >&2
        broken=$((broken + 1))
    elif [ -n "$anchor" ]; then
        grep -qxF "$target#$anchor" "$anchors" && continue
        echo "$from: a link leads to $target#$anchor, and there is no such heading" >&2
        broken=$((broken + 1))
    elif [ -d "$target" ]; then
        folder "${target%/}"
    else
        case "$target" in *.md) continue ;; esac
        mkdir -p "$site/$(dirname "$target")"
        cp "$target" "$site/$target"
    fi
done <"$links"

# Every page is in the menu or linked to by another one.
for file in $pages; do
    grep -q "| $file\$" "$tools/menu.txt" && continue
    awk -v f="$file" -v d="$(dirname "$file")" '($2 == f || $2 == d) && $1 != f { found = 1 } END { exit !found }' \
        "$links" && continue
    echo "$file: no page leads to it" >&2
    broken=$((broken + 1))
done
[ "$broken" -eq 0 ] || { echo "$broken links of the documents are broken" >&2; exit 1; }
echo "$(echo "$pages" | wc -w) pages, $(sort -u "$links" | wc -l) links: $site/index.html"

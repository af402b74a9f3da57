#!/bin/sh
# The documents become a site, and every link in them leads somewhere.
set -eu
command -v cmark-gfm >/dev/null || { echo "skipped: cmark-gfm is not here"; exit 77; }
SITE=$(mktemp -d) && export SITE
trap 'rm -rf "$SITE"' EXIT
"$SOURCE/tools/site/site.sh"
[ -s "$SITE/index.html" ] && grep -q 'href="docs/getting-started.html"' "$SITE/index.html"

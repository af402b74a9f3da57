# What cmark-gfm makes of a page, with anchors at headings as GitHub names them, and links to pages of the project as
# links between pages of the site. Links go to the file `links` (PAGE TARGET ANCHOR), anchors to `anchors`.
BEGIN {
    folder = page
    if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
}

function slug(text) {
    gsub(/<[^>]*>/, "", text)
    gsub(/&[a-z]*;/, "", text)
    text = tolower(text)
    gsub(/[^a-z0-9 _\200-\377-]/, "", text)
    gsub(/ /, "-", text)
    return text
}

# A path without "a/.." and "./".
function plain(path,    part, n, i, depth, out) {
    n = split(path, part, "/")
    depth = 0
    for (i = 1; i <= n; i++) {
        if (part[i] == "" || part[i] == ".") continue
        if (part[i] == ".." && depth > 0 && kept[depth] != "..") depth--
        else kept[++depth] = part[i]
    }
    out = ""
    for (i = 1; i <= depth; i++) out = out (i > 1 ? "/" : "") kept[i]
    return out
}

# The address that stands in the site for one in the document.
function address(to,    target, anchor, hash, file) {
    if (to ~ /^[a-z]+:/) return to
    hash = index(to, "#")
    target = hash ? substr(to, 1, hash - 1) : to
    anchor = hash ? substr(to, hash + 1) : ""
    file = target == "" ? page : plain(folder == "" ? target : folder "/" target)
    print page, file, anchor >> links
    if (target ~ /README\.md$/) sub(/README\.md$/, "index.html", target)
    else sub(/\.md$/, ".html", target)
    if (target != "" && system("[ -d '" file "' ]") == 0) target = target "/index.html"
    return target (hash ? "#" anchor : "")
}

{
    line = $0
    if (match(line, /^<h[1-6]>/)) {
        level = substr(line, 2, 2)
        name = slug(line)
        if (seen[name]++) name = name "-" (seen[name] - 1)
        print page "#" name >> anchors
        line = "<" level " id=\"" name "\">" substr(line, 5)
    }
    out = ""
    while (match(line, /(href|src)="[^"]*"/)) {
        attribute = substr(line, RSTART, RLENGTH)
        quote = index(attribute, "\"")
        out = out substr(line, 1, RSTART - 1) substr(attribute, 1, quote) \
            address(substr(attribute, quote + 1, length(attribute) - quote - 1)) "\""
        line = substr(line, RSTART + RLENGTH)
    }
    print out line
}

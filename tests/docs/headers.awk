# What a public header declares without saying what it is: functions, types, fields and constants. A declaration has a comment at the end of its
# lines, or one directly above. A comment is about the one declaration below it, unless it ends with a colon: then about all that follow in a line
# each, up to an empty line or another comment. Prints FILE:LINE: TEXT for each that has none.
function tell() {
    printf "%s:%d: %s\n", FILENAME, first, text
    missing++
}

# A declaration is over; inside of braces a comment above the brace is about the whole, not about its members.
function finish() {
    if (!said && !above && !(list && first == FNR)) tell()
    open = above = 0
}

function forget() { above = list = 0 }

FNR == 1 { depth = open = skipping = 0; forget() }
# The preprocessor, `extern "C"`, and the code of inline functions.
/^#/ || /^extern "C"/ || /^SN_API_(BEGIN|END)/ || /^}$/ { skipping = 0; if (depth == 0) forget(); next }
skipping { if (/^}/) skipping = 0; next }
/^[ \t]*$/ || /^\/\/ ----/ { forget(); next }
/^[ \t]*\/\// {
    # Farther in than declarations it goes on with the comment at the end of the line before.
    if (open || match($0, /\/\//) > 4 * depth + 1) next
    above = 1
    list = /:$/
    next
}
/^}/ { depth = 0; forget(); next }
/^{/ { skipping = 1; next }
{
    if (!open) {
        open = 1
        first = FNR
        text = $0
        said = 0
    }
    if (/\/\//) said = 1
    code = $0
    sub(/[ \t]*\/\/.*/, "", code)
    # A type with members: its own comment stands above.
    if (depth == 0 && code ~ /^typedef (struct|enum|union)[^;]*{$/) {
        finish()
        depth = 1
        forget()
        next
    }
    if (depth == 0 && code ~ /[;}]$/ || depth == 1 && code ~ /[;,]$/ || depth == 1 && code ~ /^ +SN_[A-Z0-9_]+( = .*)?$/) finish()
}
END { exit missing > 0 }

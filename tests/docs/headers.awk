# What a public header declares without saying what it is: functions, types, fields and constants that have no comment at
# the end of their lines, none directly above, and none above the group (lines without an empty one between) in which
# they stand. Prints FILE:LINE: TEXT for each.
function tell() {
    printf "%s:%d: %s\n", FILENAME, first, text
    missing++
}

# A declaration is over; inside of braces a comment above the brace is about the whole, not about its members.
function finish() {
    if (!said && !above) tell()
    open = 0
}

FNR == 1 { depth = above = open = skipping = 0 }
# The preprocessor, `extern "C"`, and the code of inline functions.
/^#/ || /^extern "C"/ || /^SN_API_(BEGIN|END)/ || /^}$/ { skipping = 0; if (depth == 0) above = 0; next }
skipping { if (/^}/) skipping = 0; next }
/^[ \t]*$/ { above = 0; next }
/^[ \t]*\/\// { if (!open) above = 1; next }
/^}/ { depth = 0; above = 0; next }
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
        above = 0
        next
    }
    if (depth == 0 && code ~ /[;}]$/ || depth == 1 && code ~ /[;,]$/ || depth == 1 && code ~ /^ +SN_[A-Z0-9_]+( = .*)?$/) finish()
}
END { exit missing > 0 }

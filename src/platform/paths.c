#include "platform/paths.h"

#include "core/error.h"
#include "core/text.h"

#include <string.h>

const char *snPath_Name(const char *path)
{
    return path + snPath_FolderLength(path);
}

size_t snPath_FolderLength(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

const char *snPath_Extension(const char *path)
{
    const char *name = snPath_Name(path);
    while (*name == '.')
        name++;
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? dot : name + strlen(name);
}

bool snPath_HasExtension(const char *path, const char *extension)
{
    return snSameLetters(snPath_Extension(path), extension);
}

bool snPath_Join(const char *folder, const char *name, char *joined, size_t capacity)
{
    size_t before = strlen(folder), after = strlen(name);
    size_t slash = before && folder[before - 1] != '/' ? 1 : 0;
    if (capacity) *joined = '\0';
    if (before >= capacity || after >= capacity || before + slash + after >= capacity) return false;
    memcpy(joined, folder, before);
    if (slash) joined[before] = '/';
    memcpy(joined + before + slash, name, after + 1);
    return true;
}

// The next character of a URI. A percent sign without two digits stands for itself: exporters write
// such names.
static char nextCharacter(const char **uri)
{
    const char *p = *uri;
    int high = *p == '%' ? snHexDigit(p[1]) : -1;
    int low = high >= 0 ? snHexDigit(p[2]) : -1;
    if (low < 0) {
        *uri = p + 1;
        return *p;
    }
    *uri = p + 3;
    return (char)(16 * high + low);
}

static snStatus decode(const char *uri, char *path, size_t capacity, snError *error)
{
    size_t length = 0;
    for (const char *p = uri; *p;) {
        char c = nextCharacter(&p);
        if ((unsigned char)c < 0x20)
            return snFail(error, SN_ERROR_FORMAT, "the name \"%.100s\" has a control character",
                          uri);
        if (c == '\\')
            return snFail(error, SN_ERROR_FORMAT,
                          "the name \"%.100s\" has a backslash; use / between folders", uri);
        if (length + 1 >= capacity)
            return snFail(error, SN_ERROR_FORMAT, "the name \"%.100s...\" is too long", uri);
        path[length++] = c;
    }
    path[length] = '\0';
    return SN_OK;
}

// A colon in the first part makes what stands before it a scheme, or a drive.
static bool hasScheme(const char *path)
{
    return path[strcspn(path, ":/")] == ':';
}

// Resolves "." and ".." in place; false where that leads out of the folder.
static bool normalize(char *path)
{
    size_t out = 0; // behind a slash, or 0; never ahead of what is read
    for (const char *part = path, *next; part; part = next) {
        size_t length = strcspn(part, "/");
        next = part[length] ? part + length + 1 : NULL;
        if (length == 2 && memcmp(part, "..", 2) == 0) {
            if (!out) return false;
            out--; // the slash at the end of the folder, then its name
            while (out && path[out - 1] != '/')
                out--;
        } else if (length && !(length == 1 && *part == '.')) {
            memmove(path + out, part, length);
            out += length;
            path[out++] = '/'; // at the latest where the slash or the zero behind the part was
        }
    }
    if (out) out--;
    path[out] = '\0';
    return true;
}

static snStatus checkedPath(const char *uri, char *path, size_t capacity, snError *error)
{
    snStatus status = decode(uri, path, capacity, error);
    if (status) return status;
    if (hasScheme(path))
        return snFail(error, SN_ERROR_UNSUPPORTED,
                      "\"%.100s\" is not a neighbouring file; only relative names are read", uri);
    if (*path == '/')
        return snFail(error, SN_ERROR_FORMAT,
                      "\"%.100s\" is an absolute path; only relative names are read", uri);
    if (!normalize(path))
        return snFail(error, SN_ERROR_FORMAT, "\"%.100s\" leads out of the file's folder", uri);
    if (!*path) return snFail(error, SN_ERROR_FORMAT, "\"%.100s\" names no file", uri);
    return SN_OK;
}

snStatus snPath_FromUri(const char *uri, char *path, size_t capacity, snError *error)
{
    SN_ASSERT(capacity > 0);
    snStatus status = checkedPath(uri, path, capacity, error);
    if (status) *path = '\0';
    return status;
}

// URIs: data inside, encoded both ways, and paths that must not lead out of the file's own folder.
#include "asset/gltf_uri.h"
#include "tests/test.h"

#include <string.h>

static snContext context;
static snArena arena;

static void decodesTo(const char *uri, const void *expected, size_t size)
{
    const uint8_t *bytes = NULL;
    size_t found = 0;
    snError error = {0};
    CHECK(snUri_IsData(uri));
    CHECK(snUri_DecodeData(uri, &arena, &bytes, &found, &error) == SN_OK);
    CHECK(found == size && !memcmp(bytes, expected, size));
}

// What is written is read again, for every number of bytes that the last group of four can have.
static void base64ComesBack(void)
{
    static const uint8_t data[] = {0, 255, 16, 131, 62, 63, 250, 4, 0};
    for (size_t size = 0; size <= sizeof data; size++) {
        snBytes text = snMakeBytes(&context);
        snBytes_AppendText(&text, "data:application/octet-stream;base64,");
        size_t head = text.size;
        snBytes_AppendBase64(&text, data, size);
        CHECK(text.size - head == (size + 2) / 3 * 4);
        snBytes_AppendByte(&text, 0);
        decodesTo((const char *)text.data, data, size);
        snBytes_Destroy(&text);
    }
    decodesTo("data:;base64,+/+/", "\xFB\xFF\xBF", 3);
    decodesTo("data:;base64,-_-_", "\xFB\xFF\xBF", 3); // the alphabet for URLs
    decodesTo("data:;base64,====", "", 0);
}

static void percentsAreDecoded(void)
{
    decodesTo("data:,a%20b%2Fc%2fd", "a b/c/d", 7);
    decodesTo("data:,100%", "100%", 4); // a lone % stays
    decodesTo("data:,%4", "%4", 2);
    decodesTo("data:,%4g%G0", "%4g%G0", 6);
    decodesTo("data:text/plain,%00", "\0", 1);
    decodesTo("data:,", "", 0);
}

static void badDataIsNamed(void)
{
    const uint8_t *bytes;
    size_t size;
    snError error = {0};
    CHECK(snUri_DecodeData("data:;base64", &arena, &bytes, &size, &error) == SN_ERROR_FORMAT);
    CHECK(!strcmp(error.message, "data: URI without a comma"));
    const char *bad[] = {"data:;base64,AA@A", "data:;base64,AA[A", "data:;base64,AA{A",
                         "data:;base64,AA=A", "data:;base64,AA:A"};
    for (int i = 0; i < 5; i++) {
        CHECK(snUri_DecodeData(bad[i], &arena, &bytes, &size, &error) == SN_ERROR_FORMAT);
        CHECK(!strcmp(error.message, "bad base64 character at position 2 of the data"));
    }
}

static void pathsStayInside(void)
{
    static const struct {
        const char *uri, *path;
        snStatus status;
    } cases[] = {
        {"skin.png", "skin.png", SN_OK},
        {"a%20b/c.bin", "a b/c.bin", SN_OK},
        {"..a/b..c/.d/e.", "..a/b..c/.d/e.", SN_OK}, // dots in names are names
        {"", "empty or holds a zero byte", SN_ERROR_FORMAT},
        {"a%00b", "empty or holds a zero byte", SN_ERROR_FORMAT},
        {"..", "leads out", SN_ERROR_UNSUPPORTED},
        {"../a", "leads out", SN_ERROR_UNSUPPORTED},
        {"a/..", "leads out", SN_ERROR_UNSUPPORTED},
        {"a/../../b", "leads out", SN_ERROR_UNSUPPORTED},
        {"%2e%2E/b", "leads out", SN_ERROR_UNSUPPORTED},
        {"/etc/passwd", "leads out", SN_ERROR_UNSUPPORTED},
        {"a\\b", "leads out", SN_ERROR_UNSUPPORTED},
        {"c%3A/b", "leads out", SN_ERROR_UNSUPPORTED},
        {"file:a", "not a file next to this one", SN_ERROR_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = NULL;
        snError error = {0};
        CHECK(snUri_ToPath(cases[i].uri, &arena, &path, &error) == cases[i].status);
        if (cases[i].status)
            CHECK(strstr(error.message, cases[i].path) != NULL);
        else
            CHECK(path && !strcmp(path, cases[i].path));
    }
}

static void everyAllocationMayFail(void)
{
    static const char *const uris[] = {"data:;base64,AAAA", "data:,a", "a.bin"};
    for (int i = 0; i < 3; i++) {
        snContext failing = snDefaultContext();
        snFailingMemory memory = {.failAtWay = 1};
        snTest_UseFailingMemory(&failing, &memory);
        snArena own = snMakeArena(&failing);
        const uint8_t *bytes;
        const char *path;
        size_t size;
        CHECK((i < 2 ? snUri_DecodeData(uris[i], &own, &bytes, &size, NULL)
                     : snUri_ToPath(uris[i], &own, &path, NULL)) == SN_ERROR_MEMORY);
        snArena_Destroy(&own);
        CHECK(memory.count == 1 && memory.alive == 0);
    }
}

int main(void)
{
    context = snDefaultContext();
    arena = snMakeArena(&context);
    RUN(base64ComesBack);
    RUN(percentsAreDecoded);
    RUN(badDataIsNamed);
    RUN(pathsStayInside);
    RUN(everyAllocationMayFail);
    snArena_Destroy(&arena);
    return snTest_Finish();
}

#include "platform/paths.h"

#include "tests/test.h"

#include <stdio.h>
#include <string.h>

static void partsOfNames(void)
{
    const char *cases[][4] = {
        // path, folder, name, extension
        {"a.glb", "", "a.glb", ".glb"},
        {"x/y/a.tar.gz", "x/y/", "a.tar.gz", ".gz"},
        {"/a", "/", "a", ""},
        {"x.d/a", "x.d/", "a", ""},
        {"x/", "x/", "", ""},
        {"", "", "", ""},
        {".profile", "", ".profile", ""},
        {"..", "", "..", ""},
        {"x/.hidden.png", "x/", ".hidden.png", ".png"},
        {"a.", "", "a.", "."},
    };
    for (int i = 0; i < 10; i++) {
        const char *path = cases[i][0];
        CHECK(snPath_FolderLength(path) == strlen(cases[i][1]));
        CHECK(strcmp(snPath_Name(path), cases[i][2]) == 0);
        CHECK(strcmp(snPath_Extension(path), cases[i][3]) == 0);
    }
}

static void extensionsIgnoreCase(void)
{
    CHECK(snPath_HasExtension("fox.glb", ".glb") && snPath_HasExtension("FOX.GLB", ".glb"));
    CHECK(!snPath_HasExtension("fox.gltf", ".glb") && !snPath_HasExtension("fox.gl", ".glb"));
    CHECK(!snPath_HasExtension("glb", ".glb") && snPath_HasExtension("glb", ""));
}

static void joining(void)
{
    char text[16];
    CHECK(snPath_Join("a", "b", text, sizeof text) && strcmp(text, "a/b") == 0);
    CHECK(snPath_Join("a/", "b", text, sizeof text) && strcmp(text, "a/b") == 0);
    CHECK(snPath_Join("", "b", text, sizeof text) && strcmp(text, "b") == 0);
    CHECK(snPath_Join("/", "b", text, sizeof text) && strcmp(text, "/b") == 0);
    CHECK(snPath_Join("1234567", "1234567", text, sizeof text)); // fills it to the last
    CHECK(!snPath_Join("1234567", "12345678", text, sizeof text) && text[0] == '\0');
    CHECK(!snPath_Join("12345678901234567890", "", text, sizeof text));
    CHECK(!snPath_Join("a", "b", text, 0));
}

static void goodUrisBecomePaths(void)
{
    const char *cases[][2] = {
        {"a.bin", "a.bin"},
        {"textures/a.png", "textures/a.png"},
        {"./a.bin", "a.bin"},
        {"a//b.bin", "a/b.bin"},
        {"x/../a.bin", "a.bin"},
        {"x/y/../../a.bin", "a.bin"},
        {"x/./y/../z/a.bin", "x/z/a.bin"},
        {"my%20fox.bin", "my fox.bin"},
        {"%41%4a.bin", "AJ.bin"},
        {"100%.bin", "100%.bin"},
        {"%4.bin", "%4.bin"},
        {"%zz.bin", "%zz.bin"},
        {"%c3%a4.bin", "\xc3\xa4.bin"},
        {"...", "..."},
        {"..a/b..", "..a/b.."},
        {"x/a:b.bin", "x/a:b.bin"},
        {"%2e/a.bin", "a.bin"},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        char path[64];
        snError error = {0};
        CHECK(snPath_FromUri(cases[i][0], path, sizeof path, &error) == SN_OK);
        if (!CHECK(strcmp(path, cases[i][1]) == 0)) printf("%s: %s\n", cases[i][0], path);
    }
}

static void badUrisAreRefused(void)
{
    const char *cases[] = {"",
                           ".",
                           "x/..",
                           "/etc/passwd",
                           "//host/a.bin",
                           "%2fetc/passwd",
                           "..",
                           "../a.bin",
                           "x/../../a.bin",
                           "%2e%2e/a.bin",
                           "..%2fa.bin",
                           "x/..%2F..%2Fa.bin",
                           "./../a.bin",
                           "a\\b.bin",
                           "..%5ca.bin",
                           "http://host/a.bin",
                           "file:a.bin",
                           "data:application/octet-stream;base64,AAAA",
                           "C:/a.bin",
                           "C%3A/a.bin",
                           "a%00.bin",
                           "a%0a.bin",
                           "a\tb.bin"};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        char path[64] = "untouched";
        snError error = {0};
        snStatus status = snPath_FromUri(cases[i], path, sizeof path, &error);
        if (!CHECK(status == SN_ERROR_FORMAT || status == SN_ERROR_UNSUPPORTED))
            printf("%s became %s\n", cases[i], path);
        CHECK(path[0] == '\0' && error.message[0] != '\0');
        CHECK(snPath_FromUri(cases[i], path, sizeof path, NULL) == status);
    }
}

static void longUrisAreRefused(void)
{
    char uri[SN_MAX_PATH * 2], path[SN_MAX_PATH];
    memset(uri, 'a', sizeof uri - 1);
    uri[sizeof uri - 1] = '\0';
    CHECK(snPath_FromUri(uri, path, sizeof path, NULL) == SN_ERROR_FORMAT);
    uri[SN_MAX_PATH] = '\0';
    CHECK(snPath_FromUri(uri, path, sizeof path, NULL) == SN_ERROR_FORMAT);
    uri[SN_MAX_PATH - 1] = '\0'; // just fits
    CHECK(snPath_FromUri(uri, path, sizeof path, NULL) == SN_OK && strcmp(uri, path) == 0);
    CHECK(snPath_FromUri("a", path, 1, NULL) == SN_ERROR_FORMAT);
}

int main(void)
{
    RUN(partsOfNames);
    RUN(extensionsIgnoreCase);
    RUN(joining);
    RUN(goodUrisBecomePaths);
    RUN(badUrisAreRefused);
    RUN(longUrisAreRefused);
    return snTest_Finish();
}

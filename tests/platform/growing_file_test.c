// Files that are taken up again where they were.
#define _XOPEN_SOURCE 700

#include "tests/test.h"

#include "core/error.h"
#include "platform/files.h"
#include "platform/growing_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void growsAndIsCut(void)
{
    char folder[] = P_tmpdir "/sinew-growing-XXXXXX", path[64];
    snGrowingFile file;
    snContext context = snDefaultContext();
    snFileContent content;
    snError error = {0};
    if (!CHECK(mkdtemp(folder))) return;
    snprintf(path, sizeof path, "%s/frames", folder);
    CHECK(snGrowingFile_Open(&file, path, 10, &error) == SN_ERROR_FILE); // nothing to keep
    CHECK(snGrowingFile_Open(&file, path, 0, &error) == SN_OK);
    CHECK(snGrowingFile_Append(&file, "one two", 7, &error) == SN_OK);
    CHECK(snGrowingFile_Append(&file, "", 0, &error) == SN_OK);
    CHECK(snGrowingFile_Append(&file, " three", 6, &error) == SN_OK);
    snGrowingFile_Close(&file);
    snGrowingFile_Close(&file);
    CHECK(snGrowingFile_Open(&file, path, 14, &error) == SN_ERROR_FILE);
    printf("%s\n", error.message);
    CHECK(snGrowingFile_Open(&file, path, 4, &error) == SN_OK);
    CHECK(snGrowingFile_Append(&file, "four", 4, &error) == SN_OK);
    snGrowingFile_Close(&file);
    CHECK(snFile_Read(&context, path, 100, &content, &error) == SN_OK);
    CHECK(content.size == 8 && !memcmp(content.bytes, "one four", 8));
    snFile_Release(&context, &content);
    CHECK(snGrowingFile_Open(&file, folder, 0, &error) == SN_ERROR_FILE);
    CHECK(snGrowingFile_Open(&file, "/dev/null", 0, &error) == SN_ERROR_FILE);
    unlink(path);
    rmdir(folder);
}

int main(void)
{
    RUN(growsAndIsCut);
    return snTest_Finish();
}

// A file that grows over a long time and stays when the program ends, unlike snFileWriter's: for what
// may be taken up again later.
#ifndef SN_PLATFORM_GROWING_FILE_H
#define SN_PLATFORM_GROWING_FILE_H

#include "sinew/base.h"

typedef struct snGrowingFile {
    int file; // -1: closed
    const char *path;
} snGrowingFile;

// Opens a file and cuts it to its first `keep` bytes; with 0 it is made where there is none. What is no
// regular file, or shorter than that, is refused. The path must live as long as the file.
snStatus snGrowingFile_Open(snGrowingFile *file, const char *path, uint64_t keep, snError *error);
snStatus snGrowingFile_Append(snGrowingFile *file, const void *bytes, size_t size, snError *error);
void snGrowingFile_Close(snGrowingFile *file); // a closed one may be closed again

#endif

// Whole files: reading into memory, and writing so that a file appears complete or not at all.
// Errors begin with the file's name: "fox.glb: no such file".
#ifndef SN_PLATFORM_FILES_H
#define SN_PLATFORM_FILES_H

#include "core/array.h"
#include "sinew/base.h"

typedef struct snFileContent {
    unsigned char *bytes; // a zero follows them, so that text is a string
    size_t size;
} snFileContent;

// Reads all of a file, pipes too. Fails where it is missing, a folder, unreadable or larger than
// `limit` bytes; an empty file is fine. Memory comes from the context, and goes by snFile_Release.
snStatus snFile_Read(const snContext *context, const char *path, size_t limit,
                     snFileContent *content, snError *error);
void snFile_Release(const snContext *context, snFileContent *content);

// The same for a file that another names as its neighbour, by a path relative to `folder` ("": here)
// in which nothing climbs. Links are followed as long as they stay below the folder; devices and
// pipes are refused.
snStatus snFile_ReadNeighbour(const snContext *context, const char *folder, const char *name,
                              size_t limit, snFileContent *content, snError *error);

// Writes a whole file: snFileWriter from beginning to end.
snStatus snFile_Write(const snContext *context, const char *path, const void *bytes, size_t size,
                      snError *error);

// Whether two names lead to one file, by whatever spelling, folder or link; also of files that do
// not exist yet, where their folders do.
bool snFile_IsSame(const char *path, const char *other);

// A file in the making. It grows under another name in the folder of its destination; committing
// moves it there in one step, in place of an older file of that name, whose permissions it takes
// over. Destinations that are no regular files (/dev/null, a pipe) are written directly.
typedef struct snFileWriter snFileWriter;

// *writer is NULL after a failure. The context must live as long as the writer.
snStatus snFileWriter_Open(const snContext *context, const char *path, snFileWriter **writer,
                           snError *error);

// Buffered. After a failure the writer stays broken: every later call fails with the same message.
snStatus snFileWriter_Append(snFileWriter *writer, const void *bytes, size_t size, snError *error);

// Replaces bytes that were appended before, such as a count in a header.
snStatus snFileWriter_Patch(snFileWriter *writer, uint64_t offset, const void *bytes, size_t size,
                            snError *error);

// Both end the writer's life, whatever happens, and accept NULL; nothing is left behind by a
// failed commit or an abort.
snStatus snFileWriter_Commit(snFileWriter *writer, snError *error);
void snFileWriter_Abort(snFileWriter *writer);

// The name under which it grows, valid as long as the writer; NULL when it is written directly.
// For a program's signal handler, which may unlink it.
const char *snFileWriter_TemporaryPath(const snFileWriter *writer);

// Several files that belong together: all of them are complete before the first gets its name, and
// when one cannot get its name, those before it lose theirs again and older files come back.
typedef struct snFileBatch {
    const snContext *context;
    SN_ARRAY(snFileWriter *) writers;
} snFileBatch;

snFileBatch snMakeFileBatch(const snContext *context);

// The writer belongs to the batch: append and patch, but neither commit nor abort it.
snStatus snFileBatch_Open(snFileBatch *batch, const char *path, snFileWriter **writer,
                          snError *error);
// Nothing more follows in this file: frees its buffer and its place among the open files. Needed
// only where there are many files.
snStatus snFileBatch_Close(snFileWriter *writer, snError *error);
snStatus snFileBatch_Commit(snFileBatch *batch, snError *error); // the batch is empty afterwards
void snFileBatch_Abandon(snFileBatch *batch);                    // removes all that was begun

// A whole file of the batch at once.
snStatus snFileBatch_Write(snFileBatch *batch, const char *path, const void *bytes, size_t size,
                           snError *error);
// Commits when all went well so far, and else abandons; returns what there is to tell.
snStatus snFileBatch_End(snFileBatch *batch, snStatus status, snError *error);

#endif

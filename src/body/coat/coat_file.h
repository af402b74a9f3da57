// The coat document: a skeleton and the flesh round it, as JSON, to be looked at, edited and built again.
//     {"sinew": "coat", "version": 1, "skeleton": [...], "skin": {...}, "flesh": {...}, "links": [...]}
// docs/coat-file.md has every key.
#ifndef SN_BODY_COAT_COAT_FILE_H
#define SN_BODY_COAT_COAT_FILE_H

#include "asset/json_write.h"
#include "body/coat/coating.h"

#define SN_COAT_VERSION 1

#define SN_SPLINE_KINDS 3
extern const char *const snSplineWords[SN_SPLINE_KINDS]; // what snSplineKind's are called

typedef struct snCoatFile {
    snArena arena; // owns everything
    snSkeleton skeleton;
    snCoatPlan plan; // of this skeleton
} snCoatFile;

// Whether a document says that it is a coat. What cannot be read is none.
bool snCoatFile_Is(const char *text, size_t size, const snContext *context);

// Without "links" they are proposed, with what the document says of skin and flesh. On success the file is to be destroyed; else
// there is nothing to free. Errors name their path.
snStatus snCoatFile_Read(snCoatFile *file, const char *text, size_t size, const snContext *context,
                         snError *error);
void snCoatFile_Destroy(snCoatFile *file);

// Read again, it builds the same body.
snStatus snCoatFile_Write(const snCoatPlan *plan, snBytes *bytes, snError *error);

#endif

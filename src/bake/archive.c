#include "bake/archive.h"

#include <string.h>

#define MOST_COUNTED ((int64_t)1 << 53)

snArchive snMakeSaving(snBytes *out)
{
    return (snArchive){.out = out};
}

snArchive snMakeRestoring(const void *bytes, size_t size)
{
    return (snArchive){.in = bytes, .size = size};
}

void snArchive_Take(snArchive *archive, void *data, size_t size)
{
    if (archive->out) {
        snBytes_Append(archive->out, data, size);
        return;
    }
    if (archive->broken || size > archive->size - archive->at) {
        archive->broken = true;
        return;
    }
    if (size) memcpy(data, archive->in + archive->at, size);
    archive->at += size;
}

void snArchive_Expect(snArchive *archive, int64_t value)
{
    int64_t found = value;
    SN_ARCHIVE(archive, found);
    if (found != value) archive->broken = true;
}

void snArchive_Int(snArchive *archive, int *value, int low, int high)
{
    int found = *value;
    SN_ARCHIVE(archive, found);
    if (!archive->out && (found < low || found > high)) archive->broken = true;
    if (!archive->out && !archive->broken) *value = found;
}

void snArchive_Count(snArchive *archive, int64_t *value)
{
    int64_t found = *value;
    SN_ARCHIVE(archive, found);
    if (!archive->out && (found < 0 || found > MOST_COUNTED)) archive->broken = true;
    if (!archive->out && !archive->broken) *value = found;
}

bool snArchive_IsWhole(const snArchive *archive)
{
    return !archive->broken && archive->at == archive->size;
}

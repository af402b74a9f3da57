// Plain data as bytes and back, by one and the same walk over it: what is saved is what is restored.
//     static void walk(Thing *thing, snArchive *archive)
//     {
//         SN_ARCHIVE(archive, thing->count);
//         snArchive_Take(archive, thing->list, thing->count * sizeof *thing->list);
//     }
// Bytes are those of this machine and this program: for going on later, not for sending elsewhere.
#ifndef SN_BAKE_ARCHIVE_H
#define SN_BAKE_ARCHIVE_H

#include "asset/bytes.h"

typedef struct snArchive {
    snBytes *out;      // saving: where to; NULL: restoring
    const uint8_t *in; // restoring: from here, [size]
    size_t size, at;
    bool broken; // restoring: the bytes are not what was saved
} snArchive;

snArchive snMakeSaving(snBytes *out);
snArchive snMakeRestoring(const void *bytes, size_t size);

// Saves the bytes of `data`, or puts them back. Once broken, nothing is put back any more.
void snArchive_Take(snArchive *archive, void *data, size_t size);
#define SN_ARCHIVE(archive, value) snArchive_Take((archive), &(value), sizeof(value))

// Saves a number that must be the same when it is restored, such as the size of what follows.
void snArchive_Expect(snArchive *archive, int64_t value);

// Restores a whole number that must be in a range; saves any.
void snArchive_Int(snArchive *archive, int *value, int low, int high);

// A count, from 0 to far beyond what anything can be counted to.
void snArchive_Count(snArchive *archive, int64_t *value);

bool snArchive_IsWhole(const snArchive *archive); // restored to the last byte, and not broken

#endif

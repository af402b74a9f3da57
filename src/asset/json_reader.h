// How a document is read whose mistakes are told: the first thing that is wrong is kept, with its path, and
// what comes after it does nothing. So a reader is a list of its members.
//     snReader_Keys(r, node, keys, 2);
//     snReader_Number(r, node, "height", (snRange){0, 100, SN_QUANTITY_LENGTH}, &height);
//     snReader_Word(r, node, "kind", kinds, 3, &kind);
//     if (r->status) return;
#ifndef SN_ASSET_JSON_READER_H
#define SN_ASSET_JSON_READER_H

#include "asset/json.h"
#include "asset/quantity.h"
#include "core/suggest.h"
#include "core/vec.h"

typedef struct snReader {
    const snJson *json;
    snArena *arena; // texts that are read stay in it
    const snContext *context;
    void *own; // what a room's readers have besides
    snStatus status;
    snError *error;
} snReader;

typedef struct snRange {
    double low, high;
    snQuantity quantity;
} snRange;

// Parses the document and fails where a key is there twice. It lives in `scratch`.
void snReader_Parse(snReader *r, snJson *json, const char *text, size_t size, snArena *scratch);

#define snReader_Fail(r, node, ...)                                                                \
    ((r)->status ? (void)0                                                                         \
                 : (void)((r)->status = snJson_Fail((r)->json, (node), (r)->error,                 \
                                                    SN_ERROR_FORMAT, __VA_ARGS__)))
void snReader_Take(snReader *r, snStatus status); // of a call that has filled in the error
// Fails at a member that is not among the keys, and where there is no object.
void snReader_Keys(snReader *r, const snJsonNode *object, const char *const *keys, int count);
// Fails where the member is not there.
const snJsonNode *snReader_Need(snReader *r, const snJsonNode *object, const char *key);
void snReader_Require(snReader *r, const snJsonNode *object, const char *key); // as snJson_Require

// ---- values: nothing where the node is NULL ----

// A number in a range.
void snReader_ValueIn(snReader *r, const snJsonNode *node, double low, double high, double *out);
// The same, or a text with a unit. Angles without one are in degrees.
void snReader_Value(snReader *r, const snJsonNode *node, snRange range, double *out);
void snReader_IntOf(snReader *r, const snJsonNode *node, int low, int high, int *out);
// A list of so many.
void snReader_ValuesIn(snReader *r, const snJsonNode *node, int count, double low, double high,
                       double *out);
void snReader_Values(snReader *r, const snJsonNode *node, int count, snQuantity quantity,
                     double *out);
void snReader_VectorOf(snReader *r, const snJsonNode *node, snQuantity quantity, snVec3 *out);
// [x, y, z, w] as it stands there, of any length but 0.
void snReader_QuatOf(snReader *r, const snJsonNode *node, snQuat *out);
const char *snReader_TextOf(snReader *r, const snJsonNode *node); // "" once something has failed
// One of a list of words: its number.
void snReader_WordOf(snReader *r, const snJsonNode *node, const char *const *words, int count,
                     int *out);

// ---- members of an object: absent ones leave *out as it is ----

const snJsonNode *snReader_List(snReader *r, const snJsonNode *object, const char *key);
const snJsonNode *snReader_Object(snReader *r, const snJsonNode *object, const char *key);
void snReader_Number(snReader *r, const snJsonNode *object, const char *key, snRange range,
                     double *out);
void snReader_Int(snReader *r, const snJsonNode *object, const char *key, int low, int high,
                  int *out);
void snReader_Bool(snReader *r, const snJsonNode *object, const char *key, bool *out);
void snReader_Text(snReader *r, const snJsonNode *object, const char *key, const char **out);
void snReader_Word(snReader *r, const snJsonNode *object, const char *key, const char *const *words,
                   int count, int *out);
void snReader_Vector(snReader *r, const snJsonNode *object, const char *key, snQuantity quantity,
                     snVec3 *out);

// ---- names of things that the document speaks of ----

// The number of what has the name that stands at the node; it fails with
// "there is no joint \"hpi\"; did you mean \"hip\"?". `what` may be "".
int snReader_FindName(snReader *r, const snJsonNode *node, const char *what, const char *name,
                      const snNames *names);
snTwice snReader_FindTwice(snReader *r, const snNames *names); // none once something has failed
// Fails at the "name" of the first in a list that another one before it has; `what` is the list's.
void snReader_CheckNames(snReader *r, const snJsonNode *list, const char *what,
                         const snNames *names);

#endif

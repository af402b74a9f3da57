// JSON documents, parsed into a flat tree of nodes that remember their place in the text, so that
// errors can name a path ("meshes[2].primitives[0].attributes.POSITION: ...") and the editing layer
// (json_edit.h) can leave all other bytes as they are. json_write.h makes documents from nothing.
//     snJson json;
//     if ((status = snJson_Parse(&json, text, size, arena, error))) return status;
//     const snJsonNode *mesh = snJson_At(&json, snJson_Member(&json, json.root, "meshes"), 2);
#ifndef SN_ASSET_JSON_H
#define SN_ASSET_JSON_H

#include "core/error.h"
#include "core/memory.h"

#define SN_JSON_MAX_DEPTH 256 // far beyond any real file, far below any stack

typedef enum snJsonKind {
    SN_JSON_NULL,
    SN_JSON_BOOL,
    SN_JSON_NUMBER,
    SN_JSON_STRING,
    SN_JSON_ARRAY,
    SN_JSON_OBJECT,
} snJsonKind;

typedef struct snJsonNode {
    snJsonKind kind;
    int start, end;       // bytes of the value in the text: start <= i < end, with quotes
    int keyStart, keyEnd; // members: bytes of the key, with quotes; else 0, 0
    int parent;           // node number; -1: the root
    int index;            // position within the parent
    int childCount;       // elements or members
    int firstSlot;        // children are the nodes slots[firstSlot + i]
} snJsonNode;

typedef struct snJson {
    const char *text; // the caller's, without a byte order mark; must outlive the document
    size_t size;
    int nodeCount;
    snJsonNode *nodes; // [nodeCount], in the order of the text
    int *slots;        // [nodeCount]
    const snJsonNode *root;
} snJson;

// Checks the whole grammar (RFC 8259) first; what is broken is refused with line and column.
// Nothing of `arena` is used after a failure. Text may hold any bytes and needs no final zero.
snStatus snJson_Parse(snJson *json, const char *text, size_t size, snArena *arena, snError *error);

// ---- looking around: all of these accept NULL nodes, so that lookups can be chained ----

// The member of that name (the last, if it is there twice), or NULL.
const snJsonNode *snJson_Member(const snJson *json, const snJsonNode *object, const char *key);
const snJsonNode *snJson_At(const snJson *json, const snJsonNode *container, int index);
int snJson_Count(const snJsonNode *node); // children; 0 for other kinds
const snJsonNode *snJson_Parent(const snJson *json, const snJsonNode *node);

// "meshes[2].name", "(document)" for the root; always ends with a zero, cut when too long.
void snJson_Path(const snJson *json, const snJsonNode *node, char *out, size_t size);

// ---- values of one node: they fail when the kind or the range is not right ----

// Fails with the node's path in front of the message.
snStatus snJson_Fail(const snJson *json, const snJsonNode *node, snError *error, snStatus code,
                     const char *format, ...) SN_PRINTF(5, 6);
snStatus snJson_AsDouble(const snJson *json, const snJsonNode *node, double *out, snError *error);
snStatus snJson_AsInt(const snJson *json, const snJsonNode *node, int low, int high, int *out,
                      snError *error); // 3, 3.0 and 3e0 are integers
// Whether all bytes are of characters: what is written reads back to the same.
bool snIsUtf8(const char *text, size_t size);
// Escapes decoded to UTF-8; bytes that are not UTF-8 become U+FFFD. Ends with a zero.
snStatus snJson_AsString(const snJson *json, const snJsonNode *node, snArena *arena,
                         const char **out, snError *error);
bool snJson_IsText(const snJson *json, const snJsonNode *node,
                   const char *text);         // a string equal to it
const char *snJson_KindName(snJsonKind kind); // "a number", ...

// A member's key, decoded (NULL only when memory runs out).
const char *snJson_Key(const snJson *json, const snJsonNode *node, snArena *arena);

// Fails at the first member that is not in the list, with the one that was probably meant.
snStatus snJson_CheckKeys(const snJson *json, const snJsonNode *object, const char *const *allowed,
                          int count, snError *error);

// Fails where an object of the document has a key twice ("parts: \"ear\" is there twice"): readers
// would silently take the last.
snStatus snJson_CheckUnique(const snJson *json, snArena *scratch, snError *error);

// ---- members: an absent member leaves *out as it is, so set the default before ----

snStatus snJson_ReadDouble(const snJson *json, const snJsonNode *object, const char *key,
                           double *out, snError *error);
snStatus snJson_ReadInt(const snJson *json, const snJsonNode *object, const char *key, int low,
                        int high, int *out, snError *error);
snStatus snJson_ReadBool(const snJson *json, const snJsonNode *object, const char *key, bool *out,
                         snError *error);
snStatus snJson_ReadString(const snJson *json, const snJsonNode *object, const char *key,
                           snArena *arena, const char **out, snError *error);
// An array of exactly `count` numbers.
snStatus snJson_ReadDoubles(const snJson *json, const snJsonNode *object, const char *key,
                            int count, double *out, snError *error);
// An array or object; *out becomes NULL when absent.
snStatus snJson_ReadNode(const snJson *json, const snJsonNode *object, const char *key,
                         snJsonKind kind, const snJsonNode **out, snError *error);
// Fails when the member is not there ("meshes[2]: 'primitives' is missing").
snStatus snJson_Require(const snJson *json, const snJsonNode *object, const char *key,
                        snError *error);

#endif

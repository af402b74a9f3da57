// Edits of a parsed JSON document. They are collected, then written in one pass over the original
// text; every byte that no edit touches comes out as it went in.
//     snJsonEdit edit = snMakeJsonEdit(&json, &arena);
//     snJsonSpot list = snJsonEdit_Open(&edit, snJsonEdit_Root(), "animations", SN_JSON_ARRAY);
//     snJsonEdit_Append(&edit, list, "{\"name\":\"Walk.soft\"}", 22);
//     status = snJsonEdit_Write(&edit, &bytes, error);
// A spot is a place to edit: a node of the document, or a container that an edit has made.
// Failures (memory, a member that is of another kind) are kept and reported by snJsonEdit_Write.
#ifndef SN_ASSET_JSON_EDIT_H
#define SN_ASSET_JSON_EDIT_H

#include "asset/bytes.h"
#include "asset/json.h"

typedef struct snJsonSpot {
    int id; // node number, or -1 - (number of the container made)
} snJsonSpot;

typedef struct snJsonEdit {
    const snJson *json;
    snArena *arena;     // texts are copied into it
    int containerCount; // containers that get something added
    int containerCapacity;
    struct snJsonGrowth *growths; // [containerCount], what each gets
    int cutCount;                 // values that are replaced
    int cutCapacity;
    struct snJsonCut *cuts; // [cutCount]
    int *growthOfNode;      // [nodeCount], 1 + number in growths; 0: none
    unsigned char *removed; // [nodeCount]
    snStatus status;        // of the first edit that failed
    snError error;
} snJsonEdit;

snJsonEdit snMakeJsonEdit(const snJson *json, snArena *arena);

snJsonSpot snJsonEdit_Root(void);
snJsonSpot snJsonEdit_Spot(const snJson *json, const snJsonNode *node);

// The member `key` of an object, an array or object itself; made (empty) when it is absent.
snJsonSpot snJsonEdit_Open(snJsonEdit *edit, snJsonSpot object, const char *key, snJsonKind kind);

// Adds an element at the end and returns its position in the array.
int snJsonEdit_Append(snJsonEdit *edit, snJsonSpot array, const char *text, size_t size);

// Sets a member: the old value is replaced, or the member is added at the end of the object.
void snJsonEdit_Put(snJsonEdit *edit, snJsonSpot object, const char *key, const char *text,
                    size_t size);
void snJsonEdit_Replace(snJsonEdit *edit, const snJsonNode *node, const char *text, size_t size);

// Takes a member out of its object, with its comma.
void snJsonEdit_Remove(snJsonEdit *edit, const snJsonNode *member);

// Elements or members, those added counted too.
int snJsonEdit_Count(const snJsonEdit *edit, snJsonSpot container);

snStatus snJsonEdit_Write(snJsonEdit *edit, snBytes *out, snError *error);

#endif

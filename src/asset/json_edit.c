// What is added hangs on its container as a list of items (a "growth"); what is replaced is a cut,
// a range of bytes with its new text. Writing turns growths and removals into cuts too, sorts all
// by place and copies the text around them.
#include "asset/json_edit.h"

#include "asset/json_write.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct Item {
    const char *key; // NULL: an element
    const char *text;
    size_t size;
    int made; // number of the growth that is this value; -1: `text` is
    struct Item *next;
} Item;

struct snJsonGrowth {
    snJsonKind kind;
    int node; // of the document; -1: made by an edit
    int itemCount;
    Item *first, *last;
    char *text; // rendered by snJsonEdit_Write: the value (made) or what is inserted (node)
    size_t size;
};

struct snJsonCut {
    int start, end;
    int order; // of two cuts at one place the later counts
    const char *text;
    size_t size;
};

snJsonEdit snMakeJsonEdit(const snJson *json, snArena *arena)
{
    snJsonEdit edit = {.json = json, .arena = arena};
    edit.growthOfNode = SN_NEW(arena, int, json->nodeCount);
    edit.removed = SN_NEW(arena, unsigned char, json->nodeCount);
    if (!edit.growthOfNode || !edit.removed) edit.status = snFailMemory(&edit.error);
    return edit;
}

static void failMemory(snJsonEdit *edit)
{
    if (!edit->status) edit->status = snFailMemory(&edit->error);
}

// Room for one more element in an array that lives in the arena.
static bool grow(snJsonEdit *edit, void **data, int count, int *capacity, size_t elementSize)
{
    if (count < *capacity) return true;
    if (count > INT_MAX / 4) return false;
    int wanted = count ? 2 * count : 16;
    void *memory = snArena_Alloc(edit->arena, elementSize, (size_t)wanted);
    if (!memory) return false;
    if (count) memcpy(memory, *data, (size_t)count * elementSize);
    *data = memory;
    *capacity = wanted;
    return true;
}

snJsonSpot snJsonEdit_Root(void)
{
    return (snJsonSpot){0};
}

snJsonSpot snJsonEdit_Spot(const snJson *json, const snJsonNode *node)
{
    return (snJsonSpot){(int)(node - json->nodes)};
}

static int addGrowth(snJsonEdit *edit, snJsonKind kind, int node)
{
    if (!grow(edit, (void **)(void *)&edit->growths, edit->containerCount, &edit->containerCapacity,
              sizeof *edit->growths)) {
        failMemory(edit);
        return -1;
    }
    edit->growths[edit->containerCount] = (struct snJsonGrowth){.kind = kind, .node = node};
    return edit->containerCount++;
}

// The growth of a spot that must be of the given kind; NULL after a failure.
static struct snJsonGrowth *growthAt(snJsonEdit *edit, snJsonSpot spot, snJsonKind kind)
{
    if (edit->status) return NULL;
    if (spot.id < 0) {
        SN_ASSERT(edit->growths[-1 - spot.id].kind == kind);
        return &edit->growths[-1 - spot.id];
    }
    const snJsonNode *node = &edit->json->nodes[spot.id];
    if (node->kind != kind) {
        edit->status =
            snJson_Fail(edit->json, node, &edit->error, SN_ERROR_FORMAT, "%s instead of %s",
                        snJson_KindName(node->kind), snJson_KindName(kind));
        return NULL;
    }
    if (!edit->growthOfNode[spot.id]) {
        int number = addGrowth(edit, kind, spot.id);
        if (number < 0) return NULL;
        edit->growthOfNode[spot.id] = number + 1;
    }
    return &edit->growths[edit->growthOfNode[spot.id] - 1];
}

static Item *addItem(snJsonEdit *edit, struct snJsonGrowth *growth, const char *key,
                     const char *text, size_t size)
{
    Item *item = SN_NEW(edit->arena, Item, 1);
    char *keyCopy = key ? snArena_CopyString(edit->arena, key, strlen(key)) : NULL;
    char *textCopy = text ? snArena_CopyString(edit->arena, text, size) : NULL;
    if (!item || (key && !keyCopy) || (text && !textCopy)) {
        failMemory(edit);
        return NULL;
    }
    *item = (Item){.key = keyCopy, .text = textCopy, .size = size, .made = -1};
    if (growth->last)
        growth->last->next = item;
    else
        growth->first = item;
    growth->last = item;
    growth->itemCount++;
    return item;
}

static Item *findItem(const struct snJsonGrowth *growth, const char *key)
{
    for (Item *item = growth->first; item; item = item->next)
        if (!strcmp(item->key, key)) return item;
    return NULL;
}

static const snJsonNode *existingMember(const snJsonEdit *edit, snJsonSpot object, const char *key)
{
    if (object.id < 0) return NULL;
    const snJsonNode *member = snJson_Member(edit->json, &edit->json->nodes[object.id], key);
    return member && !edit->removed[member - edit->json->nodes] ? member : NULL;
}

snJsonSpot snJsonEdit_Open(snJsonEdit *edit, snJsonSpot object, const char *key, snJsonKind kind)
{
    SN_ASSERT(kind == SN_JSON_ARRAY || kind == SN_JSON_OBJECT);
    if (edit->status) return object;
    const snJsonNode *member = existingMember(edit, object, key);
    if (member) {
        snJsonSpot spot = snJsonEdit_Spot(edit->json, member);
        growthAt(edit, spot, kind); // says so when it is of another kind
        return spot;
    }
    struct snJsonGrowth *growth = growthAt(edit, object, SN_JSON_OBJECT);
    if (!growth) return object;
    Item *item = findItem(growth, key);
    if (item && item->made >= 0) return (snJsonSpot){-1 - item->made};
    SN_ASSERT(!item); // put as text before: cannot be opened
    item = addItem(edit, growth, key, NULL, 0);
    int made = item ? addGrowth(edit, kind, -1) : -1;
    if (made < 0) return object;
    item->made = made;
    return (snJsonSpot){-1 - made};
}

int snJsonEdit_Append(snJsonEdit *edit, snJsonSpot array, const char *text, size_t size)
{
    struct snJsonGrowth *growth = growthAt(edit, array, SN_JSON_ARRAY);
    if (!growth) return 0;
    int position = snJsonEdit_Count(edit, array);
    addItem(edit, growth, NULL, text, size);
    return position;
}

void snJsonEdit_Put(snJsonEdit *edit, snJsonSpot object, const char *key, const char *text,
                    size_t size)
{
    if (edit->status) return;
    const snJsonNode *member = existingMember(edit, object, key);
    if (member) {
        snJsonEdit_Replace(edit, member, text, size);
        return;
    }
    struct snJsonGrowth *growth = growthAt(edit, object, SN_JSON_OBJECT);
    if (!growth) return;
    Item *item = findItem(growth, key);
    if (!item) {
        addItem(edit, growth, key, text, size);
        return;
    }
    char *copy = snArena_CopyString(edit->arena, text, size);
    if (!copy) {
        failMemory(edit);
        return;
    }
    item->text = copy;
    item->size = size;
    item->made = -1;
}

static void addCut(snJsonEdit *edit, int start, int end, const char *text, size_t size)
{
    if (edit->status) return;
    if (!grow(edit, (void **)(void *)&edit->cuts, edit->cutCount, &edit->cutCapacity,
              sizeof *edit->cuts)) {
        failMemory(edit);
        return;
    }
    edit->cuts[edit->cutCount] = (struct snJsonCut){start, end, edit->cutCount, text, size};
    edit->cutCount++;
}

void snJsonEdit_Replace(snJsonEdit *edit, const snJsonNode *node, const char *text, size_t size)
{
    char *copy = snArena_CopyString(edit->arena, text, size);
    if (!copy) failMemory(edit);
    addCut(edit, node->start, node->end, copy, size);
}

void snJsonEdit_Remove(snJsonEdit *edit, const snJsonNode *member)
{
    if (edit->status) return;
    SN_ASSERT(member->parent >= 0);
    edit->removed[member - edit->json->nodes] = 1;
}

static int keptCount(const snJsonEdit *edit, const snJsonNode *container)
{
    int kept = container->childCount;
    for (int i = 0; i < container->childCount; i++)
        kept -= edit->removed[edit->json->slots[container->firstSlot + i]];
    return kept;
}

int snJsonEdit_Count(const snJsonEdit *edit, snJsonSpot container)
{
    if (edit->status) return 0;
    if (container.id < 0) return edit->growths[-1 - container.id].itemCount;
    int growth = edit->growthOfNode[container.id];
    return keptCount(edit, &edit->json->nodes[container.id]) +
           (growth ? edit->growths[growth - 1].itemCount : 0);
}

// ---- writing ----

static void renderItem(const snJsonEdit *edit, const Item *item, snBytes *out)
{
    if (item->key) {
        snBytes_AppendJsonString(out, item->key);
        snBytes_AppendByte(out, ':');
    }
    if (item->made >= 0)
        snBytes_Append(out, edit->growths[item->made].text, edit->growths[item->made].size);
    else
        snBytes_Append(out, item->text, item->size);
}

// The text of a growth; those inside it were made later, so they are rendered first.
static void renderGrowth(snJsonEdit *edit, struct snJsonGrowth *growth)
{
    snBytes text = snMakeBytesFrom(&edit->arena->allocator);
    bool made = growth->node < 0, object = growth->kind == SN_JSON_OBJECT;
    bool first = made || keptCount(edit, &edit->json->nodes[growth->node]) == 0;
    if (made) snBytes_AppendByte(&text, object ? '{' : '[');
    for (const Item *item = growth->first; item; item = item->next) {
        if (!first) snBytes_AppendByte(&text, ',');
        first = false;
        renderItem(edit, item, &text);
    }
    if (made) snBytes_AppendByte(&text, object ? '}' : ']');
    growth->size = text.size;
    growth->text =
        text.failed ? NULL : snArena_CopyString(edit->arena, (char *)text.data, text.size);
    if (!growth->text) failMemory(edit);
    snBytes_Destroy(&text);
}

// New items go right behind the last child, or behind the bracket where there is none.
static void cutForGrowth(snJsonEdit *edit, const struct snJsonGrowth *growth)
{
    if (growth->node < 0 || growth->itemCount == 0) return;
    const snJsonNode *node = &edit->json->nodes[growth->node];
    const snJsonNode *last = snJson_At(edit->json, node, node->childCount - 1);
    int place = last ? last->end : node->start + 1;
    addCut(edit, place, place, growth->text, growth->size);
}

static int beginOf(const snJsonNode *node)
{
    return node->keyEnd ? node->keyStart : node->start;
}

// A removed child takes the comma in front of it along, or, where nothing before it is kept, the
// one behind it.
static void cutForRemoval(snJsonEdit *edit, const snJsonNode *child)
{
    const snJson *json = edit->json;
    const snJsonNode *parent = &json->nodes[child->parent];
    bool keptBefore = false;
    for (int i = 0; i < child->index && !keptBefore; i++)
        keptBefore = !edit->removed[json->slots[parent->firstSlot + i]];
    const snJsonNode *next = snJson_At(json, parent, child->index + 1);
    int start = keptBefore ? snJson_At(json, parent, child->index - 1)->end : beginOf(child);
    int end = !keptBefore && next ? beginOf(next) : child->end;
    addCut(edit, start, end, "", 0);
}

static int compareCuts(const void *left, const void *right)
{
    const struct snJsonCut *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return a->order > b->order ? -1 : 1; // orders differ
}

snStatus snJsonEdit_Write(snJsonEdit *edit, snBytes *out, snError *error)
{
    const snJson *json = edit->json;
    for (int i = edit->containerCount - 1; i >= 0 && !edit->status; i--)
        renderGrowth(edit, &edit->growths[i]);
    for (int i = 0; i < edit->containerCount && !edit->status; i++)
        cutForGrowth(edit, &edit->growths[i]);
    for (int i = 0; i < json->nodeCount && !edit->status; i++)
        if (edit->removed[i]) cutForRemoval(edit, &json->nodes[i]);
    if (edit->status) return snFail(error, edit->status, "%s", edit->error.message);
    if (edit->cutCount) qsort(edit->cuts, (size_t)edit->cutCount, sizeof *edit->cuts, compareCuts);
    int at = 0;
    for (int i = 0; i < edit->cutCount; i++) {
        const struct snJsonCut *cut = &edit->cuts[i];
        if (cut->start < at) continue; // inside something that was replaced as a whole
        snBytes_Append(out, json->text + at, (size_t)(cut->start - at));
        snBytes_Append(out, cut->text, cut->size);
        at = cut->end;
    }
    snBytes_Append(out, json->text + at, json->size - (size_t)at);
    return snBytes_Check(out, error);
}

// What bodies are saved of: pieces of memory, one after another.
#ifndef SN_BODY_SAVED_H
#define SN_BODY_SAVED_H

#include <stddef.h>
#include <string.h>

typedef struct snSavedPart {
    void *data;
    size_t size;
} snSavedPart;

static inline size_t snSaved_Size(int count, const snSavedPart *parts)
{
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += parts[i].size;
    return size;
}

// Both return what is behind them.
static inline char *snSaved_Write(int count, const snSavedPart *parts, char *at)
{
    for (int i = 0; i < count; at += parts[i++].size)
        if (parts[i].size) memcpy(at, parts[i].data, parts[i].size);
    return at;
}

static inline const char *snSaved_Read(int count, const snSavedPart *parts, const char *at)
{
    for (int i = 0; i < count; at += parts[i++].size)
        if (parts[i].size) memcpy(parts[i].data, at, parts[i].size);
    return at;
}

#endif

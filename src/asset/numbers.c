#include "asset/numbers.h"

#include "asset/bytes.h"

snStatus snNumbers_Flush(snNumbers *n)
{
    if (!n->status && n->used) n->status = n->sink.write(n->sink.user, n->bytes, n->used, n->error);
    n->used = 0;
    return n->status;
}

void snNumbers_Put(snNumbers *n, uint32_t value)
{
    if (n->used == sizeof n->bytes) snNumbers_Flush(n);
    if (n->bigEnd)
        snStoreU32Big(n->bytes + n->used, value);
    else
        snStoreU32(n->bytes + n->used, value);
    n->used += 4;
}

void snNumbers_PutFloat(snNumbers *n, float value)
{
    snNumbers_Put(n, snFloatBits(value));
}

void snNumbers_PutPoints(snNumbers *n, const snVec3f *points, int count)
{
    for (int i = 0; i < count && !n->status; i++) {
        snNumbers_PutFloat(n, points[i].x);
        snNumbers_PutFloat(n, points[i].y);
        snNumbers_PutFloat(n, points[i].z);
    }
}

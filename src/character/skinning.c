#include "character/skinning.h"

#include "core/simd.h"

SN_DECLARE_VARIANTS(snSkinFcn, snSkinVertices);
SN_DECLARE_VARIANTS(snSkinRowsFcn, snSkinRows_Run);

snSkinFcn *snSkin_Choose(void)
{
    return SN_CHOOSE(snSkinVertices);
}

snSkinRowsFcn *snSkinRows_Choose(void)
{
    return SN_CHOOSE(snSkinRows_Run);
}

#include "body/lattice/flesh_body_parts.h"
#include "core/error.h"
snStatus snFleshBody_MakeReach(snFleshBody *b, const snFleshBodyDef *def, snError *error)
{
    (void)b;
    (void)def;
    (void)error;
    return SN_OK;
}
void snFleshBody_DestroyReach(snFleshBody *b)
{
    (void)b;
}
void snFleshBody_Reach(snFleshBody *b, const snAffine *place)
{
    (void)b;
    (void)place;
}
double snFleshBody_Beyond(const snSolidBody *solid, int point, snVec3 place)
{
    (void)solid;
    (void)point;
    (void)place;
    return 0;
}

// On which side of another body a sample touches it (contact/side.h).
#include "body/lattice/island_parts.h"

#include "body/lattice/contact_parts.h"
#include "core/error.h"

#define DEEP 4 // reaches: farther in than this no other side is looked for

snStatus snIsland_FindSpots(snIslandBody *body, snArena *arena, snError *error)
{
    const snLatticeContacts *c = body->contacts;
    const snShell *shell = body->collider.shell;
    body->spots = SN_NEW(arena, snShellSpot, c->sampleCount);
    if (!body->spots) return snFailMemory(error);
    for (int s = 0; s < c->sampleCount; s++) {
        snSurfacePoint near = snMeshTree_Closest(&shell->tree, c->rest[s], INFINITY);
        body->spots[s] = (snShellSpot){near.triangle, {0, 0, 0}};
        for (int k = 0; k < 3; k++)
            body->spots[s].barycentric[k] = near.barycentric[k];
    }
    return SN_OK;
}

bool snIsland_Faces(const snIslandLook *look, int sample, snTouch *touch)
{
    const snLatticeContacts *c = look->own->contacts;
    snSideAsk ask = {.from = snSampleBegin(c, sample),
                     .to = c->place[sample],
                     .own = look->own->collider.shell,
                     .spot = look->own->spots[sample],
                     .deep = DEEP * c->reach};
    return snShell_Faces(look->island->bodies[look->other].collider.shell, &ask, touch);
}

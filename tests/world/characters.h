// The demo character in worlds, for tests.
#ifndef SN_TESTS_WORLD_CHARACTERS_H
#define SN_TESTS_WORLD_CHARACTERS_H

#include "body/lattice/flesh_body.h"
#include "demo.h"
#include "tests/world/worlds.h"

#include <string.h>

typedef struct Bumble {
    snContext context;
    snCharacter character;
    snFlesh *flesh;
} Bumble;

static inline void makeBumble(Bumble *b, int cells, snMotion motion)
{
    snError error = {0};
    snFleshDef def = snDefaultFleshDef();
    b->context = snDefaultContext();
    b->character = (snCharacter){0};
    def.cells = cells;
    def.motion = motion;
    if (snDemo_Make(&b->character, &b->context, &error) ||
        snFlesh_Build(&b->flesh, &b->character, &def, &b->context, &error))
        printf("%s\n", error.message), exit(1);
}

// Of flesh that hangs on bones that may give way; with fewer vertices the longer the edge, as long as its own: 0.
static inline void makeLimpBumble(Bumble *b, int cells, double step, double edge)
{
    snError error = {0};
    snFleshDef def = snDefaultFleshDef();
    b->context = snDefaultContext();
    b->character = (snCharacter){0};
    def.cells = cells;
    def.motion = SN_MOTION_FULL;
    def.precision = SN_PRECISION_DOUBLE;
    def.step = step;
    def.iterations = 12;
    if ((edge > 0 ? snDemo_MakeCoarse(&b->character, edge, &b->context, &error)
                  : snDemo_Make(&b->character, &b->context, &error)) ||
        snFlesh_Build(&b->flesh, &b->character, &def, &b->context, &error))
        printf("%s\n", error.message), exit(1);
}

static inline void freeBumble(Bumble *b)
{
    snFlesh_Destroy(b->flesh);
    snCharacter_Destroy(&b->character);
}

static inline int clipOf(const Bumble *b, const char *name)
{
    int i = 0;
    while (strcmp(b->character.clips[i].name, name) != 0)
        i++;
    return i;
}

static inline int jointOf(const Bumble *b, const char *name)
{
    int i = 0;
    while (strcmp(b->character.skeleton.joints[i].name, name) != 0)
        i++;
    return i;
}

static inline snFleshBodyDef bumbleDef(const Bumble *b, const char *clip)
{
    snFleshBodyDef def = snDefaultFleshBodyDef();
    def.flesh = b->flesh;
    def.clip = clip ? clipOf(b, clip) : -1;
    def.solid.name = "bumble";
    return def;
}

static inline int addBumble(snWorld *world, const snFleshBodyDef *def, snVec3 at)
{
    snError error = {0};
    snBody *body = NULL;
    int number = -1;
    if (!CHECK(snFleshBody_Make(&body, def, &world->context, &error) == SN_OK))
        printf("%s\n", error.message), exit(1);
    snAffine place = {snIdentity3(), at};
    snBody_Put(body, &place);
    CHECK(snWorld_AddBody(world, body, &number, &error) == SN_OK);
    return number;
}

// A point of the surface that is nearest to a place of the character at rest.
static inline int surfacePoint(snWorld *world, int body, snVec3 near)
{
    snPick pick = snWorld_PickNearOf(world, body, near);
    int point = -1;
    CHECK(snBody_Locate(world->bodies.data[body], &pick.spot, &point, NULL) == SN_OK);
    return point;
}

#endif

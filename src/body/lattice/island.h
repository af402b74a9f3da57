// Lattice bodies that bump into each other, and into themselves.
//
// The samples of each (contact.h) touch the surfaces of the others, which are moved to where the bodies are at
// a step's begin and at its first guess. Both sides of such a contact are unknown: what one gets the other gives,
// so that momentum stays as it is to rounding. Bodies that touch are searched together (search.h), each with its
// own matrix and all contacts among them in one system (contact_dual.h): stacks and heavy bodies on light ones
// need no more iterations than one body on a floor. Bodies that touch no other take their own step, by the same
// bits as without an island.
//
// How a world uses it. Bodies need exact contacts (snLatticeContactsDef.exact) with `others` set to the rows of
// their surfaces. Once:
//     snLatticeIsland_Make(&island, count, bodies, ...);
// and in each step, instead of snLattice_Step for each body,
//     contacts->colliders = ...;                  // the world's own, without other bodies
//     snLatticeIsland_Step(island, drives);       // drives[i] as it would be for body i alone
// Other bodies' surfaces must not be among the colliders as well. Nothing is remembered here between steps: states
// and contacts are saved and restored as ever.
#ifndef SN_BODY_LATTICE_ISLAND_H
#define SN_BODY_LATTICE_ISLAND_H

#include "body/lattice/contact_dual.h"
#include "body/lattice/search.h"
#include "contact/side.h"
#include "geometry/mesh.h"

typedef struct snIslandBodyDef {
    const snLatticeModel *model; // these must outlive the island
    snLatticeState *state;
    snLatticeContacts *contacts;
    const snMesh *surface; // at rest; copied. Closed ones are solid, open ones act from their front
    const snContactSamples *rows; // of its vertices, over the lattice's; copied
    // What of the vertices is drawn beyond their rows at a step's begin and end, set before each step; NULL:
    // nothing.
    const snVec3 *offset[2];
    bool apart; // the others and it pass through each other
    bool self;  // it bumps into itself too, where its surface is folded; closed surfaces alone
} snIslandBodyDef;

typedef struct snIslandBody {
    const snLatticeModel *model, *rung; // as it was built, and that of the present step
    snLatticeState *state;
    snLatticeContacts *contacts;
    snLatticeDrive drive; // of the present step
    bool ready;           // it could be prepared
    snCollider collider;  // its surface, as others meet it
    snBox box;            // of its way in the step, grown by its reach
    int vertexCount;
    int *start, *vertex; // rows of the surface's vertices, the model's numbers
    double *weight;
    const snVec3 *offset[2]; // [vertices], what is drawn beyond the rows; or NULL
    int *sourceOf;           // [welded vertices], a vertex that is there
    snShellSpot *spots;      // [samples], where they are on the surface
    // What saves looking again at what is far, and changes nothing else: how far samples were from another body, which
    // one, and how far both surfaces had gone by then.
    double travel;         // m, no less than any vertex went since the island was made
    double *clear, *since; // [samples], m, of `clearOf`
    int *clearOf;          // [samples], number of a body, or -1
    bool apart, self;
    bool near;           // others, or itself, are looked at
    snVec3 *rest;        // [welded vertices], of bodies that bump into themselves
    snVec3 *begin, *end; // [surface vertices]
    int *otherVertex;    // [records * width], rows of the other sides
    double *otherWeight;
    struct snTies *ties; // of points of it that are tied to others' or its own, or NULL
    int tied;            // its number among their bodies
    bool leads;          // the ties are its own in lists of bodies: one of those that are tied
    bool sleeps;         // it is left out
    int group;           // number of the first body that it is in touch with
} snIslandBody;

typedef struct snLatticeIsland {
    snArena arena;
    int count;
    snIslandBody *bodies;
    snPairs pairs; // of bodies, by their boxes
    int nearCount;
    snPair *near;                 // [pairs.most], of them those that are looked at
    int width;                    // most entries of another side's row
    snContactDual *dual;          // of bodies that touch each other
    snSearchBody *search;         // [count]
    snLatticeContacts **contacts; // [count]
    int searched;                 // the group that is
    int *up;                      // [count], scratch: who hangs together (core/sets.h)
} snLatticeIsland;

// Fails for bodies without exact contacts, with other lengths of a step, or of several lanes.
snStatus snLatticeIsland_Make(snLatticeIsland **island, int count, const snIslandBodyDef *bodies,
                              const snContext *context, snError *error);
// The body is a number among the bodies of ties (tie.h), which must outlive the island; a step of all of them is
// searched for together. Their ties are set before each step. One of them `leads`.
void snLatticeIsland_Tie(snLatticeIsland *island, int body, struct snTies *ties, int number,
                         bool leads);
// From now on a body is left out of steps, or is not. It touches and holds none that is not.
void snLatticeIsland_Rest(snLatticeIsland *island, int body, bool sleeps);
void snLatticeIsland_Destroy(snLatticeIsland *island); // accepts NULL

// One step of all bodies. `failed` (NULL: not wanted) tells for each whether its step could not be computed: it is then
// on its rig, with all that it touched. Returns how many failed. Allocates nothing.
int snLatticeIsland_Step(snLatticeIsland *island, const snLatticeDrive *drives,
                         unsigned char *failed);

#endif

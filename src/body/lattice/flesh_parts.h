// The stages of building flesh (flesh.c calls them in this order), each in a file of its own.
#ifndef SN_BODY_LATTICE_FLESH_PARTS_H
#define SN_BODY_LATTICE_FLESH_PARTS_H

#include "body/lattice/basis.h"
#include "body/lattice/flesh.h"

// rest.c. `load` is how much weight each joint carries, [joints].
snStatus snFlesh_FindSkin(snFlesh *flesh, double *load, snArena *scratch, snError *error);
snStatus snFlesh_FindFrames(snFlesh *flesh, const snPose *rest, const double *load,
                            snArena *scratch, snError *error);
snStatus snFlesh_FindSurface(snFlesh *flesh, snArena *scratch, snError *error);
void snFlesh_RestPoints(const snFlesh *flesh, int part, snVec3 *points); // [its vertices]
snStatus snFlesh_FindBones(snFlesh *flesh, const double *load, snArena *scratch, snError *error);

// loose.c: the bones of bodies without a skin.
snStatus snFlesh_LoosenBones(snFlesh *flesh, snArena *scratch, snError *error);
void snFlesh_GrowCores(snFlesh *flesh); // until they have vertices of the lattice enough to lead
bool snFlesh_InCore(const snFlesh *flesh, int vertex);

// brought.c: the lattice of flesh->def, checked; then that the embedded surface lies inside.
snStatus snFlesh_TakeLattice(snFlesh *flesh, snArena *scratch, const snContext *context,
                             snError *error);
bool snFlesh_SameLattice(const snLattice *a, const snLattice *b); // to the bit
snStatus snFlesh_CheckInside(const snFlesh *flesh, snError *error);

// flesh.c: for who asks whose fault a failure is.
void snFlesh_Blame(snFlesh *flesh, snFault fault, int rule);

// painted.c: what painted maps say about the lattice's vertices, the cells, and the points.
snStatus snFlesh_FindPaint(snFlesh *flesh, snArena *scratch, const snContext *context,
                           snError *error);
bool snFlesh_IsMasked(const snFlesh *flesh, int vertex);         // it follows the rig
double snFlesh_PaintedStiffness(const snFlesh *flesh, int cell); // a factor
double snFlesh_Seen(const snFlesh *flesh, int point);            // of physics there, 0 to 1

// scaled.c: what squash and stretch of bones does to the rest shape, and to flesh that they crush. They fill
// the driver, whose joints are known; false where nothing is scaled, or crushed.
snStatus snFlesh_MakeShape(const snFlesh *flesh, snFleshDriver *driver, snArena *arena,
                           snError *error);
bool snFlesh_FindShape(const snFlesh *flesh, const snPose *pose, snFleshDriver *driver);
bool snFlesh_FindCrushed(const snFlesh *flesh, snFleshDriver *driver);

// holds.c: which vertices are known, held or free. `quadrature` has the tests of Ω.
snStatus snFlesh_FindHolds(snFlesh *flesh, const snQuadratureDef *quadrature, snArena *scratch,
                           const snContext *context, snError *error);
void snFlesh_LumpVolume(const snFlesh *flesh, double *volume); // ∫_Ω φ_a, [lattice vertices]

// sides.c: the part that is the mirror image of each, left of right; -1: none. [swingCount]
snStatus snFlesh_FindTwins(const snFlesh *flesh, int *twins, snArena *scratch, snError *error);

// refine.c: bases of the levels 1 ... def.details, in `scratch`, and the surface in the finest tets.
// `tests` says what is inside, and whose.
snStatus snFlesh_MakeBases(snFlesh *flesh, const snBasisDef *tests,
                           const snBasis *bases[SN_DETAIL_LEVELS], snArena *scratch,
                           const snContext *context, snError *error);
snStatus snFlesh_EmbedFine(const snFlesh *flesh, const snBasis *finest, snEmbedding *fine,
                           snArena *scratch, snError *error);

// taken.c: rigid parts that sit in the flesh. When all else is decided.
snStatus snFlesh_TakeAlong(snFlesh *flesh, snArena *scratch, const snContext *context,
                           snError *error);

// stiffness.c: the modulus of every cell. `bases` are those of details.
snStatus snFlesh_FindStiffness(snFlesh *flesh, const snBasis *const *bases,
                               const snContext *context, snError *error);

#endif

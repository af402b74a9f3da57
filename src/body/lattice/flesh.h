// The flesh of a character: everything between a character as its file gives it and a lattice body
// that moves. Decides the rest shape, bones, lattice, joint weights, tissues and stiffness, all
// without being asked; each decision is kept here to be shown and overruled.
//
// Rest space is the bind pose in world units. T_j(t) = global_j(t) fromRest_j carries it to the
// pose at time t.
#ifndef SN_BODY_LATTICE_FLESH_H
#define SN_BODY_LATTICE_FLESH_H

#include "body/lattice/auto_lattice.h"
#include "body/lattice/carry.h"
#include "body/lattice/adapt.h"
#include "body/lattice/detail.h"
#include "body/lattice/embed.h"
#include "body/lattice/model.h"
#include "body/lattice/step.h"
#include "character/character.h"
#include "character/rules.h"

// Whose fault it is that flesh could not be built, so that a message can name the file it stands in.
typedef enum snFault {
    SN_FAULT_CHARACTER, // or nobody's in particular
    SN_FAULT_RULE,
    SN_FAULT_LATTICE, // that was brought along
    SN_FAULT_SPACING, // of the lattice to make, or its cells
} snFault;

typedef struct snFleshBlame {
    snFault fault;
    int rule; // which of the rules
} snFleshBlame;

typedef struct snFleshDef {
    int cells;      // about how many lattice cells; more follow finer shapes and cost time
    double spacing; // or the edge of the lattice's cubes in the file's units; 0: by cells
    const snLattice *lattice; // or one that was made elsewhere, in rest space (it is copied). Where
                              // no vertex has a joint, those on bones get theirs
    bool relaxed;             // such a lattice may miss links along bones and leave points outside
    bool
        made; // such a lattice is the automatic one, by the cells and spacing here: if it comes out
              // the same again, what is near but not joined in it is known
    double wobble; // Hz, the slowest swing of the body's flesh: 2 sloshes, 4 sways, 8 is firm
    int ruleCount; // what parts of the body are like, beyond what their names tell
    const snFleshRule *rules; // [ruleCount], read while building
    const char *softness;     // a painted map (character/paint.h) of how soft flesh is; NULL: none
    double softnessRange[2];  // how many times as soft it is where the map has 0, and 1
    const char *mask;         // a painted map of how much is seen of physics; NULL: all of it
    double pace;              // factor on frequencies that come from names: below 1 is slower
    double amplitude;         // of what is seen of the motion: 1 is what was computed
    double twist;       // Hz, how strongly flesh near held bones turns with them: 0 lets it spin;
                        // below 0: by the wobble
    double twistRadius; // how near, as a share of the flesh's thickness around the bone
    double poisson;     // see snLatticeModelDef
    double massDamping;
    double stiffnessDamping;
    double step; // s
    int iterations;
    int anchorCount;      // regions whose flesh follows the rig, as if bones led it
    const snBox *anchors; // [anchorCount], rest space, read while building
    double gravityChange; // m/s²: gravity's change since the rest pose acts on flesh that its bones
                          // have turned; 9.81 lets a belly hang the other way, 0 leaves it out
    snVec3 gravity;       // of the file's units per s²; for SN_MOTION_FULL alone
    snMotion motion;      // these six: see snLatticeModelDef
    snMaterial material;
    snSolver solver;
    snPrecision precision;
    snMatrix matrix;
    snLinearMethod method;
    int details;         // levels of detail that come and go where flesh deforms strongly; 0: none
    int mostDetails;     // that may act at once: more follow finer bulges and cost time
    snAdaptDef adapt;    // when they do
    bool measure;        // how well conditioned they are: snFlesh.basis has it then
    snFleshBlame *blame; // filled when the flesh cannot be built; NULL: nobody asks
} snFleshDef;
snFleshDef snDefaultFleshDef(void);

// A whole body of another substance; then how lively it is.
void snFleshDef_Substance(snFleshDef *def, const snSubstance *substance);
void snFleshDef_Feel(snFleshDef *def, const snFeel *feel);
void snFleshDef_Pace(snFleshDef *def, double pace); // all that swings, so many times as fast

// A part of the body that swings by itself.
typedef struct snSwingPart {
    int joint;      // its first one; -1: the held body, everything that is in no other part
    double wobble;  // Hz, its slowest swing as it should be, with all else clamped
    double found;   // Hz, as it is, with as many details as may act at once
    double alone;   // Hz, while none acts: higher, or the same without details
    double scale;   // Pa, of flesh of relative stiffness 1
    double softest; // Pa, the least that may be, whatever its swing; 0: any
    double share;   // of its mass that takes part in that swing
    int twin;       // the part that is its mirror image and has the same scale; -1: none
} snSwingPart;

// What a part of the character is to its flesh.
enum {
    SN_PART_OTHER, // nothing: a stage, a prop
    SN_PART_BODY,  // its surface encloses the flesh
    SN_PART_TAKEN, // rigid, and sits in the flesh, which takes it along
};

typedef struct snFlesh {
    snArena arena; // owns all but the character and the model
    const snCharacter *character;
    snFleshDef def;
    snAffine *fromRest;     // [joints]
    unsigned char *carried; // [parts], SN_PART_...; not 0: it moves with the flesh
    snVec3 *points;         // [character vertices], rest space
    snWeightRows skin;      // joint weights of the points
    double height;          // extent along y in the rest pose, world units
    snMesh surface;         // the carried parts, welded
    int *weldOf;            // [character vertices], the surface's vertex there; -1: of taken parts
    snMeshTree tree;
    snWinding *winding;
    int boneCount;
    snBone *bones;           // rest space
    unsigned char *used;     // [joints], 1: it carries skin
    snJointFlesh *joints;    // [joints], what their flesh is like
    double *thickness;       // [joints], mean distance of their skin from their bones
    int coreCount;           // middles of bodies without a skin (loose.c)
    snBox *cores;            // [coreCount], rest space: what leads them, unless they are loose
    bool loose;              // nothing leads or holds these bodies
    unsigned char *animated; // [joints], 1: some clip turns it relative to its parent
    snLattice lattice;
    snAutoLatticeReport report;
    snQuadrature quadrature; // over the lattice and the inside of the surface
    snEmbedding embedding;   // of the points
    snWeightRows weights;    // joint weights of the lattice's vertices
    double *softness;        // [lattice vertices], ln of what the map says, or NULL (painted.c)
    double *mask;            // [lattice vertices], 0 to 1, or NULL
    double *seen;            // [character vertices], the mask as painted, NaN: not; or NULL
    int swingCount;
    snSwingPart *swings;  // [swingCount], the held body first
    int *swingOf;         // [joints], which of them
    double *young;        // [cells], Pa
    unsigned char *known; // [lattice vertices]
    double *drag;         // [lattice vertices], 1/s
    double *hold;         // [lattice vertices], Hz
    double *firm;     // [lattice vertices], Hz², of hold²: what bones hold is drawn to the rig by
                      // that, beyond the swings that stiffness is found by
    double freeShare; // of the mass that is on vertices which are not known: what can move
    int enoughCells;  // about how many cells would free most of it; 0: it is free
    snBasisReport basis; // of the details' functions; all zero without
    snLatticeModel *model;
    snCarry carry; // of the points, without normals
} snFlesh;

// The character must outlive the flesh. On failure there is nothing to free.
snStatus snFlesh_Build(snFlesh **flesh, const snCharacter *character, const snFleshDef *def,
                       const snContext *context, snError *error);
void snFlesh_Destroy(snFlesh *flesh); // accepts NULL

// What its model was built from, details apart: for other models of the same body. Points into it.
snLatticeModelDef snFlesh_ModelDef(const snFlesh *flesh);

// Radius ratio of a tetrahedron of the lattice, scaled Jacobian of another cell: 1 is regular, 0 flat.
double snFlesh_CellQuality(const snFlesh *flesh, int cell);

// Which copies of cells its points belong to; NULL when the lattice was brought along.
const snCellParts *snFlesh_Parts(const snFlesh *flesh);

// What its joints were resolved with, but for its rules (rules.h).
snFleshRulesDef snFlesh_RulesDef(const snFlesh *flesh, const unsigned char *used);

// Memory for what drives the flesh (drive.c).
typedef struct snFleshDriver {
    snAffine *joints;     // [skeleton joints], from rest to the pose
    double *rig;          // [lattice vertices * 4]
    double *acceleration; // [lattice vertices * 4], or NULL
    snVec3 *carried;      // [skeleton joints], gravity of the rest pose carried by each joint
    double *jointShare;   // [skeleton joints], 1, or less where a joint is crushed (scaled.c)
    double *share;        // [lattice vertices], the same for the flesh
    // Of full motion:
    snAffine *bindLocal;   // [skeleton joints], at bind, relative to the parent
    snAffine *shapeJoints; // [skeleton joints], from rest to the rest shape with the pose's scale
    double *shape;         // [lattice vertices * 4]
} snFleshDriver;
snStatus snFleshDriver_Make(snFleshDriver *driver, const snFlesh *flesh, snArena *arena,
                            snError *error);

// What moves the flesh in a step that ends in a pose (globals computed). Points into the driver.
snLatticeDrive snFlesh_Drive(const snFlesh *flesh, const snPose *pose, snFleshDriver *driver);

// Details come and go; then one step.
bool snFlesh_Step(const snFlesh *flesh, snLatticeState *state, const snLatticeDrive *drive);

// Adds what the body does beyond its rig to surface positions that the rig gave (all parts one
// after another, as snCharacter_Surface writes them): p += amplitude Σ_a φ_a (x_a - p_L,a).
void snFlesh_AddSoft(const snFlesh *flesh, const snLatticeState *state, const snTasks *tasks,
                     snVec3f *positions);

// The same for one point: p is where the rig has it.
snVec3f snFlesh_SoftPoint(const snFlesh *flesh, const snLatticeState *state, snVec3f p, int point);

#endif

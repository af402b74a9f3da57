// In rest space the body does not overlap, and what is inside is known. So a sample at q is looked for
// in the deformed cells: if it lies in a cell that is none of its own neighbours, with barycentric
// coordinates b, that cell has the rest place X = Σ b_i r_i there. Where X is inside the body the sample
// is inside other flesh, else perhaps near to it, and the nearest point P of the rest surface to X is
// where it goes in or out. With q_P where P is now and n the outward normal there, interpolated between the
// surface's vertices and carried along by the deformation of their cells (cof F n),
//
//     gap = n . (q - q_P)
//
// and both sides are unknown: forces on them are opposite. q - q_P is along n but for the shear of the
// cells and what the sample has slid in the step, so they have next to no moment. (A way along q - q_P has
// none, but turns about wildly where it is short; and P in the triangle's plane straight below q jumps
// from triangle to triangle. Either kept flesh from coming to rest.)
//
// A sample goes out where it came in. In a finger or an ear the nearest way out may be through the other
// side, and a sample between two would be pushed to and fro. So it remembers P, from the time when it was
// only near, and looks for the next P from half-way between X and the last one: on the same side, and at
// rest where the nearest one is.
//
// Neighbours are cells that share a vertex with what the sample hangs on, or with what P hangs on: the
// lattice cannot part them. Limbs that are near each other at rest have copies of cells of their own
// (clone.h) and do touch.
//
// Samples come cell by cell, and those that hang on the same vertices are looked at together: nearly always all
// cells around them are neighbours, and nothing more is to be done.
#include "body/lattice/self_contact.h"

#include "body/lattice/row.h"
#include "core/error.h"
#include "core/tasks.h"

#include <string.h>

#define GRAIN 128 // samples per piece of a parallel loop
#define SHARE 0.5 // of a sample's stiffness: two sides give way
#define LIFT 0.02 // of the depth: how far from the surface sides are told apart
#define RIPE 16.0 // steps until a contact has its full stiffness: it may turn out to be none
#define MOST_COMMON 12
#define LEAST_COMMON 2 // vertices of samples that are looked at together
#define MOST_CELLS 64
#define STRETCH 3 // flesh is never stretched so much that a gap is so many times what it is at rest

// Outward at rest: what is a little way along them is outside.
static snStatus makeNormals(snSelfContact *self, const snSelfContactDef *def, snArena *arena,
                            snError *error)
{
    const snLattice *lattice = &def->model->lattice;
    const snMesh *mesh = &def->surface->mesh;
    self->inverse = SN_NEW(arena, snMat3, self->cellCount);
    self->normals = SN_NEW(arena, snVec3, mesh->vertexCount);
    self->cellOf = SN_COPY(arena, int, def->cells, mesh->vertexCount);
    if (!self->inverse || !self->normals || !self->cellOf) return snFailMemory(error);
    for (int c = 0; c < self->cellCount; c++) {
        const int *corner = snLattice_Corners(lattice, c);
        snVec3 o = lattice->rest[corner[0]];
        self->inverse[c] = snInverse3((snMat3){snSub(lattice->rest[corner[1]], o),
                                               snSub(lattice->rest[corner[2]], o),
                                               snSub(lattice->rest[corner[3]], o)});
    }
    snMesh_Normals(mesh, self->normals);
    for (int v = 0; v < mesh->vertexCount; v++) {
        snVec3 out = snMulAdd(mesh->positions[v], LIFT * def->depth, self->normals[v]);
        snVec3 in = snMulAdd(mesh->positions[v], -LIFT * def->depth, self->normals[v]);
        bool turned = snWinding_Inside(def->winding, out) && !snWinding_Inside(def->winding, in);
        if (turned) self->normals[v] = snNeg(self->normals[v]);
    }
    return SN_OK;
}

snStatus snSelfContact_Make(snSelfContact **out, const snSelfContactDef *def, int sampleCount,
                            snArena *arena, snError *error)
{
    const snLattice *lattice = &def->model->lattice;
    int cells = lattice->cellCount;
    *out = NULL;
    for (int c = 0; c < cells; c++)
        if (snLattice_Kind(lattice, c) != SN_TET)
            return snFail(error, SN_ERROR_UNSUPPORTED,
                          "cell %d of the lattice has %d corners: a body touches itself only on a "
                          "lattice of tetrahedra",
                          c, (int)snLattice_Kind(lattice, c));
    snSelfContact *self = SN_NEW(arena, snSelfContact, 1);
    if (!self) return snFailMemory(error);
    *self = (snSelfContact){.model = def->model,
                            .surface = def->surface,
                            .winding = def->winding,
                            .parts = def->parts,
                            .rows = def->rows,
                            .depth = def->depth,
                            .cellCount = cells,
                            .sampleCount = sampleCount};
    self->corner = SN_NEW(arena, int, (size_t)cells * 4);
    self->boxes = SN_NEW(arena, snBox, cells);
    self->vertex = SN_NEW(arena, int, (size_t)sampleCount *SN_SELF_ROW);
    self->weight = SN_NEW(arena, double, (size_t)sampleCount *SN_SELF_ROW);
    if (!self->corner || !self->boxes || !self->vertex || !self->weight) return snFailMemory(error);
    for (int c = 0; c < cells; c++) {
        const int *corners = snLattice_Corners(lattice, c);
        self->boxes[c] = snBoxOfListed(4, corners, lattice->rest);
        for (int k = 0; k < 4; k++)
            self->corner[4 * c + k] = def->model->indexOf[corners[k]];
    }
    snStatus status = snTree_Build(&self->tree, cells, self->boxes, arena, error);
    if (!status) status = makeNormals(self, def, arena, error);
    if (!status) *out = self;
    return status;
}

static void refitPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    const snLatticeContacts *contacts = context;
    snSelfContact *self = contacts->self;
    for (int c = begin; c < end; c++) {
        const int *corner = self->corner + 4 * c;
        snVec3 a = snRow(contacts->state->next, corner[0]),
               b = snRow(contacts->state->next, corner[1]);
        snVec3 d = snRow(contacts->state->next, corner[2]),
               e = snRow(contacts->state->next, corner[3]);
        self->boxes[c] = (snBox){snMin(snMin(a, b), snMin(d, e)), snMax(snMax(a, b), snMax(d, e))};
    }
}

// ---- one sample ---------------------------------------------------------------------------------

typedef struct Search {
    snSelfContact *self;
    snLatticeContacts *contacts;
    int sample;
    snVec3 place;
    const snVec3 *last; // where it went in or out a step before, at rest; NULL: it was not near
    bool any;
    double miss;  // how far what was found is from there
    double depth; // at rest, of what was found; below 0: outside
    snSurfacePoint exit;
} Search;

static bool shares(const snLatticeContacts *c, int sample, int count, const int *vertex)
{
    for (int k = c->start[sample]; k < c->start[sample + 1]; k++)
        for (int i = 0; i < count; i++)
            if (c->vertex[k] == vertex[i]) return true;
    return false;
}

// Barycentric coordinates in the cell as it is now. False outside of it, and where it is flat or
// inverted.
static bool findInside(const Search *s, const int *corner, double b[4])
{
    const double *next = s->contacts->state->next;
    snVec3 o = snRow(next, corner[0]), p = snSub(s->place, o);
    snVec3 x = snSub(snRow(next, corner[1]), o), y = snSub(snRow(next, corner[2]), o);
    snVec3 z = snSub(snRow(next, corner[3]), o), yz = snCross(y, z);
    double det = snDot(x, yz);
    if (!(det > 0)) return false;
    b[1] = snDot(p, yz) / det;
    if (!(b[1] >= 0 && b[1] <= 1)) return false;
    b[2] = snDot(p, snCross(z, x)) / det;
    b[3] = snDot(p, snCross(x, y)) / det;
    b[0] = 1 - b[1] - b[2] - b[3];
    return b[0] >= 0 && b[2] >= 0 && b[3] >= 0;
}

// The row of a point of the surface, with negative weights.
static int exitRow(const Search *s, const double b[3])
{
    const snSelfContact *self = s->self;
    int *vertex = self->vertex + (size_t)s->sample * SN_SELF_ROW, count = 0;
    double *weight = self->weight + (size_t)s->sample * SN_SELF_ROW;
    for (int k = 0; k < 3; k++) {
        int v = self->surface->mesh.triangles[3 * s->exit.triangle + k];
        for (int i = self->rows->start[v]; i < self->rows->start[v + 1]; i++) {
            if (count == SN_SELF_ROW) return count;
            vertex[count] = self->model->indexOf[self->rows->vertex[i]];
            weight[count++] = -b[k] * self->rows->weight[i];
        }
    }
    return count;
}

// Of several places that overlap here the one counts through which it came, or else the one that the
// sample is deepest in.
static bool visitCell(int cell, void *context)
{
    Search *s = context;
    const snSelfContact *self = s->self;
    const int *corner = self->corner + 4 * cell;
    const snLattice *lattice = &self->model->lattice;
    double b[4];
    if (shares(s->contacts, s->sample, 4, corner) || !findInside(s, corner, b)) return true;
    snVec3 rest = {0, 0, 0};
    for (int k = 0; k < 4; k++)
        rest = snMulAdd(rest, b[k], lattice->rest[snLattice_Corners(lattice, cell)[k]]);
    bool inside = snWinding_Inside(self->winding, rest);
    snVec3 from = s->last ? snLerp(rest, *s->last, 0.5) : rest;
    snSurfacePoint exit =
        snMeshTree_Closest(self->surface, from, inside || s->last ? INFINITY : s->contacts->reach);
    if (exit.triangle < 0) return true;
    double depth = snDistance(rest, exit.point) * (inside ? 1 : -1);
    double miss = s->last ? snDistance(exit.point, *s->last) : -depth;
    if (depth < -s->contacts->reach || (s->any && miss >= s->miss)) return true;
    if (self->parts && !snCellParts_Owns(self->parts, lattice, cell, rest)) return true;
    s->any = true;
    s->miss = miss;
    s->depth = depth;
    s->exit = exit;
    return true;
}

// cof F of a cell times a vector.
static snVec3 carryNormal(const Search *s, int cell, snVec3 normal)
{
    const int *corner = s->self->corner + 4 * cell;
    const double *next = s->contacts->state->next;
    snVec3 o = snRow(next, corner[0]);
    snMat3 now = {snSub(snRow(next, corner[1]), o), snSub(snRow(next, corner[2]), o),
                  snSub(snRow(next, corner[3]), o)};
    return snMulMV(snCofactor(snMulMM(now, s->self->inverse[cell])), normal);
}

static snVec3 exitNormal(const Search *s)
{
    const snSelfContact *self = s->self;
    snVec3 sum = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        int v = self->surface->mesh.triangles[3 * s->exit.triangle + k];
        if (self->cellOf[v] < 0) continue;
        snVec3 normal = carryNormal(s, self->cellOf[v], self->normals[v]);
        sum = snMulAdd(sum, s->exit.barycentric[k], snNormalizeOr(normal, snVec(0, 0, 0)));
    }
    return snNormalizeOr(sum, snVec(0, 0, 0));
}

static double gapOf(const Search *s, int count, snVec3 normal)
{
    const int *vertex = s->self->vertex + (size_t)s->sample * SN_SELF_ROW;
    const double *weight = s->self->weight + (size_t)s->sample * SN_SELF_ROW;
    snVec3 way = s->place;
    for (int k = 0; k < count; k++)
        way = snMulAdd(way, weight[k], snRow(s->contacts->state->next, vertex[k]));
    return snDot(way, normal);
}

// What samples that hang together may be in: the cells around them that are not neighbours of all.
typedef struct Cluster {
    snSelfContact *self;
    int commonCount;
    int common[MOST_COMMON]; // vertices that all of them hang on
    snBox box;               // of their places
    int count;               // of the cells; more than fit: each sample looks for its own
    int cells[MOST_CELLS];   // in the order of the tree
} Cluster;

static bool collectCell(int cell, void *context)
{
    Cluster *x = context;
    const int *corner = x->self->corner + 4 * cell;
    for (int i = 0; i < x->commonCount; i++)
        for (int k = 0; k < 4; k++)
            if (x->common[i] == corner[k]) return true;
    if (x->count < MOST_CELLS) x->cells[x->count] = cell;
    return x->count++ < MOST_CELLS;
}

// Keeps of the common vertices those that the sample hangs on too; false, and nothing changed: there are none.
static bool join(const snLatticeContacts *c, Cluster *x, int sample)
{
    int common[MOST_COMMON], count = 0;
    for (int i = 0; i < x->commonCount; i++)
        for (int k = c->start[sample]; k < c->start[sample + 1]; k++)
            if (c->vertex[k] == x->common[i]) {
                common[count++] = x->common[i];
                break;
            }
    if (count < LEAST_COMMON) return false;
    memcpy(x->common, common, (size_t)count * sizeof *common);
    x->commonCount = count;
    x->box = snBoxAdd(x->box, c->place[sample]);
    return true;
}

static void beginCluster(const snLatticeContacts *c, Cluster *x, int sample)
{
    x->self = c->self;
    x->commonCount = x->count = 0;
    x->box = (snBox){c->place[sample], c->place[sample]};
    for (int k = c->start[sample]; k < c->start[sample + 1]; k++)
        if (x->commonCount < MOST_COMMON) x->common[x->commonCount++] = c->vertex[k];
}

static void visitCells(const Cluster *x, Search *s)
{
    snBox place = {s->place, s->place};
    if (x->count > MOST_CELLS) {
        snTree_Overlap(&x->self->tree, place, visitCell, s);
        return;
    }
    for (int i = 0; i < x->count; i++)
        if (snBoxOverlap(x->self->boxes[x->cells[i]], place)) visitCell(x->cells[i], s);
}

static void findSample(snSelfContact *self, snLatticeContacts *c, int sample, const Cluster *cells)
{
    const snSampleMemory *memory = snLatticeContacts_Memory(c, sample, SN_CONTACT_SELF);
    Search s = {.self = self,
                .contacts = c,
                .sample = sample,
                .place = c->place[sample],
                .last = memory ? &memory->slip : NULL,
                .exit = {.triangle = -1}};
    visitCells(cells, &s);
    if (!s.any) return;
    snVec3 normal = exitNormal(&s);
    int count = exitRow(&s, s.exit.barycentric),
        *vertex = self->vertex + (size_t)sample * SN_SELF_ROW;
    if (shares(c, sample, count, vertex) || !(snLengthSquared(normal) > 0)) return;
    if (!(fabs(gapOf(&s, count, normal)) < STRETCH * fabs(s.depth) + self->depth)) return;
    double age = memory ? memory->age : 0;
    double stiffness = SHARE * c->stiffness[sample] * (age < RIPE ? age + 1 : RIPE) / RIPE;
    snContactRecord *r =
        c->records + (size_t)sample * (size_t)(c->touches + 1) + (size_t)c->found[sample]++;
    *r = (snContactRecord){.sample = sample,
                           .who = SN_CONTACT_SELF,
                           .otherCount = count,
                           .otherVertex = vertex,
                           .otherWeight = self->weight + (size_t)sample * SN_SELF_ROW,
                           .normal = normal,
                           .stiffness = stiffness,
                           .hard = stiffness,
                           .age = age + 1,
                           .bound = self->depth,
                           .slip = s.exit.point};
}

static bool acts(const snLatticeContacts *c, int sample)
{
    return c->stiffness[sample] > 0 && snIsFinite3(c->place[sample]);
}

static void findPiece(int begin, int end, int worker, void *context)
{
    (void)worker;
    snLatticeContacts *c = context;
    Cluster cluster;
    for (int s = begin, next; s < end; s = next) {
        next = s + 1;
        if (!acts(c, s)) continue;
        beginCluster(c, &cluster, s);
        while (next < end && acts(c, next) && join(c, &cluster, next))
            next++;
        snTree_Overlap(&c->self->tree, cluster.box, collectCell, &cluster);
        for (int k = s; k < next && cluster.count > 0; k++)
            findSample(c->self, c, k, &cluster);
    }
}

void snSelfContact_Find(snSelfContact *self, snLatticeContacts *contacts)
{
    const snTasks *tasks = &contacts->model->context.tasks;
    snParallelFor(tasks, self->cellCount, 4 * GRAIN, refitPiece, contacts);
    snTree_Refit(&self->tree, self->boxes);
    snParallelFor(tasks, contacts->sampleCount, GRAIN, findPiece, contacts);
}

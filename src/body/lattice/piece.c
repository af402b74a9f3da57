// Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974, in the barycentric coordinates of
// the tet: the inside is λ_k >= 0 for k = 0 ... 3, and coordinates are carried along linearly.
#include "body/lattice/piece.h"

#include "body/lattice/quadrature.h"

#define ON_FACE 1e-10 // coordinates below count as zero

typedef struct Corner {
    snVec3 point;
    double lambda[4];
} Corner;

typedef struct Frame {
    snVec3 gradient[4];
    const snVec3 *tet;
} Frame;

static Frame makeFrame(const snVec3 tet[4])
{
    Frame frame = {.tet = tet};
    snTetGradients(tet, frame.gradient);
    return frame;
}

static double coordinate(const Frame *frame, int k, snVec3 point)
{
    return snDot(frame->gradient[k], snSub(point, frame->tet[(k + 1) & 3]));
}

static Corner makeCorner(const Frame *frame, snVec3 point)
{
    Corner corner = {.point = point};
    for (int k = 0; k < 4; k++)
        corner.lambda[k] = coordinate(frame, k, point);
    return corner;
}

// The corner where the edge from a to b meets the face k.
static Corner cross(const Corner *a, const Corner *b, int k)
{
    double t = a->lambda[k] / (a->lambda[k] - b->lambda[k]);
    Corner corner = {.point = snLerp(a->point, b->point, t)};
    for (int i = 0; i < 4; i++)
        corner.lambda[i] = (1 - t) * a->lambda[i] + t * b->lambda[i];
    corner.lambda[k] = 0;
    return corner;
}

static int cutByFace(const Corner *in, int count, int k, Corner *out)
{
    int n = 0;
    for (int i = 0; i < count; i++) {
        const Corner *a = &in[i], *b = &in[(i + 1) % count];
        bool insideA = a->lambda[k] >= 0, insideB = b->lambda[k] >= 0;
        if (insideA) out[n++] = *a;
        if (insideA != insideB) out[n++] = cross(a, b, k);
    }
    return n;
}

static unsigned facesOf(const Corner *corner, int count)
{
    unsigned faces = 0;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k++)
            if (fabs(corner[i].lambda[k]) < ON_FACE &&
                fabs(corner[(i + 1) % count].lambda[k]) < ON_FACE)
                faces |= 1u << k;
    return faces;
}

static bool liesInFace(const Corner *corner, int count)
{
    for (int k = 0; k < 4; k++) {
        int on = 0;
        for (int i = 0; i < count; i++)
            on += fabs(corner[i].lambda[k]) < ON_FACE;
        if (on == count) return true;
    }
    return false;
}

snPiece snPiece_Cut(snTriangle triangle, const snVec3 tet[4])
{
    Frame frame = makeFrame(tet);
    Corner a[2 * SN_PIECE_CORNERS], b[2 * SN_PIECE_CORNERS];
    int count = 3;
    a[0] = makeCorner(&frame, triangle.a);
    a[1] = makeCorner(&frame, triangle.b);
    a[2] = makeCorner(&frame, triangle.c);
    for (int k = 0; k < 4 && count; k += 2) {
        count = cutByFace(a, count, k, b);
        count = cutByFace(b, count, k + 1, a);
    }
    snPiece piece = {0};
    if (count < 3 || count > SN_PIECE_CORNERS) return piece;
    piece.count = count;
    piece.faces = facesOf(a, count);
    piece.flat = liesInFace(a, count);
    for (int i = 0; i < count; i++)
        piece.corner[i] = a[i].point;
    return piece;
}

snVec3 snPiece_Middle(const snPiece *piece)
{
    snVec3 sum = {0, 0, 0};
    for (int i = 0; i < piece->count; i++)
        sum = snMulAdd(sum, 1.0 / piece->count, piece->corner[i]);
    return sum;
}

snVec3 snPiece_Closest(const snPiece *piece, snVec3 point)
{
    snVec3 best = piece->corner[0];
    double least = 1e300;
    for (int i = 1; i + 1 < piece->count; i++) {
        snTriangle part = {piece->corner[0], piece->corner[i], piece->corner[i + 1]};
        snVec3 closest = snClosestOnTriangle(point, part, NULL);
        double d = snLengthSquared(snSub(closest, point));
        if (d < least) {
            least = d;
            best = closest;
        }
    }
    return best;
}

bool snCutSegment(snVec3 *a, snVec3 *b, const snVec3 tet[4])
{
    Frame frame = makeFrame(tet);
    double from = 0, to = 1;
    for (int k = 0; k < 4; k++) {
        double p = coordinate(&frame, k, *a), q = coordinate(&frame, k, *b);
        if (p < 0 && q < 0) return false;
        if (p < 0 && p / (p - q) > from) from = p / (p - q);
        if (q < 0 && p / (p - q) < to) to = p / (p - q);
    }
    if (!(to - from > 1e-12)) return false;
    snVec3 start = *a, end = *b;
    *a = snLerp(start, end, from);
    *b = snLerp(start, end, to);
    return true;
}

double snTetExit(const snVec3 tet[4], snVec3 origin, snVec3 direction, int *face)
{
    Frame frame = makeFrame(tet);
    double least = 1e300;
    *face = 0;
    for (int k = 0; k < 4; k++) {
        double slope = snDot(frame.gradient[k], direction);
        double at = coordinate(&frame, k, origin);
        double t = slope < 0 ? (at > 0 ? at : 0) / -slope : 1e300;
        if (t < least) {
            least = t;
            *face = k;
        }
    }
    return least;
}

// Cramer's rule in the triangle's two edges and the segment.
double snHitTriangle(snVec3 a, snVec3 b, snTriangle triangle)
{
    snVec3 e1 = snSub(triangle.b, triangle.a), e2 = snSub(triangle.c, triangle.a);
    snVec3 direction = snSub(b, a), p = snCross(direction, e2), s = snSub(a, triangle.a);
    double det = snDot(e1, p), slack = 1e-9 * fabs(det);
    if (!(fabs(det) > 0)) return -1;
    double sign = det > 0 ? 1 : -1;
    double u = sign * snDot(s, p);
    if (u < -slack || u > fabs(det) + slack) return -1;
    snVec3 q = snCross(s, e1);
    double v = sign * snDot(direction, q);
    if (v < -slack || u + v > fabs(det) + slack) return -1;
    double t = sign * snDot(e2, q);
    return t >= 0 && t <= fabs(det) ? t / fabs(det) : -1;
}

// Bodies of different models that bump into each other or are tied: the world's own part in a step. Bodies of one model
// that are joined (snBodyKind.join) find each other by themselves; all others meet here, by nothing but body.h.
//
// So do bodies whose steps know no colliders (snBody.lands) meet these: rows of one end, against what no impulse moves.
//
// In a step (meet.c): bodies advance with the forces of the last one; what is then in each other, or apart and tied, becomes
// rows (meet_find.c); impulses that put it right are found (meet_solve.c); the step is taken back and done again
// with them, as often as it takes to come near; what is left is put right where bodies stand, by how their ends
// yield. docs/theory/meeting.md.
#ifndef SN_WORLD_MEET_H
#define SN_WORLD_MEET_H

#include "contact/pairs.h"
#include "contact/side.h"
#include "contact/solve.h"
#include "world/world.h"

#define SN_MEET_ROUNDS 4 // of a step after the first, at most

// A body as others meet it.
typedef struct snMeetBody {
    snBody *body;
    int group; // bodies with the same one, above 0, meet elsewhere
    double size;
    double friction, restitution;
    snCollider collider; // its shell
    int *sourceOf;       // [welded vertices], a vertex that is there
    int sampleCount;
    snBodyEnd *samples; // [sampleCount], points of the shell that go into others
    snShellSpot *spots; // [sampleCount], where they are on it
    int vertexCount;
    snVec3 *begin, *end; // [vertexCount], of the step
    snBox box;           // of both
    bool placed;         // the shell is at the step's end
    void *saved;         // at the step's begin
    bool used, tied;     // some row is at it, some tie
    bool part;           // or at one of its group, which may have pushed it along (meet_pay.c)
} snMeetBody;

typedef struct snMeetRow {
    bool tie;
    int body[2]; // the second below 0: a collider, snMeet_Ground of its number
    snBodyEnd end[2];
    int sample; // of contacts: of the first body
    snVec3 normal;
    double friction;
    double bounce;     // m/s, at which they are to part; 0: they stay together
    snVec3 at[2];      // where ends are at the step's begin
    snVec3 ground;     // where that of a collider is at its end
    snVec3 target;     // and where it is to be: of contacts out along the normal, and across it
    snVec3 error;      // from the target, after a round
    snVec3 impulse;    // N s, in a round; on the first end, the other way on the second
    snVec3 solved;     // what is to come
    snVec3 best;       // of the round that came nearest
    snVec3 last;       // of the step before
    snVec3 turn;       // place x impulse, of all that the first end got
    double *column[2]; // yields
    bool fresh;        // not in the matrix yet
} snMeetRow;

// Of the k-th collider of a step, and back.
static inline int snMeet_Ground(int k)
{
    return -1 - k;
}

// What a row leaves for the next step.
typedef struct snMeetMemo {
    int body[2];  // as of rows
    int point[2]; // sample and 0 of contacts, points of ties
    int tie, unused;
    snVec3 impulse, carried; // N s; what the next step begins with
} snMeetMemo;

// A sample that is in another shell, or as good as.
typedef struct snMeetTouch {
    int body, other, sample;
    snTouch touch;
} snMeetTouch;

typedef struct snMeet {
    snArena arena;
    snWorld *world;
    int count;
    snMeetBody *bodies; // [count], as the world's
    snPairs pairs;      // of them
    // State.
    int *memoCount;    // [1]
    snMeetMemo *memos; // [most]
    // Of one step.
    int tieCount, mostTies;
    snBodyTie *ties; // [mostTies]
    int most, rowCount, inMatrix;
    int room;        // for rows at present: ties have places of their own
    snMeetRow *rows; // [most]
    double *matrix,
        *guess;   // [3 most][3 most]: how ends yield, and that as far as rounds have shown it
    double *work; // [3 * 3 most]
    snContactRow *solver; // [most], rows as they are solved
    int *solving;         // [most], which
    int learned;          // rounds that have shown something
    int knownRows[SN_MEET_ROUNDS];
    double *steps, *changes; // [SN_MEET_ROUNDS][3 most], by how much impulses and errors changed
    int touchCount, mostTouches;
    snMeetTouch *touches; // [mostTouches]
    snBodyNudge *nudges;  // [most * 2]
    int rounds;           // that the step was taken in
    bool dropped;         // there was no place for a row
    bool counted;         // energy is, snMeet_Count
    bool failed;          // those that met were put back, snMeet_Pay
} snMeet;

// Whether bodies of a world meet beyond their groups; and what is needed for it. With so many ties.
bool snMeet_IsNeeded(const snWorld *world);
snStatus snMeet_Make(snMeet **meet, snWorld *world, int ties, snError *error);
void snMeet_Destroy(snMeet *meet); // accepts NULL

// In a step: points that are held to each other, each time that bodies begin.
void snMeet_Tie(snMeet *meet, const snBodyTie *tie);
// All of a step but its end, in the place of the world's own phases.
void snMeet_Advance(snMeet *meet);
void snMeet_Report(const snMeet *meet); // adds to the world's reports of bodies
// Contacts of the last step are not those of the next one: the body was put elsewhere. Ties stay, but not what is not finite of them.
void snWorld_ForgetMeetings(snWorld *world, int body);

size_t snMeet_SaveSize(const snMeet *meet);
void snMeet_Save(const snMeet *meet, void *bytes);
void snMeet_Restore(snMeet *meet, const void *bytes);

// ---- meet_find.c ----
snStatus snMeetBody_Make(snMeetBody *body, snBody *of, snArena *arena, snError *error);
snStatus snMeet_MakePairs(snMeet *meet, snError *error);
void snMeet_PlaceBegin(snMeet *meet);
void snMeet_PlaceEnd(snMeet *meet);
void snMeet_Recall(snMeet *meet); // rows of the last step, where bodies are at the begin
// Rows for what touches and has none. With `left` for what is in something by more than may be, however near to others.
void snMeet_Look(snMeet *meet, bool left);
snVec3 snMeet_EndPlace(const snMeet *meet, const snMeetRow *row, int end);
// How far the first end went from the second in the step.
snVec3 snMeet_Way(const snMeet *meet, const snMeetRow *row);
double snMeet_Size(const snMeet *meet, const snMeetRow *row); // the smaller body's

// ---- meet_solve.c ----
snMat3 snMeet_Block(const snMeet *meet, const double *matrix, int r, int c); // of two rows
void snMeet_FillMatrix(snMeet *meet, bool again); // of fresh rows, or of all anew
void snMeet_FillGuess(snMeet *meet);              // that matrix, and what rounds have shown
// From errors and impulses to those that put all right, by how ends yield or by what rounds have shown.
void snMeet_Solve(snMeet *meet, const double *matrix);
void snMeet_SolveBounce(snMeet *meet);

// ---- meet_pay.c ----
void snMeet_Count(snMeet *meet); // before the step
void snMeet_Pay(snMeet *meet); // what those that met have too much, after all that was done to them
void snMeet_ReportFailure(const snMeet *meet);

#endif

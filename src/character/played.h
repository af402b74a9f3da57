// A surface that is played over time: the body of a character in one of its clips, as it was baked or not, or with samples of a point
// cache in the place of a clip; without both it stands as it is at rest.
#ifndef SN_CHARACTER_PLAYED_H
#define SN_CHARACTER_PLAYED_H

#include "character/character.h"
#include "geometry/mesh.h"

// Where points are at some times, straight between them.
typedef struct snPointSamples {
    int pointCount, sampleCount;
    double *times;   // [sampleCount] s, ascending
    snVec3f *points; // [sampleCount][pointCount]
} snPointSamples;

typedef struct snPlayedDef {
    const snCharacter *character; // must outlive what plays it
    int clip;                     // -1: the pose at rest
    // Of all vertices of the character, or of the first so many: the others are then at places of these at rest. They must outlive it.
    // NULL: none.
    const snPointSamples *samples;
    bool loop;
    double start, speed; // s of the clip or the samples at time 0, and how many pass in one
    double scale;
} snPlayedDef;
snPlayedDef snDefaultPlayedDef(void);

typedef struct snPlayed snPlayed;
snStatus snPlayed_Make(snPlayed **played, const snPlayedDef *def, const snContext *context,
                       snError *error);
void snPlayed_Destroy(snPlayed *played); // accepts NULL

// The surface as it is at time 0, for as long as it is played.
const snMesh *snPlayed_Mesh(const snPlayed *played);
// Where its vertices are, [vertices of the mesh]. Allocates nothing; one thread at a time.
void snPlayed_At(snPlayed *played, double time, snVec3 *places);

#endif

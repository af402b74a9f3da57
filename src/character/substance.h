// What flesh can be made of, and how a whole body may feel: presets with plain names.
#ifndef SN_CHARACTER_SUBSTANCE_H
#define SN_CHARACTER_SUBSTANCE_H

// A substance is told by how a body made of it would swing. Frequencies go with the square root of
// stiffness, so as part of another body it is (wobble / flesh's wobble)² times as stiff as flesh.
typedef struct snSubstance {
    const char *name;
    double wobble;  // Hz, the slowest swing of a whole body of it; of a free part, of that part
    double damping; // 1/s, how fast its swings die
    double poisson; // of a whole body: 0.3 gives way, 0.45 nearly keeps its volume
    const char *about;
} snSubstance;

#define SN_FLESH_WOBBLE 3.5 // Hz, plain flesh
#define SN_FLESH_DAMPING 2.0
#define SN_FLESH_POISSON 0.4

// All of them, flesh first; *count is set.
const snSubstance *snSubstances(int *count);
const snSubstance *snSubstance_Find(const char *name);      // or NULL
double snSubstance_Stiffness(const snSubstance *substance); // relative to plain flesh

// How lively a character is: factors on what it would be by itself.
typedef struct snFeel {
    const char *name;
    double pace;      // of all frequencies: below 1 everything swings slower and wider
    double damping;   // of the damping
    double amplitude; // of what is seen of the motion
    const char *about;
} snFeel;

const snFeel *snFeels(int *count);           // natural first
const snFeel *snFeel_Find(const char *name); // or NULL

#endif

// What a joint carries, told by its name: a guess that is right often enough to start from, and
// that every user can overrule. Names are read as words: "b_LeftEar_02" is b, left, ear.
#ifndef SN_CHARACTER_TISSUE_H
#define SN_CHARACTER_TISSUE_H

#include <stdbool.h>

typedef enum snTissueKind {
    SN_TISSUE_FLESH, // everything that its name does not tell
    SN_TISSUE_SOFT,  // belly, breast, cheek: held by its bone, sways more
    SN_TISSUE_BONY,  // head, jaw, hand, foot: a thin layer over bone
    SN_TISSUE_HARD,  // horn, hoof, claw, beak, tooth, eye: does not visibly deform
    SN_TISSUE_EAR,   // ears, antennae: left free to flop on what they grow from
    SN_TISSUE_TAIL,  // tails, trunks, hair, tentacles: free, heavier and slower
} snTissueKind;

typedef struct snTissue {
    const char *name;
    double wobble;    // Hz, the slowest swing of free tissue; 0: by stiffness
    double stiffness; // relative to plain flesh; of free tissue, should it be held
    bool loose;       // its bones follow the flesh instead of leading it
    double hold;      // Hz of a soft spring that draws loose bones to the rig's pose; 0: none
    double drag;      // 1/s, added to the damping of the body's flesh
    double firm;      // of the body's frequency: of springs that draw held tissue to the rig's pose
} snTissue;

snTissueKind snTissueKind_FromName(const char *jointName);
const snTissue *snTissue_Of(snTissueKind kind);

// Whether a joint's name has a word of its own ("b_LeftEar_02" has ear; "gear" has not), in lower
// case.
bool snTissue_NameHas(const char *jointName, const char *word);

// Whether two names are alike but for the side: "b_LeftEar_02" and "b_RightEar_05", "ear.L" and
// "ear.R", "leg_FL" and "leg_FR". Numbers do not count.
bool snTissue_AreSides(const char *left, const char *right);

// The word that tells a tissue and is most like this one, or NULL.
const char *snTissue_SuggestWord(const char *word);

#endif

// Rules for parts of a body: what a user says about an ear, a tail, everything below the neck. A
// joint's flesh is first what its name tells (tissue.h); then rules change it, later ones over
// earlier ones.
#ifndef SN_CHARACTER_RULES_H
#define SN_CHARACTER_RULES_H

#include "character/substance.h"
#include "character/tissue.h"
#include "skeleton/skeleton.h"

// Which fields of a rule are set.
enum {
    SN_RULE_WOBBLE = 1,
    SN_RULE_SUBSTANCE = 2,
    SN_RULE_STIFFNESS = 4,
    SN_RULE_FREE = 8,
    SN_RULE_HOLD = 16,
    SN_RULE_DRAG = 32,
    SN_RULE_TWIST = 64,
    SN_RULE_TWIST_RADIUS = 128,
};

typedef struct snFleshRule {
    // A joint's name, or a pattern of names with *: those joints and all below them. "#12": the
    // joint of that number. Or a word such as ear or belly: joints that have it in their names, and
    // those below them whose names tell nothing else. Or the name of a kind of tissue.
    const char *part;
    unsigned set;                 // SN_RULE_...
    double wobble;                // Hz, the slowest swing of the part when all else stands still;
                                  // 0: it swings with the body
    const snSubstance *substance; // what it is made of; NULL: what its name tells
    double stiffness;             // factor on the modulus that it has by all else
    bool free;                    // its bones follow the flesh, or (false) lead it
    double hold;  // Hz of a spring that draws it to the rig's pose: free parts at their bones,
                  // held ones everywhere
    double drag;  // 1/s, added to the damping of the body
    double twist; // Hz, how strongly flesh near its held bones turns with them
    double twistRadius; // how near, as a share of the flesh's thickness
} snFleshRule;

// What the flesh of one joint is like.
typedef struct snJointFlesh {
    snTissueKind tissue;          // by name
    const snSubstance *substance; // by a rule, or NULL
    unsigned given;               // SN_RULE_... that a rule has set
    double wobble;                // Hz, of a part by itself; 0: it swings with the body
    double relative;              // stiffness relative to plain flesh
    double stiffness;             // factor on the modulus, after all
    bool free;
    double hold, drag, twist, twistRadius;
} snJointFlesh;

typedef struct snFleshRulesDef {
    const snSkeleton *skeleton;
    const unsigned char *used; // [joints], 1: it carries skin; NULL: all do
    int ruleCount;
    const snFleshRule *rules;
    double pace;   // factor on the frequencies that tissues have by name
    double wobble; // Hz, of the body: what keeps to its bones is that much faster
    double twist, twistRadius;
    int *failed; // gets the number of the rule at fault; may be NULL
} snFleshRulesDef;

// Fails with the rule's part and what there is instead where it names nothing that carries skin.
snStatus snFleshRules_Resolve(const snFleshRulesDef *def, snJointFlesh *joints, snArena *scratch,
                              snError *error);

// Marks the joints of a part, 1 in `in` ([joints]); the rest become 0. False when there is none.
bool snSkeleton_FindPart(const snSkeleton *skeleton, const char *part, unsigned char *in);

// How a joint is named where one must be told from all others: its name, or "#12" where that is
// empty or another joint has it too. `text` has SN_JOINT_LABEL bytes, used for the second.
#define SN_JOINT_LABEL 16
const char *snSkeleton_Label(const snSkeleton *skeleton, int joint, char *text);

// Whether a name is what a pattern says, in which each * stands for any text.
bool snNameMatches(const char *pattern, const char *name);

#endif

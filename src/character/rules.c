#include "character/rules.h"

#include "core/error.h"
#include "core/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A part that is set free without its name telling how: like a tail.
#define FREE_WOBBLE 4.0
#define FREE_HOLD 1.5
#define FREE_DRAG 3.0
#define LISTED 12    // joints that an error names
#define MOST_STARS 8 // in a pattern: matching takes time to the power of their number

// ---- which joints -------------------------------------------------------------------------------

static bool matches(const char *pattern, const char *name)
{
    for (; *pattern != '*'; pattern++, name++) {
        if (*pattern != *name) return false;
        if (!*name) return true;
    }
    for (;; name++) { // the star takes as much as it must
        if (matches(pattern + 1, name)) return true;
        if (!*name) return false;
    }
}

static int starCount(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += *text == '*';
    return count;
}

bool snNameMatches(const char *pattern, const char *name)
{
    return starCount(pattern) <= MOST_STARS && matches(pattern, name);
}

static bool numberOf(const char *part, int *number)
{
    if (part[0] != '#' || part[1] < '0' || part[1] > '9') return false;
    long value = 0;
    for (part++; *part >= '0' && *part <= '9' && value < 100000000; part++)
        value = value * 10 + (*part - '0');
    *number = (int)value;
    return !*part;
}

// Joints by name or number, and all below them.
static bool findNamed(const snSkeleton *skeleton, const char *part, unsigned char *in)
{
    int number = -1;
    bool any = false, numbered = numberOf(part, &number);
    if (starCount(part) > MOST_STARS) return false;
    for (int j = 0; j < skeleton->jointCount; j++) {
        int parent = skeleton->joints[j].parent;
        bool named = *part && matches(part, skeleton->joints[j].name);
        in[j] = named || (numbered && j == number) || (parent >= 0 && in[parent]);
        any |= in[j];
    }
    return any;
}

// Joints that have a word in their names, and those below them whose names tell nothing.
static bool findWord(const snSkeleton *skeleton, const char *word, unsigned char *in)
{
    bool any = false;
    for (int j = 0; j < skeleton->jointCount; j++) {
        const snJoint *joint = &skeleton->joints[j];
        bool silent = snTissueKind_FromName(joint->name) == SN_TISSUE_FLESH;
        in[j] = snTissue_NameHas(joint->name, word) ||
                (silent && joint->parent >= 0 && in[joint->parent]);
        any |= in[j];
    }
    return any;
}

static bool findTissue(const snSkeleton *skeleton, const char *name, unsigned char *in)
{
    bool any = false;
    for (int j = 0; j < skeleton->jointCount; j++) {
        snTissueKind kind = snTissueKind_FromName(skeleton->joints[j].name);
        in[j] = !strcmp(snTissue_Of(kind)->name, name);
        any |= in[j];
    }
    return any;
}

bool snSkeleton_FindPart(const snSkeleton *skeleton, const char *part, unsigned char *in)
{
    return findNamed(skeleton, part, in) || findWord(skeleton, part, in) ||
           findTissue(skeleton, part, in);
}

const char *snSkeleton_Label(const snSkeleton *skeleton, int joint, char *text)
{
    const char *name = skeleton->joints[joint].name;
    bool clear = *name && *name != '#' && !strchr(name, '*');
    for (int j = 0; j < skeleton->jointCount && clear; j++)
        clear = j == joint || strcmp(skeleton->joints[j].name, name) != 0;
    if (clear) return name;
    snprintf(text, SN_JOINT_LABEL, "#%d", joint);
    return text;
}

// A word like this one that some joint's name has.
static const char *suggestWord(const snSkeleton *skeleton, const char *part, snArena *scratch)
{
    const char *word = snTissue_SuggestWord(part);
    unsigned char *in = SN_NEW(scratch, unsigned char, skeleton->jointCount);
    return word && in && findWord(skeleton, word, in) ? word : NULL;
}

// "there is no part "eer", did you mean "ear_L"? The joints are: ..."
static snStatus failPart(const snFleshRulesDef *def, const char *part, snArena *scratch,
                         snError *error)
{
    const snSkeleton *skeleton = def->skeleton;
    const char **names = SN_NEW(scratch, const char *, skeleton->jointCount + 1);
    char list[320], label[SN_JOINT_LABEL];
    int count = 0;
    size_t at = 0;
    if (!names) return snFailMemory(error);
    list[0] = 0;
    for (int j = 0; j < skeleton->jointCount; j++) {
        if (def->used && !def->used[j]) continue;
        const char *name = snSkeleton_Label(skeleton, j, label);
        if (name != label) names[count++] = name;
        if (count <= LISTED && at + strlen(name) + 8 < sizeof list)
            at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", at ? ", " : "", name);
    }
    const char *guess = snSuggest(part, names, count);
    if (!guess) guess = suggestWord(skeleton, part, scratch);
    return snFail(
        error, SN_ERROR_ARGUMENT,
        "no joint that carries skin is named or matched by \"%.60s\"%s%s%s joints are: %s%s", part,
        guess ? ", did you mean \"" : "; the", guess ? guess : "", guess ? "\"? The" : "", list,
        count > LISTED ? ", ..." : "");
}

// ---- what they are ------------------------------------------------------------------------------

static snJointFlesh byName(const char *name, const snFleshRulesDef *def)
{
    snTissueKind kind = snTissueKind_FromName(name);
    const snTissue *tissue = snTissue_Of(kind);
    return (snJointFlesh){.tissue = kind,
                          .relative = tissue->stiffness,
                          .stiffness = 1,
                          .free = tissue->loose,
                          .drag = tissue->drag,
                          .twist = def->twist,
                          .twistRadius = def->twistRadius};
}

static void applyRule(const snFleshRule *rule, snJointFlesh *joint)
{
    joint->given |= rule->set;
    if (rule->set & SN_RULE_SUBSTANCE) joint->substance = rule->substance;
    if (rule->set & SN_RULE_WOBBLE) joint->wobble = rule->wobble;
    if (rule->set & SN_RULE_STIFFNESS) joint->stiffness = rule->stiffness;
    if (rule->set & SN_RULE_FREE) joint->free = rule->free;
    if (rule->set & SN_RULE_HOLD) joint->hold = rule->hold;
    if (rule->set & SN_RULE_DRAG) joint->drag = rule->drag;
    if (rule->set & SN_RULE_TWIST) joint->twist = rule->twist;
    if (rule->set & SN_RULE_TWIST_RADIUS) joint->twistRadius = rule->twistRadius;
}

// Where the user says what it is made of, that alone decides how firm it is.
static double usualHold(const snJointFlesh *joint, const snTissue *tissue, double wobble)
{
    unsigned firmness = SN_RULE_WOBBLE | SN_RULE_SUBSTANCE | SN_RULE_STIFFNESS;
    if (joint->free) return tissue->loose ? tissue->hold : FREE_HOLD;
    return tissue->loose || (joint->given & firmness) ? 0 : tissue->firm * wobble;
}

// What no rule has said follows from what others did.
static void complete(snJointFlesh *joint, double pace, double wobble)
{
    const snTissue *tissue = snTissue_Of(joint->tissue);
    const snSubstance *substance = joint->substance;
    if (!(joint->given & SN_RULE_WOBBLE)) {
        double free = tissue->loose ? tissue->wobble : FREE_WOBBLE;
        joint->wobble = joint->free ? (substance ? substance->wobble : free * pace) : 0;
    }
    if (substance) joint->relative = snSubstance_Stiffness(substance);
    if (!(joint->given & SN_RULE_DRAG)) {
        if (substance)
            joint->drag = substance->damping - SN_FLESH_DAMPING;
        else if (joint->free != tissue->loose)
            joint->drag = joint->free ? FREE_DRAG : 0;
    }
    if (!(joint->given & SN_RULE_HOLD)) joint->hold = usualHold(joint, tissue, wobble);
    if (joint->free) joint->twist = 0; // there is no bone that leads
}

static snStatus checkRule(const snFleshRule *r, snError *error)
{
    const char *what = NULL;
    if ((r->set & SN_RULE_WOBBLE) && !(r->wobble >= 0 && r->wobble <= 1000))
        what = "wobble must be from 0 (as the body) to 1000 Hz";
    if ((r->set & SN_RULE_STIFFNESS) && !(r->stiffness >= 1e-6 && r->stiffness <= 1e6))
        what = "the factor of stiffness must be from 1e-6 to 1e6";
    if ((r->set & SN_RULE_HOLD) && !(r->hold >= 0 && r->hold <= 1000))
        what = "hold must be from 0 to 1000 Hz";
    if ((r->set & SN_RULE_DRAG) && !(r->drag >= -1000 && r->drag <= 1000))
        what = "drag must be from -1000 to 1000 per second";
    if ((r->set & SN_RULE_TWIST) && !(r->twist >= 0 && r->twist <= 1000))
        what = "twist must be from 0 to 1000 Hz";
    if ((r->set & SN_RULE_TWIST_RADIUS) && !(r->twistRadius >= 0 && r->twistRadius <= 100))
        what = "the twist radius must be from 0 to 100 of the flesh's thickness";
    return what ? snFail(error, SN_ERROR_ARGUMENT, "part \"%s\": %s", r->part, what) : SN_OK;
}

snStatus snFleshRules_Resolve(const snFleshRulesDef *def, snJointFlesh *joints, snArena *scratch,
                              snError *error)
{
    int n = def->skeleton->jointCount;
    unsigned char *in = SN_NEW(scratch, unsigned char, n);
    if (!in) return snFailMemory(error);
    for (int j = 0; j < n; j++)
        joints[j] = byName(def->skeleton->joints[j].name, def);
    for (int r = 0; r < def->ruleCount; r++) {
        const snFleshRule *rule = &def->rules[r];
        bool any = false;
        if (def->failed) *def->failed = r;
        snStatus status = checkRule(rule, error);
        if (status) return status;
        snSkeleton_FindPart(def->skeleton, rule->part, in);
        for (int j = 0; j < n; j++)
            any |= in[j] && (!def->used || def->used[j]);
        if (!any) return failPart(def, rule->part, scratch, error);
        for (int j = 0; j < n; j++)
            if (in[j]) applyRule(rule, &joints[j]);
    }
    if (def->failed) *def->failed = -1;
    for (int j = 0; j < n; j++)
        complete(&joints[j], def->pace, def->wobble);
    return SN_OK;
}

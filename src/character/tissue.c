#include "character/tissue.h"

#include "core/suggest.h"

#include <stddef.h>
#include <string.h>

// Frequencies by eye: an ear of a shaking head swings five times a second, a tail slower; skin over a skull trembles
// too fast to see, which a sixteenfold stiffness (four times the frequency) gives.
static const snTissue tissues[] = {
    [SN_TISSUE_FLESH] = {"flesh", 0, 1, false, 0, 0, 0}, // by the body's wobble
    [SN_TISSUE_SOFT] = {"soft", 0, 0.4, false, 0, 0, 0}, // two thirds of the body's frequency
    // Four times; as a whole too, for a large head on a short bone would swing by itself.
    [SN_TISSUE_BONY] = {"bony", 0, 16, false, 0, 0, 3.5},
    [SN_TISSUE_HARD] = {"hard", 0, 1000, false, 0, 0, 3.5}, // thirty times
    [SN_TISSUE_EAR] = {"ear", 5, 2, true, 0, 1, 0}, // Hz; thin and light, so the air brakes them
    [SN_TISSUE_TAIL] = {"tail", 4, 1, true, 1.5, 3, 0}, // Hz; one that hangs is still held a little
};

typedef struct Word {
    const char *text;
    snTissueKind kind;
} Word;

static const Word words[] = {
    {"ear", SN_TISSUE_EAR},       {"ears", SN_TISSUE_EAR},     {"antenna", SN_TISSUE_EAR},
    {"tail", SN_TISSUE_TAIL},     {"trunk", SN_TISSUE_TAIL},   {"hair", SN_TISSUE_TAIL},
    {"ponytail", SN_TISSUE_TAIL}, {"mane", SN_TISSUE_TAIL},    {"tentacle", SN_TISSUE_TAIL},
    {"horn", SN_TISSUE_HARD},     {"hoof", SN_TISSUE_HARD},    {"claw", SN_TISSUE_HARD},
    {"beak", SN_TISSUE_HARD},     {"tooth", SN_TISSUE_HARD},   {"teeth", SN_TISSUE_HARD},
    {"antler", SN_TISSUE_HARD},   {"eye", SN_TISSUE_HARD},     {"eyes", SN_TISSUE_HARD},
    {"head", SN_TISSUE_BONY},     {"skull", SN_TISSUE_BONY},   {"jaw", SN_TISSUE_BONY},
    {"hand", SN_TISSUE_BONY},     {"foot", SN_TISSUE_BONY},    {"feet", SN_TISSUE_BONY},
    {"toe", SN_TISSUE_BONY},      {"toes", SN_TISSUE_BONY},    {"finger", SN_TISSUE_BONY},
    {"thumb", SN_TISSUE_BONY},    {"paw", SN_TISSUE_BONY},     {"index", SN_TISSUE_BONY},
    {"ankle", SN_TISSUE_BONY},    {"wrist", SN_TISSUE_BONY},   {"pinky", SN_TISSUE_BONY},
    {"belly", SN_TISSUE_SOFT},    {"stomach", SN_TISSUE_SOFT}, {"breast", SN_TISSUE_SOFT},
    {"cheek", SN_TISSUE_SOFT},    {"jiggle", SN_TISSUE_SOFT},  {"udder", SN_TISSUE_SOFT},
};

#define LONGEST_WORD 32

const snTissue *snTissue_Of(snTissueKind kind)
{
    return &tissues[kind];
}

static bool isUpper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool isLetter(char c)
{
    return isUpper(c) || (c >= 'a' && c <= 'z');
}

// The next word in lower case: a run of letters, cut where a capital follows a small letter.
static const char *nextWord(const char *at, char *word)
{
    int length = 0;
    while (*at && !isLetter(*at))
        at++;
    const char *begin = at;
    while (isLetter(*at)) {
        if (at > begin && isUpper(*at) && !isUpper(at[-1])) break;
        if (length + 1 < LONGEST_WORD) word[length++] = (char)(isUpper(*at) ? *at + 32 : *at);
        at++;
    }
    word[length] = 0;
    return at;
}

static bool lookUp(const char *word, snTissueKind *kind)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].text, word)) {
            *kind = words[i].kind;
            return true;
        }
    return false;
}

// "leftear" and "earright", written in one.
static const char *withoutSide(char *word)
{
    static const char *const sides[] = {"left", "right"};
    size_t length = strlen(word);
    for (int i = 0; i < 2; i++) {
        size_t side = strlen(sides[i]);
        if (length <= side) continue;
        if (!strncmp(word, sides[i], side)) return word + side;
        if (!strcmp(word + length - side, sides[i])) {
            word[length - side] = 0;
            return word;
        }
    }
    return word;
}

snTissueKind snTissueKind_FromName(const char *jointName)
{
    char word[LONGEST_WORD];
    snTissueKind kind = SN_TISSUE_FLESH, found;
    for (const char *at = jointName; *at;) {
        at = nextWord(at, word);
        if (!*word) break;
        if (lookUp(word, &found) || lookUp(withoutSide(word), &found)) kind = found;
    }
    return kind;
}

bool snTissue_NameHas(const char *jointName, const char *text)
{
    char word[LONGEST_WORD];
    for (const char *at = jointName; *at;) {
        at = nextWord(at, word);
        if (!*word) break;
        if (!strcmp(word, text) || !strcmp(withoutSide(word), text)) return true;
    }
    return false;
}

// Whether a word is the other side's: "left" and "right" alone or in front of or behind the same,
// "l" and "r" alone or behind the same letter.
static bool isOtherSide(const char *left, const char *right)
{
    size_t n = strlen(left), m = strlen(right);
    if (n == m && n >= 1 && n <= 2)
        return left[n - 1] == 'l' && right[n - 1] == 'r' && (n == 1 || left[0] == right[0]);
    if (n < 4 || m < 5 || n - 4 != m - 5) return false;
    if (!strncmp(left, "left", 4) && !strncmp(right, "right", 5))
        return !strcmp(left + 4, right + 5);
    return !strcmp(left + n - 4, "left") && !strcmp(right + m - 5, "right") &&
           !strncmp(left, right, n - 4);
}

bool snTissue_AreSides(const char *left, const char *right)
{
    char a[LONGEST_WORD], b[LONGEST_WORD];
    bool any = false;
    do {
        left = nextWord(left, a);
        right = nextWord(right, b);
        bool same = !strcmp(a, b);
        if (!same && !isOtherSide(a, b)) return false;
        any |= !same;
    } while (*a && *b);
    return any;
}

const char *snTissue_SuggestWord(const char *word)
{
    const char *list[sizeof words / sizeof *words];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        list[i] = words[i].text;
    return snSuggest(word, list, (int)(sizeof words / sizeof *words));
}

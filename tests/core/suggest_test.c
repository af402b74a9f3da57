#include "tests/test.h"

#include "core/suggest.h"

#include <string.h>

static const char *const kinds[] = {"ball", "hinge", "fixed"};

static void wordsAreFound(void)
{
    CHECK(snFindWord("hinge", kinds, 3) == 1 && snFindWord("hing", kinds, 3) == -1);
    CHECK(snFindWord("fixed", kinds, 2) == -1 && snFindWord("ball", kinds, 0) == -1);
}

// The first of those that are most like it; nothing where more than a third of the letters is wrong.
static void guessesAreNear(void)
{
    static const char *const twins[] = {"hand.l", "hand.r"};
    char longest[80];
    CHECK(snSuggest("hindge", kinds, 3) == kinds[1]);
    CHECK(snSuggest("hand", twins, 2) == twins[0]);
    CHECK(!snSuggest("elephant", kinds, 3) && !snSuggest("hinge", kinds, 0));
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    CHECK(!snSuggest(longest, kinds, 3));
}

static void hintsEndSentences(void)
{
    CHECK(!strcmp(snHint_Among("hindge", kinds, 3).text, "; did you mean \"hinge\"?"));
    CHECK(!strcmp(snHint_Of("--", "fps", "").text, "; did you mean --fps?"));
    CHECK(!*snHint_Among("elephant", kinds, 3).text);
    CHECK(!*snHint_Of("", NULL, "").text && !*snHint_Of("", "", "").text);
}

// Words are whole: the first that has no room ends the list.
static void listsAreCutBetweenWords(void)
{
    char longest[250];
    const char *const list[] = {"one", longest, "two"};
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    CHECK(!strcmp(snListWords(kinds, 3).text, "ball, hinge, fixed"));
    CHECK(!strcmp(snListWords(list, 3).text, "one"));
    CHECK(!*snListWords(kinds, 0).text);
}

typedef struct Thing {
    int size;
    const char *name;
} Thing;

static const char *thingAt(const void *things, int i)
{
    return ((const Thing *)things)[i].name;
}

// What has no name is neither found nor meant, and nothing is called like it.
static void namesStandElsewhere(void)
{
    static const Thing things[] = {{1, "hip"}, {2, NULL}, {3, "knee"}, {4, NULL}, {5, "hip"}};
    const snNames names = {5, thingAt, things};
    CHECK(snNames_Find(&names, "knee") == 2 && snNames_Find(&names, "toe") == -1);
    CHECK(snNames_Suggest(&names, "kneee") == things[2].name);
    CHECK(!strcmp(snNames_List(&names).text, "hip, knee, hip"));
}

static void doublesAreFoundByTheFirst(void)
{
    static const char *const list[] = {"c", "a", "b", "a", "c", "a"};
    snContext context = snDefaultContext();
    snArena scratch = snMakeArena(&context);
    snNames names = snNames_OfList(list, 6);
    snTwice twice;
    CHECK(snNames_FindTwice(&names, &twice, &scratch, NULL) == SN_OK);
    CHECK(twice.later == 3 && twice.earlier == 1);
    names.count = 3;
    CHECK(snNames_FindTwice(&names, &twice, &scratch, NULL) == SN_OK && twice.later == -1);
    names.count = 0;
    CHECK(snNames_FindTwice(&names, &twice, &scratch, NULL) == SN_OK && twice.later == -1);
    snArena_Destroy(&scratch);
}

int main(void)
{
    RUN(wordsAreFound);
    RUN(guessesAreNear);
    RUN(hintsEndSentences);
    RUN(listsAreCutBetweenWords);
    RUN(namesStandElsewhere);
    RUN(doublesAreFoundByTheFirst);
    return snTest_Finish();
}

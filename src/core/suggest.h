// Words and names: where they stand in a list, which one was meant, and whether one is there twice.
#ifndef SN_CORE_SUGGEST_H
#define SN_CORE_SUGGEST_H

#include "core/error.h"
#include "core/memory.h"

// Where a word stands in a list; -1: it is none of it.
int snFindWord(const char *word, const char *const *list, int count);

// The member of the list that is most like the word, the first of equals; NULL when none is.
const char *snSuggest(const char *word, const char *const *list, int count);

// Both of names that stand elsewhere; what has none gives NULL.
typedef struct snNames {
    int count;
    const char *(*at)(const void *user, int i);
    const void *user;
} snNames;
snNames snNames_OfList(const char *const *list, int count);
int snNames_Find(const snNames *names, const char *word);
const char *snNames_Suggest(const snNames *names, const char *word);

// The first that another one before it is called, and that one; -1, -1 where all differ.
typedef struct snTwice {
    int later, earlier;
} snTwice;
snStatus snNames_FindTwice(const snNames *names, snTwice *twice, snArena *scratch, snError *error);

// The end of a message about a word that nothing is called: "; did you mean --fps?", with what stands
// before and after the guess where people write it. Empty where there is no guess (NULL, or no letters).
typedef struct snHint {
    char text[96];
} snHint;
snHint snHint_Of(const char *before, const char *guess, const char *after);
// The same of a list, in the quotation marks of documents: "; did you mean \"ear\"?".
snHint snHint_Among(const char *word, const char *const *list, int count);

// "ball, hinge, fixed": for messages. Words that have no room any more are left out.
typedef struct snWordList {
    char text[200];
} snWordList;
snWordList snListWords(const char *const *list, int count);
snWordList snNames_List(const snNames *names);

#endif

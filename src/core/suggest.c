#include "core/suggest.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 62 // letters of a word that is compared

// Edit distance of two short words (Levenshtein), on one row.
static int distance(const char *a, const char *b)
{
    int row[LONGEST + 2];
    size_t n = strlen(b);
    if (n > LONGEST) return 99;
    for (int j = 0; j <= (int)n; j++)
        row[j] = j;
    for (int i = 1; a[i - 1]; i++) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= (int)n; j++) {
            int best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n];
}

int snNames_Find(const snNames *names, const char *word)
{
    for (int i = 0; i < names->count; i++) {
        const char *name = names->at(names->user, i);
        if (name && !strcmp(word, name)) return i;
    }
    return -1;
}

const char *snNames_Suggest(const snNames *names, const char *word)
{
    const char *best = NULL;
    if (strlen(word) > LONGEST) return NULL;
    int least = (int)strlen(word) / 3 + 2; // a third of the letters may be wrong
    for (int i = 0; i < names->count; i++) {
        const char *name = names->at(names->user, i);
        int d = name ? distance(word, name) : least;
        if (d < least) {
            least = d;
            best = name;
        }
    }
    return best;
}

static const char *atOfList(const void *list, int i)
{
    return ((const char *const *)list)[i];
}

snNames snNames_OfList(const char *const *list, int count)
{
    return (snNames){count, atOfList, list};
}

int snFindWord(const char *word, const char *const *list, int count)
{
    const snNames names = snNames_OfList(list, count);
    return snNames_Find(&names, word);
}

const char *snSuggest(const char *word, const char *const *list, int count)
{
    const snNames names = snNames_OfList(list, count);
    return snNames_Suggest(&names, word);
}

snHint snHint_Of(const char *before, const char *guess, const char *after)
{
    snHint hint = {""};
    if (guess && *guess)
        snprintf(hint.text, sizeof hint.text, "; did you mean %s%s%s?", before, guess, after);
    return hint;
}

snHint snHint_Among(const char *word, const char *const *list, int count)
{
    return snHint_Of("\"", snSuggest(word, list, count), "\"");
}

snWordList snNames_List(const snNames *names)
{
    snWordList words = {""};
    size_t used = 0;
    for (int i = 0; i < names->count; i++) {
        const char *name = names->at(names->user, i);
        if (!name) continue;
        if (used + strlen(name) + 2 >= sizeof words.text) break;
        used += (size_t)snprintf(words.text + used, sizeof words.text - used, "%s%s",
                                 used ? ", " : "", name);
    }
    return words;
}

snWordList snListWords(const char *const *list, int count)
{
    const snNames names = snNames_OfList(list, count);
    return snNames_List(&names);
}

// ---- names that are there twice ---------------------------------------------------------------------

typedef struct Named {
    const char *name;
    int number;
} Named;

static int compareNamed(const void *a, const void *b)
{
    const Named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

snStatus snNames_FindTwice(const snNames *names, snTwice *twice, snArena *scratch, snError *error)
{
    int count = 0;
    snArenaMark mark = snArena_Mark(scratch);
    Named *sorted = SN_NEW(scratch, Named, names->count);
    *twice = (snTwice){-1, -1};
    if (!sorted) return snFailMemory(error);
    for (int i = 0; i < names->count; i++) {
        const char *name = names->at(names->user, i);
        if (name) sorted[count++] = (Named){name, i};
    }
    if (count > 1) qsort(sorted, (size_t)count, sizeof *sorted, compareNamed);
    for (int i = 1; i < count; i++) {
        int later = sorted[i].number;
        if (strcmp(sorted[i].name, sorted[i - 1].name) != 0) continue;
        if (twice->later < 0 || later < twice->later)
            *twice = (snTwice){later, sorted[i - 1].number};
    }
    snArena_Rewind(scratch, mark);
    return SN_OK;
}

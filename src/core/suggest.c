#include "core/suggest.h"

#include <stddef.h>
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

const char *snSuggest(const char *word, const char *const *list, int count)
{
    const char *best = NULL;
    if (strlen(word) > LONGEST) return NULL;
    int least = (int)strlen(word) / 3 + 2; // a third of the letters may be wrong
    for (int i = 0; i < count; i++) {
        int d = distance(word, list[i]);
        if (d < least) {
            least = d;
            best = list[i];
        }
    }
    return best;
}

// Words that were mistyped: which one of a list was meant?
#ifndef SN_CORE_SUGGEST_H
#define SN_CORE_SUGGEST_H

// The member of the list that is most like the word, the first of equals; NULL when none is.
const char *snSuggest(const char *word, const char *const *list, int count);

#endif

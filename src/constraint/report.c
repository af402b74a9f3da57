// What became of every constraint, in words.
#include "constraint/parts.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

#define MOST_PARTNERS 4 // names in a message

// How much two constraints have to do with each other: α of the one that depends on the other.
static double tie(const snConstraintSet *set, int a, int b)
{
    int rankA = set->rank[a], rankB = set->rank[b];
    if (rankA < 0 && rankB >= 0) return fabs(snConstraintExpansion(set, a)[rankB]);
    if (rankB < 0 && rankA >= 0) return fabs(snConstraintExpansion(set, b)[rankA]);
    return 0;
}

// A coefficient below a millionth of the largest is rounding.
int snConstraintSet_Partners(const snConstraintSet *set, int handle, int most, int *partners)
{
    double largest = 0;
    int count = 0;
    if (!snConstraintSet_Has(set, handle)) return 0;
    for (int p = 0; p < set->prepared; p++)
        largest = fmax(largest, tie(set, handle, set->order[p]));
    for (int p = 0; p < set->prepared; p++) {
        int other = set->order[p];
        double size = tie(set, handle, other);
        if (!(size > 1e-6 * largest) || other == handle) continue;
        int at = count < most ? count++ : count;
        for (; at > 0 && tie(set, handle, partners[at - 1]) < size; at--)
            if (at < most) partners[at] = partners[at - 1];
        if (at < most) partners[at] = other;
    }
    return count;
}

// "a", "b" and 3 more
static void listNames(const snConstraintSet *set, int handle, snError *list)
{
    int partners[MOST_PARTNERS + 1];
    int count = snConstraintSet_Partners(set, handle, MOST_PARTNERS + 1, partners);
    snFail(list, SN_OK, "nothing");
    for (int i = count < MOST_PARTNERS ? count - 1 : MOST_PARTNERS - 1, last = i; i >= 0; i--) {
        const char *name = snConstraintName(set, partners[i]);
        if (i == last)
            snFail(list, SN_OK, count > MOST_PARTNERS ? "\"%s\" and others" : "\"%s\"", name);
        else {
            snError rest = *list;
            snFail(list, SN_OK, "\"%s\", %.400s", name, rest.message);
        }
    }
}

static void explain(const snConstraintSet *set, snConstraintReport *report)
{
    snError list, *message = &report->message;
    bool shared = set->def.leastSquares && set->kept > 0;
    listNames(set, report->handle, &list);
    if (report->state == SN_CONSTRAINT_MET)
        snFail(message, SN_OK, "\"%s\" is met", report->name);
    else if (report->state == SN_CONSTRAINT_REDUNDANT)
        snFail(message, SN_OK, "\"%s\" is redundant: it is met with %.400s", report->name,
               list.message);
    else if (set->termCount[report->handle] == 0)
        snFail(message, SN_ERROR_NUMERIC,
               "\"%s\" hangs on known coordinates alone, which are %.6g from its target",
               report->name, report->miss);
    else if (shared)
        snFail(message, SN_ERROR_NUMERIC,
               "\"%s\" conflicts with %.300s; least squares leaves it %.6g from its target",
               report->name, list.message, report->miss);
    else
        snFail(message, SN_ERROR_NUMERIC,
               "\"%s\" conflicts with %.300s, which put it %.6g from its target; it is left out",
               report->name, list.message, report->miss);
}

snConstraintReport snConstraintSet_Report(const snConstraintSet *set, int position)
{
    snConstraintReport report = {.handle = -1, .name = ""};
    if (position < 0 || position >= set->prepared) return report;
    report.handle = set->order[position];
    report.name = snConstraintName(set, report.handle);
    report.state = set->state[report.handle];
    report.miss = set->miss[report.handle];
    explain(set, &report);
    return report;
}

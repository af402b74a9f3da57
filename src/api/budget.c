// How many members or bodies are computed, by the time that frames take (snDetailBudget in include/sinew/crowd.h).
//
// Who is left to its rig fades out over 16 steps and costs as much until then: what a frame took says nothing about the number that was chosen in
// the frames just before it. So there is one decision in FRAMES of them, by the mean u = used / allowed of the later half. With costs in
// proportion to the number n, n 0.9 / u of them take 0.9 of the time; where frames have a part that does not depend on n, fewer do, and the
// next decision sees to it. Between ENOUGH and 1 nothing moves. A number that was too many is remembered: without it a single
// body that takes too long would come and go for ever.
#include "api/world_parts.h"

#define FRAMES 16   // from one decision to the next
#define LATER 8     // of them count
#define ENOUGH 0.75 // of the time, below which more may be computed
#define AIM 0.9     // of the time
#define WORST                                                                                      \
    4.0 // times the time: what a single frame counts for at most, such as one in which a disk woke up
#define KEEP 40 // decisions for which a number that was too many is not tried again

static snStatus checkBudget(const snDetailBudget *budget, snError *error)
{
    snStatus status = snCheckPointer("budget", budget, error);
    if (!status) status = snCheckRange("used", budget->used, 0, INFINITY, error);
    if (!status) status = snCheckRange("allowed", budget->allowed, 1e-9, 1e9, error);
    if (!status) status = snCheckRange("most", budget->most, 0, INFINITY, error);
    if (!status) status = snCheckRange("frames", budget->frames, 0, FRAMES, error);
    if (!status) status = snCheckNumber("load", budget->load, error);
    return status;
}

static int fewer(snDetailBudget *budget, double load)
{
    int most = budget->most, fits = (int)(most * AIM / load);
    budget->limit = most;
    budget->limitAge = 0;
    return fits > most / 2 ? fits : most / 2;
}

// One more where there is none yet; else as many as fit, and not what was too many of late.
static int more(const snDetailBudget *budget, double load)
{
    int most = budget->most, next = most + (most >= 8 ? most / 8 : 1);
    double fits = most * AIM / load;
    if (most > 0 && fits < next) next = (int)fits;
    if (budget->limit > 0 && next >= budget->limit) next = budget->limit - 1;
    return next > most ? next : most;
}

static void decide(snDetailBudget *budget, int count)
{
    double load = budget->load / LATER;
    if (budget->limit > 0 && ++budget->limitAge > KEEP) budget->limit = 0;
    if (load > 1 && budget->most > 0) budget->most = fewer(budget, load);
    if (load < ENOUGH) budget->most = more(budget, load);
    if (budget->most > count) budget->most = count;
}

static snStatus moveBudget(snDetailBudget *budget, int count, snError *error)
{
    snStatus status = checkBudget(budget, error);
    if (status) return status;
    if (budget->most > count) budget->most = count;
    if (++budget->frames > FRAMES - LATER)
        budget->load += fmin(budget->used / budget->allowed, WORST);
    if (budget->frames < FRAMES) return SN_OK;
    decide(budget, count);
    budget->frames = 0;
    budget->load = 0;
    return SN_OK;
}

static snDetailRange within(const snDetailRange *range, const snDetailBudget *budget)
{
    snDetailRange fewest = *range;
    if (budget->most < fewest.most) fewest.most = budget->most;
    return fewest;
}

void snCrowd_KeepBudget(snCrowd *crowd, const double eye[3], const snDetailRange *range,
                        snDetailBudget *budget)
{
    snError why;
    snStatus bad = snCheckDetail(eye, range, &why);
    if (!bad) bad = moveBudget(budget, crowd->memberCount, &why);
    if (snRefuse(&crowd->context, bad, &why)) return;
    snDetailRange chosen = within(range, budget);
    snCrowd_ChooseDetail(crowd, eye, &chosen);
}

void snWorld_KeepBudget(snWorld *world, const double eye[3], const snDetailRange *range,
                        snDetailBudget *budget)
{
    snError why;
    int count = 0;
    for (int i = 0; i < world->bodies.count; i++)
        count += world->bodies.data[i]->levelCount > 1;
    snStatus bad = snCheckDetail(eye, range, &why);
    if (!bad) bad = moveBudget(budget, count, &why);
    if (snRefuse(&world->context, bad, &why)) return;
    snDetailRange chosen = within(range, budget);
    snWorld_ChooseDetail(world, eye, &chosen);
}

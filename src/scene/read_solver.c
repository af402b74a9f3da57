// How a body is computed: its solver, how points of it are held, how it touches; and what of all that goes
// together.
#include "scene/reader.h"

// ---- the solver ---------------------------------------------------------------------------------

enum { PROJECTIVE, NEWTON, LINEAR, QUASI_LINEAR, KINDS };

// C̈ + αĊ + βC = 0: by α and β, or by the time within which a miss dies away without overshoot.
static void readHolding(snReader *r, const snJsonNode *node, snSolidBodyDef *def)
{
    static const char *const keys[] = {"method", "alpha", "beta", "time"};
    static const char *const methods[] = {"projection", "multipliers"};
    const snRange rate = {0, 1e6, SN_QUANTITY_PLAIN};
    int method = SN_POINTS_PROJECTED;
    double time = 0;
    if (!node || r->status) return;
    snReader_Keys(r, node, keys, 4);
    snReader_Word(r, node, "method", methods, 2, &method);
    snReader_Number(r, node, "alpha", rate, &def->alpha);
    snReader_Number(r, node, "beta", (snRange){0, 1e9, SN_QUANTITY_PLAIN}, &def->beta);
    snReader_Number(r, node, "time", (snRange){1e-4, 1e3, SN_QUANTITY_TIME}, &time);
    def->holding = (snPointMethod)method;
    if (!(time > 0)) return;
    if (snJson_Member(r->json, node, "alpha") || snJson_Member(r->json, node, "beta"))
        snReader_Fail(r, snJson_Member(r->json, node, "time"),
                      "and \"alpha\" or \"beta\" are given; it stands for both");
    def->alpha = 2 / time;
    def->beta = 1 / (time * time);
}

static void readSolver(snReader *r, const snJsonNode *node, snSolidBodyDef *def)
{
    static const char *const keys[] = {"kind", "iterations",  "precision",
                                       "turn", "constraints", "integrator"};
    static const char *const integrators[] = {"euler", "midpoint", "explicit euler", "runge-kutta"};
    static const char *const kinds[KINDS] = {"projective", "newton", "linear", "quasi-linear"};
    static const snSolver solvers[KINDS] = {SN_SOLVER_PROJECTIVE, SN_SOLVER_NEWTON,
                                            SN_SOLVER_LINEAR, SN_SOLVER_LINEAR};
    static const char *const precisions[] = {"double", "single"};
    static const char *const turns[] = {"polar", "curl"};
    int kind = PROJECTIVE, precision = 0, turn = 0, integrator = 0;
    if (!node || r->status) return;
    snReader_Keys(r, node, keys, 6);
    snReader_Word(r, node, "kind", kinds, KINDS, &kind);
    snReader_Int(r, node, "iterations", 1, 100, &def->iterations);
    snReader_Word(r, node, "precision", precisions, 2, &precision);
    snReader_Word(r, node, "turn", turns, 2, &turn);
    snReader_Word(r, node, "integrator", integrators, 4, &integrator);
    readHolding(r, snReader_Object(r, node, "constraints"), def);
    def->integrator = (snIntegrator)integrator;
    def->solver = solvers[kind];
    def->precision = (snPrecision)precision;
    if (kind == QUASI_LINEAR)
        def->turn = turn == 0 ? SN_TURN_POLAR : SN_TURN_CURL;
    else if (snJson_Member(r->json, node, "turn"))
        snReader_Fail(r, snJson_Member(r->json, node, "turn"),
                      "is how the rest state of \"kind\": \"quasi-linear\" follows the body; a "
                      "body that is %s has none that turns: leave it out",
                      kinds[kind]);
}

// ---- contact ------------------------------------------------------------------------------------

static void readContact(snReader *r, const snJsonNode *node, snSolidBodyDef *def)
{
    static const char *const keys[] = {"soft",       "firmness",  "friction", "restitution",
                                       "iterations", "thickness", "reach",    "self"};
    const snRange length = {0, 100, SN_QUANTITY_LENGTH};
    if (!node || r->status) return;
    if (node->kind != SN_JSON_OBJECT)
        snReader_Fail(r, node, "must be an object, or false for a body that bumps into nothing");
    snReader_Keys(r, node, keys, 8);
    snReader_Bool(r, node, "soft", &def->soft);
    snReader_Bool(r, node, "self", &def->self);
    snReader_Number(r, node, "firmness", (snRange){0.01, 1e4, SN_QUANTITY_PLAIN}, &def->firmness);
    snReader_Number(r, node, "friction", (snRange){0, 100, SN_QUANTITY_PLAIN}, &def->friction);
    snReader_Number(r, node, "restitution", (snRange){0, 1, SN_QUANTITY_PLAIN}, &def->restitution);
    snReader_Int(r, node, "iterations", 1, 1000, &def->contactIterations);
    snReader_Number(r, node, "thickness", length, &def->thickness);
    snReader_Number(r, node, "reach", length, &def->reach);
}

void snReader_Solver(snReader *r, const snJsonNode *node, snSceneBody *body)
{
    readSolver(r, snReader_Object(r, node, "solver"), &body->solid);
    const snJsonNode *contact = snJson_Member(r->json, node, "contact");
    bool touches = true;
    if (contact && contact->kind == SN_JSON_BOOL)
        snReader_Bool(r, node, "contact", &touches);
    else
        readContact(r, contact, &body->solid);
    body->solid.apart = !touches;
}

// ---- what goes together -------------------------------------------------------------------------

// Fails at a member of a section of the body, if it is there.
static void refuse(snReader *r, const snJsonNode *body, const char *section, const char *key,
                   const char *why)
{
    const snJsonNode *node = snJson_Member(r->json, body, section);
    const snJsonNode *member =
        node && node->kind == SN_JSON_OBJECT ? snJson_Member(r->json, node, key) : NULL;
    if (member) snReader_Fail(r, member, "%s", why);
}

static void checkLinear(snReader *r, const snJsonNode *node)
{
    static const char *const searched[] = {"soft",       "firmness", "self",
                                           "iterations", "reach",    "thickness"};
    refuse(r, node, "solver", "iterations", "a linear step is one solve; leave it out");
    refuse(r, node, "material", "energy",
           "a linear body has the energy of linear strain; leave it out, or choose the solver "
           "projective or newton");
    for (int k = 0; k < 6; k++)
        refuse(r, node, "contact", searched[k],
               "linear bodies are held out of what they touch by impulses, not by a search: of "
               "contact they have friction and restitution; leave it out, or choose the solver "
               "projective");
}

// The midpoint rule: what body/lattice refuses, by path.
static void checkMidpoint(snReader *r, const snJsonNode *node, const snSolidBodyDef *def)
{
    if (def->solver == SN_SOLVER_LINEAR)
        refuse(r, node, "solver", "integrator",
               "midpoint goes with the solvers projective and newton");
    if (def->alpha > 0 || def->beta > 0)
        refuse(r, node, "solver", "constraints",
               "with the midpoint rule points are met in every step; leave out alpha, beta and "
               "time");
    if (!def->apart)
        refuse(r, node, "solver", "integrator",
               "midpoint knows no contact, which is exact at the end of a step and not at its "
               "middle: say \"contact\": false, or take \"euler\"");
    if (snJson_Member(r->json, node, "adaptive"))
        refuse(r, node, "solver", "integrator",
               "midpoint does not go with functions that come and go; take \"euler\"");
}

void snReader_CheckSolver(snReader *r, const snJsonNode *node, const snSceneBody *body)
{
    const snSolidBodyDef *def = &body->solid;
    if (r->status) return;
    if (def->solver == SN_SOLVER_LINEAR) checkLinear(r, node);
    if (def->integrator == SN_INTEGRATOR_MIDPOINT) checkMidpoint(r, node, def);
    if (def->integrator > SN_INTEGRATOR_MIDPOINT && !def->apart)
        refuse(r, node, "solver", "integrator",
               "explicit steps know no contact: say \"contact\": false, or take \"euler\"");
    if (def->integrator > SN_INTEGRATOR_MIDPOINT && def->solver != SN_SOLVER_PROJECTIVE)
        refuse(r, node, "solver", "integrator",
               "explicit steps have no other solver; leave out \"kind\", or take \"euler\"");
    if (def->precision == SN_PRECISION_SINGLE && def->solver != SN_SOLVER_PROJECTIVE)
        refuse(r, node, "solver", "precision",
               "single goes with the solver projective alone; say double");
    if (def->holding == SN_POINTS_MULTIPLIERS && def->solver != SN_SOLVER_NEWTON)
        refuse(r, node, "solver", "constraints",
               "Lagrange multipliers go with the solver newton; choose it, or the method "
               "projection");
    if (!def->soft && def->solver != SN_SOLVER_NEWTON) return;
    refuse(r, node, "contact", "restitution",
           "contacts that give way do not bounce; leave it out, or let them be exact: the solver "
           "projective without \"soft\"");
    if (def->self)
        refuse(r, node, "contact", "self",
               "contacts that give way are none with itself; leave it out, or let them be exact: "
               "the solver projective without \"soft\"");
    refuse(r, node, "contact", "friction",
           "with contacts that give way what is touched decides; leave it out, or let them be "
           "exact: the solver projective without \"soft\"");
}

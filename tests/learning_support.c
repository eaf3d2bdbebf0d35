#define _POSIX_C_SOURCE 200809L
#include "learning_support.h"

#include "learn/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

sos_random test_shape_begin(uint64_t number, uint64_t *shape)
{
    sos_random r = test_case_begin(number);
    *shape = sos_random_below(&r, 1000000);
    return r;
}

/* ---- models ---- */

/* Where member b of a patch goes: by generator 0 the mirror in x, by 1 that in y, by 2 the quarter turn. */
static size_t member_image(const sos_group *g, size_t b, int generator)
{
    const size_t x = b % g->patch_width, y = b / g->patch_width;
    switch (generator) {
    case 0: return y * g->patch_width + (g->patch_width - 1 - x);
    case 1: return (g->patch_height - 1 - y) * g->patch_width + x;
    default: return x * g->patch_width + (g->patch_width - 1 - y);
    }
}

static size_t reversed(size_t k, size_t S)
{
    size_t image = 0;
    for (size_t b = 0; b < k; b++)
        if (S >> b & 1) image |= (size_t)1 << (k - 1 - b);
    return image;
}

/* The image of a set; generator 3 is the swap, 4 the reversal.  A generator that the group does not have leaves the set alone.
 */
static size_t set_image(const sos_group *g, size_t S, int generator)
{
    if (generator == 3) return g->swap ? ((size_t)1 << g->size) - 1 - S : S;
    if (generator == 4) return g->reversal ? reversed(g->size, S) : S;
    if (!g->patch_width || (generator == 2 && g->patch_width != g->patch_height)) return S;
    size_t image = 0;
    for (size_t b = 0; b < g->size; b++)
        if (S >> b & 1) image |= (size_t)1 << member_image(g, b, generator);
    return image;
}

/* Gives the class of S to everything that generators reach from it. */
static void spread_class(plan_group *g, size_t S)
{
    for (int generator = 0; generator < 5; generator++) {
        const size_t image = set_image(&g->spec, S, generator);
        if (g->class_of[image] == g->class_of[S]) continue;
        g->class_of[image] = g->class_of[S];
        spread_class(g, image);
    }
}

static size_t label_changes(size_t k, size_t S)
{
    size_t changes = 0;
    for (size_t b = 1; b < k; b++) changes += (S >> b & 1) != (S >> (b - 1) & 1);
    return changes;
}

static bool counted_alike(const sos_group *g, size_t S, size_t T)
{
    const size_t k = g->size, s = (size_t)__builtin_popcountll(S), t = (size_t)__builtin_popcountll(T);
    return label_changes(k, S) == label_changes(k, T) && (s == t || (g->swap && s + t == k));
}

/* The class of S is that of the first set which is counted alike. */
static void find_counted_classes(plan_group *g)
{
    const size_t entries = (size_t)1 << g->spec.size;
    g->class_of = test_room(NULL, entries, sizeof *g->class_of);
    g->classes = 0;
    for (size_t S = 0; S < entries; S++) {
        size_t T = 0;
        while (!counted_alike(&g->spec, S, T)) T++;
        g->class_of[S] = T < S ? g->class_of[T] : S == 0 && g->spec.anchored ? SIZE_MAX : g->classes++;
    }
}

static void copy_classes(plan_group *g)
{
    const size_t entries = (size_t)1 << g->spec.size;
    g->class_of = test_room(NULL, entries, sizeof *g->class_of);
    g->classes = 0;
    for (size_t S = 0; S < entries; S++) {
        const uint32_t c = g->spec.class_of[S];
        g->class_of[S] = c == UINT32_MAX ? SIZE_MAX : c;
        if (c != UINT32_MAX && c >= g->classes) g->classes = c + 1;
    }
}

/* Knots, of which two that mirror each other may be one. */
static void find_knot_classes(plan_group *g)
{
    g->class_of = test_room(NULL, g->entries, sizeof *g->class_of);
    g->classes = 0;
    for (size_t j = 0; j < g->entries; j++) {
        const size_t other = g->entries - 1 - j;
        const bool tied = g->spec.swap && other < j;
        g->class_of[j] = tied ? g->class_of[other] : j == 0 && g->spec.anchored ? SIZE_MAX : g->classes++;
    }
}

static void find_classes(plan_group *g)
{
    if (g->spec.kind == SOS_GROUP_COUNT) {
        find_knot_classes(g);
        return;
    }
    if (g->spec.counted) {
        find_counted_classes(g);
        return;
    }
    if (g->spec.class_of) {
        copy_classes(g);
        return;
    }
    const size_t entries = (size_t)1 << g->spec.size, unknown = SIZE_MAX - 1;
    g->class_of = test_room(NULL, entries, sizeof *g->class_of);
    for (size_t S = 0; S < entries; S++) g->class_of[S] = unknown;
    g->classes = 0;
    for (size_t S = 0; S < entries; S++) {
        if (g->class_of[S] != unknown) continue;
        g->class_of[S] = S == 0 && g->spec.anchored ? SIZE_MAX : g->classes++;
        spread_class(g, S);
    }
}

plan plan_create(size_t labels, size_t count, const sos_group groups[])
{
    plan p = { .labels = labels, .count = count };
    check(count <= GROUPS_MAX);
    for (size_t g = 0; g < count; g++) {
        plan_group *group = &p.groups[g];
        group->spec = groups[g];
        group->offset = p.weights;
        const bool curve = groups[g].kind == SOS_GROUP_COUNT, tied = curve || groups[g].kind == SOS_GROUP_TABLE;
        group->entries = curve ? groups[g].size : tied ? (size_t)1 << groups[g].size : 0;
        group->functions = tied ? (labels > 2 ? labels : 1) * (groups[g].strengths ? groups[g].strengths : 1) : 0;
        if (tied) find_classes(group);
        p.weights += groups[g].kind == SOS_GROUP_FREE          ? groups[g].size * labels
                     : groups[g].kind == SOS_GROUP_NONNEGATIVE ? groups[g].size
                                                               : group->classes * group->functions;
    }
    return p;
}

void plan_free(plan *p)
{
    for (size_t g = 0; g < p->count; g++) free(p->groups[g].class_of);
}

/* Two entries have one weight in the library iff they have one here. */
static void adopt_classes(plan_group *g, const sos_model *m, uint32_t number)
{
    size_t *theirs = test_room(NULL, g->classes, sizeof *theirs);
    bool *used = test_room(NULL, g->classes, sizeof *used);
    for (size_t c = 0; c < g->classes; c++) {
        theirs[c] = SIZE_MAX;
        used[c] = false;
    }
    for (size_t S = 0; S < g->entries; S++) {
        const size_t c = sos_model_table_class(m, number, S);
        if (g->class_of[S] == SIZE_MAX) {
            check(c == SIZE_MAX);
            continue;
        }
        check(c < g->classes);
        size_t *mine = &theirs[g->class_of[S]];
        check(*mine == c || (*mine == SIZE_MAX && !used[c]));
        *mine = c;
        used[c] = true;
    }
    for (size_t S = 0; S < g->entries; S++)
        if (g->class_of[S] != SIZE_MAX) g->class_of[S] = theirs[g->class_of[S]];
    free(theirs);
    free(used);
}

sos_model *plan_build(plan *p)
{
    sos_model *m = NULL;
    sos_error error;
    check_ok(sos_model_create(p->labels, &m, &error), error);
    for (size_t g = 0; g < p->count; g++) {
        uint32_t number = UINT32_MAX;
        check_ok(sos_model_add_group(m, &p->groups[g].spec, &number, &error), error);
        check(number == g);
    }
    check(sos_model_weight_count(m) == p->weights);
    for (uint32_t g = 0; g < p->count; g++) {
        check(sos_model_group_offset(m, g) == p->groups[g].offset);
        check(sos_model_functions(m, g) == p->groups[g].functions);
        if (p->groups[g].entries) adopt_classes(&p->groups[g], m, g);
    }
    return m;
}

static size_t table_weight(const plan *p, size_t group, size_t function, size_t S)
{
    const plan_group *g = &p->groups[group];
    if (g->class_of[S] == SIZE_MAX) return SIZE_MAX;
    return g->offset + function * g->classes + g->class_of[S];
}

/* Which function of a group a strength and a label have. */
static size_t function_of(const plan *p, size_t strength, size_t label)
{
    return p->labels > 2 ? strength * p->labels + label : strength;
}

static size_t strengths_of(const plan_group *g) { return g->spec.strengths ? g->spec.strengths : 1; }

void plan_table(const plan *p, size_t group, size_t function, const double w[], double f[])
{
    for (size_t S = 0; S < p->groups[group].entries; S++) {
        const size_t at = table_weight(p, group, function, S);
        f[S] = at == SIZE_MAX ? 0 : w[at];
    }
}

static bool table_holds(size_t k, const double f[]);

/* A submodular table that agrees with the ties and adds to every inequality: |S| (k - |S|), or |S| (1 - |S|) where single
 * members cost nothing. */
static double lift_of(const plan_group *g, size_t S)
{
    const double ones = __builtin_popcountll(S), k = (double)g->spec.size;
    const bool singles = g->spec.class_of && g->spec.size > 1 && g->class_of[1] == SIZE_MAX;
    return singles ? ones * (1 - ones) : ones * (k - ones);
}

/* Means over classes that are no orbits are not submodular: they are lifted until they are. */
static void lifted_weights_random(sos_random *r, const plan *p, size_t group, size_t label, double w[])
{
    const plan_group *g = &p->groups[group];
    const size_t entries = (size_t)1 << g->spec.size;
    double f[1 << LESSON_MEMBERS_MAX];
    check(g->spec.size <= LESSON_MEMBERS_MAX);
    table_random(r, g->spec.size, COSTS_DYADIC, f);
    for (size_t S = entries; S-- > 0;) {
        const size_t at = table_weight(p, group, label, S);
        if (at != SIZE_MAX) w[at] = rint(f[S] * 16) / 16;
    }
    for (double step = 1.0 / 16;; step *= 2) {
        plan_table(p, group, label, w, f);
        if (table_holds(g->spec.size, f)) return;
        for (size_t S = 0; S < entries; S++) {
            const size_t at = table_weight(p, group, label, S);
            if (at != SIZE_MAX) w[at] = f[S] + step * lift_of(g, S);
        }
    }
}

/* The mean of a submodular function over an orbit is submodular; orbits have 2^m sets, so halves suffice to be exact. */
static void table_weights_random(sos_random *r, const plan *p, size_t group, size_t label, double w[])
{
    const plan_group *g = &p->groups[group];
    const size_t entries = (size_t)1 << g->spec.size;
    double f[1 << LESSON_MEMBERS_MAX];
    check(g->spec.size <= LESSON_MEMBERS_MAX);
    table_random(r, g->spec.size, COSTS_DYADIC, f);
    for (size_t S = 0; S < entries; S++) {
        const size_t at = table_weight(p, group, label, S);
        if (at == SIZE_MAX) continue;
        double sum = 0;
        size_t members = 0;
        for (size_t T = 0; T < entries; T++)
            if (table_weight(p, group, label, T) == at) {
                sum += f[T];
                members++;
            }
        w[at] = sum / (double)members;
    }
    double anchor = 0; /* a swap may have tied the empty set to the full one */
    size_t anchors = 0;
    for (size_t S = 0; S < entries; S++)
        if (table_weight(p, group, label, S) == SIZE_MAX) {
            anchor += f[S];
            anchors++;
        }
    for (size_t c = 0; anchors && c < g->classes; c++) w[g->offset + label * g->classes + c] -= anchor / (double)anchors;
}

/* Knots in whole parts. */
static long place_of(const plan_group *g, size_t j) { return lrint(g->spec.shares[j] * SOS_SHARE_UNIT); }

/* A sum of the lesser of a straight line and a constant, and of a line where labels are not alike: concave, in integers. */
static void curve_random(sos_random *r, const plan *p, size_t group, size_t function, double w[])
{
    const plan_group *g = &p->groups[group];
    double value[32] = { 0 };
    check(g->entries <= 32);
    const double line = g->spec.swap ? 0 : (double)sos_random_below(r, 7) - 3;
    for (int part = 0; part < 3; part++) {
        const double slope = (double)sos_random_below(r, 8), most = (double)sos_random_below(r, 4 * SOS_SHARE_UNIT);
        for (size_t j = 0; j < g->entries; j++) {
            const double x = (double)place_of(g, j), y = SOS_SHARE_UNIT - x;
            value[j] += fmin(slope * x, most) + (g->spec.swap ? fmin(slope * y, most) : 0);
        }
    }
    for (size_t j = 0; j < g->entries; j++) {
        const size_t at = table_weight(p, group, function, j);
        const double from = g->spec.anchored ? value[0] : -100;
        if (at != SIZE_MAX) w[at] = ldexp(value[j] - from + line * (double)place_of(g, j), -17);
    }
}

void plan_weights_random(sos_random *r, const plan *p, double w[])
{
    for (size_t g = 0; g < p->count; g++) {
        const plan_group *group = &p->groups[g];
        if (group->spec.kind == SOS_GROUP_TABLE) {
            const bool orbits = !group->spec.counted && !group->spec.class_of;
            for (size_t l = 0; l < group->functions; l++)
                (orbits ? table_weights_random : lifted_weights_random)(r, p, g, l, w);
            continue;
        }
        for (size_t f = 0; group->spec.kind == SOS_GROUP_COUNT && f < group->functions; f++) curve_random(r, p, g, f, w);
        if (group->spec.kind == SOS_GROUP_COUNT) continue;
        const size_t count = group->spec.size * (group->spec.kind == SOS_GROUP_FREE ? p->labels : 1);
        for (size_t i = 0; i < count; i++)
            w[group->offset + i] = group->spec.kind == SOS_GROUP_FREE ? cost_signed(r, COSTS_DYADIC)
                                                                      : cost_random(r, COSTS_DYADIC) / 4;
    }
}

/* Every double is a multiple of 2^-1133, even counting 53 bits below the least: an integer in digits of 32 bits. */
int exact_sign(size_t count, const double x[])
{
    enum { DIGITS = 70, UNIT = 1133 };
    int64_t digit[DIGITS] = { 0 };
    for (size_t i = 0; i < count; i++) {
        int exponent;
        const uint64_t mantissa = (uint64_t)ldexp(fabs(frexp(x[i], &exponent)), 53);
        if (!mantissa) continue;
        const int shift = exponent - 53 + UNIT, sign = x[i] < 0 ? -1 : 1;
        int64_t *place = digit + shift / 32;
        const uint64_t low = (mantissa & UINT32_MAX) << shift % 32, high = (mantissa >> 32) << shift % 32;
        place[0] += sign * (int64_t)(low & UINT32_MAX);
        place[1] += sign * (int64_t)((low >> 32) + (high & UINT32_MAX));
        place[2] += sign * (int64_t)(high >> 32);
    }
    for (int d = 0; d + 1 < DIGITS; d++) { /* digits 0 ... 2^32 - 1, but the last: it has the sign */
        int64_t carry = digit[d] / (INT64_C(1) << 32);
        if (digit[d] - carry * (INT64_C(1) << 32) < 0) carry--;
        digit[d] -= carry * (INT64_C(1) << 32);
        digit[d + 1] += carry;
    }
    if (digit[DIGITS - 1]) return digit[DIGITS - 1] < 0 ? -1 : 1;
    for (int d = 0; d < DIGITS; d++)
        if (digit[d]) return 1;
    return 0;
}

static bool table_holds(size_t k, const double f[])
{
    for (size_t A = 0; A < (size_t)1 << k; A++)
        for (size_t B = 0; B < A; B++) {
            const double terms[] = { f[A], f[B], -f[A | B], -f[A & B] };
            if (exact_sign(4, terms) < 0) return false;
        }
    return true;
}

/* Products of a number of 17 bits and halves of a double of 26 bits each are exact. */
static void split_product(double factor, double x, double out[2])
{
    int exponent;
    frexp(x, &exponent);
    const double high = ldexp(rint(ldexp(x, 26 - exponent)), exponent - 26);
    out[0] = factor * high;
    out[1] = factor * (x - high);
}

static bool curve_holds(const plan_group *g, const double F[])
{
    bool holds = true;
    for (size_t j = 1; j + 1 < g->entries; j++) {
        const double a = (double)(place_of(g, j) - place_of(g, j - 1)), b = (double)(place_of(g, j + 1) - place_of(g, j));
        double terms[6];
        split_product(a + b, F[j], terms);
        split_product(-b, F[j - 1], terms + 2);
        split_product(-a, F[j + 1], terms + 4);
        holds &= exact_sign(6, terms) >= 0;
    }
    return holds;
}

bool plan_holds(const plan *p, const double w[], size_t *group)
{
    for (size_t g = 0; g < p->count; g++) {
        const plan_group *at = &p->groups[g];
        bool holds = true;
        for (size_t i = 0; at->spec.kind == SOS_GROUP_NONNEGATIVE && i < at->spec.size; i++) holds &= w[at->offset + i] >= 0;
        for (size_t l = 0; at->spec.kind == SOS_GROUP_COUNT && l < at->functions; l++) {
            double F[32];
            plan_table(p, g, l, w, F);
            holds &= curve_holds(at, F);
        }
        for (size_t l = 0; at->spec.kind == SOS_GROUP_TABLE && l < at->functions; l++) {
            double f[1 << LESSON_MEMBERS_MAX];
            plan_table(p, g, l, w, f);
            holds &= table_holds(at->spec.size, f);
        }
        *group = g;
        if (!holds) return false;
    }
    for (size_t i = 0; i < p->weights; i++)
        if (!isfinite(w[i])) return false;
    return true;
}

/* ---- examples ---- */

static void add_features(sos_random *r, sample *s, uint32_t group, size_t size)
{
    for (uint32_t i = 0; i < s->n; i++)
        for (uint32_t j = 0; j < size; j++) {
            if (!sos_random_below(r, 4)) continue;
            s->features = test_room(s->features, s->features_count + 1, sizeof *s->features);
            s->features[s->features_count++] = (sample_feature){ group, i, j, cost_signed(r, COSTS_DYADIC) / 4 };
        }
}

static double phi_random(sos_random *r, const sample_recipe *wanted)
{
    if (!wanted->phi) return 1;
    if (!sos_random_below(r, 6)) return 0;
    return wanted->uneven ? 2 * sos_random_uniform(r) : (double)(1 + sos_random_below(r, 12)) / 8;
}

static void add_pairs(sos_random *r, sample *s, uint32_t group, size_t size, const sample_recipe *wanted)
{
    check(size <= PHI_MAX);
    for (size_t c = 0; c < wanted->pairs; c++) {
        sample_pair pair = { .group = group };
        members_random(r, s->n, 2, pair.variables);
        for (size_t j = 0; j < size; j++) pair.phi[j] = phi_random(r, wanted);
        s->pairs = test_room(s->pairs, s->pairs_count + 1, sizeof *s->pairs);
        s->pairs[s->pairs_count++] = pair;
    }
}

static void add_cliques(sos_random *r, sample *s, uint32_t group, size_t k, size_t strengths, const sample_recipe *wanted)
{
    sample_recipe several = *wanted;
    several.phi = true;
    for (size_t c = 0; c < wanted->cliques; c++) {
        sample_clique clique = { .group = group, .phi = phi_random(r, wanted) };
        for (size_t j = 1; j < strengths; j++) clique.more[j] = phi_random(r, &several);
        members_random(r, s->n, k, clique.variables);
        s->cliques = test_room(s->cliques, s->cliques_count + 1, sizeof *s->cliques);
        s->cliques[s->cliques_count++] = clique;
    }
}

/* Of one to six members; amounts may be 0, but not the first. */
static void add_counts(sos_random *r, sample *s, uint32_t group, size_t strengths, const sample_recipe *wanted)
{
    for (size_t c = 0; c < wanted->cliques; c++) {
        const size_t most = s->n < LESSON_MEMBERS_MAX ? s->n : LESSON_MEMBERS_MAX;
        sample_count q = { .group = group, .k = 1 + sos_random_below(r, most), .given = sos_random_below(r, 2) };
        members_random(r, s->n, q.k, q.variables);
        for (size_t i = 0; i < q.k; i++) q.amounts[i] = q.given ? (double)(sos_random_below(r, 9) + (i == 0)) / 4 : 1;
        check(strengths <= PHI_MAX);
        for (size_t j = 0; j < strengths; j++) q.phi[j] = phi_random(r, wanted);
        s->counts = test_room(s->counts, s->counts_count + 1, sizeof *s->counts);
        s->counts[s->counts_count++] = q;
    }
}

static void add_parts(sos_random *r, const plan *p, const sample_recipe *wanted, sample *s)
{
    for (uint32_t g = 0; g < p->count; g++) {
        const size_t size = p->groups[g].spec.size;
        switch (p->groups[g].spec.kind) {
        case SOS_GROUP_FREE: add_features(r, s, g, size); break;
        case SOS_GROUP_NONNEGATIVE:
            if (s->n >= 2) add_pairs(r, s, g, size, wanted);
            break;
        case SOS_GROUP_TABLE:
            if (s->n >= size) add_cliques(r, s, g, size, strengths_of(&p->groups[g]), wanted);
            break;
        case SOS_GROUP_COUNT: add_counts(r, s, g, strengths_of(&p->groups[g]), wanted); break;
        }
    }
}

/* -delta must be submodular and delta 0 at the truth: delta = c |{wrong members}|^2 is both after a shift by a modular term. */
static void add_clique_loss(sos_random *r, sample *s)
{
    sample_loss loss = { .k = 2 + sos_random_below(r, 2) };
    if (s->n < loss.k) return;
    members_random(r, s->n, loss.k, loss.variables);
    size_t truth = 0;
    for (size_t b = 0; b < loss.k; b++) truth |= (size_t)(s->truth[loss.variables[b]] & 1) << b;
    const double c = cost_random(r, COSTS_DYADIC) / 16;
    /* With all members of one true label the square of the number of errors is supermodular; else only errors among those of
     * one label are counted. */
    const size_t ones = truth, counted = sos_random_bits(r) & 1 ? ones : ((size_t)1 << loss.k) - 1 - ones;
    for (size_t S = 0; S < (size_t)1 << loss.k; S++) {
        const double errors = __builtin_popcountll((S ^ truth) & counted);
        loss.delta[S] = c * errors * errors;
    }
    s->losses = test_room(s->losses, s->losses_count + 1, sizeof *s->losses);
    s->losses[s->losses_count++] = loss;
}

static void add_losses(sos_random *r, const plan *p, sample *s)
{
    if (sos_random_bits(r) & 1) {
        s->loss = test_room(NULL, s->n * p->labels, sizeof *s->loss);
        for (size_t i = 0; i < s->n * p->labels; i++)
            s->loss[i] = i % p->labels == s->truth[i / p->labels] ? 0 : cost_random(r, COSTS_DYADIC) / 8;
    } else {
        s->class_weight = test_room(NULL, p->labels, sizeof *s->class_weight);
        for (size_t l = 0; l < p->labels; l++) s->class_weight[l] = cost_random(r, COSTS_DYADIC);
    }
    for (uint64_t c = sos_random_below(r, 3); p->labels == 2 && c; c--) add_clique_loss(r, s);
}

sample sample_random(sos_random *r, const plan *p, const sample_recipe *wanted, const double hidden[])
{
    sample s = { .n = wanted->n };
    add_parts(r, p, wanted, &s);
    if (wanted->scale) s.scale = (double)(1 + sos_random_below(r, 12)) / 8;
    s.truth = test_room(NULL, s.n, 1);
    sample_least(p, &s, hidden, false, s.truth);
    for (size_t i = 0; i < s.n; i++)
        if (sos_random_uniform(r) < wanted->noise) s.truth[i] = (uint8_t)sos_random_below(r, p->labels);
    if (wanted->care) {
        s.care = test_room(NULL, s.n, 1);
        for (size_t i = 0; i < s.n; i++) s.care[i] = sos_random_below(r, 4) != 0;
    }
    if (wanted->losses) add_losses(r, p, &s);
    return s;
}

void sample_free(sample *s)
{
    free(s->features);
    free(s->pairs);
    free(s->cliques);
    free(s->counts);
    free(s->losses);
    free(s->truth);
    free(s->care);
    free(s->loss);
    free(s->class_weight);
}

static void build_features(const plan *p, const sample *s, sos_example *x, uint32_t group)
{
    if (p->groups[group].spec.kind != SOS_GROUP_FREE) return;
    size_t *start = test_room(NULL, s->n + 1, sizeof *start), count = 0;
    uint32_t *index = test_room(NULL, s->features_count, sizeof *index);
    double *value = test_room(NULL, s->features_count, sizeof *value);
    for (size_t i = 0; i < s->n; i++) {
        start[i] = count;
        for (size_t f = 0; f < s->features_count; f++) {
            if (s->features[f].group != group || s->features[f].variable != i) continue;
            index[count] = s->features[f].index;
            value[count++] = s->features[f].value;
        }
    }
    start[s->n] = count;
    sos_error error;
    check_ok(sos_example_set_features(x, group, start, index, value, &error), error);
    free(start);
    free(index);
    free(value);
}

/* Every other clique goes in by the call that lists groups. */
static void build_parts(const plan *p, const sample *s, sos_example *x)
{
    sos_error error;
    for (size_t c = 0; c < s->pairs_count; c++)
        check_ok(sos_example_add_pairs(x, s->pairs[c].group, 1, s->pairs[c].variables, s->pairs[c].phi, &error), error);
    for (size_t c = 0; c < s->cliques_count; c++) {
        const sample_clique *q = &s->cliques[c];
        const size_t strengths = strengths_of(&p->groups[q->group]);
        double several[PHI_MAX] = { q->phi };
        for (size_t j = 1; j < strengths; j++) several[j] = q->more[j];
        const double *phi = q->phi == 1 && strengths == 1 ? NULL : several;
        if (c % 2 && strengths == 1)
            check_ok(sos_example_add_listed(x, 1, &q->group, q->variables, phi, &error), error);
        else
            check_ok(sos_example_add_cliques(x, q->group, 1, q->variables, phi, &error), error);
    }
    for (size_t c = 0; c < s->counts_count; c++) {
        const sample_count *q = &s->counts[c];
        check_ok(sos_example_add_counts(x, q->group, 1, (size_t[]){ 0, q->k }, q->variables, q->given ? q->amounts : NULL,
                                        q->phi, &error),
                 error);
    }
    for (uint32_t g = 0; g < p->count; g++) build_features(p, s, x, g);
}

sos_example *sample_build(const plan *p, const sos_model *m, const sample *s)
{
    sos_example *x = NULL;
    sos_error error;
    check_ok(sos_example_create(m, s->n, &x, &error), error);
    check(sos_example_variables(x) == s->n);
    build_parts(p, s, x);
    if (s->scale > 0) check_ok(sos_example_set_scale(x, s->scale, &error), error);
    check_ok(sos_example_set_truth(x, s->truth, s->care, &error), error);
    if (s->loss) check_ok(sos_example_set_loss(x, s->loss, &error), error);
    if (s->class_weight) check_ok(sos_example_set_class_loss(x, s->class_weight, &error), error);
    for (size_t c = 0; c < s->losses_count; c++)
        check_ok(sos_example_add_clique_loss(x, s->losses[c].k, s->losses[c].variables, s->losses[c].delta, &error), error);
    return x;
}

/* The members of a clique that have a label, as a set. */
static size_t members_labelled(size_t k, const uint32_t variables[], const uint8_t labels[], size_t label)
{
    size_t S = 0;
    for (size_t b = 0; b < k; b++)
        if (labels[variables[b]] == label) S |= (size_t)1 << b;
    return S;
}

static long double share_of(const sample_count *q, const uint8_t labels[], size_t label)
{
    long double amount = 0, total = 0;
    for (size_t i = 0; i < q->k; i++) {
        total += q->amounts[i];
        if (labels[q->variables[i]] == label) amount += q->amounts[i];
    }
    return amount / total;
}

/* What a share has of a knot: 1 there, 0 from its neighbours on, in straight lines. */
static long double hat(const plan_group *g, size_t knot, long double share)
{
    const long double at = (long double)place_of(g, knot) / SOS_SHARE_UNIT;
    if (share == at) return 1;
    if (share < at ? !knot : knot + 1 == g->entries) return 0;
    const long double next = (long double)place_of(g, share < at ? knot - 1 : knot + 1) / SOS_SHARE_UNIT;
    const long double part = 1 - (share - at) / (next - at);
    return part > 0 ? part : 0;
}

void sample_psi(const plan *p, const sample *s, const uint8_t labels[], double psi[])
{
    for (size_t i = 0; i < p->weights; i++) psi[i] = 0;
    for (size_t f = 0; f < s->features_count; f++) {
        const sample_feature *feature = &s->features[f];
        psi[p->groups[feature->group].offset + feature->index * p->labels + labels[feature->variable]] += feature->value;
    }
    for (size_t c = 0; c < s->pairs_count; c++) {
        const sample_pair *pair = &s->pairs[c];
        if (labels[pair->variables[0]] == labels[pair->variables[1]]) continue;
        for (size_t j = 0; j < p->groups[pair->group].spec.size; j++) psi[p->groups[pair->group].offset + j] += pair->phi[j];
    }
    for (size_t c = 0; c < s->cliques_count; c++) {
        const sample_clique *q = &s->cliques[c];
        const size_t k = p->groups[q->group].spec.size;
        for (size_t l = p->labels > 2 ? 0 : 1; l < p->labels; l++)
            for (size_t j = 0; j < strengths_of(&p->groups[q->group]); j++) {
                const size_t S = members_labelled(k, q->variables, labels, l);
                const size_t at = table_weight(p, q->group, function_of(p, j, l), S);
                if (at != SIZE_MAX) psi[at] += j ? q->more[j] : q->phi;
            }
    }
    for (size_t c = 0; c < s->counts_count; c++) {
        const sample_count *q = &s->counts[c];
        for (size_t l = p->labels > 2 ? 0 : 1; l < p->labels; l++)
            for (size_t knot = 0; knot < p->groups[q->group].entries; knot++)
                for (size_t j = 0; j < strengths_of(&p->groups[q->group]); j++) {
                    const size_t at = table_weight(p, q->group, function_of(p, j, l), knot);
                    if (at != SIZE_MAX) psi[at] += q->phi[j] * (double)hat(&p->groups[q->group], knot, share_of(q, labels, l));
                }
    }
    for (size_t i = 0; s->scale > 0 && i < p->weights; i++) psi[i] *= s->scale;
}

long double sample_energy(const plan *p, const sample *s, const double w[], const uint8_t labels[])
{
    long double energy = 0;
    for (size_t f = 0; f < s->features_count; f++) {
        const sample_feature *feature = &s->features[f];
        const size_t at = p->groups[feature->group].offset + feature->index * p->labels + labels[feature->variable];
        energy += (long double)feature->value * w[at];
    }
    for (size_t c = 0; c < s->pairs_count; c++) {
        const sample_pair *pair = &s->pairs[c];
        const double *strength = w + p->groups[pair->group].offset;
        for (size_t j = 0; j < p->groups[pair->group].spec.size; j++)
            if (labels[pair->variables[0]] != labels[pair->variables[1]]) energy += (long double)pair->phi[j] * strength[j];
    }
    for (size_t c = 0; c < s->cliques_count; c++) {
        const sample_clique *q = &s->cliques[c];
        const size_t k = p->groups[q->group].spec.size;
        for (size_t l = p->labels > 2 ? 0 : 1; l < p->labels; l++) {
            const size_t S = members_labelled(k, q->variables, labels, l);
            for (size_t j = 0; j < strengths_of(&p->groups[q->group]); j++) {
                const size_t at = table_weight(p, q->group, function_of(p, j, l), S);
                energy += at == SIZE_MAX ? 0 : (long double)(j ? q->more[j] : q->phi) * w[at];
            }
        }
    }
    for (size_t c = 0; c < s->counts_count; c++) {
        const sample_count *q = &s->counts[c];
        const plan_group *g = &p->groups[q->group];
        for (size_t l = p->labels > 2 ? 0 : 1; l < p->labels; l++)
            for (size_t j = 0; j < strengths_of(g); j++) {
                double F[32];
                plan_table(p, q->group, function_of(p, j, l), w, F);
                const long double share = share_of(q, labels, l);
                for (size_t knot = 0; knot < g->entries; knot++) energy += q->phi[j] * F[knot] * hat(g, knot, share);
            }
    }
    return s->scale > 0 ? s->scale * energy : energy;
}

long double sample_delta(const plan *p, const sample *s, const uint8_t labels[])
{
    long double delta = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (labels[i] == s->truth[i] || (s->care && !s->care[i])) continue;
        if (s->loss)
            delta += s->loss[i * p->labels + labels[i]];
        else
            delta += (s->class_weight ? s->class_weight[s->truth[i]] : 1) / (long double)s->n;
    }
    for (size_t c = 0; c < s->losses_count; c++)
        delta += s->losses[c].delta[members_labelled(s->losses[c].k, s->losses[c].variables, labels, 1)];
    return delta;
}

bool labelling_next(size_t labels, size_t n, uint8_t y[])
{
    for (size_t i = 0; i < n; i++) {
        if (++y[i] < labels) return true;
        y[i] = 0;
    }
    return false;
}

long double sample_least(const plan *p, const sample *s, const double w[], bool augmented, uint8_t best[])
{
    uint8_t y[EXHAUSTIVE_MAX] = { 0 };
    check(s->n <= EXHAUSTIVE_MAX);
    long double least = INFINITY;
    do {
        const long double value = sample_energy(p, s, w, y) - (augmented ? sample_delta(p, s, y) : 0);
        if (value >= least) continue;
        least = value;
        memcpy(best, y, s->n);
    } while (labelling_next(p->labels, s->n, y));
    return least;
}

/* ---- training problems ---- */

double C_of_case(uint64_t c)
{
    static const double VALUES[] = { 1, 10, 0.1, 100 };
    return VALUES[c % 4];
}

lesson lesson_random(sos_random *r, size_t labels, size_t groups_count, const sos_group groups[], size_t examples,
                     const sample_recipe *wanted)
{
    lesson l = { .plan = plan_create(labels, groups_count, groups), .count = examples };
    l.model = plan_build(&l.plan);
    l.samples = test_room(NULL, examples, sizeof *l.samples);
    l.examples = test_room(NULL, examples, sizeof(sos_example *));
    double *hidden = test_room(NULL, l.plan.weights, sizeof *hidden);
    plan_weights_random(r, &l.plan, hidden);
    for (size_t i = 0; i < examples; i++) {
        l.samples[i] = sample_random(r, &l.plan, wanted, hidden);
        l.examples[i] = sample_build(&l.plan, l.model, &l.samples[i]);
    }
    free(hidden);
    return l;
}

void lesson_free(lesson *l)
{
    for (size_t i = 0; i < l->count; i++) {
        sample_free(&l->samples[i]);
        sos_example_free(l->examples[i]);
    }
    free(l->samples);
    free(l->examples);
    sos_model_free(l->model);
    plan_free(&l->plan);
}

long double lesson_objective(const lesson *l, double C, const double w[], long double *mean_hinge)
{
    long double squares = 0, hinge = 0;
    for (size_t i = 0; i < l->plan.weights; i++) squares += (long double)w[i] * w[i];
    for (size_t i = 0; i < l->count; i++) {
        uint8_t y[EXHAUSTIVE_MAX];
        hinge += sample_energy(&l->plan, &l->samples[i], w, l->samples[i].truth) -
                 sample_least(&l->plan, &l->samples[i], w, true, y);
    }
    if (mean_hinge) *mean_hinge = hinge / (long double)l->count;
    return squares / 2 + C * hinge / (long double)l->count;
}

sos_status lesson_violate(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                          sos_error *error)
{
    (void)error;
    const lesson *l = user;
    const sample *s = &l->samples[i];
    uint8_t y[EXHAUSTIVE_MAX];
    sample_least(&l->plan, s, w, true, y);
    double *truth = test_room(NULL, l->plan.weights, sizeof *truth);
    sample_psi(&l->plan, s, s->truth, truth);
    sample_psi(&l->plan, s, y, difference);
    for (size_t j = 0; j < l->plan.weights; j++) difference[j] -= truth[j];
    free(truth);
    *loss = (double)sample_delta(&l->plan, s, y);
    *missed = 0;
    return SOS_OK;
}

/* ---- quadratic programs ---- */

quadratic quadratic_create(size_t variables, size_t squared)
{
    quadratic q = { .variables = variables, .squared = squared };
    q.cost = test_room(NULL, variables, sizeof *q.cost);
    for (size_t j = 0; j < variables; j++) q.cost[j] = 0;
    return q;
}

double *quadratic_row(quadratic *q, double right)
{
    if (q->rows == q->room) {
        q->room = 2 * q->room + 16;
        q->left = test_room(q->left, q->room * q->variables, sizeof *q->left);
        q->right = test_room(q->right, q->room, sizeof *q->right);
    }
    double *row = q->left + q->rows * q->variables;
    for (size_t j = 0; j < q->variables; j++) row[j] = 0;
    q->right[q->rows++] = right;
    return row;
}

void quadratic_free(quadratic *q)
{
    free(q->cost);
    free(q->left);
    free(q->right);
}

/* The factor of a positive definite matrix, in its lower half, and the solution of L L' x = y in place of y. */
static void factor(size_t n, long double M[])
{
    for (size_t j = 0; j < n; j++) {
        for (size_t k = 0; k < j; k++)
            for (size_t i = j; i < n; i++) M[i * n + j] -= M[i * n + k] * M[j * n + k];
        const long double pivot = M[j * n + j] > 0 ? sqrtl(M[j * n + j]) : 1e30L; /* that direction is left out */
        for (size_t i = j; i < n; i++) M[i * n + j] /= pivot;
    }
}

static void solve(size_t n, const long double L[], long double y[])
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) y[i] -= L[i * n + k] * y[k];
        y[i] /= L[i * n + i];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) y[i] -= L[k * n + i] * y[k];
        y[i] /= L[i * n + i];
    }
}

/* A point of the interior-point method (Mehrotra, SIAM J. Optimization 2, 1992): x, slacks s = left x - right and multipliers
 * z, with the residuals of the first two optimality conditions. */
typedef struct interior {
    const quadratic *q;
    long double *x, *s, *z, *dual_residual, *residual, *matrix, *dx, *ds, *dz, *target;
} interior;

static long double row_times(const quadratic *q, size_t r, const long double x[])
{
    long double sum = 0;
    for (size_t j = 0; j < q->variables; j++) sum += q->left[r * q->variables + j] * x[j];
    return sum;
}

static long double interior_residuals(interior *p)
{
    const quadratic *q = p->q;
    long double worst = 0;
    for (size_t j = 0; j < q->variables; j++) p->dual_residual[j] = q->cost[j] + (j < q->squared ? p->x[j] : 0);
    for (size_t r = 0; r < q->rows; r++) {
        p->residual[r] = row_times(q, r, p->x) - q->right[r] - p->s[r];
        worst = fmaxl(worst, fabsl(p->residual[r]));
        for (size_t j = 0; j < q->variables; j++) p->dual_residual[j] -= q->left[r * q->variables + j] * p->z[r];
    }
    for (size_t j = 0; j < q->variables; j++) worst = fmaxl(worst, fabsl(p->dual_residual[j]));
    return worst;
}

/* P + A' (z / s) A. */
static void interior_factor(interior *p)
{
    const quadratic *q = p->q;
    const size_t n = q->variables;
    for (size_t i = 0; i < n * n; i++) p->matrix[i] = i / n == i % n && i / n < q->squared ? 1 : 0;
    for (size_t r = 0; r < q->rows; r++) {
        const double *row = q->left + r * n;
        for (size_t i = 0; i < n; i++) {
            const long double scaled = row[i] * p->z[r] / p->s[r];
            for (size_t j = 0; scaled != 0 && j <= i; j++) p->matrix[i * n + j] += scaled * row[j];
        }
    }
    factor(n, p->matrix);
}

/* The Newton step that makes s z = target, from s z now. */
static void interior_step(interior *p)
{
    const quadratic *q = p->q;
    for (size_t j = 0; j < q->variables; j++) p->dx[j] = -p->dual_residual[j];
    for (size_t r = 0; r < q->rows; r++) {
        const long double push = (p->target[r] - p->s[r] * p->z[r] - p->z[r] * p->residual[r]) / p->s[r];
        for (size_t j = 0; j < q->variables; j++) p->dx[j] += q->left[r * q->variables + j] * push;
    }
    solve(q->variables, p->matrix, p->dx);
    for (size_t r = 0; r < q->rows; r++) {
        p->ds[r] = row_times(q, r, p->dx) + p->residual[r];
        p->dz[r] = (p->target[r] - p->s[r] * p->z[r] - p->z[r] * p->ds[r]) / p->s[r];
    }
}

/* The longest step, up to 1, that keeps s and z from passing 0. */
static long double interior_length(const interior *p)
{
    long double length = 1;
    for (size_t r = 0; r < p->q->rows; r++) {
        if (p->ds[r] < 0) length = fminl(length, -p->s[r] / p->ds[r]);
        if (p->dz[r] < 0) length = fminl(length, -p->z[r] / p->dz[r]);
    }
    return length;
}

static void interior_advance(interior *p, long double mean)
{
    const size_t rows = p->q->rows;
    interior_factor(p);
    for (size_t r = 0; r < rows; r++) p->target[r] = 0;
    interior_step(p);
    const long double reach = interior_length(p);
    long double predicted = 0;
    for (size_t r = 0; r < rows; r++) predicted += (p->s[r] + reach * p->ds[r]) * (p->z[r] + reach * p->dz[r]);
    const long double centre = powl(predicted / (long double)rows / mean, 3) * mean;
    for (size_t r = 0; r < rows; r++) p->target[r] = centre - p->ds[r] * p->dz[r];
    interior_step(p);
    const long double length = fminl(1, 0.99L * interior_length(p));
    for (size_t j = 0; j < p->q->variables; j++) p->x[j] += length * p->dx[j];
    for (size_t r = 0; r < rows; r++) {
        p->s[r] += length * p->ds[r];
        p->z[r] += length * p->dz[r];
    }
}

double quadratic_solve(const quadratic *q, double x[])
{
    const size_t n = q->variables, m = q->rows;
    long double *room = test_room(NULL, 3 * n + 6 * m + n * n, sizeof *room);
    interior p = { .q = q, .x = room, .dual_residual = room + n, .dx = room + 2 * n, .s = room + 3 * n };
    p.z = p.s + m;
    p.residual = p.z + m;
    p.ds = p.residual + m;
    p.dz = p.ds + m;
    p.target = p.dz + m;
    p.matrix = p.target + m;
    for (size_t j = 0; j < n; j++) p.x[j] = 0;
    double largest = 0;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(q->cost[j]));
    for (size_t r = 0; r < m; r++) {
        p.s[r] = 1;
        p.z[r] = fmax(1, largest / (double)m);
    }
    /* Where the optimum is degenerate, rounding ends progress before the last digits: the best point counts. */
    long double least = INFINITY, best = NAN;
    for (int round = 0, since = 0; round < 150 && (since < 8 || least > 1e-7L) && least > 1e-10L; round++, since++) {
        const long double residual = interior_residuals(&p);
        long double value = 0, gap = 0;
        for (size_t r = 0; r < m; r++) gap += p.s[r] * p.z[r];
        for (size_t j = 0; j < n; j++) value += q->cost[j] * p.x[j] + (j < q->squared ? p.x[j] * p.x[j] / 2 : 0);
        const long double wrong = fmaxl(gap / (1e-3L + fabsl(value)), residual / (1 + fabsl(value)));
        if (!isfinite(value) || !isfinite(gap)) break;
        if (wrong < least) {
            least = wrong;
            best = value;
            since = 0;
            for (size_t j = 0; x && j < n; j++) x[j] = (double)p.x[j];
        }
        interior_advance(&p, gap / (long double)m);
    }
    if (!(least <= 1e-7L)) test_fail(__FILE__, __LINE__, "the reference is wrong by %Lg", least);
    free(room);
    return (double)best;
}

void quadratic_write(const quadratic *q, FILE *file)
{
    fprintf(file, "%zu %zu %zu\n", q->variables, q->squared, q->rows);
    for (size_t j = 0; j < q->variables; j++) fprintf(file, "%.17g ", q->cost[j]);
    for (size_t r = 0; r < q->rows; r++) {
        fprintf(file, "\n%.17g", q->right[r]);
        for (size_t j = 0; j < q->variables; j++) fprintf(file, " %.17g", q->left[r * q->variables + j]);
    }
    fprintf(file, "\n");
}

/* Leaves out a row without coefficients: an inequality that ties make 0 >= 0. */
static void drop_empty_row(quadratic *q)
{
    const double *row = q->left + (q->rows - 1) * q->variables;
    for (size_t j = 0; j < q->variables; j++)
        if (row[j] != 0) return;
    q->rows--;
}

static void add_table_cone(quadratic *q, const plan *p, size_t group, size_t label)
{
    const size_t entries = (size_t)1 << p->groups[group].spec.size;
    for (size_t A = 0; A < entries; A++)
        for (size_t B = 0; B < A; B++) {
            double *row = quadratic_row(q, 0);
            const size_t sets[] = { A, B, A | B, A & B };
            for (int i = 0; i < 4; i++) {
                const size_t at = table_weight(p, group, label, sets[i]);
                if (at != SIZE_MAX) row[at] += i < 2 ? 1 : -1;
            }
            drop_empty_row(q);
        }
}

/* Every knot lies above the chord of its neighbours. */
static void add_curve_cone(quadratic *q, const plan *p, size_t group, size_t function)
{
    const plan_group *g = &p->groups[group];
    for (size_t j = 1; j + 1 < g->entries; j++) {
        const double a = (double)(place_of(g, j) - place_of(g, j - 1)), b = (double)(place_of(g, j + 1) - place_of(g, j));
        const double coefficient[] = { -b / (a + b), 1, -a / (a + b) };
        double *row = quadratic_row(q, 0);
        for (size_t i = 0; i < 3; i++) {
            const size_t at = table_weight(p, group, function, j - 1 + i);
            if (at != SIZE_MAX) row[at] += coefficient[i];
        }
        drop_empty_row(q);
    }
}

void quadratic_add_cone(quadratic *q, const plan *p)
{
    for (size_t g = 0; g < p->count; g++) {
        const plan_group *group = &p->groups[g];
        for (size_t i = 0; group->spec.kind == SOS_GROUP_NONNEGATIVE && i < group->spec.size; i++)
            quadratic_row(q, 0)[group->offset + i] = 1;
        for (size_t f = 0; f < group->functions; f++)
            (group->spec.kind == SOS_GROUP_TABLE ? add_table_cone : add_curve_cone)(q, p, g, f);
    }
}

quadratic lesson_quadratic(const lesson *l, double C)
{
    const size_t weights = l->plan.weights;
    quadratic q = quadratic_create(weights + l->count, weights);
    double *truth = test_room(NULL, weights, sizeof *truth), *psi = test_room(NULL, weights, sizeof *psi);
    for (size_t i = 0; i < l->count; i++) {
        const sample *s = &l->samples[i];
        uint8_t y[EXHAUSTIVE_MAX] = { 0 };
        q.cost[weights + i] = C / (double)l->count;
        sample_psi(&l->plan, s, s->truth, truth);
        do {
            sample_psi(&l->plan, s, y, psi);
            double *row = quadratic_row(&q, (double)sample_delta(&l->plan, s, y));
            for (size_t j = 0; j < weights; j++) row[j] = psi[j] - truth[j];
            row[weights + i] = 1;
        } while (labelling_next(l->plan.labels, s->n, y));
    }
    quadratic_add_cone(&q, &l->plan);
    free(truth);
    free(psi);
    return q;
}

/* Objectives that agree to 1e-6; the oracle's rounding is in parts of C, however small the optimum is. */
bool is_optimum(double a, double b, double C) { return fabs(a - b) <= 1e-6 * (fabs(b) + 0.01 * C); }

references references_begin(void)
{
    references refs = { 0 };
    const char *root = getenv("TMPDIR");
    snprintf(refs.folder, sizeof refs.folder, "%s/sos-train-XXXXXX", root && *root ? root : "/tmp");
    check(mkdtemp(refs.folder) != NULL);
    snprintf(refs.path, sizeof refs.path, "%s/programs", refs.folder);
    refs.file = fopen(refs.path, "w");
    check(refs.file != NULL);
    return refs;
}

void references_add(references *refs, const quadratic *q, double value, double C)
{
    quadratic_write(q, refs->file);
    refs->values = test_room(refs->values, refs->count + 1, sizeof *refs->values);
    refs->values[refs->count][0] = value;
    refs->values[refs->count++][1] = C;
}

/* Runs the script; false: CVXOPT is missing. */
bool references_check(references *refs)
{
    char command[1024];
    const char *source = getenv("SOURCE_DIR"), *python = getenv("SOS_PYTHON");
    check(!fclose(refs->file));
    snprintf(command, sizeof command, "cd '%s' && test -r tests/qp_reference.py || exit 77; exec %s tests/qp_reference.py '%s'",
             source && *source ? source : ".", python && *python ? python : "/usr/bin/python3", refs->path);
    FILE *output = popen(command, "r");
    check(output != NULL);
    size_t read = 0, wrong = SIZE_MAX;
    double theirs = 0, first = 0;
    while (fscanf(output, "%lf", &theirs) == 1) {
        if (read < refs->count && wrong == SIZE_MAX && !is_optimum(refs->values[read][0], theirs, refs->values[read][1])) {
            wrong = read;
            first = theirs;
        }
        read++;
    }
    const int status = pclose(output), code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    remove(refs->path);
    rmdir(refs->folder);
    const bool missing = (code == 77 || code == 127 || code == 126) && !read;
    if (!missing && (code || read != refs->count))
        test_fail(__FILE__, __LINE__, "the script returned %d after %zu of %zu programs", code, read, refs->count);
    if (wrong != SIZE_MAX)
        test_fail(__FILE__, __LINE__, "program %zu: %.12g, but %.12g for CVXOPT", wrong, refs->values[wrong][0], first);
    free(refs->values);
    return !missing;
}

#include "learn/ties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "energy/energy.h"

sos_ties *sos_ties_share(sos_ties *t)
{
    atomic_fetch_add(&t->references, 1);
    return t;
}

void sos_ties_release(sos_ties *t)
{
    if (!t || atomic_fetch_sub(&t->references, 1) > 1) return;
    free(t->class_of);
    free(t->lift);
    free(t->share);
    free(t->place);
    free(t);
}

static bool same_classes(const sos_group *a, const sos_group *b)
{
    if (!a->class_of || !b->class_of) return a->class_of == b->class_of;
    return !memcmp(a->class_of, b->class_of, sizeof *a->class_of << a->size);
}

static int32_t place_of(double share) { return (int32_t)rint(share * SOS_SHARE_UNIT); }

static bool same_shares(const sos_group *a, const sos_group *b)
{
    if (!a->shares || !b->shares) return a->shares == b->shares;
    bool same = true;
    for (size_t j = 0; j < a->size; j++) same &= place_of(a->shares[j]) == place_of(b->shares[j]);
    return same;
}

bool sos_ties_are_alike(const sos_group *a, const sos_group *b)
{
    return a->kind == b->kind && a->size == b->size && a->anchored == b->anchored && a->swap == b->swap &&
           a->patch_width == b->patch_width && a->patch_height == b->patch_height && a->reversal == b->reversal &&
           a->counted == b->counted && same_classes(a, b) && same_shares(a, b);
}

/* ---------------------------------------------------------------- symmetries */

/* Where member (x, y) of a w x h patch goes by the given one of the eight symmetries of a square. */
static size_t moved(size_t x, size_t y, size_t w, size_t h, unsigned symmetry)
{
    if (symmetry & 1) x = w - 1 - x;
    if (symmetry & 2) y = h - 1 - y;
    return symmetry & 4 ? x * w + y : y * w + x; /* a diagonal mirror only where w = h */
}

static uint32_t moved_set(uint32_t S, const sos_group *g, unsigned symmetry)
{
    uint32_t image = 0;
    for (size_t i = 0; i < g->size; i++)
        if (S >> i & 1)
            image |= UINT32_C(1) << moved(i % g->patch_width, i / g->patch_width, g->patch_width, g->patch_height, symmetry);
    return image;
}

static uint32_t reversed_set(uint32_t S, size_t k)
{
    uint32_t image = 0;
    for (size_t i = 0; i < k; i++) image |= (S >> i & 1) << (k - 1 - i);
    return image;
}

static uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The least set that symmetries make of S: it stands for the class. */
static uint32_t least_image(uint32_t S, const sos_group *g)
{
    const uint32_t all = (UINT32_C(1) << g->size) - 1;
    const unsigned symmetries = !g->patch_width ? 1 : g->patch_width == g->patch_height ? 8 : 4;
    uint32_t least = S;
    for (unsigned s = 0; s < symmetries; s++) {
        const uint32_t image = g->patch_width ? moved_set(S, g, s) : S;
        const uint32_t back = g->reversal ? reversed_set(image, g->size) : image;
        least = lesser(least, lesser(image, back));
        if (g->swap) least = lesser(least, lesser(all & ~image, all & ~back));
    }
    return least;
}

/* How often the label changes from a member to the next. */
static unsigned changes_along(uint32_t S, size_t k)
{
    return (unsigned)__builtin_popcount((S ^ S >> 1) & ((UINT32_C(1) << (k - 1)) - 1));
}

/* The least set that was seen with so many members and so many changes. */
typedef struct counted_sets {
    uint32_t least[SOS_TABLE_MEMBERS_MAX + 1][SOS_TABLE_MEMBERS_MAX]; /* by members and changes; UINT32_MAX: none yet */
} counted_sets;

static uint32_t least_counted(uint32_t S, const sos_group *g, counted_sets *seen)
{
    const unsigned changes = changes_along(S, g->size), ones = (unsigned)__builtin_popcount(S),
                   zeros = (unsigned)g->size - ones;
    uint32_t *least = &seen->least[g->swap && zeros < ones ? zeros : ones][changes];
    *least = lesser(*least, S); /* sets come in increasing order */
    return *least;
}

/* Numbers the classes in the order of their least sets. */
static void find_classes(sos_ties *t, const sos_group *g)
{
    counted_sets seen;
    memset(&seen, 0xff, sizeof seen);
    for (uint32_t S = 0; S < t->entries; S++) {
        const uint32_t least = g->counted ? least_counted(S, g, &seen) : least_image(S, g);
        if (g->anchored && least == 0)
            t->class_of[S] = SOS_ANCHOR;
        else
            t->class_of[S] = least == S ? (uint32_t)t->classes++ : t->class_of[least];
    }
}

/* The caller's classes: 0 to m - 1, none of them empty. */
static sos_status take_classes(sos_ties *t, const sos_group *g, sos_error *error)
{
    memcpy(t->class_of, g->class_of, t->entries * sizeof *t->class_of);
    for (size_t S = 0; S < t->entries; S++) {
        if (t->class_of[S] == SOS_ANCHOR) continue;
        if (t->class_of[S] >= t->entries)
            return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%.64s\": entry %zu is of class %u, but there are %zu entries",
                            g->name, S, (unsigned)t->class_of[S], t->entries);
        t->lift[t->class_of[S]] = 1; /* for now: there is such a class */
        if (t->class_of[S] >= t->classes) t->classes = t->class_of[S] + 1;
    }
    for (size_t c = 0; c < t->classes; c++)
        if (!t->lift[c]) return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%.64s\": no entry is of class %zu", g->name, c);
    return SOS_OK;
}

/* ---------------------------------------------------------------- the lift */

/* Numbers of a lift are at most so many times what it lifts, so that repair stays within doubles (math.md, 10.3). */
enum { LIFT_MOST = 1024, DENOMINATOR_MOST = 64 };

static int32_t curve(size_t k, uint32_t S)
{
    const int32_t ones = __builtin_popcount(S);
    return ones * ((int32_t)k - ones);
}

/* Equations in the shares of members and a constant, in reduced form: row i, where there is one, begins with unknown i. */
typedef struct equations {
    size_t unknowns;
    bool has[SOS_TABLE_MEMBERS_MAX + 1];
    double row[SOS_TABLE_MEMBERS_MAX + 1][SOS_TABLE_MEMBERS_MAX + 2];
} equations;

/* Differences of ones and zeros come to small rationals; what is left of one that is 0 is less than this. */
static const double NOTHING = 1e-9;

static void add_equation(equations *e, double row[])
{
    for (size_t i = 0; i < e->unknowns; i++) {
        if (fabs(row[i]) < NOTHING) continue;
        const double scale = row[i];
        if (e->has[i]) {
            for (size_t j = i; j <= e->unknowns; j++) row[j] -= scale * e->row[i][j];
            continue;
        }
        for (size_t j = 0; j <= e->unknowns; j++) e->row[i][j] = j < i ? 0 : row[j] / scale;
        e->has[i] = true;
        return;
    }
}

/* The solution in which unknowns without an equation are 0; where the equations contradict each other it solves some. */
static void solve_equations(const equations *e, double x[])
{
    for (size_t i = e->unknowns; i-- > 0;) {
        x[i] = 0;
        if (!e->has[i]) continue;
        x[i] = e->row[i][e->unknowns];
        for (size_t j = i + 1; j < e->unknowns; j++) x[i] -= e->row[i][j] * x[j];
    }
}

/* u(S) = |S| (k - |S|) + sum of shares of members + constant has the value 2 in every inequality.  The shares shall give all
 * sets of a class one value, and sets without weight 0 (math.md, 10.2). */
static void find_shares(const sos_ties *t, size_t k, const uint32_t first[], double share[])
{
    equations e = { .unknowns = k + 1 };
    for (uint32_t S = 0; S < t->entries; S++) {
        double row[SOS_TABLE_MEMBERS_MAX + 2] = { 0 };
        const bool anchored = t->class_of[S] == SOS_ANCHOR;
        const uint32_t T = anchored ? 0 : first[t->class_of[S]];
        for (size_t i = 0; i < k; i++) row[i] = (double)(S >> i & 1) - (double)(T >> i & 1);
        row[k] = anchored;
        row[k + 1] = curve(k, T) - curve(k, S);
        add_equation(&e, row);
    }
    solve_equations(&e, share);
}

/* The lift times the denominator, if that makes all of it integers which agree with the ties; exact. */
static bool set_lift(sos_ties *t, size_t k, const uint32_t first[], const double share[], int32_t denominator)
{
    int32_t whole[SOS_TABLE_MEMBERS_MAX + 1];
    for (size_t i = 0; i <= k; i++) {
        const double x = rint(share[i] * denominator);
        if (!(fabs(x) < LIFT_MOST * DENOMINATOR_MOST)) return false;
        whole[i] = (int32_t)x;
    }
    for (uint32_t S = 0; S < t->entries; S++) {
        int32_t u = denominator * curve(k, S) + whole[k];
        for (size_t i = 0; i < k; i++) u += (S >> i & 1) ? whole[i] : 0;
        const uint32_t class = t->class_of[S];
        if (u > 2 * denominator * LIFT_MOST || u < -2 * denominator * LIFT_MOST) return false;
        if (class == SOS_ANCHOR ? u != 0 : S != first[class] && u != t->lift[class]) return false;
        if (class != SOS_ANCHOR) t->lift[class] = u;
    }
    t->gain = 2 * denominator;
    return true;
}

static sos_status find_lift(sos_ties *t, const sos_group *g, sos_error *error)
{
    uint32_t *first = malloc((t->classes ? t->classes : 1) * sizeof *first);
    if (!first) return sos_fail(error, SOS_ERR_MEMORY, "no memory for group \"%.64s\"", g->name);
    for (uint32_t S = (uint32_t)t->entries; S-- > 0;)
        if (t->class_of[S] != SOS_ANCHOR) first[t->class_of[S]] = S;
    double share[SOS_TABLE_MEMBERS_MAX + 1] = { 0 };
    bool found = set_lift(t, g->size, first, share, 1);
    if (!found) find_shares(t, g->size, first, share);
    for (int32_t d = 1; !found && d <= DENOMINATOR_MOST; d++) found = set_lift(t, g->size, first, share, d);
    free(first);
    if (found) return SOS_OK;
    return sos_fail(
        error, SOS_ERR_ARGUMENT,
        "group \"%.64s\": its classes tie sets of different sizes so that no function |S| (k - |S|) + sum of shares "
        "of members agrees with them",
        g->name);
}

/* ---------------------------------------------------------------- knots */

sos_status sos_ties_check(const sos_group *g, sos_error *error)
{
    if (g->kind != SOS_GROUP_COUNT) return SOS_OK;
    for (size_t j = 0; j < g->size; j++)
        if (!(g->shares[j] >= 0 && g->shares[j] <= 1))
            return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%.64s\": knot %zu is at %g; shares are 0 to 1", g->name, j,
                            g->shares[j]);
    if (g->shares[0] != 0 || g->shares[g->size - 1] != 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%.64s\": knots are at %g to %g; they must begin at 0 and end at 1",
                        g->name, g->shares[0], g->shares[g->size - 1]);
    for (size_t j = 1; j < g->size; j++)
        if (place_of(g->shares[j]) <= place_of(g->shares[j - 1]))
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "group \"%.64s\": knot %zu is at %g, behind %g: shares must increase, by "
                            "1/%d at least",
                            g->name, j, g->shares[j], g->shares[j - 1], SOS_SHARE_UNIT);
    for (size_t j = 0; g->swap && j < g->size; j++)
        if (place_of(g->shares[j]) + place_of(g->shares[g->size - 1 - j]) != SOS_SHARE_UNIT)
            return sos_fail(error, SOS_ERR_ARGUMENT, "group \"%.64s\" swaps labels, but there is a knot at %g and none at %g",
                            g->name, g->shares[j], 1 - g->shares[j]);
    return SOS_OK;
}

int32_t sos_common_divisor(int32_t a, int32_t b)
{
    while (b) {
        const int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Knot j, with swap the lesser of it and its mirror, is a class; the one at 0 may be anchored. */
static void find_knots(sos_ties *t, const sos_group *g)
{
    int32_t divisor = 0;
    for (size_t j = 0; j < t->entries; j++) divisor = sos_common_divisor(divisor, place_of(g->shares[j]));
    for (size_t j = 0; j < t->entries; j++) {
        const size_t mirror = t->entries - 1 - j, least = g->swap && mirror < j ? mirror : j;
        t->share[j] = (double)place_of(g->shares[j]) / SOS_SHARE_UNIT;
        t->place[j] = place_of(g->shares[j]) / divisor; // NOLINT(clang-analyzer-core.DivideZero): the last one is not 0
        if (g->anchored && least == 0)
            t->class_of[j] = SOS_ANCHOR;
        else
            t->class_of[j] = least == j ? (uint32_t)t->classes++ : t->class_of[least];
    }
}

/* ---------------------------------------------------------------- both */

static bool ties_reserve(sos_ties *t, bool table)
{
    t->class_of = malloc(t->entries * sizeof *t->class_of);
    if (table)
        t->lift = calloc(t->entries, sizeof *t->lift);
    else {
        t->share = malloc(t->entries * sizeof *t->share);
        t->place = malloc(t->entries * sizeof *t->place);
    }
    return t->class_of && (table ? (bool)t->lift : t->share && t->place);
}

static sos_status table_ties(sos_ties *t, const sos_group *g, sos_error *error)
{
    sos_status status = SOS_OK;
    if (g->class_of)
        status = take_classes(t, g, error);
    else
        find_classes(t, g);
    return status ? status : find_lift(t, g, error);
}

sos_status sos_ties_create(const sos_group *g, sos_ties **out, sos_error *error)
{
    const bool table = g->kind == SOS_GROUP_TABLE;
    sos_status status = SOS_OK;
    sos_ties *t = calloc(1, sizeof *t);
    if (t) {
        atomic_init(&t->references, 1);
        t->entries = table ? (size_t)1 << g->size : g->size;
    }
    if (!t || !ties_reserve(t, table))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for group \"%.64s\"", g->name);
    else if (table)
        status = table_ties(t, g, error);
    else
        find_knots(t, g);
    if (status)
        sos_ties_release(t);
    else
        *out = t;
    return status;
}

/* multi_energy.c - what an energy with several labels is: costs of labels, sets of tables, cliques that count. */
#include "energy/multi_energy.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "energy/submodular.h"

/* Tables of moves are sums of differences of up to 17 of these costs. */
static const double LARGEST_COST = DBL_MAX / 1024;
static const uint32_t NO_SET = UINT32_MAX;

sos_status sos_multi_energy_over(sos_energy *frame, size_t labels, sos_multi_energy **out, sos_error *error)
{
    if (labels < 2 || labels > SOS_LABELS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu labels; there are 2 to %d", labels, SOS_LABELS_MAX);
    if (frame->n > SIZE_MAX / sizeof(double) / labels)
        return sos_fail(error, SOS_ERR_RANGE, "%zu variables with %zu labels are too many", frame->n, labels);
    sos_multi_energy *e = calloc(1, sizeof *e);
    double *unary = calloc(frame->n ? frame->n : 1, labels * sizeof *unary);
    if (!e || !unary) {
        free(e);
        free(unary);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for an energy of %zu variables and %zu labels", frame->n, labels);
    }
    e->frame = frame;
    e->borrowed = true;
    e->labels = labels;
    e->unary = unary;
    e->potts = NO_SET;
    *out = e;
    return SOS_OK;
}

sos_status sos_multi_energy_create(size_t n, size_t labels, sos_multi_energy **out, sos_error *error)
{
    if (!out) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the energy was given");
    sos_energy *frame;
    sos_status status = sos_energy_create(n, &frame, error);
    if (status) return status;
    status = sos_multi_energy_over(frame, labels, out, error);
    if (status)
        sos_energy_free(frame);
    else
        (*out)->borrowed = false;
    return status;
}

static void count_free(sos_count_clique *c)
{
    free(c->variables);
    free(c->g);
    free(c->gain);
    free(c->reach);
}

void sos_multi_energy_free(sos_multi_energy *e)
{
    if (!e) return;
    if (!e->borrowed) sos_energy_free(e->frame);
    for (size_t c = 0; c < e->count_count; c++) count_free(&e->counts[c]);
    free(e->counts);
    free(e->costs);
    free(e->unary);
    free(e);
}

sos_status sos_multi_energy_add_constant(sos_multi_energy *e, double cost, sos_error *error)
{
    if (!isfinite(e->constant + cost)) return sos_fail(error, SOS_ERR_ARGUMENT, "the constant would be %g", e->constant + cost);
    e->constant += cost;
    return SOS_OK;
}

/* ---------------------------------------------------------------- unaries */

static sos_status unary_check(const sos_multi_energy *e, size_t i, const double cost[], sos_error *error)
{
    for (size_t l = 0; l < e->labels; l++)
        if (!(fabs(cost[l]) <= LARGEST_COST))
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu costs %g with label %zu, which is not finite or too large",
                            i, cost[l], l);
    return SOS_OK;
}

sos_status sos_multi_energy_set_unary(sos_multi_energy *e, size_t i, const double cost[], sos_error *error)
{
    if (i >= e->frame->n) return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu, but there are %zu", i, e->frame->n);
    if (!cost) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    const sos_status status = unary_check(e, i, cost, error);
    for (size_t l = 0; !status && l < e->labels; l++) e->unary[l * e->frame->n + i] = cost[l];
    return status;
}

sos_status sos_multi_energy_set_unaries(sos_multi_energy *e, const double cost[], sos_error *error)
{
    const size_t n = e->frame->n, L = e->labels;
    if (!cost) {
        memset(e->unary, 0, n * L * sizeof *e->unary);
        return SOS_OK;
    }
    for (size_t i = 0; i < n; i++) {
        const sos_status status = unary_check(e, i, cost + i * L, error);
        if (status) return status;
    }
    enum { BLOCK = 64 }; /* variables at a time, so that what is read stays in the cache for all labels */
    for (size_t begin = 0; begin < n; begin += BLOCK) {
        const size_t end = n - begin < BLOCK ? n : begin + BLOCK;
        for (size_t l = 0; l < L; l++)
            for (size_t i = begin; i < end; i++) e->unary[l * n + i] = cost[i * L + l];
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- tables */

static sos_status tables_check(const sos_multi_energy *e, size_t k, const double g[], sos_error *error)
{
    if (!g) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    const size_t entries = (size_t)1 << k;
    for (size_t l = 0; l < e->labels; l++) {
        sos_error why;
        const sos_status status = sos_table_check(k, g + l * entries, &why);
        if (status) return sos_fail(error, status, "label %zu: %.400s", l, why.message);
        for (size_t S = 0; S < entries; S++)
            if (fabs(g[l * entries + S]) > LARGEST_COST)
                return sos_fail(error, SOS_ERR_RANGE, "label %zu: table entry %zu is %g, too large", l, S, g[l * entries + S]);
    }
    return SOS_OK;
}

/* Room for the costs of all tables of the frame; those that are new are 0. */
static bool costs_reserve(sos_multi_energy *e)
{
    const size_t count = e->labels * e->frame->costs_count;
    if (!sos_grow(&e->costs, &e->costs_room, count)) return false;
    if (count > e->costs_count) memset(e->costs + e->costs_count, 0, (count - e->costs_count) * sizeof *e->costs);
    e->costs_count = count;
    return true;
}

sos_status sos_multi_energy_add_tables(sos_multi_energy *e, size_t k, const double g[], uint32_t *set, sos_error *error)
{
    if (k < 1 || k > SOS_TABLE_MEMBERS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "tables of %zu members; they take 1 to %d", k, SOS_TABLE_MEMBERS_MAX);
    if (!set) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the number of the tables was given");
    sos_status status = tables_check(e, k, g, error);
    if (status) return status;
    const size_t entries = (size_t)1 << k;
    if (!sos_grow(&e->costs, &e->costs_room, e->labels * (e->frame->costs_count + entries)))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for tables of %zu members", k);
    double *zeros = calloc(entries, sizeof *zeros);
    if (!zeros) return sos_fail(error, SOS_ERR_MEMORY, "no memory for tables of %zu members", k);
    status = sos_energy_add_table(e->frame, k, zeros, set, error);
    free(zeros);
    return status ? status : sos_multi_energy_set_tables(e, *set, g, error);
}

sos_status sos_multi_energy_set_tables(sos_multi_energy *e, uint32_t set, const double g[], sos_error *error)
{
    if (set >= e->frame->table_count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "tables %u, but there are %zu", (unsigned)set, e->frame->table_count);
    const sos_table *t = &e->frame->tables[set];
    const sos_status status = tables_check(e, t->k, g, error);
    if (status) return status;
    if (!costs_reserve(e)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for tables of %zu members", t->k);
    memcpy(e->costs + e->labels * t->offset, g, e->labels * sizeof *g << t->k);
    return SOS_OK;
}

sos_status sos_multi_energy_add_cliques(sos_multi_energy *e, uint32_t set, size_t count, const uint32_t variables[],
                                        const double weights[], sos_error *error)
{
    return sos_energy_add_cliques(e->frame, set, count, variables, weights, error);
}

sos_status sos_multi_energy_add_listed(sos_multi_energy *e, size_t count, const uint32_t sets[], const uint32_t variables[],
                                       const double weights[], sos_error *error)
{
    return sos_energy_add_listed(e->frame, count, sets, variables, weights, error);
}

sos_status sos_multi_energy_add_patches(sos_multi_energy *e, uint32_t set, size_t width, size_t height, size_t patch_width,
                                        size_t patch_height, const double weights[], sos_error *error)
{
    return sos_energy_add_patches(e->frame, set, width, height, patch_width, patch_height, weights, error);
}

/* Labels that differ cost 1/2 for each of the two. */
sos_status sos_multi_energy_add_potts(sos_multi_energy *e, size_t count, const uint32_t variables[], const double strengths[],
                                      sos_error *error)
{
    if (e->potts == NO_SET) {
        double g[4 * SOS_LABELS_MAX];
        for (size_t S = 0; S < 4 * e->labels; S++) g[S] = S % 4 == 1 || S % 4 == 2 ? 0.5 : 0;
        const sos_status status = sos_multi_energy_add_tables(e, 2, g, &e->potts, error);
        if (status) return status;
    }
    return sos_energy_add_cliques(e->frame, e->potts, count, variables, strengths, error);
}

sos_status sos_multi_energy_set_weights(sos_multi_energy *e, size_t first, size_t count, const double weights[],
                                        sos_error *error)
{
    return sos_energy_set_weights(e->frame, first, count, weights, error);
}

/* ---------------------------------------------------------------- cliques that count */

static int compare_variables(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A sorted copy finds repeats in a clique of thousands. */
static sos_status members_copy(const sos_multi_energy *e, size_t k, const uint32_t variables[], uint32_t **out,
                               sos_error *error)
{
    if (!k || !variables) return sos_fail(error, SOS_ERR_ARGUMENT, "a clique needs members");
    if (k > e->frame->n)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a clique of %zu members, but there are %zu variables", k, e->frame->n);
    uint32_t *copy = malloc(k * sizeof *copy);
    if (!copy) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", k);
    memcpy(copy, variables, k * sizeof *copy);
    qsort(copy, k, sizeof *copy, compare_variables);
    sos_status bad = SOS_OK;
    if (copy[k - 1] >= e->frame->n)
        bad = sos_fail(error, SOS_ERR_ARGUMENT, "clique has variable %u, but there are %zu", (unsigned)copy[k - 1],
                       e->frame->n);
    for (size_t i = 1; !bad && i < k; i++)
        if (copy[i] == copy[i - 1]) bad = sos_fail(error, SOS_ERR_ARGUMENT, "clique has variable %u twice", (unsigned)copy[i]);
    if (bad) {
        free(copy);
        return bad;
    }
    *out = copy;
    return SOS_OK;
}

static sos_status weight_check(double weight, sos_error *error)
{
    if (weight >= 0 && isfinite(weight)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "clique has weight %g; it must be finite and not negative", weight);
}

/* Takes over the arrays of c, or frees them. */
static sos_status count_add(sos_multi_energy *e, sos_count_clique c, size_t numbers, sos_error *error)
{
    if (!sos_grow(&e->counts, &e->counts_room, e->count_count + 1)) {
        count_free(&c);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", c.k);
    }
    e->counts[e->count_count++] = c;
    e->count_bytes += c.k * sizeof *c.variables + numbers * sizeof(double);
    return SOS_OK;
}

static sos_status counts_check(const sos_multi_energy *e, size_t k, const double g[], sos_error *error)
{
    if (!g) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    if (k >= SIZE_MAX / sizeof *g / SOS_LABELS_MAX) return sos_fail(error, SOS_ERR_RANGE, "a clique of %zu members", k);
    for (size_t l = 0; l < e->labels; l++) {
        sos_error why;
        const sos_status status = sos_concave_check(k, g + l * (k + 1), &why);
        if (status) return sos_fail(error, status, "label %zu: %.400s", l, why.message);
        for (size_t m = 0; m <= k; m++)
            if (fabs(g[l * (k + 1) + m]) > LARGEST_COST)
                return sos_fail(error, SOS_ERR_RANGE, "label %zu: cost of count %zu is %g, too large", l, m,
                                g[l * (k + 1) + m]);
    }
    return SOS_OK;
}

sos_status sos_multi_energy_add_counts(sos_multi_energy *e, size_t k, const uint32_t variables[], const double g[],
                                       double weight, sos_error *error)
{
    sos_count_clique c = { .k = k, .weight = weight };
    sos_status status = weight_check(weight, error);
    if (!status) status = members_copy(e, k, variables, &c.variables, error);
    if (!status) status = counts_check(e, k, g, error);
    const size_t numbers = e->labels * (k + 1);
    if (!status && !(c.g = malloc(numbers * sizeof *g)))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", k);
    if (status) {
        count_free(&c);
        return status;
    }
    memcpy(c.g, g, numbers * sizeof *g);
    return count_add(e, c, numbers, error);
}

static sos_status robust_check(const sos_multi_energy *e, const double agree[], const double reach[], double most,
                               sos_error *error)
{
    if (!agree) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    if (!(fabs(most) <= LARGEST_COST))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the greatest cost is %g, not finite or too large", most);
    for (size_t l = 0; l < e->labels; l++) {
        if (!(fabs(agree[l]) <= LARGEST_COST))
            return sos_fail(error, SOS_ERR_ARGUMENT, "label %zu costs %g, not finite or too large", l, agree[l]);
        if (agree[l] > most)
            return sos_fail(error, SOS_ERR_NOT_SUBMODULAR,
                            "label %zu: all members agreeing costs %g, more than the greatest cost %g", l, agree[l], most);
        if (reach && !(reach[l] > 0 && isfinite(reach[l])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "label %zu has reach %g; it must be over 0", l, reach[l]);
    }
    return SOS_OK;
}

sos_status sos_multi_energy_add_robust(sos_multi_energy *e, size_t k, const uint32_t variables[], const double agree[],
                                       const double reach[], double most, double weight, sos_error *error)
{
    sos_count_clique c = { .k = k, .weight = weight, .constant = most };
    sos_status status = weight_check(weight, error);
    if (!status) status = robust_check(e, agree, reach, most, error);
    if (!status) status = members_copy(e, k, variables, &c.variables, error);
    if (status) return status;
    c.gain = malloc(e->labels * sizeof *c.gain);
    c.reach = malloc(e->labels * sizeof *c.reach);
    if (!c.gain || !c.reach) {
        count_free(&c);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", k);
    }
    for (size_t l = 0; l < e->labels; l++) {
        c.gain[l] = most - agree[l];
        c.reach[l] = reach ? reach[l] : 1;
    }
    return count_add(e, c, 2 * e->labels, error);
}

sos_status sos_multi_energy_add_pn(sos_multi_energy *e, size_t k, const uint32_t variables[], const double agree[], double most,
                                   double weight, sos_error *error)
{
    return sos_multi_energy_add_robust(e, k, variables, agree, NULL, most, weight, error);
}

sos_status sos_multi_energy_set_count_weights(sos_multi_energy *e, size_t first, size_t count, const double weights[],
                                              sos_error *error)
{
    if (first > e->count_count || count > e->count_count - first)
        return sos_fail(error, SOS_ERR_ARGUMENT, "cliques %zu and %zu on, but there are %zu", first, count, e->count_count);
    if (count && !weights) return sos_fail(error, SOS_ERR_ARGUMENT, "no weights were given");
    for (size_t c = 0; c < count; c++) {
        const sos_status status = weight_check(weights[c], error);
        if (status) return status;
    }
    for (size_t c = 0; c < count; c++) e->counts[first + c].weight = weights[c];
    return SOS_OK;
}

double sos_count_cost(const sos_count_clique *c, size_t label, size_t m)
{
    if (c->g) return c->g[label * (c->k + 1) + m];
    const double others = (double)(c->k - m), reach = c->reach[label];
    return others < reach ? -(c->gain[label] * (reach - others) / reach) : 0;
}

/* ---------------------------------------------------------------- what there is */

size_t sos_multi_energy_variables(const sos_multi_energy *e) { return e->frame->n; }
size_t sos_multi_energy_labels(const sos_multi_energy *e) { return e->labels; }
size_t sos_multi_energy_cliques(const sos_multi_energy *e) { return e->frame->clique_count; }
size_t sos_multi_energy_count_cliques(const sos_multi_energy *e) { return e->count_count; }

double sos_multi_energy_unary(const sos_multi_energy *e, size_t i, size_t label)
{
    sos_expects(i < e->frame->n && label < e->labels);
    return e->unary[label * e->frame->n + i];
}

size_t sos_multi_energy_bytes(const sos_multi_energy *e)
{
    return sizeof *e + (e->borrowed ? 0 : sos_energy_bytes(e->frame)) + e->labels * e->frame->n * sizeof *e->unary +
           e->costs_room * sizeof *e->costs + e->counts_room * sizeof *e->counts + e->count_bytes;
}

/* Sums are taken in chunks, as in sos_energy_value. */
enum { CHUNK = 256 };

/* sum_l g_l(C_l) of one clique: labels that no member takes by way of their sum, none. */
static inline __attribute__((always_inline)) double clique_value(size_t k, const double g[], double none,
                                                                 const uint32_t variables[], const uint8_t labels[])
{
    const size_t entries = (size_t)1 << k;
    uint8_t y[SOS_TABLE_MEMBERS_MAX] = { 0 };
    for (size_t q = 0; q < k; q++) y[q] = labels[variables[q]];
    double value = none;
    for (size_t left = entries - 1; left;) {
        const size_t first = (size_t)__builtin_ctzll(left);
        size_t S = 0;
        for (size_t q = 0; q < k; q++) S |= (size_t)(y[q] == y[first]) << q;
        value += g[y[first] * entries + S] - g[y[first] * entries];
        left &= ~S;
    }
    return value;
}

/* sum_l g_l({}) of a set. */
static double none_of(const sos_multi_energy *e, uint32_t set)
{
    const double *g = sos_multi_energy_costs(e, set);
    double sum = 0;
    for (size_t l = 0; l < e->labels; l++) sum += g[l << e->frame->tables[set].k];
    return sum;
}

static inline __attribute__((always_inline)) double cliques_value(const sos_multi_energy *e, size_t k, const uint8_t labels[])
{
    const sos_pool *pool = &e->frame->pools[k];
    double total = 0, none = 0;
    uint32_t last = NO_SET; /* the set that none is of */
    for (size_t c = 0; c < pool->count;) {
        const size_t end = pool->count - c < CHUNK ? pool->count : c + CHUNK;
        double sum = 0;
        for (; c < end; c++) {
            const uint32_t set = pool->tables[c];
            if (set != last) none = none_of(e, last = set);
            const double f = clique_value(k, sos_multi_energy_costs(e, set), none, pool->variables + c * k, labels);
            sum += pool->weights ? pool->weights[c] * f : f;
        }
        total += sum;
    }
    return total;
}

static double count_value(const sos_multi_energy *e, const sos_count_clique *c, const uint8_t labels[])
{
    size_t m[SOS_LABELS_MAX] = { 0 };
    for (size_t q = 0; q < c->k; q++) m[labels[c->variables[q]]]++;
    double value = c->constant;
    for (size_t l = 0; l < e->labels; l++) value += sos_count_cost(c, l, m[l]);
    return c->weight * value;
}

static bool in_range(const sos_multi_energy *e, const uint8_t labels[])
{
    bool ok = true;
    for (size_t i = 0; i < e->frame->n; i++) ok &= labels[i] < e->labels;
    return ok;
}

double sos_multi_energy_value(const sos_multi_energy *e, const uint8_t labels[])
{
    const size_t n = e->frame->n;
    if (!in_range(e, labels)) return NAN;
    double total = e->constant;
    for (size_t i = 0; i < n;) {
        const size_t end = n - i < CHUNK ? n : i + CHUNK;
        double sum = 0;
        for (; i < end; i++) sum += e->unary[labels[i] * n + i];
        total += sum;
    }
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        if (!e->frame->pools[k].count) continue;
        total += k == 2 ? cliques_value(e, 2, labels) : k == 4 ? cliques_value(e, 4, labels) : cliques_value(e, k, labels);
    }
    for (size_t c = 0; c < e->count_count; c++) total += count_value(e, &e->counts[c], labels);
    return total;
}

/* ---------------------------------------------------------------- bounds */

/* Sums of what each label costs at least and at most on its own. */
static sos_extremes loose_extremes(const sos_multi_energy *e, size_t k, const double g[])
{
    sos_extremes x = { 0, 0, 0 };
    for (size_t l = 0; l < e->labels; l++) {
        double least = INFINITY, greatest = -INFINITY;
        for (size_t S = 0; S < (size_t)1 << k; S++) {
            least = fmin(least, g[(l << k) + S]);
            greatest = fmax(greatest, g[(l << k) + S]);
        }
        x.least += least;
        x.greatest += greatest;
    }
    x.least_mixed = x.least;
    return x;
}

enum { EXACT_MEMBERS = 6 };

/* least[j][S] and most[S]: of all ways to share out S among the labels so far; j = 0, 1, 2: so many of them, or more, have
 * members.  Larger sets come first, so that what they are made of is still that of one label less. */
typedef struct partition {
    double least[3][1 << EXACT_MEMBERS], most[1 << EXACT_MEMBERS];
} partition;

static void partition_step(partition *p, size_t k, const double g[])
{
    for (size_t S = ((size_t)1 << k) - 1; S < (size_t)1 << k; S--) {
        double least[3], most = p->most[S] + g[0];
        for (size_t j = 0; j < 3; j++) least[j] = p->least[j][S] + g[0];
        for (size_t T = S; T; T = (T - 1) & S) {
            const size_t rest = S & ~T;
            least[1] = fmin(least[1], p->least[0][rest] + g[T]);
            least[2] = fmin(least[2], fmin(p->least[1][rest], p->least[2][rest]) + g[T]);
            most = fmax(most, p->most[rest] + g[T]);
        }
        for (size_t j = 0; j < 3; j++) p->least[j][S] = least[j];
        p->most[S] = most;
    }
}

sos_extremes sos_tables_extremes(const sos_multi_energy *e, uint32_t set)
{
    const size_t k = e->frame->tables[set].k, all = ((size_t)1 << k) - 1;
    const double *g = sos_multi_energy_costs(e, set);
    if (k > EXACT_MEMBERS) return loose_extremes(e, k, g);
    partition p;
    for (size_t S = 0; S <= all; S++) {
        p.least[0][S] = S ? INFINITY : 0;
        p.least[1][S] = p.least[2][S] = INFINITY;
        p.most[S] = S ? -INFINITY : 0;
    }
    for (size_t l = 0; l < e->labels; l++) partition_step(&p, k, g + (l << k));
    return (sos_extremes){ fmin(p.least[1][all], p.least[2][all]), p.least[2][all], p.most[all] };
}

/* A sum of concave functions of counts that add up to k is least where one label has all members, and, where none may, at
 * k - 1 and 1. */
sos_extremes sos_count_extremes(const sos_multi_energy *e, const sos_count_clique *c)
{
    double none = 0, greatest = 0;
    for (size_t l = 0; l < e->labels; l++) {
        none += sos_count_cost(c, l, 0);
        double most = sos_count_cost(c, l, 0);
        for (size_t m = 1; c->g && m <= c->k; m++) most = fmax(most, sos_count_cost(c, l, m));
        greatest += most;
    }
    none += c->constant;
    sos_extremes x = { INFINITY, INFINITY, c->constant + greatest };
    for (size_t l = 0; l < e->labels; l++) {
        const double nothing = sos_count_cost(c, l, 0), nearly = sos_count_cost(c, l, c->k - 1) - nothing;
        x.least = fmin(x.least, none + (sos_count_cost(c, l, c->k) - nothing));
        for (size_t m = 0; c->k > 1 && m < e->labels; m++)
            if (m != l)
                x.least_mixed = fmin(x.least_mixed, none + nearly + (sos_count_cost(c, m, 1) - sos_count_cost(c, m, 0)));
    }
    return x;
}

double sos_multi_energy_lower_bound(const sos_multi_energy *e)
{
    const size_t n = e->frame->n;
    double total = e->constant;
    for (size_t i = 0; i < n; i++) {
        double least = INFINITY;
        for (size_t l = 0; l < e->labels; l++) least = fmin(least, e->unary[l * n + i]);
        total += least;
    }
    double *share = calloc(e->frame->table_count + 1, sizeof *share); /* sum of the weights of a set's cliques */
    if (!share) return -INFINITY;
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->frame->pools[k];
        for (size_t c = 0; c < pool->count; c++) share[pool->tables[c]] += pool->weights ? pool->weights[c] : 1;
    }
    for (uint32_t t = 0; t < e->frame->table_count; t++)
        if (share[t] > 0) total += share[t] * sos_tables_extremes(e, t).least;
    free(share);
    for (size_t c = 0; c < e->count_count; c++)
        if (e->counts[c].weight > 0) total += e->counts[c].weight * sos_count_extremes(e, &e->counts[c]).least;
    return total;
}

/* multi_value.c - the energy of a labelling with several labels, from the definition. */
#include "energy/multi_energy.h"

#include <math.h>

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
    uint32_t last = SOS_NO_SET; /* the set that none is of */
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
    double m[SOS_LABELS_MAX] = { 0 };
    for (size_t q = 0; q < c->k; q++) m[labels[c->variables[q]]] += sos_count_amount(c, q);
    double value = c->most;
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

sos_status sos_multi_energy_labels_check(const sos_multi_energy *e, const uint8_t labels[], sos_error *error)
{
    for (size_t i = 0; i < e->frame->n; i++)
        if (labels[i] >= e->labels)
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has label %u, but there are %zu", i, (unsigned)labels[i],
                            e->labels);
    return SOS_OK;
}

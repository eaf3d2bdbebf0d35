/* move_reduce.c - which variables may take the label of a move, and which surely keep theirs (math.md, 13.4). */
#include "minimize/mover.h"

#include <math.h>
#include <stdlib.h>

/* Sums of doubles that decide to leave a variable out must clear zero by this part of what was added up. */
static const double CAREFUL = 0x1p-40;

/* For each member of a set the least that its taking any label can cost: by (2b) g_a(S+q) - g_a(S) is least at S = C - q, and
 * g_l(S) - g_l(S+q) at S = {}.  Returns the largest |cost|. */
static double find_low(const sos_multi_energy *e, uint32_t set, double low[])
{
    const size_t k = e->frame->tables[set].k, entries = (size_t)1 << k, all = entries - 1;
    const double *g = sos_multi_energy_costs(e, set);
    double largest = 0;
    for (size_t q = 0; q < k; q++) {
        double gain = INFINITY, loss = INFINITY;
        for (size_t l = 0; l < e->labels; l++) {
            const double *f = g + l * entries;
            gain = fmin(gain, f[all] - f[all & ~((size_t)1 << q)]);
            loss = fmin(loss, f[0] - f[(size_t)1 << q]);
        }
        low[q] = gain + loss;
    }
    for (size_t S = 0; S < e->labels * entries; S++) largest = fmax(largest, fabs(g[S]));
    return largest;
}

static void find_count_margin(sos_mover *m, const sos_count_clique *c)
{
    double largest = 0;
    for (size_t l = 0; l < m->e->labels; l++) {
        const double sides = fmax(fabs(sos_count_cost(c, l, 0)), fabs(sos_count_cost(c, l, c->total)));
        for (size_t j = 0; j < c->knots; j++) largest = fmax(largest, fabs(c->value[l * c->knots + j]));
        if (!c->value)
            largest = fmax(largest, fmax(fabs(sos_count_cost(c, l, 1)), fabs(sos_count_cost(c, l, (double)(c->k - 1)))));
        largest = fmax(largest, sides);
    }
    const double margin = 4 * CAREFUL * c->weight * largest + c->weight * sos_count_doubt(m->e, c);
    for (size_t q = 0; q < c->k; q++) m->margin[c->variables[q]] += margin;
}

sos_status sos_mover_survey(sos_mover *m, sos_error *error)
{
    if (!m->settings->reduce) return SOS_OK;
    const sos_energy *frame = m->e->frame;
    double *largest = malloc((frame->table_count + 1) * sizeof *largest);
    if (!largest) return sos_fail(error, SOS_ERR_MEMORY, "no memory for expansion moves");
    for (uint32_t t = 0; t < frame->table_count; t++) largest[t] = find_low(m->e, t, m->low + t * SOS_TABLE_MEMBERS_MAX);
    for (size_t i = 0; i < m->n; i++) m->relief[i] = m->margin[i] = 0;
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &frame->pools[k];
        for (size_t c = 0; c < pool->count; c++) {
            const double w = pool->weights ? pool->weights[c] : 1, off = 4 * CAREFUL * w * largest[pool->tables[c]];
            const double *low = m->low + pool->tables[c] * SOS_TABLE_MEMBERS_MAX;
            for (size_t q = 0; q < k; q++) {
                m->relief[pool->variables[c * k + q]] += w * low[q];
                m->margin[pool->variables[c * k + q]] += off;
            }
        }
    }
    free(largest);
    for (size_t c = 0; c < m->e->count_count; c++) find_count_margin(m, &m->e->counts[c]);
    return SOS_OK;
}

/* All that have another label may take that of the move; how many. */
static size_t let_all(sos_mover *m)
{
    size_t all = 0;
    for (size_t v = 0; v < m->n; v++) {
        m->may[v] = m->y[v] != m->label;
        all += m->may[v];
    }
    return all;
}

static inline __attribute__((always_inline)) void find_active_of(sos_mover *m, size_t k)
{
    const sos_pool *pool = &m->e->frame->pools[k];
    uint32_t *active = m->active + m->active_first[k];
    size_t count = 0;
    for (uint32_t c = 0; c < pool->count; c++) {
        uint8_t any = 0;
        for (size_t q = 0; q < k; q++) any |= m->may[pool->variables[c * k + q]];
        active[count] = c;
        count += any;
    }
    m->active_count[k] = count;
}

static void find_active(sos_mover *m)
{
#define FIND(size) find_active_of(m, size)
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (m->e->frame->pools[k].count) SOS_FOR_MOVED_SIZE(k, FIND);
#undef FIND
}

/* A lower bound on what taking the label costs each variable that may: of the unaries, less what rounding may do to all of
 * the bound. */
static void bound_unaries(sos_mover *m)
{
    const double *taken = m->e->unary + m->label * m->n;
    for (size_t v = 0; v < m->n; v++)
        if (m->may[v]) m->bound[v] = (taken[v] - m->kept[v]) - m->margin[v] - CAREFUL * (fabs(taken[v]) + fabs(m->kept[v]));
}

/* Of a clique that counts: by concavity the next member with label a costs least when all have it that may, and the own label
 * loses least when it has none. */
static void bound_count(sos_mover *m, const sos_count_clique *c)
{
    double out = 0; /* the amount of those that neither have the label nor may take it */
    size_t may = 0;
    for (size_t q = 0; q < c->k; q++) {
        may += m->may[c->variables[q]];
        if (!m->may[c->variables[q]] && m->y[c->variables[q]] != m->label) out += sos_count_amount(c, q);
    }
    if (!may) return;
    const double most = fmax(0, c->total - out), taken = sos_count_cost(c, m->label, most);
    double gain = 0, loss = 0, before = -1; /* of a member like the one before */
    size_t last = SOS_MOVE_OTHER;
    for (size_t q = 0; q < c->k; q++) {
        const uint32_t v = c->variables[q];
        if (!m->may[v]) continue;
        const double amount = sos_count_amount(c, q);
        if (amount != before) gain = taken - sos_count_cost(c, m->label, fmax(0, most - amount));
        if (amount != before || m->y[v] != last)
            loss = sos_count_cost(c, m->y[v], 0) - sos_count_cost(c, m->y[v], fmin(amount, c->total));
        before = amount;
        last = m->y[v];
        m->bound[v] += c->weight * (gain + loss);
    }
}

static void bound_without_tables(sos_mover *m)
{
    bound_unaries(m);
    for (size_t c = 0; c < m->e->count_count; c++) bound_count(m, &m->e->counts[c]);
}

/* Where all members have one label l and may take a, as most cliques of an image, the marginals below depend on the set, l and
 * the member alone. */
static void find_uniform(sos_mover *m)
{
    const sos_multi_energy *e = m->e;
    for (uint32_t t = 0; t < e->frame->table_count; t++) {
        const size_t k = e->frame->tables[t].k, all = ((size_t)1 << k) - 1;
        const double *g = sos_multi_energy_costs(e, t), *ga = g + ((size_t)m->label << k);
        double *uniform = m->uniform + t * e->labels * SOS_TABLE_MEMBERS_MAX;
        for (size_t l = 0; l < e->labels; l++, uniform += SOS_TABLE_MEMBERS_MAX)
            for (size_t q = 0; q < k; q++) {
                const size_t own = (size_t)1 << q;
                uniform[q] = (ga[all] - ga[all & ~own]) + (g[l << k] - g[(l << k) + own]);
            }
    }
}

/* Of cliques with tables: by (2b) member q, labelled l, takes label a at the least cost if all do that may:
 *     g_a(A + may) - g_a(A + may - q) + g_l(C_l - may) - g_l(C_l - may + q). */
static inline __attribute__((always_inline)) void bound_cliques(sos_mover *m, size_t k)
{
    const sos_multi_energy *e = m->e;
    const sos_pool *pool = &e->frame->pools[k];
    const size_t a = m->label, all = ((size_t)1 << k) - 1, count = m->active_count[k];
    uint32_t *active = m->active + m->active_first[k];
    m->active_count[k] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t c = active[i];
        const uint32_t *member = pool->variables + c * k, set = pool->tables[c];
        const double w = pool->weights ? pool->weights[c] : 1;
        uint8_t y[SOS_TABLE_MEMBERS_MAX];
        size_t may = 0, same = 0, A = 0;
        for (size_t q = 0; q < k; q++) may |= (size_t)m->may[member[q]] << q;
        if (!may) continue;
        active[m->active_count[k]++] = (uint32_t)c;
        for (size_t q = 0; q < k; q++) y[q] = m->y[member[q]];
        for (size_t q = 0; q < k; q++) same |= (size_t)(y[q] == y[0]) << q;
        if (may == all && same == all) {
            const double *uniform = m->uniform + (set * e->labels + y[0]) * SOS_TABLE_MEMBERS_MAX;
            for (size_t q = 0; q < k; q++) m->bound[member[q]] += w * uniform[q];
            continue;
        }
        for (size_t q = 0; q < k; q++) A |= (size_t)(y[q] == a) << q;
        const double *g = sos_multi_energy_costs(e, set), *ga = g + (a << k);
        for (size_t q = 0; q < k; q++) {
            if (!(may >> q & 1)) continue;
            size_t keeping = 0;
            for (size_t p = 0; p < k; p++) keeping |= (size_t)(y[p] == y[q]) << p;
            keeping &= ~may;
            const size_t own = (size_t)1 << q, taking = A | may;
            const double *gl = g + ((size_t)y[q] << k);
            m->bound[member[q]] += w * ((ga[taking] - ga[taking & ~own]) + (gl[keeping] - gl[keeping | own]));
        }
    }
}

/* Takes out all whose bound is over 0; how many stay. */
static size_t settle(sos_mover *m)
{
    size_t left = 0;
    for (size_t v = 0; v < m->n; v++) {
        m->may[v] &= m->bound[v] <= 0;
        left += m->may[v];
    }
    return left;
}

static size_t bound_and_settle(sos_mover *m)
{
    bound_without_tables(m);
#define BOUND(size) bound_cliques(m, size)
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (m->active_count[k]) SOS_FOR_MOVED_SIZE(k, BOUND);
#undef BOUND
    return settle(m);
}

/* Takes away variables that surely keep their label (13.4): first by the most that cliques with tables can take off, then,
 * as long as that takes away a good part, by what they do take off.  Where most stay, all do: cliques that some members have
 * left need tables of their own, which would cost more than it saves. */
static size_t reduce(sos_mover *m)
{
    const size_t all = let_all(m);
    bound_without_tables(m);
    for (size_t v = 0; v < m->n; v++) m->bound[v] += m->relief[v];
    size_t left = settle(m), before = SIZE_MAX;
    find_active(m);
    find_uniform(m);
    while (left && before - left > left / 4) {
        before = left;
        left = bound_and_settle(m);
    }
    if (left <= all / 4 * 3) return left;
    let_all(m);
    find_active(m);
    return all;
}

size_t sos_mover_choose(sos_mover *m)
{
    if (m->settings->reduce) return reduce(m);
    const size_t all = let_all(m);
    find_active(m);
    return all;
}

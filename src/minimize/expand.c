/* expand.c - expansion moves (Boykov, Veksler and Zabih, 2001; paper, section 4.4; math.md, 13).
 *
 * A move for label a is an energy with two labels over the variables that may take a.  Before it is built, variables that
 * surely keep their label are left out (13.4): what is left is often small.  Cliques keep their size; members that take no
 * part are there as variables that no cost depends on, so that the flow meets cliques of one size. */
#include <sos/expand.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "energy/multi_energy.h"
#include "energy/submodular.h"

/* Sums of doubles that decide to leave a variable out must clear zero by this part of what was added up. */
static const double CAREFUL = 0x1p-40;

/* What the binary table of a clique depends on: its set, the labels of its members, which of them may move.  The label of a
 * member that may not move matters only if it is the move's own or that of one that may; else it is OTHER. */
enum { OTHER = 255 };
typedef struct table_key {
    uint8_t y[SOS_TABLE_MEMBERS_MAX];
    uint32_t set;
    uint16_t free, part;
} table_key;

/* Of a clique of more than four members with several labels there would be too many different tables.  It is taken apart into
 * what the label of the move pays and what each of the others does, over the members that may move and matter. */
enum { PART_ALL, PART_TAKEN, PART_KEPT, WHOLE_MEMBERS = 4 };

typedef struct table_entry {
    table_key key;
    uint32_t table;
    double lift; /* by how much any cost of it was raised to keep it submodular */
} table_entry;

typedef struct table_cache {
    table_entry *entries;
    size_t count, room;
    uint32_t *slots; /* entry + 1, or 0: empty */
    size_t slot_count;
} table_cache;

/* Cliques of one size of the move, as sos_energy_add_listed takes them. */
typedef struct clique_list {
    uint32_t *variables, *tables;
    double *weights;
    size_t count, variables_room, tables_room, weights_room;
    bool weighted;
} clique_list;

typedef struct mover {
    const sos_multi_energy *e;
    const sos_expand_settings *settings;
    size_t n;
    uint8_t label; /* of the move */

    void *block; /* of the arrays below */
    size_t block_bytes;
    uint8_t *y;       /* [n] labels so far */
    uint8_t *may;     /* [n] 1: may take the label of the move */
    uint8_t *used;    /* [n] is a variable of the move's energy */
    double *kept;     /* [n] what the label so far costs by itself */
    double *bound;    /* [n] what taking the label costs at least, without the cliques with tables */
    double *relief;   /* [n] what these can take off that, whatever the labels */
    double *margin;   /* [n] what rounding may do to it */
    uint32_t *active; /* [cliques with tables] those with a member that may move, by size, then in their order */
    uint32_t *number; /* [n] in the move's energy */
    double *low;      /* [sets * members] least marginal of a member over all labels and states */
    double *uniform;  /* [sets * labels * members] marginals in uniform cliques */

    size_t active_first[SOS_TABLE_MEMBERS_MAX + 1], active_count[SOS_TABLE_MEMBERS_MAX + 1];
    uint32_t clock, tried[SOS_LABELS_MAX]; /* successes so far, plus 1; and when a label was last tried, 0: never */
    table_cache cache;
    clique_list lists[SOS_TABLE_MEMBERS_MAX + 1];
    uint8_t *answer, *before; /* labels of the move; labels before it, of its variables */
    size_t answer_room, before_room;
    uint32_t *members; /* of parts of a count clique */
    double *costs;
    size_t members_room, costs_room;
    sos_minimizer *minimizer;
    sos_energy *energy; /* of the move */
    double energy_now, lifted;
    sos_expand_result result;
} mover;

sos_expand_settings sos_expand_defaults(void) { return (sos_expand_settings){ .reduce = true }; }

/* ---------------------------------------------------------------- set-up */

static void lay_out(mover *m, sos_arena *arena)
{
    const sos_energy *frame = m->e->frame;
    const size_t n = m->n;
    const bool look = m->settings->reduce;
    m->y = sos_arena_take(arena, n, 1);
    m->may = sos_arena_take(arena, n, 1);
    m->used = sos_arena_take(arena, n, 1);
    m->kept = sos_arena_take(arena, n, sizeof *m->kept);
    m->bound = sos_arena_take(arena, look ? n : 0, sizeof *m->bound);
    m->relief = sos_arena_take(arena, look ? n : 0, sizeof *m->relief);
    m->margin = sos_arena_take(arena, look ? n : 0, sizeof *m->margin);
    m->active = sos_arena_take(arena, frame->clique_count, sizeof *m->active);
    m->number = sos_arena_take(arena, n, sizeof *m->number);
    m->low = sos_arena_take(arena, look ? frame->table_count * SOS_TABLE_MEMBERS_MAX : 0, sizeof *m->low);
    m->uniform = sos_arena_take(arena, look ? frame->table_count * m->e->labels * SOS_TABLE_MEMBERS_MAX : 0,
                                sizeof *m->uniform);
}

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

static void find_count_margin(mover *m, const sos_count_clique *c)
{
    double largest = 0;
    for (size_t l = 0; l < m->e->labels; l++) {
        const double sides = fmax(fabs(sos_count_cost(c, l, 0)), fabs(sos_count_cost(c, l, c->k)));
        largest = fmax(largest, fmax(sides, fmax(fabs(sos_count_cost(c, l, 1)), fabs(sos_count_cost(c, l, c->k - 1)))));
    }
    for (size_t q = 0; q < c->k; q++) m->margin[c->variables[q]] += 4 * CAREFUL * c->weight * largest;
}

static sos_status find_relief(mover *m, sos_error *error)
{
    const sos_energy *frame = m->e->frame;
    double *largest = malloc((frame->table_count + 1) * sizeof *largest);
    if (!largest) return sos_fail(error, SOS_ERR_MEMORY, "no memory for expansion moves");
    for (uint32_t t = 0; t < frame->table_count; t++) largest[t] = find_low(m->e, t, m->low + t * SOS_TABLE_MEMBERS_MAX);
    memset(m->relief, 0, m->n * sizeof *m->relief);
    memset(m->margin, 0, m->n * sizeof *m->margin);
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

/* The flow's integers are chosen by the largest weight and the largest cost of cliques of one size, whose product must be
 * a number, with room for sums. */
static sos_status range_check(const sos_multi_energy *e, sos_error *error)
{
    double largest[SOS_TABLE_MEMBERS_MAX + 1] = { 0 };
    for (uint32_t t = 0; t < e->frame->table_count; t++) {
        const size_t k = e->frame->tables[t].k;
        const double *g = sos_multi_energy_costs(e, t);
        for (size_t S = 0; e->frame->tables[t].uses && S < e->labels << k; S++) largest[k] = fmax(largest[k], fabs(g[S]));
    }
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const double weight = e->frame->pools[k].weights ? e->frame->pools[k].largest_weight : 1;
        if (!isfinite(1024 * weight * largest[k]))
            return sos_fail(error, SOS_ERR_RANGE, "cliques of %zu members have weights up to %g and costs up to %g: too large",
                            k, weight, largest[k]);
    }
    for (size_t c = 0; c < e->count_count; c++)
        for (size_t l = 0; l < e->labels; l++)
            for (size_t m = 0; m <= e->counts[c].k; m += e->counts[c].g ? 1 : e->counts[c].k)
                if (!isfinite(1024 * e->counts[c].weight * sos_count_cost(&e->counts[c], l, m)))
                    return sos_fail(error, SOS_ERR_RANGE, "clique %zu that counts has weight %g, too large for its costs", c,
                                    e->counts[c].weight);
    return SOS_OK;
}

static sos_status mover_create(mover *m, sos_error *error)
{
    sos_status status = range_check(m->e, error);
    if (status) return status;
    sos_arena arena = { 0 };
    lay_out(m, &arena);
    const size_t limit = m->settings->memory_limit;
    if (arena.overflowed || m->e->frame->clique_count >= UINT32_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "moves of %zu variables do not fit the address space", m->n);
    if (limit && arena.used > limit)
        return sos_fail(error, SOS_ERR_MEMORY, "the moves take %zu bytes, more than the limit of %zu", arena.used, limit);
    m->block = sos_block_alloc(arena.used);
    if (!m->block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for moves of %zu variables", m->n);
    m->block_bytes = arena.used;
    arena = (sos_arena){ .base = m->block };
    lay_out(m, &arena);
    for (size_t k = 1; k < SOS_TABLE_MEMBERS_MAX; k++)
        m->active_first[k + 1] = m->active_first[k] + m->e->frame->pools[k].count;
    m->clock = 1;
    status = sos_minimizer_create(&m->minimizer, error);
    if (!status && m->settings->reduce) status = find_relief(m, error);
    return status;
}

static void mover_free(mover *m)
{
    for (size_t k = 0; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        free(m->lists[k].variables);
        free(m->lists[k].tables);
        free(m->lists[k].weights);
    }
    free(m->cache.entries);
    free(m->cache.slots);
    free(m->answer);
    free(m->before);
    free(m->members);
    free(m->costs);
    sos_minimizer_free(m->minimizer);
    sos_energy_free(m->energy);
    sos_block_free(m->block);
}

/* ---------------------------------------------------------------- what the costs decide */

/* Loops over cliques of one size are much faster where the compiler knows it: these are the common ones. */
#define FOR_SIZE(k, call) ((k) == 2 ? call(2) : (k) == 4 ? call(4) : call(k))

/* All that have another label may take that of the move; how many. */
static size_t let_all(mover *m)
{
    size_t all = 0;
    for (size_t v = 0; v < m->n; v++) {
        m->may[v] = m->y[v] != m->label;
        all += m->may[v];
    }
    return all;
}

static inline __attribute__((always_inline)) void find_active_of(mover *m, size_t k)
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

static void find_active(mover *m)
{
#define FIND(size) find_active_of(m, size)
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (m->e->frame->pools[k].count) FOR_SIZE(k, FIND);
#undef FIND
}

/* A lower bound on what taking the label costs each variable that may: of the unaries, less what rounding may do to all of
 * the bound. */
static void bound_unaries(mover *m)
{
    const double *taken = m->e->unary + m->label * m->n;
    for (size_t v = 0; v < m->n; v++)
        if (m->may[v]) m->bound[v] = (taken[v] - m->kept[v]) - m->margin[v] - CAREFUL * (fabs(taken[v]) + fabs(m->kept[v]));
}

/* Of a clique that counts: by concavity the next member with label a costs least when all have it that may, and the own label
 * loses least when it has none. */
static void bound_count(mover *m, const sos_count_clique *c)
{
    size_t out = 0, may = 0; /* members that neither have the label nor may take it, those that may */
    for (size_t q = 0; q < c->k; q++) {
        may += m->may[c->variables[q]];
        out += !m->may[c->variables[q]] && m->y[c->variables[q]] != m->label;
    }
    if (!may) return;
    const double gain = sos_count_cost(c, m->label, c->k - out) - sos_count_cost(c, m->label, c->k - out - 1);
    double loss = 0;
    size_t last = OTHER;
    for (size_t q = 0; q < c->k; q++) {
        const uint32_t v = c->variables[q];
        if (!m->may[v]) continue;
        if (m->y[v] != last) loss = sos_count_cost(c, m->y[v], 0) - sos_count_cost(c, m->y[v], 1);
        last = m->y[v];
        m->bound[v] += c->weight * (gain + loss);
    }
}

static void bound_without_tables(mover *m)
{
    bound_unaries(m);
    for (size_t c = 0; c < m->e->count_count; c++) bound_count(m, &m->e->counts[c]);
}

/* Where all members have one label l and may take a, as most cliques of an image, the marginals below depend on the set, l and
 * the member alone. */
static void find_uniform(mover *m)
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
static inline __attribute__((always_inline)) void bound_cliques(mover *m, size_t k)
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
static size_t settle(mover *m)
{
    size_t left = 0;
    for (size_t v = 0; v < m->n; v++) {
        m->may[v] &= m->bound[v] <= 0;
        left += m->may[v];
    }
    return left;
}

static size_t bound_and_settle(mover *m)
{
    bound_without_tables(m);
#define BOUND(size) bound_cliques(m, size)
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (m->active_count[k]) FOR_SIZE(k, BOUND);
#undef BOUND
    return settle(m);
}

/* Takes away variables that surely keep their label (13.4): first by the most that cliques with tables can take off, then,
 * as long as that takes away a good part, by what they do take off.  Where most stay, all do: cliques that some members have
 * left need tables of their own, which would cost more than it saves. */
static void reduce(mover *m)
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
    if (left <= all / 4 * 3) return;
    let_all(m);
    find_active(m);
}

/* ---------------------------------------------------------------- tables of a move */

/* What it costs, beyond taking none, that the set T of members that may move takes label a (13.2a). */
static void move_table(size_t k, const double g[], size_t a, const table_key *key, double f[])
{
    const size_t entries = (size_t)1 << k;
    size_t A = 0;
    for (size_t q = 0; q < k; q++) A |= (size_t)(key->y[q] == a) << q;
    const double *ga = g + (a << k);
    for (size_t T = 0; T < entries; T++) f[T] = ga[A | (T & key->free)] - ga[A];
    for (size_t left = key->free; left;) {
        const size_t l = key->y[__builtin_ctzll(left)];
        size_t C = 0;
        for (size_t q = 0; q < k; q++) C |= (size_t)(key->y[q] == l) << q;
        const double *gl = g + (l << k);
        for (size_t T = 0; T < entries; T++) f[T] += gl[C & ~(T & key->free)] - gl[C];
        left &= ~C;
    }
}

/* The same of one label alone, over the members that may move. */
static void part_table(size_t k, const double g[], size_t a, const table_key *key, double f[])
{
    const bool taken = key->part == PART_TAKEN;
    const size_t l = taken ? a : key->y[__builtin_ctz(key->free)];
    size_t C = 0, T = 0;
    for (size_t q = 0; q < k; q++) C |= (size_t)(key->y[q] == l) << q;
    const double *gl = g + (l << k);
    for (size_t i = 0; i < (size_t)1 << __builtin_popcount(key->free); i++) {
        f[i] = gl[taken ? C | T : C & ~T] - gl[C];
        T = (T - key->free) & key->free; /* the next set of these members */
    }
}

/* Where rounding of these sums broke submodularity, raises the table by c |T| (k - |T|), which gives every square 2 c
 * (math.md, 6.3); returns by how much any cost was raised. */
static double lift_table(size_t k, uint32_t members, double f[])
{
    const double c = sos_worst_violation(k, f).amount * (0.5 + 0x1p-50);
    const int most = __builtin_popcount(members);
    for (uint32_t T = 0; T < UINT32_C(1) << k; T++) {
        const int ones = __builtin_popcount(T & members);
        f[T] += c * (double)(ones * (most - ones));
    }
    return c * (double)(most * most) / 4;
}

static uint64_t key_hash(const table_key *key)
{
    uint64_t part[sizeof *key / 8], hash = UINT64_C(0x9e3779b97f4a7c15);
    memcpy(part, key, sizeof part);
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        hash = (hash ^ part[i]) * UINT64_C(0xff51afd7ed558ccd);
        hash ^= hash >> 32;
    }
    return hash;
}

/* Makes room for one more entry; half of the slots stay empty. */
static bool cache_grow(table_cache *cache)
{
    if (!sos_grow(&cache->entries, &cache->room, cache->count + 1)) return false;
    if (2 * (cache->count + 1) <= cache->slot_count) return true;
    const size_t count = cache->slot_count ? 2 * cache->slot_count : 1024;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    for (size_t i = 0; i < cache->count; i++) {
        size_t slot = key_hash(&cache->entries[i].key) & (count - 1);
        while (slots[slot]) slot = (slot + 1) & (count - 1);
        slots[slot] = (uint32_t)(i + 1);
    }
    free(cache->slots);
    cache->slots = slots;
    cache->slot_count = count;
    return true;
}

static void cache_clear(table_cache *cache)
{
    cache->count = 0;
    if (cache->slots) memset(cache->slots, 0, cache->slot_count * sizeof *cache->slots);
}

static sos_status new_table(mover *m, size_t k, const table_key *key, table_entry *entry, sos_error *error)
{
    double small[16], *f = k <= 4 ? small : malloc(sizeof *f << k);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a table of %zu members", k);
    const size_t own = key->part ? (size_t)__builtin_popcount(key->free) : k;
    const double *g = sos_multi_energy_costs(m->e, key->set);
    if (key->part)
        part_table(k, g, m->label, key, f);
    else
        move_table(k, g, m->label, key, f);
    *entry = (table_entry){ .key = *key };
    sos_status status = sos_energy_add_table(m->energy, own, f, &entry->table, error);
    if (status == SOS_ERR_NOT_SUBMODULAR) {
        entry->lift = lift_table(own, key->part ? (UINT32_C(1) << own) - 1 : key->free, f);
        status = sos_energy_add_table(m->energy, own, f, &entry->table, error);
    }
    if (f != small) free(f);
    return status;
}

static sos_status find_table(mover *m, size_t k, const table_key *key, const table_entry **found, sos_error *error)
{
    table_cache *cache = &m->cache;
    if (!cache_grow(cache)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the tables of a move");
    size_t slot = key_hash(key) & (cache->slot_count - 1);
    for (; cache->slots[slot]; slot = (slot + 1) & (cache->slot_count - 1)) {
        *found = &cache->entries[cache->slots[slot] - 1];
        if (!memcmp(&(*found)->key, key, sizeof *key)) return SOS_OK;
    }
    const sos_status status = new_table(m, k, key, &cache->entries[cache->count], error);
    if (status) return status;
    *found = &cache->entries[cache->count++];
    cache->slots[slot] = (uint32_t)cache->count;
    return SOS_OK;
}

/* ---------------------------------------------------------------- the energy of a move */

static inline __attribute__((always_inline)) bool make_key(const mover *m, size_t k, const uint32_t member[], table_key *key)
{
    uint32_t can = 0;
    for (size_t q = 0; q < k; q++) can |= (uint32_t)m->may[member[q]] << q;
    if (!can) return false;
    uint8_t y[SOS_TABLE_MEMBERS_MAX];
    for (size_t q = 0; q < k; q++) y[q] = m->y[member[q]];
    for (size_t q = 0; q < k; q++) {
        bool matters = (can >> q & 1) || y[q] == m->label;
        for (size_t p = 0; p < k && !matters; p++) matters = (can >> p & 1) && y[p] == y[q];
        key->y[q] = matters ? y[q] : OTHER;
    }
    key->free = (uint16_t)can;
    return true;
}

static bool list_reserve(clique_list *list, size_t k, size_t count)
{
    return sos_grow(&list->variables, &list->variables_room, k * count) && sos_grow(&list->tables, &list->tables_room, count) &&
           sos_grow(&list->weights, &list->weights_room, count);
}

/* Adds one clique to the list of its size, with the variables of the whole energy for now. */
static inline __attribute__((always_inline)) sos_status list_clique(mover *m, size_t k, const uint32_t member[],
                                                                    const table_entry *entry, double w, sos_error *error)
{
    clique_list *list = &m->lists[k];
    if (!list_reserve(list, k, list->count + 1)) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the cliques of a move");
    memcpy(list->variables + k * list->count, member, k * sizeof *member);
    list->tables[list->count] = entry->table;
    list->weights[list->count++] = w;
    list->weighted |= w != 1;
    m->lifted += w * entry->lift;
    for (size_t q = 0; q < k; q++) m->used[member[q]] = 1;
    return SOS_OK;
}

/* What the label of one part pays: that of the move, or the one that the members in free have. */
static sos_status list_part(mover *m, size_t k, const uint32_t member[], const table_key *whole, uint16_t part, size_t label,
                            size_t can, double w, sos_error *error)
{
    table_key key = { .set = whole->set, .free = (uint16_t)can, .part = part };
    uint32_t own[SOS_TABLE_MEMBERS_MAX];
    size_t count = 0;
    for (size_t q = 0; q < k; q++) {
        key.y[q] = whole->y[q] == label ? (uint8_t)label : OTHER;
        if (can >> q & 1) own[count++] = member[q];
    }
    const table_entry *entry;
    const sos_status status = find_table(m, k, &key, &entry, error);
    return status ? status : list_clique(m, count, own, entry, w, error);
}

static sos_status list_parts(mover *m, size_t k, const uint32_t member[], const table_key *key, double w, sos_error *error)
{
    sos_status status = list_part(m, k, member, key, PART_TAKEN, m->label, key->free, w, error);
    for (size_t left = key->free; !status && left;) {
        const size_t l = key->y[__builtin_ctzll(left)];
        size_t can = 0;
        for (size_t q = 0; q < k; q++) can |= (size_t)(key->y[q] == l) << q;
        can &= key->free;
        status = list_part(m, k, member, key, PART_KEPT, l, can, w, error);
        left &= ~can;
    }
    return status;
}

static bool has_several_labels(size_t k, const table_key *key)
{
    const uint8_t first = key->y[__builtin_ctz(key->free)];
    for (size_t q = 0; q < k; q++)
        if ((key->free >> q & 1) && key->y[q] != first) return true;
    return false;
}

/* Lists the cliques of a size that have a member that may move. */
static inline __attribute__((always_inline)) sos_status list_cliques(mover *m, size_t k, sos_error *error)
{
    const sos_pool *pool = &m->e->frame->pools[k];
    const table_entry *entry = NULL;
    table_key key = { .free = 0 };
    sos_status status = SOS_OK;
    for (size_t i = 0; !status && i < m->active_count[k]; i++) {
        const size_t c = m->active[m->active_first[k] + i];
        const uint32_t *member = pool->variables + c * k;
        const double w = pool->weights ? pool->weights[c] : 1;
        if (w == 0 || !make_key(m, k, member, &key)) continue;
        key.set = pool->tables[c];
        if (k > WHOLE_MEMBERS && has_several_labels(k, &key)) {
            status = list_parts(m, k, member, &key, w, error);
            entry = NULL; /* entries may have moved */
            continue;
        }
        if (!entry || memcmp(&entry->key, &key, sizeof key) != 0) status = find_table(m, k, &key, &entry, error);
        if (!status) status = list_clique(m, k, member, entry, w, error);
    }
    return status;
}

static sos_status add_list(mover *m, size_t k, sos_error *error)
{
    clique_list *list = &m->lists[k];
    for (size_t s = 0; s < k * list->count; s++) list->variables[s] = m->number[list->variables[s]];
    return sos_energy_add_listed(m->energy, list->count, list->tables, list->variables, list->weighted ? list->weights : NULL,
                                 error);
}

/* The part of a count clique that label l pays: g_a of all members that may move, rising from m, or g_l of those labelled l,
 * falling from m. */
static sos_status add_count_part(mover *m, const sos_count_clique *c, size_t l, size_t count, size_t members, sos_error *error)
{
    size_t k = 0;
    for (size_t q = 0; q < c->k; q++) {
        const uint32_t v = c->variables[q];
        if (m->may[v] && (l == m->label || m->y[v] == l)) m->members[k++] = m->number[v];
    }
    bool constant = true;
    for (size_t t = 0; t <= members; t++) {
        m->costs[t] = c->weight * sos_count_cost(c, l, l == m->label ? count + t : count - t);
        constant &= m->costs[t] == m->costs[0];
    }
    return constant ? SOS_OK : sos_energy_add_concave(m->energy, k, m->members, m->costs, 1, error);
}

static sos_status add_count_clique(mover *m, const sos_count_clique *c, sos_error *error)
{
    size_t count[SOS_LABELS_MAX] = { 0 }, moving[SOS_LABELS_MAX] = { 0 }, all = 0;
    for (size_t q = 0; q < c->k; q++) {
        const uint32_t v = c->variables[q];
        count[m->y[v]]++;
        moving[m->y[v]] += m->may[v];
        all += m->may[v];
    }
    if (!all || c->weight == 0) return SOS_OK;
    if (!sos_grow(&m->members, &m->members_room, c->k) || !sos_grow(&m->costs, &m->costs_room, c->k + 1))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a clique of %zu members", c->k);
    sos_status status = add_count_part(m, c, m->label, count[m->label], all, error);
    for (size_t l = 0; !status && l < m->e->labels; l++)
        if (moving[l]) status = add_count_part(m, c, l, count[l], moving[l], error);
    return status;
}

static void set_unaries(mover *m)
{
    const size_t n = m->n;
    const double *taken = m->e->unary + m->label * n;
    for (size_t v = 0; v < n; v++)
        if (m->may[v]) m->energy->unary[2 * m->number[v] + 1] = taken[v] - m->kept[v];
}

/* An energy for the tables first, as only the cliques tell how many variables there are. */
static sos_status build_energy(mover *m, sos_error *error)
{
    cache_clear(&m->cache);
    m->lifted = 0;
    memcpy(m->used, m->may, m->n);
    sos_energy_free(m->energy);
    m->energy = NULL;
    sos_status status = sos_energy_create(m->n, &m->energy, error);
    for (size_t k = 1; !status && k <= SOS_TABLE_MEMBERS_MAX; k++) {
        m->lists[k].count = 0;
        m->lists[k].weighted = false;
#define LIST(size) list_cliques(m, size, error)
        if (m->active_count[k]) status = FOR_SIZE(k, LIST);
#undef LIST
    }
    if (status) return status;
    uint32_t numbers = 0;
    for (size_t v = 0; v < m->n; v++)
        if (m->used[v]) m->number[v] = numbers++;
    m->energy->n = numbers; /* of room for n */
    for (size_t k = 1; !status && k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (m->lists[k].count) status = add_list(m, k, error);
    for (size_t c = 0; !status && c < m->e->count_count; c++) status = add_count_clique(m, &m->e->counts[c], error);
    if (!status) set_unaries(m);
    return status;
}

static size_t bytes_held(const mover *m)
{
    size_t bytes = m->block_bytes + sos_energy_bytes(m->energy) + m->cache.room * sizeof *m->cache.entries +
                   m->cache.slot_count * sizeof *m->cache.slots + m->answer_room + m->before_room +
                   m->members_room * sizeof *m->members + m->costs_room * sizeof *m->costs;
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const clique_list *list = &m->lists[k];
        bytes += (list->variables_room + list->tables_room) * sizeof(uint32_t) + list->weights_room * sizeof(double);
    }
    return bytes;
}

/* ---------------------------------------------------------------- moves */

static sos_status solve(mover *m, sos_error *error)
{
    const size_t n = m->energy->n, limit = m->settings->memory_limit;
    if (!sos_grow(&m->answer, &m->answer_room, n) || !sos_grow(&m->before, &m->before_room, n))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the labels of a move");
    const size_t held = bytes_held(m);
    if (limit && held >= limit) return sos_fail(error, SOS_ERR_MEMORY, "a move takes %zu bytes, the limit is %zu", held, limit);
    sos_minimize_settings s = sos_minimize_defaults();
    s.bits = m->settings->bits;
    s.memory_limit = limit ? limit - held : 0;
    s.progress = m->settings->progress;
    s.user = m->settings->user;
    sos_minimize_result r;
    const sos_status status = sos_minimizer_run(m->minimizer, m->energy, &s, m->answer, &r, error);
    if (status) return status;
    m->result.rounding = fmax(m->result.rounding, r.rounding + m->lifted);
    if (held + r.bytes > m->result.bytes) m->result.bytes = held + r.bytes;
    return SOS_OK;
}

/* Takes over the answer if it lowers the energy, which it does unless it is empty or rounding deceived. */
static void accept(mover *m)
{
    bool any = false;
    for (size_t v = 0; v < m->n; v++) {
        if (!m->may[v]) continue;
        const uint32_t i = m->number[v];
        m->before[i] = m->y[v];
        if (!m->answer[i]) continue;
        m->y[v] = m->label;
        any = true;
    }
    if (!any) return;
    const double energy = sos_multi_energy_value(m->e, m->y);
    const bool better = energy < m->energy_now;
    if (better) {
        m->energy_now = energy;
        m->clock++;
        m->result.successes++;
    }
    for (size_t v = 0; v < m->n; v++) {
        if (!m->may[v] || !m->answer[m->number[v]]) continue;
        if (better)
            m->kept[v] = m->e->unary[m->label * m->n + v];
        else
            m->y[v] = m->before[m->number[v]];
    }
}

static bool any_may(const mover *m)
{
    for (size_t v = 0; v < m->n; v++)
        if (m->may[v]) return true;
    return false;
}

/* The best expansion of a label. */
static sos_status move(mover *m, uint8_t label, sos_error *error)
{
    const sos_expand_settings *s = m->settings;
    if (s->progress && !s->progress(s->user, "expansion moves", -1))
        return sos_fail(error, SOS_CANCELLED, "expansion moves were cancelled");
    m->label = label;
    m->result.moves++;
    if (s->reduce) {
        reduce(m);
    } else {
        let_all(m);
        find_active(m);
    }
    if (any_may(m)) {
        sos_status status = build_energy(m, error);
        if (!status) status = solve(m, error);
        if (status) return status;
        m->result.variables += m->energy->n;
        accept(m);
    }
    m->tried[label] = m->clock;
    return SOS_OK;
}

static void find_kept(mover *m)
{
    for (size_t v = 0; v < m->n; v++) m->kept[v] = m->e->unary[m->y[v] * m->n + v];
}

static void shuffle(sos_random *r, size_t count, uint8_t order[])
{
    for (size_t i = count; i > 1; i--) {
        const size_t j = (size_t)sos_random_below(r, i);
        const uint8_t swap = order[i - 1];
        order[i - 1] = order[j];
        order[j] = swap;
    }
}

/* Sweeps over the labels until none has anything new to look at. */
static sos_status sweep(mover *m, uint8_t order[], sos_error *error)
{
    const size_t L = m->e->labels;
    find_kept(m);
    sos_random r = sos_random_seeded(m->settings->seed);
    for (bool done = false; !done;) {
        if (m->settings->sweeps && m->result.sweeps >= m->settings->sweeps) return SOS_OK;
        if (m->settings->shuffle) shuffle(&r, L, order);
        for (size_t i = 0; i < L; i++) {
            if (m->tried[order[i]] == m->clock) {
                m->result.skipped++;
                continue;
            }
            const sos_status status = move(m, order[i], error);
            if (status) return status;
        }
        m->result.sweeps++;
        done = true;
        for (size_t l = 0; l < L; l++) done &= m->tried[l] == m->clock;
    }
    m->result.converged = true;
    return SOS_OK;
}

/* With two labels the expansion of label 1 from nothing but label 0 is any labelling: one move, and the least of all. */
static sos_status minimize_two(mover *m, const uint8_t labels[], sos_error *error)
{
    const double given = m->energy_now;
    memset(m->y, 0, m->n);
    m->energy_now = sos_multi_energy_value(m->e, m->y);
    find_kept(m);
    const sos_status status = move(m, 1, error);
    m->result.sweeps = 1;
    if (m->energy_now > given) { /* cancelled, or rounding */
        memcpy(m->y, labels, m->n);
        m->energy_now = given;
    }
    m->result.converged = !status;
    return status;
}

/* ---------------------------------------------------------------- what is guaranteed */

/* min(k, L) (greatest - least) / (least of mixed - least) of a clique of k members (13.6). */
static double factor_of(const sos_multi_energy *e, size_t k, sos_extremes x)
{
    if (k < 2 || x.greatest <= x.least) return 1;
    const double most = (double)(k < e->labels ? k : e->labels);
    return x.least_mixed > x.least ? most * (x.greatest - x.least) / (x.least_mixed - x.least) : INFINITY;
}

static double guaranteed_factor(const sos_multi_energy *e)
{
    if (e->labels == 2) return 1;
    double factor = 1;
    for (uint32_t t = 0; t < e->frame->table_count; t++)
        if (e->frame->tables[t].uses) factor = fmax(factor, factor_of(e, e->frame->tables[t].k, sos_tables_extremes(e, t)));
    for (size_t c = 0; c < e->count_count; c++)
        if (e->counts[c].weight > 0) factor = fmax(factor, factor_of(e, e->counts[c].k, sos_count_extremes(e, &e->counts[c])));
    return factor;
}

/* ---------------------------------------------------------------- the call */

static void least_unaries(const sos_multi_energy *e, uint8_t labels[])
{
    const size_t n = e->frame->n;
    memset(labels, 0, n);
    for (size_t l = 1; l < e->labels; l++)
        for (size_t v = 0; v < n; v++)
            if (e->unary[l * n + v] < e->unary[labels[v] * n + v]) labels[v] = (uint8_t)l;
}

static sos_status order_check(const sos_multi_energy *e, const uint8_t order[], sos_error *error)
{
    bool seen[SOS_LABELS_MAX] = { false };
    for (size_t i = 0; order && i < e->labels; i++) {
        if (order[i] >= e->labels || seen[order[i]])
            return sos_fail(error, SOS_ERR_ARGUMENT, "the order of the labels has %u, which is no label or there already",
                            (unsigned)order[i]);
        seen[order[i]] = true;
    }
    return SOS_OK;
}

static sos_status labels_check(const sos_multi_energy *e, const uint8_t labels[], sos_error *error)
{
    for (size_t i = 0; i < e->frame->n; i++)
        if (labels[i] >= e->labels)
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has label %u, but there are %zu", i, (unsigned)labels[i],
                            e->labels);
    return SOS_OK;
}

static sos_status expand(mover *m, uint8_t labels[], sos_error *error)
{
    const sos_multi_energy *e = m->e;
    uint8_t order[SOS_LABELS_MAX];
    for (size_t l = 0; l < e->labels; l++) order[l] = m->settings->order ? m->settings->order[l] : (uint8_t)l;
    if (m->settings->start == SOS_EXPAND_LABELS && m->n)
        memcpy(m->y, labels, m->n);
    else
        least_unaries(e, m->y);
    m->energy_now = m->result.start_energy = sos_multi_energy_value(e, m->y);
    sos_status status = SOS_OK;
    if (e->labels == 2 && m->n) {
        uint8_t *start = malloc(m->n);
        if (!start) return sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
        memcpy(start, m->y, m->n);
        status = minimize_two(m, start, error);
        free(start);
    } else {
        status = sweep(m, order, error);
    }
    if (status && status != SOS_CANCELLED) return status;
    if (m->n) memcpy(labels, m->y, m->n);
    m->result.energy = m->energy_now;
    m->result.lower_bound = fmin(m->energy_now, sos_multi_energy_lower_bound(e));
    m->result.factor = guaranteed_factor(e);
    m->result.exact = m->result.converged && (e->labels == 2 || m->result.energy == m->result.lower_bound);
    return status;
}

sos_status sos_expand(const sos_multi_energy *e, const sos_expand_settings *settings, uint8_t labels[],
                      sos_expand_result *result, sos_error *error)
{
    const double began = sos_seconds();
    const sos_expand_settings s = settings ? *settings : sos_expand_defaults();
    if (!e || (!labels && e->frame->n)) return sos_fail(error, SOS_ERR_ARGUMENT, "no energy or no labels were given");
    sos_status status = sos_reserved_check("sos_expand_settings", &s, error);
    if (!status) status = order_check(e, s.order, error);
    if (!status && s.start == SOS_EXPAND_LABELS) status = labels_check(e, labels, error);
    if (status) return status;
    mover m = { .e = e, .settings = &s, .n = e->frame->n };
    status = mover_create(&m, error);
    if (!status) status = expand(&m, labels, error);
    m.result.seconds = sos_seconds() - began;
    if (result && (!status || status == SOS_CANCELLED)) *result = m.result;
    mover_free(&m);
    return status;
}

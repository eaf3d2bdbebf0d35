/* mover.c - the memory of expansion moves. */
#include "minimize/mover.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static double largest_count_cost(const sos_multi_energy *e, const sos_count_clique *c)
{
    double largest = 0;
    for (size_t l = 0; l < e->labels; l++) {
        for (size_t m = 0; !c->value && m <= c->k; m += c->g ? 1 : c->k)
            largest = fmax(largest, fabs(sos_count_cost(c, l, (double)m)));
        for (size_t j = 0; j < c->knots; j++) largest = fmax(largest, fabs(c->value[l * c->knots + j]));
    }
    return largest;
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
        if (!isfinite(1024 * e->counts[c].weight * largest_count_cost(e, &e->counts[c])))
            return sos_fail(error, SOS_ERR_RANGE, "clique %zu that counts has weight %g, too large for its costs", c,
                            e->counts[c].weight);
    return SOS_OK;
}

static void lay_out(sos_mover *m, sos_arena *arena)
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
    m->share = sos_arena_take(arena, frame->table_count, sizeof *m->share);
    m->low = sos_arena_take(arena, look ? frame->table_count * SOS_TABLE_MEMBERS_MAX : 0, sizeof *m->low);
    m->uniform = sos_arena_take(arena, look ? frame->table_count * m->e->labels * SOS_TABLE_MEMBERS_MAX : 0,
                                sizeof *m->uniform);
}

/* Room for the arrays, in the block that is there if it is large enough. */
static sos_status block_reserve(sos_mover *m, sos_error *error)
{
    sos_arena arena = { 0 };
    lay_out(m, &arena);
    const size_t limit = m->settings->memory_limit;
    if (arena.overflowed || m->e->frame->clique_count >= UINT32_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "moves of %zu variables do not fit the address space", m->n);
    if (limit && arena.used > limit)
        return sos_fail(error, SOS_ERR_MEMORY, "the moves take %zu bytes, more than the limit of %zu", arena.used, limit);
    if (!m->block || m->block_bytes < arena.used) { /* arrays of no elements have a place too */
        sos_block_free(m->block);
        m->block_bytes = 0;
        m->block = sos_block_alloc(arena.used);
        if (!m->block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for moves of %zu variables", m->n);
        m->block_bytes = arena.used;
    }
    arena = (sos_arena){ .base = m->block };
    lay_out(m, &arena);
    return SOS_OK;
}

sos_status sos_mover_begin(sos_mover *m, const sos_multi_energy *e, const sos_expand_settings *settings, sos_error *error)
{
    if (settings->memory_limit) sos_mover_free(m); /* what earlier runs left would count */
    sos_status status = range_check(e, error);
    if (status) return status;
    m->e = e;
    m->settings = settings;
    m->n = e->frame->n;
    status = block_reserve(m, error);
    if (!status && !m->minimizer) status = sos_minimizer_create(&m->minimizer, error);
    if (status) return status;
    memset(m->active_count, 0, sizeof m->active_count);
    for (size_t k = 1; k < SOS_TABLE_MEMBERS_MAX; k++) m->active_first[k + 1] = m->active_first[k] + e->frame->pools[k].count;
    return sos_mover_survey(m, error);
}

void sos_mover_free(sos_mover *m)
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
    free(m->amounts);
    free(m->places);
    sos_minimizer_free(m->minimizer);
    sos_energy_free(m->energy);
    sos_block_free(m->block);
    *m = (sos_mover){ 0 };
}

size_t sos_mover_bytes(const sos_mover *m)
{
    size_t bytes = m->block_bytes + (m->energy ? sos_energy_bytes(m->energy) : 0) + m->cache.room * sizeof *m->cache.entries +
                   m->cache.slot_count * sizeof *m->cache.slots + m->answer_room + m->before_room +
                   m->members_room * sizeof *m->members + (m->costs_room + m->amounts_room + m->places_room) * sizeof(double);
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_move_list *list = &m->lists[k];
        bytes += (list->variables_room + list->tables_room) * sizeof(uint32_t) + list->weights_room * sizeof(double);
    }
    return bytes;
}

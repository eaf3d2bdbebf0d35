/* network.c - the layout of the network: nodes, cliques, places. */
#include "minimize/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "minimize/knots.h"

/* Cliques of one member are unaries and take no part in the network. */
static uint32_t counted_cliques(const sos_energy *e) { return (uint32_t)(e->clique_count - e->pools[1].count); }

/* The only size of all cliques, or 0: none or several.  Concave cliques bring pairs. */
static unsigned only_size(const sos_energy *e)
{
    unsigned only = 0, sizes = 0;
    for (unsigned k = 2; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].count) {
            only = k;
            sizes++;
        }
    return sizes == 1 && !e->concave_count ? only : 0;
}

typedef struct sizes {
    size_t nodes, cliques, slots;
    bool too_many;
} sizes;

static sizes network_sizes(const sos_network *net, const sos_energy *e)
{
    sizes s = { .nodes = e->n, .cliques = e->clique_count - e->pools[1].count };
    for (size_t k = 2; k <= SOS_TABLE_MEMBERS_MAX; k++) s.slots += e->pools[k].count * k;
    const sos_knots *chosen = net->knots, *end = chosen + net->knots_count;
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        const size_t nodes = chosen < end && chosen->clique == i ? sos_knots_nodes(chosen++) : c->kinks;
        s.nodes += nodes;
        s.cliques += nodes * c->k;
        s.slots += 2 * nodes * c->k;
    }
    s.too_many = s.nodes >= (size_t)1 << 31 || s.slots >= UINT32_MAX - 64 || s.cliques >= (UINT32_MAX >> SOS_POSITION_BITS) - 1;
    return s;
}

typedef struct layout {
    uint32_t *member, *start, *table_of, *first, *places;
    sos_piece *pieces;
    int32_t *weight;
} layout;

static bool has_weights(const sos_energy *e)
{
    for (size_t k = 3; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].weights) return true;
    return false;
}

static layout lay_out(sos_arena *arena, const sos_energy *e, sizes s)
{
    const bool mixed = !only_size(e);
    return (layout){
        .member = sos_arena_take(arena, mixed ? s.slots : 0, sizeof(uint32_t)),
        .start = sos_arena_take(arena, mixed ? s.cliques + 1 : 0, sizeof(uint32_t)),
        .table_of = sos_arena_take(arena, mixed ? counted_cliques(e) : 0, sizeof(uint32_t)),
        .first = sos_arena_take(arena, s.nodes + 2, sizeof(uint32_t)),
        .places = sos_arena_take(arena, s.slots, sizeof(uint32_t)),
        .pieces = sos_arena_take(arena, s.nodes - e->n, sizeof(sos_piece)),
        .weight = sos_arena_take(arena, has_weights(e) ? counted_cliques(e) : 0, sizeof(int32_t)),
    };
}

/* The pieces of all concave cliques, the first of whose pairs is that clique.  Where knots are chosen, their integers say where
 * the pieces are. */
static void number_pieces(sos_network *net, const sos_energy *e, sos_piece pieces[], uint32_t first)
{
    sos_piece *p = pieces;
    sos_knots *chosen = net->knots, *end = chosen + net->knots_count;
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        const bool choose = chosen < end && chosen->clique == i;
        const size_t nodes = choose ? sos_knots_nodes(chosen) : c->kinks;
        if (choose) (chosen++)->node = net->variables + (uint32_t)(p - pieces);
        for (size_t n = 0, j = 0; n < nodes; n++, p++, first += (uint32_t)c->k) {
            *p = (sos_piece){ .integer = choose ? 0 : SOS_BY_BETA, .clique = (uint32_t)i, .first = first };
            if (choose) continue;
            do p->beta = sos_slope_change(c, ++j);
            while (!(p->beta > 0));
            p->place = sos_count_place(&c->hull, j);
        }
    }
}

/* Copies the pools one after the other, then adds the pairs (member, auxiliary node) of every linear piece. */
static void copy_mixed(sos_network *net, const sos_energy *e, layout *l)
{
    uint32_t slot = 0, c = 0;
    for (uint32_t k = 2; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->pools[k];
        if (!pool->count) continue;
        memcpy(l->member + slot, pool->variables, pool->count * k * sizeof *l->member);
        memcpy(l->table_of + c, pool->tables, pool->count * sizeof *l->table_of);
        for (size_t i = 0; i < pool->count; i++, slot += k) l->start[c++] = slot;
    }
    number_pieces(net, e, l->pieces, c);
    for (uint32_t node = net->variables; node < net->nodes; node++) {
        const sos_concave_clique *g = &e->concaves[l->pieces[node - net->variables].clique];
        for (size_t q = 0; q < g->k; q++, slot += 2) {
            l->start[c++] = slot;
            l->member[slot] = g->variables[q];
            l->member[slot + 1] = node;
        }
    }
    l->start[c] = slot;
}

static inline __attribute__((always_inline)) void fill_places(sos_network *net, uint32_t k, uint32_t end[])
{
    for (uint32_t c = 0; c < net->cliques; c++) {
        const uint32_t slot = k ? c * k : sos_network_start(net, c), size = k ? k : sos_network_size(net, c);
        for (uint32_t q = 0; q < size; q++) net->places[end[net->member[slot + q]]++] = c << SOS_POSITION_BITS | q;
    }
}

/* Counting sort of the slots by node. */
static void find_places(sos_network *net)
{
    uint32_t *end = net->first + 1; /* end[v + 1] counts, then is where node v's next place goes, then where they end */
    memset(net->first, 0, ((size_t)net->nodes + 2) * sizeof *net->first);
    for (uint32_t s = 0; s < net->slots; s++) end[net->member[s] + 1]++;
    for (uint32_t v = 0; v < net->nodes; v++) end[v + 1] += end[v];
    switch (net->k) { /* a constant size makes the loop much faster */
    case 2: fill_places(net, 2, end); break;
    case 4: fill_places(net, 4, end); break;
    case 9: fill_places(net, 9, end); break;
    default: fill_places(net, 0, end);
    }
}

static void borrow(sos_network *net, const sos_energy *e)
{
    if (!net->k) return;
    net->member = e->pools[net->k].variables;
    net->table_of = e->pools[net->k].tables;
}

sos_status sos_network_build(sos_network *net, const sos_energy *e, size_t limit, sos_error *error)
{
    if (net->block && net->identity == e->identity) {
        borrow(net, e);
        number_pieces(net, e, net->pieces, net->table_cliques); /* costs may have changed, though no node has */
        return SOS_OK;
    }
    net->identity = 0;
    if (net->knots_of != e->identity) {
        net->knots_of = 0;
        const sos_status status = sos_knots_begin(net, e, error);
        if (status) return status;
        net->knots_of = e->identity;
    }
    const sizes s = network_sizes(net, e);
    if (s.too_many)
        return sos_fail(error, SOS_ERR_RANGE, "a network of %zu nodes and %zu cliques is too large", s.nodes, s.cliques);
    sos_arena arena = { 0 };
    lay_out(&arena, e, s);
    if (arena.overflowed)
        return sos_fail(error, SOS_ERR_RANGE, "a network of %zu nodes does not fit the address space", s.nodes);
    if (limit && arena.used > limit)
        return sos_fail(error, SOS_ERR_MEMORY, "the network takes %zu bytes, more than the limit of %zu", arena.used, limit);
    /* A block that is too large may serve again, unless a limit counts. */
    const bool wasteful = limit ? net->bytes > arena.used : net->bytes / 2 > arena.used;
    if (!net->block || net->bytes < arena.used || wasteful) {
        sos_block_free(net->block);
        net->bytes = 0;
        net->block = sos_block_alloc(arena.used);
        if (!net->block) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a network of %zu bytes", arena.used);
        net->bytes = arena.used;
    }
    net->used = arena.used;
    arena = (sos_arena){ .base = net->block };
    layout l = lay_out(&arena, e, s);

    net->variables = (uint32_t)e->n;
    net->nodes = (uint32_t)s.nodes;
    net->cliques = (uint32_t)s.cliques;
    net->slots = (uint32_t)s.slots;
    net->table_cliques = counted_cliques(e);
    net->k = only_size(e);
    net->first = l.first;
    net->places = l.places;
    net->pieces = l.pieces;
    net->weight = has_weights(e) ? l.weight : NULL;
    if (net->k) {
        net->start = NULL;
        borrow(net, e);
    } else {
        copy_mixed(net, e, &l);
        net->member = l.member;
        net->start = l.start;
        net->table_of = l.table_of;
    }
    find_places(net);
    net->identity = e->identity;
    return SOS_OK;
}

void sos_network_free(sos_network *net)
{
    sos_block_free(net->block);
    free(net->table);
    sos_knots_free(net);
    *net = (sos_network){ 0 };
}

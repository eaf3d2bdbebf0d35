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
    size_t members; /* of lists, if there are */
    bool lists, too_many;
} sizes;

/* The nodes of concave clique i; *chosen counts those whose knots are chosen. */
static size_t nodes_of(const sos_network *net, const sos_energy *e, size_t i, size_t *chosen)
{
    return sos_knots_are_of(net, *chosen, i) ? sos_knots_nodes(&net->knots[(*chosen)++]) : e->concaves[i].kinks;
}

/* From so many members of a concave clique on, on average, lists serve better than pairs. */
enum { LIST_MEMBERS = 8 };

/* May concave cliques be lists, and does that pay? */
static bool serves_lists(const sos_network *net, const sos_energy *e)
{
    size_t chosen = 0, members = 0, pieces = 0;
    if (net->pairs) return false;
    for (size_t k = 3; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].count) return false;
    for (size_t i = 0; i < e->concave_count; i++) {
        const size_t nodes = nodes_of(net, e, i, &chosen);
        if (nodes && (!e->concaves[i].whole || nodes > SOS_LIST_PIECES_MAX)) return false;
        members += nodes * e->concaves[i].k;
        pieces += nodes;
    }
    return members >= LIST_MEMBERS * pieces && pieces;
}

static sizes network_sizes(const sos_network *net, const sos_energy *e)
{
    sizes s = { .nodes = e->n, .cliques = e->clique_count - e->pools[1].count };
    for (size_t k = 2; k <= SOS_TABLE_MEMBERS_MAX; k++) s.slots += e->pools[k].count * k;
    s.lists = serves_lists(net, e);
    for (size_t i = 0, n = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        const size_t nodes = nodes_of(net, e, i, &n);
        s.nodes += nodes;
        s.members += s.lists ? c->k : 0;
        s.cliques += s.lists ? 0 : nodes * c->k;
        s.slots += s.lists ? 0 : 2 * nodes * c->k;
    }
    s.too_many = s.nodes >= (size_t)1 << 31 || s.members >= UINT32_MAX || s.slots >= UINT32_MAX - 64 ||
                 s.cliques >= (UINT32_MAX >> SOS_POSITION_BITS) - 1;
    return s;
}

typedef struct layout {
    uint32_t *member, *start, *table_of, *first, *places, *list_first;
    sos_list_place *list_places;
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
    const bool mixed = !s.lists && !only_size(e);
    return (layout){
        .member = sos_arena_take(arena, mixed ? s.slots : 0, sizeof(uint32_t)),
        .start = sos_arena_take(arena, mixed ? s.cliques + 1 : 0, sizeof(uint32_t)),
        .table_of = sos_arena_take(arena, mixed ? counted_cliques(e) : 0, sizeof(uint32_t)),
        .first = sos_arena_take(arena, s.nodes + 2, sizeof(uint32_t)),
        .places = sos_arena_take(arena, s.slots, sizeof(uint32_t)),
        .list_first = sos_arena_take(arena, s.lists ? e->n + 2 : 0, sizeof(uint32_t)),
        .list_places = sos_arena_take(arena, s.members, sizeof(sos_list_place)),
        .pieces = sos_arena_take(arena, s.nodes - e->n, sizeof(sos_piece)),
        .weight = sos_arena_take(arena, has_weights(e) ? counted_cliques(e) : 0, sizeof(int32_t)),
    };
}

/* The pieces of all concave cliques, the first of whose pairs is that clique.  Where knots are chosen, their integers say where
 * the pieces are. */
static void number_pieces(sos_network *net, const sos_energy *e, sos_piece pieces[], uint32_t first)
{
    sos_piece *p = pieces;
    size_t chosen = 0;
    for (size_t i = 0; i < e->concave_count; i++) {
        const sos_concave_clique *c = &e->concaves[i];
        const bool choose = sos_knots_are_of(net, chosen, i);
        if (choose) net->knots[chosen].node = net->variables + (uint32_t)(p - pieces);
        const size_t nodes = nodes_of(net, e, i, &chosen);
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

/* Nodes from begin on, and cliques likewise, that one thread works on. */
typedef struct part {
    uint32_t begin, nodes, first, end;
} part;

static inline __attribute__((always_inline)) void fill_places(sos_network *net, uint32_t k, uint32_t end[], part p, bool all)
{
    for (uint32_t c = p.first; c < p.end; c++) {
        const uint32_t slot = k ? c * k : sos_network_start(net, c), size = k ? k : sos_network_size(net, c);
        for (uint32_t q = 0; q < size; q++) {
            const uint32_t v = net->member[slot + q];
            if (all || v - p.begin < p.nodes) net->places[end[v]++] = c << SOS_POSITION_BITS | q;
        }
    }
}

/* Where the nodes' places go next, from offset on; then the places.  A constant size makes the loop much faster.  Returns the
 * most places of a variable. */
static uint32_t place_part(sos_network *net, uint32_t end[], part p, uint32_t offset)
{
    const bool all = p.nodes == net->nodes;
    uint32_t most = 0;
    for (uint32_t v = p.begin; v < p.begin + p.nodes; v++) {
        const uint32_t count = end[v];
        end[v] = offset;
        offset += count;
        most = count > most && v < net->variables ? count : most;
    }
    if (all && net->k == 2)
        fill_places(net, 2, end, p, true);
    else if (all && net->k == 4)
        fill_places(net, 4, end, p, true);
    else if (all && net->k == 9)
        fill_places(net, 9, end, p, true);
    else if (net->k == 2)
        fill_places(net, 2, end, p, false);
    else if (net->k == 4)
        fill_places(net, 4, end, p, false);
    else
        fill_places(net, 0, end, p, false);
    return most;
}

/* How many places the nodes have; returns the sum. */
static uint32_t count_part(const sos_network *net, uint32_t end[], part p)
{
    const uint32_t last = sos_network_start(net, p.end);
    uint32_t sum = 0;
    if (p.nodes) memset(end + p.begin, 0, (size_t)p.nodes * sizeof *end);
    if (p.nodes == net->nodes) {
        for (uint32_t s = 0; s < last; s++) end[net->member[s]]++;
        return last;
    }
    for (uint32_t s = sos_network_start(net, p.first); s < last; s++)
        if (net->member[s] - p.begin < p.nodes) {
            end[net->member[s]]++;
            sum++;
        }
    return sum;
}

/* The least and the largest node of some cliques. */
typedef struct extremes {
    uint32_t low, high;
} extremes;

static extremes extremes_of(const sos_network *net, uint32_t first, uint32_t end)
{
    extremes x = { UINT32_MAX, 0 };
    for (uint32_t s = sos_network_start(net, first); s < sos_network_start(net, end); s++) {
        const uint32_t v = net->member[s];
        x.low = v < x.low ? v : x.low;
        x.high = v > x.high ? v : x.high;
    }
    return x;
}

enum { PARTS = 64, PIECES = 1024 };

/* The pieces of all cliques, of equal size, that have nodes of the part: from the first to the last of these. */
static part part_of(const sos_network *net, uint32_t number, uint32_t parts, const extremes x[])
{
    const uint32_t begin = (uint32_t)((uint64_t)net->nodes * number / parts);
    const uint32_t end = (uint32_t)((uint64_t)net->nodes * (number + 1) / parts);
    part p = { begin, end - begin, 0, 0 };
    uint32_t first = PIECES, last = 0;
    for (uint32_t i = 0; i < PIECES; i++)
        if (x[i].low < end && x[i].high >= begin && x[i].low <= x[i].high) {
            first = i < first ? i : first;
            last = i + 1;
        }
    if (first < last) {
        p.first = (uint32_t)((uint64_t)net->cliques * first / PIECES);
        p.end = (uint32_t)((uint64_t)net->cliques * last / PIECES);
    }
    return p;
}

/* Counting sort of the slots by node.  Each thread has nodes of its own, and looks at the cliques that may hold these: where
 * numbers are near in space all together look at each clique about once, else each at all of them. */
static void find_places(sos_network *net)
{
    uint32_t *end = net->first + 1; /* counts, then is where node v's next place goes, then where they end */
    const int threads = net->threads < 2 ? 1 : net->threads < PARTS ? net->threads : PARTS;
    net->first[0] = 0;
    if (threads == 1) {
        const part all = { 0, net->nodes, 0, net->cliques };
        count_part(net, end, all);
        net->most_places = place_part(net, end, all, 0);
        return;
    }
    extremes x[PIECES];
    part parts[PARTS];
    uint32_t sums[PARTS + 1] = { 0 }, most = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for schedule(static)
        for (uint32_t i = 0; i < PIECES; i++)
            x[i] = extremes_of(net, (uint32_t)((uint64_t)net->cliques * i / PIECES),
                               (uint32_t)((uint64_t)net->cliques * (i + 1) / PIECES));
#pragma omp for schedule(static)
        for (int i = 0; i < threads; i++) {
            parts[i] = part_of(net, (uint32_t)i, (uint32_t)threads, x);
            sums[i + 1] = count_part(net, end, parts[i]);
        }
#pragma omp single
        for (int i = 0; i < threads; i++) sums[i + 1] += sums[i];
#pragma omp for schedule(static) reduction(max : most)
        for (int i = 0; i < threads; i++) {
            const uint32_t own = place_part(net, end, parts[i], sums[i]);
            most = own > most ? own : most;
        }
    }
    net->most_places = most;
}

/* Counting sort of the members of concave cliques by variable.  Counts as a variable's places what pairs would, but those of a
 * clique with chosen knots once (network_scale.c). */
static void find_lists(sos_network *net, const sos_energy *e)
{
    uint32_t *end = net->list_first + 1;
    memset(net->list_first, 0, ((size_t)net->variables + 1) * sizeof *net->list_first);
    for (size_t i = 0; i < e->concave_count; i++)
        for (size_t q = 0; q < e->concaves[i].k; q++) end[e->concaves[i].variables[q]]++;
    for (uint32_t v = 0, sum = 0; v < net->variables; v++) {
        const uint32_t count = end[v];
        end[v] = sum;
        sum += count;
    }
    for (size_t i = 0; i < e->concave_count; i++)
        for (size_t q = 0; q < e->concaves[i].k; q++)
            net->list_places[end[e->concaves[i].variables[q]]++] = (sos_list_place){ (uint32_t)i, (uint32_t)q };
}

static uint32_t most_places(const sos_network *net, const sos_energy *e, uint32_t degree[])
{
    uint32_t most = 0;
    for (uint32_t v = 0; v < net->variables; v++) degree[v] = net->first[v + 1] - net->first[v];
    for (size_t i = 0, chosen = 0; i < e->concave_count; i++) {
        const bool choose = sos_knots_are_of(net, chosen, i);
        const size_t nodes = nodes_of(net, e, i, &chosen);
        const uint32_t places = (uint32_t)(choose ? nodes > 0 : nodes);
        for (size_t q = 0; q < e->concaves[i].k; q++) degree[e->concaves[i].variables[q]] += places;
    }
    for (uint32_t v = 0; v < net->variables; v++) most = degree[v] > most ? degree[v] : most;
    return most;
}

static void borrow(sos_network *net, const sos_energy *e)
{
    if (!net->k) return;
    net->member = e->pools[net->k].variables;
    net->table_of = e->pools[net->k].tables;
}

/* Everything but the block. */
static void fill(sos_network *net, const sos_energy *e, sizes s, layout *l)
{
    net->variables = (uint32_t)e->n;
    net->nodes = (uint32_t)s.nodes;
    net->cliques = (uint32_t)s.cliques;
    net->slots = (uint32_t)s.slots;
    net->table_cliques = counted_cliques(e);
    net->lists = s.lists;
    net->members = (uint32_t)s.members;
    net->k = s.lists ? 2 : only_size(e);
    net->first = l->first;
    net->places = l->places;
    net->list_first = l->list_first;
    net->list_places = l->list_places;
    net->pieces = l->pieces;
    net->weight = has_weights(e) ? l->weight : NULL;
    if (net->k) {
        net->start = NULL;
        borrow(net, e);
        if (net->lists) number_pieces(net, e, net->pieces, net->cliques);
    } else {
        copy_mixed(net, e, l);
        net->member = l->member;
        net->start = l->start;
        net->table_of = l->table_of;
    }
    find_places(net);
    if (net->lists) {
        net->most_places = most_places(net, e, net->list_first); /* not in use yet */
        find_lists(net, e);
    }
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
    fill(net, e, s, &l);
    net->identity = e->identity;
    return SOS_OK;
}

void sos_network_sketch(sos_network *net, const sos_energy *e, uint32_t most_places)
{
    const sizes s = network_sizes(net, e);
    net->variables = net->nodes = (uint32_t)e->n;
    net->cliques = net->table_cliques = (uint32_t)s.cliques;
    net->slots = (uint32_t)s.slots;
    net->most_places = most_places;
    net->k = only_size(e);
    borrow(net, e);
}

void sos_network_free(sos_network *net)
{
    sos_block_free(net->block);
    free(net->table);
    sos_knots_free(net);
    *net = (sos_network){ 0 };
}

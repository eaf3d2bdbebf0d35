/* augment.c - maximum submodular flow by shortest augmenting paths, in the manner of Generic Cuts (Arora and others, ECCV
 * 2012): breadth-first search from the source labels every node with its distance; a depth-first search then pushes along
 * shortest paths until none of that length is left; repeat.
 *
 * As plainly as possible: every clique has its own residual table (math.md, 3.2), a capacity is a minimum over it, and there is
 * no reduction, no tree and no warm start.  Memory 8 * 2^k bytes a clique; time O(n m 2^k) a phase, at most n phases. */
#include "augment.h"

#include <stdlib.h>

#include "base/wide.h"
#include "minimize/certificate.h"
#include "minimize/knots.h"
#include "support.h"

static const uint32_t UNREACHED = UINT32_MAX;

typedef struct search {
    const sos_network *net;
    int64_t *residual;  /* the tables of all cliques */
    size_t *table_at;   /* [cliques] where a clique's begins */
    int64_t *excess;    /* [nodes] > 0: capacity left from the source, < 0: to the sink */
    uint32_t *distance; /* [nodes] from the source */
    uint32_t *queue;    /* [nodes] */
    uint64_t *arc;      /* [nodes] the next arc to try: place number * 16 + position in the clique */
    uint32_t *path;     /* [nodes] nodes of the current path */
    uint64_t augmentations, pushes;
} search;

static int64_t capacity(const search *s, uint32_t c, unsigned i, unsigned j)
{
    const unsigned k = sos_network_size(s->net, c);
    const int64_t *f = s->residual + s->table_at[c];
    int64_t least = INT64_MAX;
    for (uint32_t S = 0; S < UINT32_C(1) << k; S++)
        if ((S >> i & 1) && !(S >> j & 1) && f[S] < least) least = f[S];
    return least;
}

static void push(search *s, uint32_t c, unsigned i, unsigned j, int64_t d)
{
    const unsigned k = sos_network_size(s->net, c);
    int64_t *f = s->residual + s->table_at[c];
    for (uint32_t S = 0; S < UINT32_C(1) << k; S++) f[S] += ((int64_t)(S >> j & 1) - (int64_t)(S >> i & 1)) * d;
    s->pushes++;
}

/* Distances from all nodes with excess; true if a node that can drain is among them. */
static bool find_distances(search *s, uint32_t limit)
{
    const sos_network *net = s->net;
    uint32_t head = 0, tail = 0;
    bool reached = false;
    for (uint32_t v = 0; v < net->nodes; v++) {
        s->distance[v] = s->excess[v] > 0 ? 0 : UNREACHED;
        if (s->excess[v] > 0) s->queue[tail++] = v;
    }
    while (head < tail) {
        const uint32_t v = s->queue[head++];
        if (reached && s->distance[v] >= limit) break;
        if (s->excess[v] < 0) {
            if (!reached) limit = s->distance[v];
            reached = true;
        }
        for (uint32_t a = net->first[v]; a < net->first[v + 1]; a++) {
            const uint32_t c = net->places[a] >> SOS_POSITION_BITS, start = sos_network_start(net, c);
            const unsigned i = net->places[a] & SOS_POSITION_MASK, k = sos_network_size(net, c);
            for (unsigned j = 0; j < k; j++) {
                const uint32_t u = net->member[start + j];
                if (j == i || s->distance[u] != UNREACHED || capacity(s, c, i, j) <= 0) continue;
                s->distance[u] = s->distance[v] + 1;
                s->queue[tail++] = u;
            }
        }
    }
    for (uint32_t v = 0; v < net->nodes; v++) s->arc[v] = (uint64_t)net->first[v] << SOS_POSITION_BITS;
    return reached;
}

/* The next residual arc from v to a node one farther from the source, or false. */
static bool next_arc(search *s, uint32_t v, uint32_t *u)
{
    const sos_network *net = s->net;
    for (; s->arc[v] >> SOS_POSITION_BITS < net->first[v + 1]; s->arc[v]++) {
        const uint32_t place = net->places[s->arc[v] >> SOS_POSITION_BITS], c = place >> SOS_POSITION_BITS;
        const unsigned i = place & SOS_POSITION_MASK, j = s->arc[v] & SOS_POSITION_MASK;
        if (j >= sos_network_size(net, c)) {
            s->arc[v] |= SOS_POSITION_MASK;
            continue;
        }
        *u = net->member[sos_network_start(net, c) + j];
        if (j != i && s->distance[*u] == s->distance[v] + 1 && capacity(s, c, i, j) > 0) return true;
    }
    return false;
}

typedef struct hop {
    uint32_t c;
    unsigned i, j;
} hop;

static hop hop_from(const search *s, uint32_t v)
{
    const uint32_t place = s->net->places[s->arc[v] >> SOS_POSITION_BITS];
    return (hop){ place >> SOS_POSITION_BITS, place & SOS_POSITION_MASK, s->arc[v] & SOS_POSITION_MASK };
}

static void augment(search *s, uint32_t length)
{
    int64_t d = s->excess[s->path[0]], need = -s->excess[s->path[length]];
    if (need < d) d = need;
    for (uint32_t n = 0; n < length; n++) {
        const hop h = hop_from(s, s->path[n]);
        const int64_t r = capacity(s, h.c, h.i, h.j);
        if (r < d) d = r;
    }
    for (uint32_t n = 0; n < length; n++) {
        const hop h = hop_from(s, s->path[n]);
        push(s, h.c, h.i, h.j, d);
    }
    s->excess[s->path[0]] -= d;
    s->excess[s->path[length]] += d;
    s->augmentations++;
}

/* All shortest paths that start at one node.  After a push the path is walked again from its start, since any of its arcs may
 * be closed. */
static void exhaust(search *s, uint32_t root)
{
    uint32_t length = 0;
    s->path[0] = root;
    while (s->excess[root] > 0) {
        const uint32_t v = s->path[length];
        uint32_t u;
        if (s->excess[v] < 0) {
            augment(s, length);
            length = 0;
        } else if (next_arc(s, v, &u)) {
            s->path[++length] = u;
        } else if (length) {
            s->distance[v] = UNREACHED;
            length--;
        } else {
            return;
        }
    }
}

static search search_begin(const sos_network *net)
{
    search s = { .net = net, .table_at = test_room(NULL, net->cliques, sizeof *s.table_at) };
    size_t entries = 0;
    for (uint32_t c = 0; c < net->cliques; c++) {
        s.table_at[c] = entries;
        entries += (size_t)1 << sos_network_size(net, c);
    }
    s.residual = test_room(NULL, entries, sizeof *s.residual);
    s.excess = test_room(NULL, net->nodes, sizeof *s.excess);
    s.distance = test_room(NULL, net->nodes, sizeof *s.distance);
    s.queue = test_room(NULL, net->nodes, sizeof *s.queue);
    s.arc = test_room(NULL, net->nodes, sizeof *s.arc);
    s.path = test_room(NULL, (size_t)net->nodes + 1, sizeof *s.path);
    return s;
}

static void search_free(search *s)
{
    free(s->residual);
    free(s->table_at);
    free(s->excess);
    free(s->distance);
    free(s->queue);
    free(s->arc);
    free(s->path);
}

/* The integer table of a clique, f({}) = 0. */
static void fill_table(const search *s, const sos_energy *e, uint32_t c, int64_t f[], double *rounding)
{
    const sos_network *net = s->net;
    const unsigned k = sos_network_size(net, c);
    if (k == 2) {
        const sos_pair p = sos_network_pair(net, e, c, rounding);
        f[0] = 0, f[1] = p.one, f[2] = p.two, f[3] = p.both;
        return;
    }
    const int64_t *table = net->table + e->tables[net->table_of[c]].offset, w = net->weight ? net->weight[c] : 1;
    for (uint32_t S = 0; S < UINT32_C(1) << k; S++) f[S] = w * table[S];
}

/* Moves the marginals of the order of the members into the unaries, which leaves f >= 0 with f(C) = 0.  A fixed member goes
 * first (label 1) or last (label 0) in that order: then no arc leaves or enters it. */
static void subtract_base(search *s, const sos_energy *e, uint32_t c)
{
    const sos_network *net = s->net;
    const unsigned k = sos_network_size(net, c);
    const uint32_t *member = net->member + sos_network_start(net, c);
    int64_t *f = s->residual + s->table_at[c], alpha[SOS_TABLE_MEMBERS_MAX];
    uint32_t before = 0;
    for (int turn = 0; turn < 3; turn++)
        for (unsigned i = 0; i < k; i++) {
            const int fixed = member[i] < net->variables ? sos_energy_fixed(e, member[i]) : SOS_FREE;
            if (turn != (fixed == 1 ? 0 : fixed == SOS_FREE ? 1 : 2)) continue;
            alpha[i] = f[before | UINT32_C(1) << i] - f[before];
            before |= UINT32_C(1) << i;
        }
    for (unsigned i = 0; i < k; i++) {
        s->excess[member[i]] -= alpha[i];
        for (uint32_t S = 0; S < UINT32_C(1) << k; S++)
            if (S >> i & 1) f[S] -= alpha[i];
    }
}

/* Nodes that can reach the sink: those outside are the largest minimiser. */
static void find_drained(search *s)
{
    const sos_network *net = s->net;
    uint32_t head = 0, tail = 0;
    for (uint32_t v = 0; v < net->nodes; v++) {
        s->distance[v] = s->excess[v] < 0 ? 0 : UNREACHED;
        if (s->excess[v] < 0) s->queue[tail++] = v;
    }
    while (head < tail) {
        const uint32_t v = s->queue[head++];
        for (uint32_t a = net->first[v]; a < net->first[v + 1]; a++) {
            const uint32_t c = net->places[a] >> SOS_POSITION_BITS, start = sos_network_start(net, c);
            const unsigned j = net->places[a] & SOS_POSITION_MASK, k = sos_network_size(net, c);
            for (unsigned i = 0; i < k; i++) {
                const uint32_t u = net->member[start + i];
                if (i == j || s->distance[u] != UNREACHED || capacity(s, c, i, j) <= 0) continue;
                s->distance[u] = 0;
                s->queue[tail++] = u;
            }
        }
    }
}

static void fill_labels(search *s, sos_flow_job *job)
{
    if (job->settings->maximal) find_drained(s);
    for (uint32_t v = 0; v < s->net->variables; v++) {
        const int fixed = sos_energy_fixed(job->energy, v);
        const bool on = (s->distance[v] == UNREACHED) == job->settings->maximal;
        job->labels[v] = fixed == SOS_FREE ? on : fixed == 1;
    }
}

/* Fills what a run of flow.c fills.  The sum of what the source sends, less what fixed variables get of it, is the bound. */
static void augment_run(sos_flow_job *job)
{
    const sos_network *net = job->network;
    const sos_energy *e = job->energy;
    search s = search_begin(net);
    sos_wide sum = { 0, 0 };
    sos_network_unaries(net, e, s.excess, &job->rounding);
    for (uint32_t v = 0; v < net->nodes; v++) s.excess[v] = -s.excess[v];
    for (uint32_t c = 0; c < net->cliques; c++) {
        fill_table(&s, e, c, s.residual + s.table_at[c], &job->rounding);
        subtract_base(&s, e, c);
    }
    for (uint32_t v = 0; v < net->variables; v++) {
        const int fixed = sos_energy_fixed(e, v);
        if (fixed == SOS_FREE) continue;
        if (fixed == 1) sos_wide_add(&sum, s.excess[v]);
        s.excess[v] = 0;
    }
    while (find_distances(&s, UNREACHED))
        for (uint32_t v = 0; v < net->nodes; v++)
            if (s.excess[v] > 0) exhaust(&s, v);
    for (uint32_t v = 0; v < net->nodes; v++)
        if (s.excess[v] > 0) sos_wide_add(&sum, s.excess[v]);
    fill_labels(&s, job);
    job->bound = sos_wide_value(sum, -net->scaling.exponent);
    job->bound.total = -job->bound.total;
    job->result->augmentations = s.augmentations;
    job->result->pushes = s.pushes;
    search_free(&s);
}

sos_status augment_minimize(const sos_energy *e, const sos_minimize_settings *settings, uint8_t labels[],
                            sos_minimize_result *result, sos_error *error)
{
    const sos_minimize_settings s = settings ? *settings : sos_minimize_defaults();
    sos_network net = { .pairs = true };
    sos_minimize_result r = { 0 };
    sos_flow_job job = { .energy = e, .network = &net, .settings = &s, .labels = labels, .result = &r };
    sos_status status = sos_knots_resume(&net, e, error);
    for (bool exact = false; !status && !exact;) {
        job.rounding = 0;
        status = sos_network_build(&net, e, 0, error);
        if (!status) status = sos_network_scale(&net, e, s.bits, 0, error);
        if (!status) augment_run(&job);
        if (!status) status = sos_knots_refine(&net, e, labels, &exact, error);
    }
    if (!status) sos_certify(&job);
    if (!status && result) *result = r;
    sos_network_free(&net);
    return status;
}

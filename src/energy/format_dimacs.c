/* format_dimacs.c - DIMACS max-flow files, "p max" (docs/formats.md).
 *
 * The variables are the nodes but source and sink in increasing order; label 1 is the side of the source.  An arc u -> v of
 * capacity c costs c where u has label 1 and v label 0, so that the energy of a labelling is the capacity of its cut. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "energy/format.h"

/* Nodes without arcs take no bytes in the file; so many are allowed beyond one per byte. */
enum { SPARE_NODES = 1000000 };

typedef struct dimacs_reader {
    sos_scanner *s;
    sos_energy *e;
    size_t nodes, arcs, source, sink; /* numbered from 1; 0: not yet known */
    uint32_t *members;                /* two for each arc between variables */
    double *capacities;
    size_t members_room, capacities_room, count;
} dimacs_reader;

/* Takes the first word of the next line that is no comment. */
static void line_next(dimacs_reader *r)
{
    for (;;) {
        sos_scan_next(r->s);
        if (!r->s->length || r->s->token[0] != 'c') return;
        sos_scan_skip_line(r->s);
    }
}

static sos_status problem_read(dimacs_reader *r)
{
    line_next(r);
    if (!sos_scan_is(r->s, "p")) return sos_scan_expected(r->s, "a 'p max' line");
    sos_status status = sos_scan_word(r->s, "max");
    if (!status) status = sos_scan_count(r->s, "the number of nodes", SIZE_MAX, &r->nodes);
    if (!status && r->nodes < 2) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "%zu nodes; there must be at least 2", r->nodes);
    const size_t left = (size_t)(r->s->end - r->s->at);
    if (!status && r->nodes > SPARE_NODES && r->nodes - SPARE_NODES > left)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT,
                             "%zu nodes, but only %zu bytes follow; there can be at most %d nodes more than bytes", r->nodes,
                             left, SPARE_NODES);
    if (!status) status = sos_scan_count(r->s, "the number of arcs", SIZE_MAX, &r->arcs);
    return status ? status : sos_scan_room(r->s, "arcs", r->arcs, 8);
}

static sos_status node_read(dimacs_reader *r, const char *what, size_t *node)
{
    const sos_status status = sos_scan_count(r->s, what, r->nodes, node);
    if (!status && !*node) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "%s is 0, but nodes are numbered from 1", what);
    return status;
}

static sos_status terminals_read(dimacs_reader *r)
{
    while (!r->source || !r->sink) {
        line_next(r);
        if (!sos_scan_is(r->s, "n")) return sos_scan_expected(r->s, "'n' lines for the source and the sink");
        size_t node;
        const sos_status status = node_read(r, "a node", &node);
        if (status) return status;
        sos_scan_next(r->s);
        const bool source = sos_scan_is(r->s, "s");
        if (!source && !sos_scan_is(r->s, "t")) return sos_scan_expected(r->s, "'s' or 't'");
        size_t *terminal = source ? &r->source : &r->sink;
        if (*terminal) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "a second %s", source ? "source" : "sink");
        *terminal = node;
        if (r->source == r->sink) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "node %zu is both source and sink", node);
    }
    return SOS_OK;
}

static size_t variable_of(const dimacs_reader *r, size_t node) { return node - 1 - (node > r->source) - (node > r->sink); }

static sos_status unary_add(dimacs_reader *r, size_t node, double add0, double add1)
{
    double cost0, cost1;
    sos_error inner;
    const size_t i = variable_of(r, node);
    sos_energy_unary(r->e, i, &cost0, &cost1);
    if (!sos_energy_set_unary(r->e, i, cost0 + add0, cost1 + add1, &inner)) return SOS_OK;
    return sos_scan_blame(r->s, &inner, "");
}

static sos_status constant_add(dimacs_reader *r, double cost)
{
    sos_error inner;
    return sos_energy_add_constant(r->e, cost, &inner) ? sos_scan_blame(r->s, &inner, "") : SOS_OK;
}

static sos_status arc_read(dimacs_reader *r)
{
    size_t from, to;
    double capacity;
    line_next(r);
    if (!sos_scan_is(r->s, "a")) return sos_scan_expected(r->s, "an 'a' line");
    sos_status status = node_read(r, "the node an arc leaves", &from);
    if (!status) status = node_read(r, "the node an arc enters", &to);
    if (!status) status = sos_scan_real(r->s, "a capacity", &capacity);
    if (status) return status;
    if (capacity < 0) return sos_scan_expected(r->s, "a capacity that is not negative");
    if (capacity == 0 || from == to || to == r->source || from == r->sink) return SOS_OK; /* never part of a cut */
    if (from == r->source && to == r->sink) return constant_add(r, capacity);
    if (from == r->source) return unary_add(r, to, capacity, 0);
    if (to == r->sink) return unary_add(r, from, 0, capacity);
    if (!sos_grow(&r->members, &r->members_room, 2 * r->count + 2) ||
        !sos_grow(&r->capacities, &r->capacities_room, r->count + 1))
        return sos_scan_fail(r->s, SOS_ERR_MEMORY, "no memory to read further");
    r->members[2 * r->count] = (uint32_t)variable_of(r, from);
    r->members[2 * r->count + 1] = (uint32_t)variable_of(r, to);
    r->capacities[r->count++] = capacity;
    return SOS_OK;
}

/* All arcs share one table, scaled by their capacities. */
static sos_status cliques_add(dimacs_reader *r)
{
    static const double arc[4] = { 0, 1, 0, 0 };
    if (!r->count) return SOS_OK;
    bool scaled = false;
    for (size_t c = 0; c < r->count; c++) scaled |= r->capacities[c] != 1;
    uint32_t table;
    sos_error inner;
    sos_status status = sos_energy_add_table(r->e, 2, arc, &table, &inner);
    if (!status) status = sos_energy_add_cliques(r->e, table, r->count, r->members, scaled ? r->capacities : NULL, &inner);
    return status ? sos_scan_blame(r->s, &inner, "") : SOS_OK;
}

static sos_status body_read(dimacs_reader *r)
{
    sos_status status = terminals_read(r);
    for (size_t a = 0; !status && a < r->arcs; a++) status = arc_read(r);
    if (status) return status;
    const sos_scanner last = *r->s; /* the last token that counts: the file must go on behind it */
    line_next(r);
    if (r->s->length) return sos_scan_expected(r->s, "the end of the file");
    *r->s = last;
    if (r->s->at == r->s->end) return sos_scan_finish(r->s);
    return cliques_add(r);
}

sos_status sos_format_dimacs_read(sos_scanner *s, sos_energy **out)
{
    dimacs_reader r = { .s = s };
    s->comments = false;
    sos_status status = problem_read(&r);
    if (status) return status;
    sos_error inner;
    if (sos_energy_create(r.nodes - 2, &r.e, &inner)) return sos_scan_blame(s, &inner, "");
    status = body_read(&r);
    free(r.members);
    free(r.capacities);
    if (status)
        sos_energy_free(r.e);
    else
        *out = r.e;
    return status;
}

/* A pair table as two arcs, two unaries and a constant: with u for bit 0 and v for bit 1,
 *     f(u, v) = f(0) + u alpha + v beta + a u (1 - v) + b v (1 - u),    a, b >= 0,  a + b = f(1) + f(2) - f(0) - f(3).
 * Of the possible a the one that leaves u alone is taken where there is one: a Potts pair becomes two arcs, nothing else. */
typedef struct arc_pair {
    double alpha, beta, a, b;
} arc_pair;

static arc_pair pair_split(const double f[4], double weight)
{
    const double g[4] = { weight * f[0], weight * f[1], weight * f[2], weight * f[3] };
    const double slack = fmax(0, (g[1] - g[0]) - (g[3] - g[2]));
    const double a = fmin(fmax(g[1] - g[0], 0), slack), b = slack - a;
    return (arc_pair){ (g[1] - g[0]) - a, (g[2] - g[0]) - b, a, b };
}

static sos_status dimacs_check(const sos_energy *e, sos_error *error)
{
    for (size_t i = 0; i < sos_energy_variables(e); i++)
        if (sos_energy_fixed(e, i) != SOS_FREE)
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu is fixed, which a DIMACS file cannot represent", i);
    if (sos_energy_concaves(e))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the energy has %zu concave cliques; a DIMACS file holds pairs only",
                        sos_energy_concaves(e));
    for (size_t c = 0; c < sos_energy_cliques(e); c++)
        if (sos_energy_clique(e, c).k > 2)
            return sos_fail(error, SOS_ERR_ARGUMENT, "clique %zu has %zu members; a DIMACS file holds pairs only", c,
                            sos_energy_clique(e, c).k);
    return SOS_OK;
}

/* All that is not an arc between variables: costs of label 0 and 1 in cut[2i], cut[2i + 1], not negative, and a constant. */
static double terminals_collect(const sos_energy *e, double cut[], size_t *arcs)
{
    const size_t n = sos_energy_variables(e);
    double constant = sos_energy_constant(e);
    for (size_t i = 0; i < n; i++) sos_energy_unary(e, i, &cut[2 * i], &cut[2 * i + 1]);
    for (size_t c = 0; c < sos_energy_cliques(e); c++) {
        const sos_clique clique = sos_energy_clique(e, c);
        size_t k;
        const double *f = sos_energy_table(e, clique.table, &k), w = clique.weight;
        const size_t u = clique.variables[0], v = clique.variables[k - 1];
        if (k == 1) {
            cut[2 * u] += w * f[0];
            cut[2 * u + 1] += w * f[1];
            continue;
        }
        const arc_pair p = pair_split(f, w);
        constant += w * f[0];
        cut[2 * u + 1] += p.alpha;
        cut[2 * v + 1] += p.beta;
        *arcs += (size_t)(p.a > 0) + (size_t)(p.b > 0);
    }
    for (size_t i = 0; i < n; i++) {
        const double least = fmin(0, fmin(cut[2 * i], cut[2 * i + 1]));
        constant += least;
        cut[2 * i] -= least;
        cut[2 * i + 1] -= least;
        *arcs += (size_t)(cut[2 * i] > 0) + (size_t)(cut[2 * i + 1] > 0);
    }
    return constant;
}

static void arc_write(sos_output *o, size_t from, size_t to, double capacity)
{
    if (!(capacity > 0)) return;
    fprintf(o->file, "a %zu %zu ", from, to);
    sos_output_real(o, capacity, '\n');
}

static void arcs_write(const sos_energy *e, const double cut[], sos_output *o)
{
    const size_t n = sos_energy_variables(e), source = n + 1, sink = n + 2;
    for (size_t i = 0; i < n; i++) {
        arc_write(o, source, i + 1, cut[2 * i]);
        arc_write(o, i + 1, sink, cut[2 * i + 1]);
    }
    for (size_t c = 0; c < sos_energy_cliques(e); c++) {
        const sos_clique clique = sos_energy_clique(e, c);
        size_t k;
        const double *f = sos_energy_table(e, clique.table, &k);
        if (k == 1) continue;
        const arc_pair p = pair_split(f, clique.weight);
        const size_t u = clique.variables[0], v = clique.variables[1];
        arc_write(o, u + 1, v + 1, p.a);
        arc_write(o, v + 1, u + 1, p.b);
    }
}

/* A positive constant is an arc from source to sink; a negative one no flow can have, so a comment tells it. */
sos_status sos_format_dimacs_write(const sos_energy *e, sos_output *o)
{
    const sos_status status = dimacs_check(e, o->error);
    if (status) return status;
    const size_t n = sos_energy_variables(e);
    double *cut = malloc((n ? n : 1) * 2 * sizeof *cut);
    if (!cut) return sos_fail(o->error, SOS_ERR_MEMORY, "no memory to write");
    size_t arcs = 0;
    const double constant = terminals_collect(e, cut, &arcs);
    bool finite = isfinite(constant);
    for (size_t i = 0; i < 2 * n; i++) finite = finite && isfinite(cut[i]);
    if (!finite) {
        free(cut);
        return sos_fail(o->error, SOS_ERR_ARGUMENT, "sums of the costs are too large for a file");
    }
    fputs("c energy = flow + constant; label 1 is the side of the source\nc constant ", o->file);
    sos_output_real(o, fmin(constant, 0), '\n');
    fprintf(o->file, "p max %zu %zu\nn %zu s\nn %zu t\n", n + 2, arcs + (constant > 0), n + 1, n + 2);
    arc_write(o, n + 1, n + 2, constant);
    arcs_write(e, cut, o);
    free(cut);
    return SOS_OK;
}

// test_peers.cpp - pairwise energies, and count functions by way of auxiliary nodes, against libmaxflow.
//
// libmaxflow (Boykov and Kolmogorov) is GPL: only tests and benchmarks link it.
extern "C" {
#include "support.h"
}

#include <cstdlib>
#include <cstring>
#include <vector>

#include <maxflow.h>

namespace
{

// The same energy as a graph: label 1 is the side of the source.
class peer
{
  public:
    explicit peer(size_t nodes) : graph(static_cast<int>(nodes), static_cast<int>(4 * nodes))
    {
        graph.add_node(static_cast<int>(nodes));
    }

    void unary(size_t i, double cost0, double cost1)
    {
        graph.add_tweights(static_cast<int>(i), static_cast<int>(cost0), static_cast<int>(cost1));
    }

    // c where a has label 1 and b label 0.
    void cut(size_t a, size_t b, double c) { graph.add_edge(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c), 0); }

    // f(00), f(10), f(01), f(11) of (a, b): f(10) - f(00) where a is 1, f(11) - f(10) where b is 1, and what is left where
    // only b is 1.
    void pair(size_t a, size_t b, const double f[4], double w)
    {
        constant += w * f[0];
        unary(a, 0, w * (f[1] - f[0]));
        unary(b, 0, w * (f[3] - f[1]));
        cut(b, a, w * (f[1] + f[2] - f[0] - f[3]));
    }

    double minimum() { return constant + graph.maxflow(); }

    // Nodes that either side may have go to the sink (0) for the minimal minimiser, to the source for the maximal one.
    bool label(size_t i, bool maximal)
    {
        const auto free_side = maximal ? maxflow::Graph_III::SOURCE : maxflow::Graph_III::SINK;
        return graph.what_segment(static_cast<int>(i), free_side) == maxflow::Graph_III::SOURCE;
    }

    double constant = 0;

  private:
    maxflow::Graph_III graph;
};

// g(m) = g(0) + slope m + sum over t of beta_t min(m, t), and min(m, t) = min over z of t z + (members that are 1 while z is
// 0).
size_t pieces_of(const problem_concave *c)
{
    size_t pieces = 0;
    for (size_t t = 1; t < c->k; t++) pieces += 2 * c->g[t] > c->g[t - 1] + c->g[t + 1];
    return pieces;
}

void add_concave(peer &graph, const problem_concave *c, size_t *node)
{
    graph.constant += c->weight * c->g[0];
    const double last = c->weight * (c->g[c->k] - c->g[c->k - 1]);
    for (size_t b = 0; b < c->k; b++) graph.unary(c->variables[b], 0, last);
    for (size_t t = 1; t < c->k; t++) {
        const double beta = c->weight * (2 * c->g[t] - c->g[t - 1] - c->g[t + 1]);
        if (beta <= 0) continue;
        graph.unary(*node, 0, beta * static_cast<double>(t));
        for (size_t b = 0; b < c->k; b++) graph.cut(c->variables[b], *node, beta);
        ++*node;
    }
}

// Only pairs, single members and count functions.
size_t nodes_of(const problem *p)
{
    size_t nodes = p->n;
    for (size_t c = 0; c < p->concave_count; c++) nodes += pieces_of(&p->concaves[c]);
    return nodes;
}

void fill(peer &graph, const problem *p)
{
    graph.constant = p->constant;
    for (size_t i = 0; i < p->n; i++) graph.unary(i, p->cost0[i], p->cost1[i]);
    for (size_t c = 0; c < p->clique_count; c++) {
        const problem_clique *q = &p->cliques[c];
        const double *f = p->tables[q->table].f;
        if (p->tables[q->table].k == 1)
            graph.unary(q->variables[0], q->weight * f[0], q->weight * f[1]);
        else
            graph.pair(q->variables[0], q->variables[1], f, q->weight);
    }
    size_t node = p->n;
    for (size_t c = 0; c < p->concave_count; c++) add_concave(graph, &p->concaves[c], &node);
}

// The peer's labels are compared with those of ours; cliques may stand in ours as tables and in the peer as count functions.
void check_agreement(const problem *ours, const problem *theirs)
{
    sos_energy *e = problem_build(ours);
    peer graph(nodes_of(theirs));
    fill(graph, theirs);
    const double minimum = graph.minimum();
    for (unsigned number = 0; number < 4; number++) {
        sos_minimize_settings s = sos_minimize_defaults();
        s.maximal = number & 1;
        s.reduce = number & 2;
        std::vector<uint8_t> labels(ours->n + 1);
        sos_minimize_result result;
        sos_error error;
        check_ok(sos_minimize(e, &s, labels.data(), &result, &error), error);
        check_certificate(ours, labels.data(), &result);
        check(result.energy == minimum);
        for (size_t i = 0; i < ours->n; i++) check(labels[i] == graph.label(i, s.maximal));
    }
    sos_energy_free(e);
}

void add_random_pair(sos_random *r, problem *p, costs kind, size_t a, size_t b)
{
    double f[4];
    table_random(r, 2, kind, f);
    const uint32_t variables[] = { static_cast<uint32_t>(a), static_cast<uint32_t>(b) };
    problem_add_clique(p, problem_add_table(p, 2, f), variables, static_cast<double>(sos_random_below(r, 3)));
}

void random_graphs_agree_with_libmaxflow(void **)
{
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        const costs kind = c & 1 ? COSTS_SMALL : COSTS_INTEGERS;
        problem p = problem_grid(&r, 2 + sos_random_below(&r, 60), 1, kind);
        const uint64_t edges = sos_random_below(&r, 5 * p.n);
        for (uint64_t k = 0; k < edges; k++) {
            uint32_t ends[2];
            members_random(&r, p.n, 2, ends);
            add_random_pair(&r, &p, kind, ends[0], ends[1]);
        }
        check_agreement(&p, &p);
        problem_free(&p);
    }
}

void grids_agree_with_libmaxflow(void **)
{
    for (uint64_t c = 0; c < test_cases(10); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 60, height = 45;
        const costs kind = c & 1 ? COSTS_SMALL : COSTS_INTEGERS;
        problem p = problem_grid(&r, width, height, kind);
        if (c % 3) {
            const double strength = c & 1 ? 1 : 250, potts[] = { 0, strength, strength, 0 };
            const uint32_t table = problem_add_table(&p, 2, potts);
            problem_add_patches(&p, table, width, height, 2, 1);
            problem_add_patches(&p, table, width, height, 1, 2);
        } else {
            for (size_t i = 0; i < p.n; i++) {
                if (i % width + 1 < width) add_random_pair(&r, &p, kind, i, i + 1);
                if (i + width < p.n) add_random_pair(&r, &p, kind, i, i + width);
            }
        }
        check_agreement(&p, &p);
        problem_free(&p);
    }
}

// Patches whose cost depends on the count: tables for us, auxiliary nodes for the peer.
void count_patches_agree_with_libmaxflow(void **)
{
    static const size_t SHAPES[][2] = { { 2, 2 }, { 3, 1 }, { 3, 2 }, { 3, 3 } };
    for (uint64_t c = 0; c < test_cases(12); c++) {
        sos_random r = test_case_begin(c);
        const size_t width = 24, height = 18, dx = SHAPES[c % 4][0], dy = SHAPES[c % 4][1], k = dx * dy;
        const costs kind = c & 1 ? COSTS_SMALL : COSTS_INTEGERS;
        problem tables = problem_grid(&r, width, height, kind), concaves = problem_create(width * height);
        std::memcpy(concaves.cost0, tables.cost0, tables.n * sizeof *tables.cost0);
        std::memcpy(concaves.cost1, tables.cost1, tables.n * sizeof *tables.cost1);
        std::vector<double> g(k + 1), f(size_t{ 1 } << k);
        concave_random(&r, k, kind, g.data());
        for (size_t S = 0; S < f.size(); S++) f[S] = g[static_cast<size_t>(__builtin_popcountll(S))];
        problem_add_patches(&tables, problem_add_table(&tables, k, f.data()), width, height, dx, dy);
        for (size_t q = 0; q < tables.clique_count; q++)
            problem_add_concave(&concaves, k, tables.cliques[q].variables, g.data(), 1);
        check_agreement(&tables, &concaves);
        check_agreement(&concaves, &concaves);
        problem_free(&tables);
        problem_free(&concaves);
    }
}

// Long cliques that overlap and pairs between them.
void overlapping_count_cliques_agree_with_libmaxflow(void **)
{
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        const costs kind = c & 1 ? COSTS_SMALL : COSTS_INTEGERS;
        problem p = problem_grid(&r, 40, 1, kind);
        for (int k = 0; k < 5; k++) problem_add_random_concave(&r, &p, 30, kind, true);
        for (int k = 0; k < 40; k++) {
            uint32_t ends[2];
            members_random(&r, p.n, 2, ends);
            add_random_pair(&r, &p, kind, ends[0], ends[1]);
        }
        check_agreement(&p, &p);
        problem_free(&p);
    }
}

} // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_agree_with_libmaxflow),
        cmocka_unit_test(grids_agree_with_libmaxflow),
        cmocka_unit_test(count_patches_agree_with_libmaxflow),
        cmocka_unit_test(overlapping_count_cliques_agree_with_libmaxflow),
    };
    return cmocka_run_group_tests_name("peers", tests, nullptr, nullptr);
}

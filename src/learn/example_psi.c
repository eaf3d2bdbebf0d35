/* example_psi.c - Psi(x, y): what stands at each weight (math.md, 9.1b). */
#include "learn/example.h"

#include <string.h>

static void add_feature_psi(const sos_example *x, const sos_features *f, const uint8_t labels[], const uint8_t base[],
                            double psi[])
{
    const size_t L = x->layout->labels;
    double *w = psi + x->layout->groups[f->group].offset;
    for (size_t i = 0; i < x->n; i++) {
        if (base && base[i] == labels[i]) continue;
        for (size_t j = f->start[i]; j < f->start[i + 1]; j++) {
            const double value = x->scale * (f->value ? f->value[j] : 1);
            w[f->index[j] * L + labels[i]] += value;
            if (base) w[f->index[j] * L + base[i]] -= value;
        }
    }
}

static void add_cost_psi(const sos_example *x, const sos_label_costs *c, const uint8_t labels[], const uint8_t base[],
                         double psi[])
{
    const sos_layout_group *g = &x->layout->groups[c->group];
    const size_t size = g->spec.size, L = x->layout->labels;
    for (size_t i = 0; i < x->n; i++) {
        if (base && base[i] == labels[i]) continue;
        const double *cost = c->cost + i * L * size;
        for (size_t j = 0; j < size; j++)
            psi[g->offset + j] += x->scale * (cost[labels[i] * size + j] - (base ? cost[base[i] * size + j] : 0));
    }
}

static void add_pair_psi(const sos_example *x, const sos_run *r, const uint8_t labels[], const uint8_t base[], double psi[])
{
    const sos_layout_group *g = &x->layout->groups[r->group];
    const uint32_t *v = x->energy->pools[2].variables + 2 * r->first;
    for (size_t c = 0; c < r->count; c++) {
        const int now = labels[v[2 * c]] != labels[v[2 * c + 1]], was = base && base[v[2 * c]] != base[v[2 * c + 1]];
        if (now == was) continue;
        for (size_t j = 0; j < g->spec.size; j++)
            psi[g->offset + j] += (now - was) * x->scale * (r->phi ? r->phi[c * g->spec.size + j] : 1);
    }
}

static void add_region_psi(const sos_example *x, const sos_run *r, const uint8_t labels[], const uint8_t base[], double psi[])
{
    const sos_layout_group *g = &x->layout->groups[r->group];
    for (size_t c = 0; c < r->count; c++) {
        const sos_region *area = &x->regions[r->first + c];
        const double more = sos_example_region_cost(x, area, labels) - (base ? sos_example_region_cost(x, area, base) : 0);
        if (more == 0) continue;
        for (size_t j = 0; j < g->spec.size; j++)
            psi[g->offset + j] += more * x->scale * (r->phi ? r->phi[c * g->spec.size + j] : 1);
    }
}

static void add_entry(const sos_layout_group *g, size_t copy, size_t S, double phi, double psi[])
{
    const uint32_t class = g->ties->class_of[S];
    if (class != SOS_ANCHOR) psi[g->offset + copy * g->classes + class] += phi;
}

static void add_share(const sos_example *x, const sos_count *c, const sos_run *r, size_t i, const uint8_t labels[], double sign,
                      double psi[])
{
    const sos_layout_group *g = &x->layout->groups[r->group];
    const size_t L = sos_layout_label_functions(x->layout);
    for (size_t l = 0; l < L; l++) {
        const sos_knot at = sos_example_count_knot(x, c, g->ties, labels, L > 1 ? l : 1);
        for (size_t j = 0; j < g->strengths; j++) {
            const double phi = sign * x->scale * (r->phi ? r->phi[i * g->strengths + j] : 1);
            if (at.next < 1) add_entry(g, j * L + l, at.j, phi * (1 - at.next), psi);
            if (at.next > 0) add_entry(g, j * L + l, at.j + 1, phi * at.next, psi);
        }
    }
}

static bool is_labelled_alike(size_t k, const uint32_t variables[], const uint8_t labels[], const uint8_t base[])
{
    size_t q = 0;
    while (q < k && labels[variables[q]] == base[variables[q]]) q++;
    return q == k;
}

static void add_count_psi(const sos_example *x, const sos_run *r, const uint8_t labels[], const uint8_t base[], double psi[])
{
    for (size_t i = 0; i < r->count; i++) {
        const sos_count *c = &x->counts[r->first + i];
        if (base && is_labelled_alike(c->k, x->counted + c->start, labels, base)) continue;
        add_share(x, c, r, i, labels, 1, psi);
        if (base) add_share(x, c, r, i, base, -1, psi);
    }
}

static void add_clique_psi(const sos_example *x, size_t k, const uint8_t labels[], const uint8_t base[], double psi[])
{
    const sos_pool *pool = &x->energy->pools[k];
    for (size_t c = 0; c < pool->count; c++) {
        const uint32_t group = x->uses[pool->tables[c]].group;
        if (group == SOS_NO_TABLE) continue;
        const sos_layout_group *g = &x->layout->groups[group];
        const double phi = x->scale * (pool->weights ? pool->weights[c] : 1);
        const uint32_t *v = pool->variables + c * k;
        const size_t L = sos_layout_label_functions(x->layout);
        for (size_t l = 0; l < L; l++) {
            const size_t label = L > 1 ? l : 1, copy = x->uses[pool->tables[c]].strength * L + l;
            const size_t S = sos_members_on(k, v, labels, label), T = base ? sos_members_on(k, v, base, label) : 0;
            if (base && S == T) continue;
            add_entry(g, copy, S, phi, psi);
            if (base) add_entry(g, copy, T, -phi, psi);
        }
    }
}

static void move_features(const sos_example *x, const sos_features *f, size_t i, size_t label, sos_sparse *psi)
{
    const uint32_t offset = (uint32_t)x->layout->groups[f->group].offset;
    for (size_t j = f->start[i]; j < f->start[i + 1]; j++) {
        const double value = x->scale * (f->value ? f->value[j] : 1);
        sos_sparse_add(psi, offset + 2 * f->index[j] + (uint32_t)label, value);
        sos_sparse_add(psi, offset + 2 * f->index[j] + (uint32_t)!label, -value);
    }
}

double sos_example_move_variable(const sos_example *x, size_t i, size_t label, sos_sparse *psi)
{
    for (size_t g = 0; g < x->features_count; g++) move_features(x, &x->features[g], i, label, psi);
    for (size_t g = 0; g < x->costs_count; g++) {
        const sos_layout_group *group = &x->layout->groups[x->costs[g].group];
        const size_t size = group->spec.size;
        const double *cost = x->costs[g].cost + 2 * i * size;
        for (size_t j = 0; j < size; j++)
            sos_sparse_add(psi, (uint32_t)(group->offset + j), x->scale * (cost[label * size + j] - cost[!label * size + j]));
    }
    return sos_example_loss_of(x, i, label) - sos_example_loss_of(x, i, !label);
}

static void move_pair(const sos_example *x, size_t c, double sign, sos_sparse *psi)
{
    size_t run = 0;
    while (c < x->pair_runs[run].first || c - x->pair_runs[run].first >= x->pair_runs[run].count) run++;
    const sos_run *r = &x->pair_runs[run];
    const sos_layout_group *g = &x->layout->groups[r->group];
    for (size_t j = 0; j < g->spec.size; j++)
        sos_sparse_add(psi, (uint32_t)(g->offset + j),
                       sign * x->scale * (r->phi ? r->phi[(c - r->first) * g->spec.size + j] : 1));
}

static void move_entry(const sos_layout_group *g, size_t copy, size_t S, double phi, sos_sparse *psi)
{
    const uint32_t class = g->ties->class_of[S];
    if (class != SOS_ANCHOR) sos_sparse_add(psi, (uint32_t)(g->offset + copy * g->classes + class), phi);
}

double sos_example_move_clique(const sos_example *x, size_t k, size_t c, size_t from, size_t to, sos_sparse *psi)
{
    const sos_pool *pool = &x->energy->pools[k];
    const sos_table_use *use = &x->uses[pool->tables[c]];
    if (use->delta) return use->delta[to] - use->delta[from];
    if (pool->tables[c] == x->potts) {
        const int now = to == 1 || to == 2, was = from == 1 || from == 2;
        if (now != was) move_pair(x, c, now - was, psi);
        return 0;
    }
    const sos_layout_group *g = &x->layout->groups[use->group];
    const double phi = x->scale * (pool->weights ? pool->weights[c] : 1);
    move_entry(g, use->strength, to, phi, psi);
    move_entry(g, use->strength, from, -phi, psi);
    return 0;
}

void sos_example_add_psi(const sos_example *x, const uint8_t labels[], const uint8_t base[], double psi[])
{
    for (size_t i = 0; i < x->features_count; i++) add_feature_psi(x, &x->features[i], labels, base, psi);
    for (size_t i = 0; i < x->costs_count; i++) add_cost_psi(x, &x->costs[i], labels, base, psi);
    for (size_t i = 0; i < x->pair_runs_count; i++) add_pair_psi(x, &x->pair_runs[i], labels, base, psi);
    for (size_t i = 0; i < x->region_runs_count; i++) add_region_psi(x, &x->region_runs[i], labels, base, psi);
    for (size_t i = 0; i < x->count_runs_count; i++) add_count_psi(x, &x->count_runs[i], labels, base, psi);
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) add_clique_psi(x, k, labels, base, psi);
}

void sos_example_psi(const sos_example *x, const uint8_t labels[], double psi[])
{
    memset(psi, 0, x->layout->weights * sizeof *psi);
    sos_example_add_psi(x, labels, NULL, psi);
}

/* example_energy.c - the energy w . Psi with two labels, less the loss where asked for.
 *
 * The cliques of the example are those of its energy, so that weights change nothing but costs. */
#include "learn/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Costs of labels from the features, less the loss.  Energies are minimised without the scale, so that the loss is divided by
 * it. */
static sos_status set_unaries(sos_example *x, const double w[], bool loss_augmented, sos_error *error)
{
    double *unary = x->energy->unary;
    memset(unary, 0, 2 * x->n * sizeof *unary);
    for (size_t g = 0; g < x->features_count; g++) {
        const sos_features *f = &x->features[g];
        const double *weight = w + x->layout->groups[f->group].offset;
        for (size_t i = 0; i < x->n; i++)
            for (size_t j = f->start[i]; j < f->start[i + 1]; j++) {
                const double value = f->value ? f->value[j] : 1;
                unary[2 * i] += value * weight[2 * f->index[j]];
                unary[2 * i + 1] += value * weight[2 * f->index[j] + 1];
            }
    }
    for (size_t g = 0; g < x->costs_count; g++)
        for (size_t i = 0; i < 2 * x->n; i++) unary[i] += sos_example_label_cost(x, &x->costs[g], i / 2, i % 2, w);
    for (size_t i = 0; loss_augmented && i < x->n; i++) {
        unary[2 * i] -= sos_example_loss_of(x, i, 0) / x->scale;
        unary[2 * i + 1] -= sos_example_loss_of(x, i, 1) / x->scale;
    }
    double sum = 0; /* x - x is NaN unless x is finite */
    for (size_t i = 0; i < 2 * x->n; i++) sum += unary[i] - unary[i];
    for (size_t i = 0; sum != 0 && i < x->n; i++)
        if (!isfinite(unary[2 * i + 1] - unary[2 * i]))
            return sos_fail(error, SOS_ERR_RANGE, "variable %zu costs %g and %g with these weights", i, unary[2 * i],
                            unary[2 * i + 1]);
    return SOS_OK;
}

static sos_status set_tables(sos_example *x, const double w[], bool loss_augmented, sos_error *error)
{
    double *f = malloc(sizeof *f << SOS_TABLE_MEMBERS_MAX);
    if (!f) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a table");
    sos_status status = SOS_OK;
    for (uint32_t t = 0; !status && t < x->energy->table_count; t++) {
        const sos_table_use *use = &x->uses[t];
        const size_t entries = (size_t)1 << x->energy->tables[t].k;
        if (t == x->potts) continue;
        if (use->delta)
            for (size_t S = 0; S < entries; S++) f[S] = loss_augmented ? -use->delta[S] / x->scale : 0;
        else
            sos_layout_table(x->layout, use->group, use->strength, w, f);
        /* Tables that have not changed need no check, and let the flow keep its cliques. */
        if (memcmp(f, sos_table_costs(x->energy, t), entries * sizeof *f) != 0)
            status = sos_energy_set_table(x->energy, t, f, error);
    }
    free(f);
    return status;
}

/* sum_j phi_j w[j] of the c-th pair or region that was added with phi. */
static double strength_of(const sos_layout_group *g, const double phi[], size_t c, const double w[])
{
    double sum = 0;
    for (size_t j = 0; j < g->spec.size; j++) sum += w[g->offset + j] * (phi ? phi[c * g->spec.size + j] : 1);
    return sum;
}

sos_status sos_example_set_pairs(sos_example *x, const double w[], sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; !status && i < x->pair_runs_count; i++) {
        const sos_run *r = &x->pair_runs[i];
        const sos_layout_group *g = &x->layout->groups[r->group];
        double *strength = malloc(r->count * sizeof *strength);
        if (!strength) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pairs", r->count);
        for (size_t c = 0; c < r->count; c++) strength[c] = strength_of(g, r->phi, c, w);
        status = sos_energy_set_weights(x->energy, sos_example_pairs_begin(x) + r->first, r->count, strength, error);
        free(strength);
    }
    return status;
}

sos_status sos_example_region_strengths(const sos_example *x, const double w[], double **out, sos_error *error)
{
    double *strengths = malloc(x->regions_count * sizeof *strengths);
    if (!strengths) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu regions", x->regions_count);
    for (size_t i = 0; i < x->region_runs_count; i++) {
        const sos_run *r = &x->region_runs[i];
        for (size_t c = 0; c < r->count; c++) strengths[r->first + c] = strength_of(&x->layout->groups[r->group], r->phi, c, w);
    }
    *out = strengths;
    return SOS_OK;
}

/* A concave clique is laid out by the places where its slope changes, so that other strengths mean other cliques. */
static void concaves_forget(sos_example *x)
{
    sos_concaves_forget(x->energy);
    free(x->strengths);
    x->strengths = NULL;
}

static sos_status add_concave(sos_example *x, const sos_region *r, double strength, sos_error *error)
{
    double *g = malloc((r->k + 1) * sizeof *g);
    if (!g) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a region of %zu members", r->k);
    for (size_t m = 0; m <= r->k; m++) {
        const size_t d = m < r->k - m ? m : r->k - m;
        g[m] = d < r->reach ? strength * (double)d / (double)r->reach : strength;
    }
    const sos_status status = sos_energy_add_concave(x->energy, r->k, x->members + r->start, g, 1, error);
    free(g);
    return status;
}

/* The regions of two labels, before the counts.  They stay as they are, and with them what the minimizer keeps, where no
 * strength has changed. */
static sos_status set_concaves(sos_example *x, const double w[], sos_error *error)
{
    double *strengths;
    if (!x->regions_count) return SOS_OK;
    sos_status status = sos_example_region_strengths(x, w, &strengths, error);
    if (status) return status;
    if (x->strengths && x->energy->concave_count >= x->regions_count && x->regions_laid == x->regions_count &&
        !memcmp(strengths, x->strengths, x->regions_count * sizeof *strengths)) {
        free(strengths);
        return SOS_OK;
    }
    concaves_forget(x);
    for (size_t r = 0; !status && r < x->regions_count; r++) status = add_concave(x, &x->regions[r], strengths[r], error);
    if (!status) {
        x->strengths = strengths;
        x->regions_laid = x->regions_count;
        return SOS_OK;
    }
    free(strengths);
    concaves_forget(x);
    return status;
}

sos_status sos_example_set_energy(sos_example *x, const double w[], bool loss_augmented, sos_error *error)
{
    sos_status status = sos_example_set_pairs(x, w, error);
    if (!status) status = set_unaries(x, w, loss_augmented, error);
    if (!status) status = set_tables(x, w, loss_augmented, error);
    if (!status) status = set_concaves(x, w, error);
    return status ? status : sos_example_set_counts(x, w, error);
}

/* example_cliques.c - cliques of table groups, and pairs.  They live in an energy from the start: phi is the weight of a
 * clique, and a table group is a table of the energy whose costs are set when w is known. */
#include "learn/example.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

sos_status sos_example_new_table(sos_example *x, size_t k, const double f[], sos_table_use use, uint32_t *table,
                                 sos_error *error)
{
    if (!sos_grow(&x->uses, &x->uses_room, x->energy->table_count + 1))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a table");
    double *zeros = f ? NULL : calloc((size_t)1 << k, sizeof *zeros);
    if (!f && !zeros) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a table of %zu members", k);
    const sos_status status = sos_energy_add_table(x->energy, k, f ? f : zeros, table, error);
    if (!status) x->uses[*table] = use;
    free(zeros);
    return status;
}

sos_status sos_example_group_table(sos_example *x, uint32_t group, size_t strength, uint32_t *table, sos_error *error)
{
    const sos_layout_group *g = &x->layout->groups[group];
    uint32_t *known = &x->table_of[g->table_slot + strength];
    sos_status status = SOS_OK;
    if (*known == SOS_NO_TABLE)
        status = sos_example_new_table(x, g->spec.size, NULL, (sos_table_use){ group, (uint32_t)strength, NULL }, known, error);
    *table = *known;
    return status;
}

/* With several strengths a clique is one of the energy for each phi over 0: their tables are shared by all cliques, where a
 * table of its own, of the sum, would take 2^k costs. */
static sos_status add_several(sos_example *x, uint32_t group, size_t count, const uint32_t variables[], const double phi[],
                              sos_error *error)
{
    const sos_layout_group *g = &x->layout->groups[group];
    const size_t k = g->spec.size, J = g->strengths;
    sos_status status = sos_example_phi_check(&g->spec, "clique", count, J, phi, error);
    if (status || !count) return status;
    if (!variables) return sos_fail(error, SOS_ERR_ARGUMENT, "no variables were given");
    if (count > SIZE_MAX / J / k / sizeof(double)) return sos_fail(error, SOS_ERR_RANGE, "%zu cliques are too many", count);
    uint32_t *tables = malloc(count * J * sizeof *tables), *members = malloc(count * J * k * sizeof *members);
    double *weights = malloc(count * J * sizeof *weights);
    if (!tables || !members || !weights) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu cliques", count);
    size_t parts = 0;
    for (size_t i = 0; !status && i < count * J; i++) {
        const double strength = phi ? phi[i] : 1;
        if (strength == 0) continue;
        status = sos_example_group_table(x, group, i % J, &tables[parts], error);
        memcpy(members + parts * k, variables + i / J * k, k * sizeof *members);
        weights[parts++] = strength;
    }
    if (!status) status = sos_energy_add_listed(x->energy, parts, tables, members, weights, error);
    free(tables);
    free(members);
    free(weights);
    return status;
}

sos_status sos_example_add_cliques(sos_example *x, uint32_t group, size_t count, const uint32_t variables[], const double phi[],
                                   sos_error *error)
{
    uint32_t table;
    sos_status status = sos_example_group_check(x, group, SOS_GROUP_TABLE, "cliques", error);
    if (status) return status;
    if (x->layout->groups[group].strengths > 1) return add_several(x, group, count, variables, phi, error);
    status = sos_example_group_table(x, group, 0, &table, error);
    return status ? status : sos_energy_add_cliques(x->energy, table, count, variables, phi, error);
}

sos_status sos_example_add_listed(sos_example *x, size_t count, const uint32_t groups[], const uint32_t variables[],
                                  const double phi[], sos_error *error)
{
    if (!count) return SOS_OK;
    if (!groups) return sos_fail(error, SOS_ERR_ARGUMENT, "no groups were given");
    uint32_t *tables = malloc(count * sizeof *tables);
    sos_status status = tables ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu cliques", count);
    for (size_t c = 0; !status && c < count; c++) {
        status = sos_example_group_check(x, groups[c], SOS_GROUP_TABLE, "cliques", error);
        if (!status && x->layout->groups[groups[c]].strengths > 1)
            status = sos_fail(error, SOS_ERR_ARGUMENT, "group \"%s\" has several strengths: its cliques cannot be listed",
                              x->layout->groups[groups[c]].spec.name);
        if (!status) status = sos_example_group_table(x, groups[c], 0, &tables[c], error);
    }
    if (!status) status = sos_energy_add_listed(x->energy, count, tables, variables, phi, error);
    free(tables);
    return status;
}

sos_status sos_example_phi_check(const sos_group *g, const char *what, size_t count, size_t each, const double phi[],
                                 sos_error *error)
{
    for (size_t i = 0; phi && i < count * each; i++)
        if (!(phi[i] >= 0 && isfinite(phi[i])))
            return sos_fail(error, SOS_ERR_ARGUMENT, "%s %zu of group \"%s\" has phi = %g; it must be finite and not negative",
                            what, i / each, g->name, phi[i]);
    return SOS_OK;
}

sos_status sos_example_add_pairs(sos_example *x, uint32_t group, size_t count, const uint32_t variables[], const double phi[],
                                 sos_error *error)
{
    sos_status status = sos_example_group_check(x, group, SOS_GROUP_NONNEGATIVE, "pairs", error);
    if (!status && x->potts == SOS_NO_TABLE)
        status = sos_example_new_table(x, 2, (double[]){ 0, 1, 1, 0 }, (sos_table_use){ SOS_NO_TABLE, 0, NULL }, &x->potts,
                                       error);
    if (status || !count) return status;
    const sos_group *g = &x->layout->groups[group].spec;
    status = sos_example_phi_check(g, "pair", count, g->size, phi, error);
    if (status) return status;
    sos_run run = { .group = group, .first = x->energy->pools[2].count, .count = count };
    if (!sos_copy_array(&run.phi, phi, count * g->size, sizeof *phi) ||
        !sos_grow(&x->pair_runs, &x->pair_runs_room, x->pair_runs_count + 1)) {
        free(run.phi);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pairs", count);
    }
    status = sos_energy_add_cliques(x->energy, x->potts, count, variables, NULL, error);
    if (status) {
        free(run.phi);
        return status;
    }
    x->pair_runs[x->pair_runs_count++] = run;
    return SOS_OK;
}

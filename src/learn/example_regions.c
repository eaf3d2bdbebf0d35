/* example_regions.c - regions: cliques of any size whose members should agree. */
#include "learn/example.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int compare_variables(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Sorts the members of region r, the first of which is `members`, and looks for repeats. */
static sos_status region_members_check(const sos_example *x, size_t r, size_t k, uint32_t members[], sos_error *error)
{
    if (!k) return sos_fail(error, SOS_ERR_ARGUMENT, "region %zu has no members", r);
    qsort(members, k, sizeof *members, compare_variables);
    if (members[k - 1] >= x->n)
        return sos_fail(error, SOS_ERR_ARGUMENT, "region %zu has variable %u, but there are %zu", r, (unsigned)members[k - 1],
                        x->n);
    for (size_t i = 1; i < k; i++)
        if (members[i] == members[i - 1])
            return sos_fail(error, SOS_ERR_ARGUMENT, "region %zu has variable %u twice", r, (unsigned)members[i]);
    return SOS_OK;
}

static sos_status regions_check(const sos_example *x, uint32_t group, size_t count, const size_t start[],
                                const uint32_t variables[], double reach, const double phi[], sos_error *error)
{
    if (!(reach >= 0 && reach <= 0.5))
        return sos_fail(error, SOS_ERR_ARGUMENT, "regions have reach %g; it is a share of their members, 0 to 1/2", reach);
    if (!start || start[0] || !variables)
        return sos_fail(error, SOS_ERR_ARGUMENT, "regions need variables, and must start at 0");
    for (size_t r = 0; r < count; r++)
        if (start[r + 1] < start[r] || start[r + 1] - start[r] > x->n)
            return sos_fail(error, SOS_ERR_ARGUMENT, "region %zu begins at member %zu and ends at %zu; there are %zu variables",
                            r, start[r], start[r + 1], x->n);
    const sos_group *g = &x->layout->groups[group].spec;
    return sos_example_phi_check(g, "region", count, g->size, phi, error);
}

/* Copies them behind those that are there, without counting them yet. */
static sos_status regions_copy(sos_example *x, size_t count, const size_t start[], const uint32_t variables[], double reach,
                               sos_error *error)
{
    uint32_t *members = x->members + x->members_count;
    memcpy(members, variables, start[count] * sizeof *members);
    for (size_t r = 0; r < count; r++) {
        const size_t k = start[r + 1] - start[r], some = (size_t)(reach * (double)k);
        const sos_status status = region_members_check(x, r, k, members + start[r], error);
        if (status) return status;
        x->regions[x->regions_count + r] = (sos_region){ x->members_count + start[r], k, some ? some : 1 };
    }
    return SOS_OK;
}

sos_status sos_example_add_regions(sos_example *x, uint32_t group, size_t count, const size_t start[],
                                   const uint32_t variables[], double reach, const double phi[], sos_error *error)
{
    sos_status status = sos_example_group_check(x, group, SOS_GROUP_NONNEGATIVE, "regions", error);
    if (status || !count) return status;
    status = regions_check(x, group, count, start, variables, reach, phi, error);
    if (status) return status;
    const size_t size = x->layout->groups[group].spec.size;
    sos_run run = { .group = group, .first = x->regions_count, .count = count };
    if (!sos_copy_array(&run.phi, phi, count * size, sizeof *phi) ||
        !sos_grow(&x->region_runs, &x->region_runs_room, x->region_runs_count + 1) ||
        !sos_grow(&x->regions, &x->regions_room, x->regions_count + count) ||
        !sos_grow(&x->members, &x->members_room, x->members_count + start[count]))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu regions", count);
    if (!status) status = regions_copy(x, count, start, variables, reach, error);
    if (status) {
        free(run.phi);
        return status;
    }
    if (x->counts_count) sos_example_forget_flow(x); /* counts stand behind regions in its energies */
    x->region_runs[x->region_runs_count++] = run;
    x->regions_count += count;
    x->members_count += start[count];
    return SOS_OK;
}

double sos_example_region_cost(const sos_example *x, const sos_region *r, const uint8_t labels[])
{
    size_t having[SOS_LABELS_MAX + 1] = { 0 }, most = 0;
    for (size_t q = 0; q < r->k; q++) having[labels[x->members[r->start + q]]]++;
    for (size_t l = 0; l < x->layout->labels; l++) most = most > having[l] ? most : having[l];
    return r->k - most < r->reach ? (double)(r->k - most) / (double)r->reach : 1;
}

/* example_features.c - what variables cost by themselves: features of free groups, costs of labels of nonnegative groups. */
#include "learn/example.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

static sos_status features_check(const sos_example *x, uint32_t group, const size_t start[], const uint32_t index[],
                                 const double value[], sos_error *error)
{
    const sos_group *g = &x->layout->groups[group].spec;
    if (!start || start[0]) return sos_fail(error, SOS_ERR_ARGUMENT, "features must start at 0");
    for (size_t i = 0; i < x->n; i++) {
        if (start[i + 1] < start[i])
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has a negative number of features", i);
        for (size_t f = start[i]; f < start[i + 1]; f++) {
            if (!index || index[f] >= g->size)
                return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has feature %u of group \"%s\", which has %zu", i,
                                index ? (unsigned)index[f] : 0, g->name, g->size);
            if (value && !isfinite(value[f]))
                return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has feature %u = %g of group \"%s\"", i,
                                (unsigned)index[f], value[f], g->name);
        }
    }
    return SOS_OK;
}

/* Takes f over, in place of what the group had; without memory f is freed. */
static sos_status features_replace(sos_example *x, sos_features *f, sos_error *error)
{
    for (size_t i = 0; i < x->features_count; i++)
        if (x->features[i].group == f->group) {
            sos_features_free(&x->features[i]);
            x->features[i] = *f;
            return SOS_OK;
        }
    if (!sos_grow(&x->features, &x->features_room, x->features_count + 1)) {
        sos_features_free(f);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for features");
    }
    x->features[x->features_count++] = *f;
    return SOS_OK;
}

sos_status sos_example_set_features(sos_example *x, uint32_t group, const size_t start[], const uint32_t index[],
                                    const double value[], sos_error *error)
{
    sos_status status = sos_example_group_check(x, group, SOS_GROUP_FREE, "features of variables", error);
    if (!status) status = features_check(x, group, start, index, value, error);
    if (status) return status;
    const size_t count = start[x->n];
    bool all_one = true; /* most features are indicators */
    for (size_t f = 0; value && f < count; f++) all_one &= value[f] == 1;
    if (all_one) value = NULL;
    sos_features f = { .group = group };
    if (!sos_copy_array(&f.start, start, x->n + 1, sizeof *start) || !sos_copy_array(&f.index, index, count, sizeof *index) ||
        !sos_copy_array(&f.value, value, count, sizeof *value)) {
        sos_features_free(&f);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu features", count);
    }
    return features_replace(x, &f, error);
}

sos_status sos_example_set_dense_features(sos_example *x, uint32_t group, const double value[], ptrdiff_t variable_stride,
                                          ptrdiff_t feature_stride, sos_error *error)
{
    const sos_status status = sos_example_group_check(x, group, SOS_GROUP_FREE, "features of variables", error);
    if (status) return status;
    const sos_group *g = &x->layout->groups[group].spec;
    if (!value) return sos_fail(error, SOS_ERR_ARGUMENT, "no features were given");
    if (x->n && g->size > SIZE_MAX / sizeof *value / x->n)
        return sos_fail(error, SOS_ERR_RANGE, "%zu variables have too many features", x->n);
    const size_t count = x->n * g->size;
    sos_features f = { .group = group,
                       .start = malloc((x->n + 1) * sizeof *f.start),
                       .index = malloc((count + !count) * sizeof *f.index),
                       .value = malloc((count + !count) * sizeof *f.value) };
    if (!f.start || !f.index || !f.value) {
        sos_features_free(&f);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu features", count);
    }
    for (size_t i = 0; i <= x->n; i++) f.start[i] = i * g->size;
    bool all_one = true;
    for (size_t k = 0; k < count; k++) {
        const size_t i = k / g->size, j = k % g->size;
        const double v = value[(ptrdiff_t)i * variable_stride + (ptrdiff_t)j * feature_stride];
        if (!isfinite(v)) {
            sos_features_free(&f);
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu has feature %zu = %g of group \"%s\"", i, j, v, g->name);
        }
        f.index[k] = (uint32_t)j;
        f.value[k] = v;
        all_one &= v == 1;
    }
    if (all_one) {
        free(f.value);
        f.value = NULL;
    }
    return features_replace(x, &f, error);
}

/* Numbers per variable: one for each label and weight. */
static size_t costs_each(const sos_example *x, uint32_t group)
{
    return x->layout->labels * x->layout->groups[group].spec.size;
}

sos_status sos_example_set_costs(sos_example *x, uint32_t group, const double cost[], sos_error *error)
{
    const sos_status status = sos_example_group_check(x, group, SOS_GROUP_NONNEGATIVE, "costs of labels", error);
    if (status) return status;
    const size_t each = costs_each(x, group);
    if (!cost) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    if (each > SIZE_MAX / sizeof *cost / x->n) return sos_fail(error, SOS_ERR_RANGE, "%zu variables have too many costs", x->n);
    for (size_t i = 0; i < x->n * each; i++)
        if (!isfinite(cost[i]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "variable %zu costs %g in group \"%s\"", i / each, cost[i],
                            x->layout->groups[group].spec.name);
    sos_label_costs c = { .group = group };
    if (!sos_grow(&x->costs, &x->costs_room, x->costs_count + 1) || !sos_copy_array(&c.cost, cost, x->n * each, sizeof *cost))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the costs of %zu variables", x->n);
    for (size_t i = 0; i < x->costs_count; i++)
        if (x->costs[i].group == group) {
            free(x->costs[i].cost);
            x->costs[i] = c;
            return SOS_OK;
        }
    x->costs[x->costs_count++] = c;
    return SOS_OK;
}

double sos_example_label_cost(const sos_example *x, const sos_label_costs *c, size_t i, size_t l, const double w[])
{
    const sos_layout_group *g = &x->layout->groups[c->group];
    const double *cost = c->cost + (i * x->layout->labels + l) * g->spec.size;
    double sum = 0;
    for (size_t j = 0; j < g->spec.size; j++) sum += w[g->offset + j] * cost[j];
    return sum;
}

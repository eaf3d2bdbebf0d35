/* example_contents.c - what an example holds, for those who want to read it back. */
#include "learn/example.h"

size_t sos_example_variables(const sos_example *x) { return x->n; }
double sos_example_scale(const sos_example *x) { return x->scale; }
const uint8_t *sos_example_truth(const sos_example *x) { return x->truth; }
const uint8_t *sos_example_care(const sos_example *x) { return x->care; }
int sos_example_fixed(const sos_example *x, size_t i) { return x->fixed ? x->fixed[i] : SOS_LABEL_FREE; }
const double *sos_example_class_loss(const sos_example *x) { return x->class_loss; }
const double *sos_example_variable_loss(const sos_example *x) { return x->loss; }

bool sos_example_fits(const sos_example *x, const sos_model *m) { return x->layout->identity == m->layout->identity; }

sos_feature_list sos_example_features(const sos_example *x, uint32_t group)
{
    for (size_t i = 0; i < x->features_count; i++) {
        const sos_features *f = &x->features[i];
        if (f->group == group) return (sos_feature_list){ f->start, f->index, f->value };
    }
    return (sos_feature_list){ NULL, NULL, NULL };
}

const double *sos_example_costs(const sos_example *x, uint32_t group)
{
    for (size_t i = 0; i < x->costs_count; i++)
        if (x->costs[i].group == group) return x->costs[i].cost;
    return NULL;
}

/* The run that number i belongs to: the last that does not begin behind it. */
static const sos_run *run_of(const sos_run runs[], size_t count, size_t i)
{
    size_t low = 0, high = count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (runs[middle].first <= i)
            low = middle;
        else
            high = middle;
    }
    return &runs[low];
}

static const double *run_phi(const sos_example *x, const sos_run *r, size_t i)
{
    return r->phi ? r->phi + (i - r->first) * sos_layout_group_phi(&x->layout->groups[r->group]) : NULL;
}

static sos_part region_part(const sos_example *x, size_t i)
{
    const sos_region *r = &x->regions[i];
    const sos_run *run = run_of(x->region_runs, x->region_runs_count, i);
    return (sos_part){ SOS_PART_REGION, run->group, r->k, x->members + r->start, run_phi(x, run, i), { .reach = r->reach } };
}

/* Clique c of k members of the energy. */
static sos_part clique_part(const sos_example *x, size_t k, size_t c)
{
    const sos_pool *pool = &x->energy->pools[k];
    const uint32_t *variables = pool->variables + c * k, table = pool->tables[c];
    const sos_table_use *use = &x->uses[table];
    if (table == x->potts) {
        const sos_run *run = run_of(x->pair_runs, x->pair_runs_count, c);
        return (sos_part){ SOS_PART_PAIR, run->group, k, variables, run_phi(x, run, c), { 0 } };
    }
    if (use->delta) return (sos_part){ SOS_PART_LOSS, SOS_NO_TABLE, k, variables, NULL, { .delta = use->delta } };
    const double *phi = pool->weights ? pool->weights + c : NULL;
    return (sos_part){ SOS_PART_CLIQUE, use->group, k, variables, phi, { .strength = use->strength } };
}

static sos_part count_part(const sos_example *x, size_t i)
{
    const sos_count *c = &x->counts[i];
    const sos_run *run = run_of(x->count_runs, x->count_runs_count, i);
    const double *amounts = sos_count_amounts(x, c);
    return (sos_part){ SOS_PART_COUNT, run->group, c->k, x->counted + c->start, run_phi(x, run, i), { .amounts = amounts } };
}

size_t sos_example_parts(const sos_example *x) { return x->energy->clique_count + x->regions_count + x->counts_count; }

sos_part sos_example_part(const sos_example *x, size_t i)
{
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; i -= x->energy->pools[k++].count)
        if (i < x->energy->pools[k].count) return clique_part(x, k, i);
    return i < x->regions_count ? region_part(x, i) : count_part(x, i - x->regions_count);
}

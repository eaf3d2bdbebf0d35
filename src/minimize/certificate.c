/* certificate.c - what the flow proves, as doubles that hold: a lower bound is never above the minimum (math.md, 6.5). */
#include "minimize/certificate.h"

#include <math.h>
#include <stdlib.h>

enum { CHUNK = 256, MANY_CHUNKS = 1024 }; /* as in sos_energy_value_on */

static sos_sum zeros_chunk(const sos_energy *e, size_t i)
{
    const size_t end = e->n - i < CHUNK ? e->n : i + CHUNK;
    sos_sum sum = { 0, 0 };
    for (; i < end; i++) sos_sum_add(&sum, e->unary[2 * i]);
    return sum;
}

/* Label 0 of every variable. */
static void add_zeros(sos_sum *total, const sos_energy *e, int threads)
{
    const size_t chunks = e->n / CHUNK + (e->n % CHUNK != 0);
    sos_sum *sums = threads > 1 && chunks > MANY_CHUNKS ? malloc(chunks * sizeof *sums) : NULL;
#pragma omp parallel for num_threads(threads) schedule(static) if (sums)
    for (size_t i = 0; i < (sums ? chunks : 0); i++) sums[i] = zeros_chunk(e, i * CHUNK);
    for (size_t i = 0; i < chunks; i++) {
        const sos_sum sum = sums ? sums[i] : zeros_chunk(e, i * CHUNK);
        sos_sum_add(total, sum.total);
        total->off += sum.off;
    }
    free(sums);
}

/* What all labellings cost at least: the constant, label 0 of every variable, the empty set of every clique. */
static sos_sum base_energy(const sos_energy *e, int threads)
{
    sos_sum total = { e->constant, 0 };
    add_zeros(&total, e, threads);
    for (size_t t = 0; t < e->table_count; t++) {
        const sos_table *table = &e->tables[t];
        if (!e->pools[table->k].weights) sos_sum_add_product(&total, (double)table->uses, sos_table_costs(e, (uint32_t)t)[0]);
    }
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) {
        const sos_pool *pool = &e->pools[k];
        for (size_t c = 0; pool->weights && c < pool->count; c++) {
            const double none = sos_table_costs(e, pool->tables[c])[0];
            if (none != 0) sos_sum_add_product(&total, pool->weights[c], none);
        }
    }
    for (size_t c = 0; c < e->concave_count; c++) sos_sum_add_product(&total, e->concaves[c].weight, e->concaves[c].f.value[0]);
    return total;
}

void sos_certify(const sos_flow_job *job)
{
    sos_minimize_result *r = job->result;
    const sos_network *net = job->network;
    const double units = sos_rounded_up(job->rounding + net->rounding);
    r->bits = net->scaling.bits;
    r->rounding = sos_rounded_up((units > 0 ? sos_rounded_up(ldexp(units, -net->scaling.exponent)) : 0) + net->lost);
    if (units > 0 && r->rounding == 0) r->rounding = DBL_TRUE_MIN;
    r->energy = sos_energy_value_on(job->energy, job->labels, job->threads);
    sos_sum bound = base_energy(job->energy, job->threads);
    sos_sum_add(&bound, job->bound.total);
    bound.off += job->bound.off;
    /* Sums of doubles may come out above what adding up the labels' costs gives. */
    r->lower_bound = fmin(r->energy, sos_sum_below(bound, r->rounding));
}

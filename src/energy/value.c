/* value.c - the energy of a labelling, from the definition. */
#include "energy/energy.h"

#include <stdlib.h>

/* Sums are taken in chunks, so that the error of a sum over millions of terms stays that of hundreds. */
enum { CHUNK = 256 };

/* More chunks than this are worth several threads.  Their sums are added up in order, whatever thread had them. */
enum { MANY_CHUNKS = 1024 };

/* The costs of the one table that all cliques of k members have, if they are so and have no weights; else NULL. */
static const double *only_table(const sos_energy *e, size_t k)
{
    const sos_pool *pool = &e->pools[k];
    if (pool->weights || !pool->count || e->tables[pool->tables[0]].uses != pool->count) return NULL;
    return sos_table_costs(e, pool->tables[0]);
}

static inline __attribute__((always_inline)) double cliques_chunk(const sos_energy *e, size_t k, const double only[], size_t c,
                                                                  const uint8_t labels[])
{
    const sos_pool *pool = &e->pools[k];
    const size_t end = pool->count - c < CHUNK ? pool->count : c + CHUNK;
    const uint32_t *variables = pool->variables;
    double sum = 0;
    for (; c < end; c++) {
        size_t S = 0;
        for (size_t i = 0; i < k; i++) S |= (size_t)(labels[variables[c * k + i]] != 0) << i;
        const double f = only ? only[S] : sos_table_costs(e, pool->tables[c])[S];
        sum += !only && pool->weights ? pool->weights[c] * f : f;
    }
    return sum;
}

static double unaries_chunk(const sos_energy *e, size_t i, const uint8_t labels[])
{
    const size_t end = e->n - i < CHUNK ? e->n : i + CHUNK;
    double sum = 0;
    for (; i < end; i++) sum += e->unary[2 * i + (labels[i] != 0)];
    return sum;
}

/* Of the chunk from item on: cliques of k members, or variables where k is 0. */
static double chunk_value(const sos_energy *e, size_t k, size_t item, const uint8_t labels[])
{
#define ONE(size)     cliques_chunk(e, size, only, item, labels)
#define SEVERAL(size) cliques_chunk(e, size, NULL, item, labels)
    if (!k) return unaries_chunk(e, item, labels);
    const double *only = only_table(e, k);
    return only ? SOS_FOR_SIZE(k, ONE) : SOS_FOR_SIZE(k, SEVERAL);
#undef ONE
#undef SEVERAL
}

/* Total, and all chunks of so many items added to it. */
static double add_chunks(double total, const sos_energy *e, size_t k, size_t count, const uint8_t labels[], int threads)
{
    const size_t chunks = count / CHUNK + (count % CHUNK != 0);
    double *sums = threads > 1 && chunks > MANY_CHUNKS ? malloc(chunks * sizeof *sums) : NULL;
    if (!sums) {
        for (size_t i = 0; i < chunks; i++) total += chunk_value(e, k, i * CHUNK, labels);
        return total;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (size_t i = 0; i < chunks; i++) sums[i] = chunk_value(e, k, i * CHUNK, labels);
    for (size_t i = 0; i < chunks; i++) total += sums[i];
    free(sums);
    return total;
}

double sos_concave_amount(const sos_concave_clique *c, const uint8_t labels[])
{
    double amount = 0;
    for (size_t i = 0; i < c->k; i++)
        if (labels[c->variables[i]]) amount += c->amounts ? c->amounts[i] : 1;
    return amount;
}

double sos_energy_value_on(const sos_energy *e, const uint8_t labels[], int threads)
{
    double total = add_chunks(e->constant, e, 0, e->n, labels, threads);
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) total += add_chunks(0, e, k, e->pools[k].count, labels, threads);
    for (size_t c = 0; c < e->concave_count; c++)
        total += e->concaves[c].weight * sos_count_value(&e->concaves[c].f, sos_concave_amount(&e->concaves[c], labels));
    return total;
}

double sos_energy_value(const sos_energy *e, const uint8_t labels[]) { return sos_energy_value_on(e, labels, 1); }

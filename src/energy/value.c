/* value.c - what a labelling costs, by the definition. */
#include "energy/energy.h"

/* Sums are taken in chunks, so that the error of a sum over millions of terms stays that of hundreds. */
enum { CHUNK = 256 };

static inline __attribute__((always_inline)) double cliques_value(const sos_energy *e, size_t k, const uint8_t labels[])
{
    const sos_pool *pool = &e->pools[k];
    double total = 0;
    for (size_t c = 0; c < pool->count;) {
        const size_t end = pool->count - c < CHUNK ? pool->count : c + CHUNK;
        double sum = 0;
        for (; c < end; c++) {
            size_t S = 0;
            for (size_t i = 0; i < k; i++) S |= (size_t)(labels[pool->variables[c * k + i]] != 0) << i;
            const double f = sos_table_costs(e, pool->tables[c])[S];
            sum += pool->weights ? pool->weights[c] * f : f;
        }
        total += sum;
    }
    return total;
}

double sos_concave_amount(const sos_concave_clique *c, const uint8_t labels[])
{
    double amount = 0;
    for (size_t i = 0; i < c->k; i++)
        if (labels[c->variables[i]]) amount += c->amounts ? c->amounts[i] : 1;
    return amount;
}

double sos_energy_value(const sos_energy *e, const uint8_t labels[])
{
    double total = e->constant;
    for (size_t i = 0; i < e->n;) {
        const size_t end = e->n - i < CHUNK ? e->n : i + CHUNK;
        double sum = 0;
        for (; i < end; i++) sum += e->unary[2 * i + (labels[i] != 0)];
        total += sum;
    }
#define VALUE(size) cliques_value(e, size, labels)
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++) total += SOS_FOR_SIZE(k, VALUE);
#undef VALUE
    for (size_t c = 0; c < e->concave_count; c++)
        total += e->concaves[c].weight * sos_count_value(&e->concaves[c].f, sos_concave_amount(&e->concaves[c], labels));
    return total;
}

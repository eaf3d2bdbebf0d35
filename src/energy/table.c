/* table.c - tables of costs, shared by cliques. */
#include "energy/energy.h"

#include <math.h>
#include <string.h>

#include "base/exact.h"
#include "base/memory.h"
#include "energy/submodular.h"

/* The facts about a table that choosing integers for the flow needs. */
static sos_table table_of(size_t k, const double f[], size_t offset)
{
    sos_table t = { .k = k, .offset = offset, .integers = true };
    const uint32_t entries = UINT32_C(1) << k;
    for (uint32_t S = 0; S < entries; S++) {
        const double size = fabs(f[S] - f[0]);
        const double off = sos_difference_off(f[S], f[0]);
        t.largest = size > t.largest ? size : t.largest;
        t.off = off > t.off ? off : t.off;
        t.integers &= sos_is_whole(f[S]);
    }
    for (uint32_t bit = 1; bit < entries; bit <<= 1)
        for (uint32_t high = 0; high < entries; high += 2 * bit)
            for (uint32_t S = high; S < high + bit; S++) {
                const double size = fabs(f[S | bit] - f[S]);
                t.marginal = size > t.marginal ? size : t.marginal;
            }
    return t;
}

sos_status sos_energy_add_table(sos_energy *e, size_t k, const double f[], uint32_t *table, sos_error *error)
{
    if (k < 1 || k > SOS_TABLE_MEMBERS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a table of %zu members; 1 to %d are possible", k, SOS_TABLE_MEMBERS_MAX);
    if (!f || !table) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs or no place for the table's number were given");
    const sos_status status = sos_table_check(k, f, error);
    if (status) return status;
    const size_t entries = (size_t)1 << k;
    if (e->table_count >= UINT32_MAX) return sos_fail(error, SOS_ERR_RANGE, "more than %u tables", (unsigned)UINT32_MAX);
    if (!sos_grow(&e->tables, &e->tables_room, e->table_count + 1) ||
        !sos_grow(&e->costs, &e->costs_room, e->costs_count + entries))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for table %zu", e->table_count);
    memcpy(e->costs + e->costs_count, f, entries * sizeof *f);
    e->tables[e->table_count] = table_of(k, f, e->costs_count);
    e->costs_count += entries;
    *table = (uint32_t)e->table_count++;
    return SOS_OK;
}

sos_status sos_table_number_check(const sos_energy *e, uint32_t table, sos_error *error)
{
    if (table < e->table_count) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "table %u, but there are %zu", (unsigned)table, e->table_count);
}

sos_status sos_energy_set_table(sos_energy *e, uint32_t table, const double f[], sos_error *error)
{
    sos_status status = sos_table_number_check(e, table, error);
    if (status) return status;
    sos_table *t = &e->tables[table];
    if (!f) return sos_fail(error, SOS_ERR_ARGUMENT, "no costs were given");
    status = sos_table_check(t->k, f, error);
    if (status) return status;
    if (!memcmp(e->costs + t->offset, f, sizeof *f << t->k)) return SOS_OK; /* a flow can keep its cliques */
    memcpy(e->costs + t->offset, f, sizeof *f << t->k);
    const size_t uses = t->uses;
    *t = table_of(t->k, f, t->offset);
    t->uses = uses;
    e->revision++;
    return SOS_OK;
}

const double *sos_energy_table(const sos_energy *e, uint32_t table, size_t *k)
{
    sos_expects(table < e->table_count);
    *k = e->tables[table].k;
    return sos_table_costs(e, table);
}

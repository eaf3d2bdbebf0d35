/* format_cliques.c - lines that the formats of energies with two and with several labels share: cliques with tables. */
#include <stdlib.h>

#include "base/memory.h"
#include "energy/format.h"

/* Cliques of one table that stand side by side are added together. */
enum { BATCH = 512 };

typedef struct clique_reader {
    sos_scanner *s;
    sos_energy *e;
    bool weighted; /* a weight stands behind the table's number */
    uint32_t *members;
    double *weights;
    size_t members_room, weights_room;

    uint32_t table; /* of the batch */
    size_t count;
    bool uneven; /* a weight is not 1 */
} clique_reader;

sos_status sos_format_members_read(sos_scanner *s, size_t n, size_t k, uint32_t members[])
{
    for (size_t i = 0; i < k; i++) {
        size_t variable;
        const sos_status status = sos_scan_count(s, "a variable", n - 1, &variable);
        if (status) return status;
        members[i] = (uint32_t)variable;
    }
    return SOS_OK;
}

sos_status sos_format_weight_read(sos_scanner *s, double *weight)
{
    const sos_status status = sos_scan_real(s, "the weight of a clique", weight);
    return !status && *weight < 0 ? sos_scan_expected(s, "a weight that is not negative") : status;
}

sos_status sos_format_count_read(sos_scanner *s, const char *word, size_t bytes, size_t *count)
{
    sos_status status = sos_scan_word(s, word);
    char what[40];
    snprintf(what, sizeof what, "the number of %s", word);
    if (!status) status = sos_scan_count(s, what, SIZE_MAX, count);
    return status ? status : sos_scan_room(s, word, *count, bytes);
}

/* Where all tables are of one size, which is the common case, the cliques take no more memory than they need. */
static sos_status cliques_reserve(clique_reader *r, size_t count)
{
    const size_t tables = sos_energy_tables(r->e);
    if (!count || !tables) return SOS_OK;
    size_t k, other;
    sos_energy_table(r->e, 0, &k);
    for (uint32_t t = 1; t < tables; t++) {
        sos_energy_table(r->e, t, &other);
        if (other != k) return SOS_OK;
    }
    const sos_status status = sos_scan_room(r->s, "cliques", count, 9 + 2 * k);
    sos_error inner;
    if (!status && sos_energy_reserve(r->e, 0, count, &inner)) return sos_scan_blame(r->s, &inner, "");
    return status;
}

static sos_status batch_flush(clique_reader *r)
{
    sos_error inner;
    if (r->count && sos_energy_add_cliques(r->e, r->table, r->count, r->members, r->uneven ? r->weights : NULL, &inner))
        return sos_scan_blame(r->s, &inner, "");
    r->count = 0;
    r->uneven = false;
    return SOS_OK;
}

static sos_status clique_read(clique_reader *r)
{
    const size_t n = sos_energy_variables(r->e), tables = sos_energy_tables(r->e);
    size_t table, k;
    sos_status status = sos_scan_word(r->s, "clique");
    if (!status && !tables) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "a clique, but there are no tables");
    if (!status && !n) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "a clique, but there are no variables");
    if (!status) status = sos_scan_count(r->s, "the number of a table", tables - 1, &table);
    if (!status && (table != r->table || r->count == BATCH)) status = batch_flush(r);
    double weight = 1;
    if (!status && r->weighted) status = sos_format_weight_read(r->s, &weight);
    if (status) return status;

    sos_energy_table(r->e, (uint32_t)table, &k);
    if (!sos_grow(&r->members, &r->members_room, BATCH * k) || !sos_grow(&r->weights, &r->weights_room, BATCH))
        return sos_format_no_memory(r->s);
    uint32_t *members = r->members + r->count * k;
    status = sos_format_members_read(r->s, n, k, members);
    if (status) return status;
    for (size_t i = 1; i < k; i++)
        for (size_t j = 0; j < i; j++)
            if (members[i] == members[j])
                return sos_scan_fail(r->s, SOS_ERR_FORMAT, "the clique has variable %u twice", (unsigned)members[i]);
    r->table = (uint32_t)table;
    r->weights[r->count++] = weight;
    r->uneven |= weight != 1;
    return SOS_OK;
}

sos_status sos_format_cliques_read(sos_scanner *s, sos_energy *e, size_t count, bool weighted)
{
    clique_reader r = { .s = s, .e = e, .weighted = weighted };
    sos_status status = cliques_reserve(&r, count);
    for (size_t c = 0; !status && c < count; c++) status = clique_read(&r);
    if (!status) status = batch_flush(&r);
    free(r.members);
    free(r.weights);
    return status;
}

void sos_format_cliques_write(const sos_energy *e, sos_output *o, bool weighted)
{
    for (size_t c = 0; c < sos_energy_cliques(e); c++) {
        const sos_clique clique = sos_energy_clique(e, c);
        fprintf(o->file, "clique %u ", (unsigned)clique.table);
        if (weighted) sos_output_real(o, clique.weight, ' ');
        for (size_t i = 0; i < clique.k; i++)
            fprintf(o->file, "%u%c", (unsigned)clique.variables[i], i + 1 < clique.k ? ' ' : '\n');
    }
}

void sos_format_reals_write(sos_output *o, size_t count, const double x[])
{
    for (size_t i = 0; i < count; i++) sos_output_real(o, x[i], i + 1 < count ? ' ' : '\n');
}

/* format_sos.c - the .sos text format, versions 1 to 3 (docs/formats.md). */
#include <stdlib.h>

#include "base/memory.h"
#include "energy/format.h"

/* Cliques of one table that stand side by side are added together. */
enum { BATCH = 512 };

typedef struct sos_reader {
    sos_scanner *s;
    sos_energy *e;
    size_t version, variables, cliques, tables, concaves, fixed;

    uint32_t *members; /* of a batch of cliques, or of a concave clique */
    double *costs;     /* of a table or a concave clique */
    double *weights;   /* BATCH */
    size_t members_room, costs_room, weights_room;

    uint32_t batch_table;
    size_t batch_count;
    bool batch_weighted;
} sos_reader;

static sos_status no_memory(const sos_reader *r) { return sos_scan_fail(r->s, SOS_ERR_MEMORY, "no memory to read further"); }

static sos_status header_count(sos_reader *r, const char *word, size_t bytes, size_t *count)
{
    sos_status status = sos_scan_word(r->s, word);
    char what[40];
    snprintf(what, sizeof what, "the number of %s", word);
    if (!status) status = sos_scan_count(r->s, what, SIZE_MAX, count);
    return status ? status : sos_scan_room(r->s, word, *count, bytes);
}

/* The bytes are those of the shortest line there is, such as "clique 0 0\n". */
static sos_status header_read(sos_reader *r)
{
    sos_status status = sos_scan_word(r->s, "sos");
    if (!status) status = sos_scan_count(r->s, "the version, 1 to 3", SIZE_MAX, &r->version);
    if (!status && (r->version < 1 || r->version > 3))
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "version %zu; this library reads 1 to 3", r->version);
    if (!status) status = header_count(r, "variables", 4, &r->variables);
    if (!status) status = header_count(r, "cliques", r->version == 1 ? 11 : 13, &r->cliques);
    if (!status) status = header_count(r, "tables", 12, &r->tables);
    if (!status && r->version > 1) status = header_count(r, "concaves", 16, &r->concaves);
    if (!status && r->version > 1) status = header_count(r, "fixed", 8, &r->fixed);
    return status;
}

static sos_status unaries_read(sos_reader *r)
{
    sos_error inner;
    sos_scan_next(r->s);
    if (r->version > 1 && sos_scan_is(r->s, "constant")) {
        double constant;
        const sos_status status = sos_scan_real(r->s, "the constant", &constant);
        if (status) return status;
        if (sos_energy_add_constant(r->e, constant, &inner)) return sos_scan_blame(r->s, &inner, "");
        sos_scan_next(r->s);
    }
    if (!sos_scan_is(r->s, "unary")) return sos_scan_expected(r->s, "'unary'");
    for (size_t i = 0; i < r->variables; i++) {
        double cost0, cost1;
        sos_status status = sos_scan_real(r->s, "a cost of label 0", &cost0);
        if (!status) status = sos_scan_real(r->s, "a cost of label 1", &cost1);
        if (status) return status;
        if (sos_energy_set_unary(r->e, i, cost0, cost1, &inner)) return sos_scan_blame(r->s, &inner, "");
    }
    return SOS_OK;
}

static sos_status table_read(sos_reader *r, size_t number)
{
    size_t k;
    sos_status status = sos_scan_word(r->s, "table");
    if (!status) status = sos_scan_count(r->s, "the number of members of a table", SOS_TABLE_MEMBERS_MAX, &k);
    if (status) return status;
    if (!k) return sos_scan_expected(r->s, "a table of at least 1 member");
    const sos_scanner heading = *r->s; /* its line is the one to name */
    const size_t entries = (size_t)1 << k;
    status = sos_scan_room(r->s, "costs of a table", entries, 2);
    if (status) return status;
    if (!sos_grow(&r->costs, &r->costs_room, entries)) return no_memory(r);
    for (size_t S = 0; S < entries; S++) {
        status = sos_scan_real(r->s, "a cost of the table", &r->costs[S]);
        if (status) return status;
    }
    sos_error inner;
    uint32_t added;
    if (!sos_energy_add_table(r->e, k, r->costs, &added, &inner)) return SOS_OK;
    char what[40];
    snprintf(what, sizeof what, "table %zu", number);
    return sos_scan_blame(&heading, &inner, what);
}

/* Where all tables are of one size, which is the common case, the cliques take no more memory than they need. */
static sos_status cliques_reserve(sos_reader *r)
{
    if (!r->cliques || !r->tables) return SOS_OK;
    size_t k, other;
    sos_energy_table(r->e, 0, &k);
    for (uint32_t t = 1; t < r->tables; t++) {
        sos_energy_table(r->e, t, &other);
        if (other != k) return SOS_OK;
    }
    const sos_status status = sos_scan_room(r->s, "cliques", r->cliques, 9 + 2 * k);
    sos_error inner;
    if (!status && sos_energy_reserve(r->e, 0, r->cliques, &inner)) return sos_scan_blame(r->s, &inner, "");
    return status;
}

static sos_status batch_flush(sos_reader *r)
{
    sos_error inner;
    if (r->batch_count &&
        sos_energy_add_cliques(r->e, r->batch_table, r->batch_count, r->members, r->batch_weighted ? r->weights : NULL, &inner))
        return sos_scan_blame(r->s, &inner, "");
    r->batch_count = 0;
    r->batch_weighted = false;
    return SOS_OK;
}

static sos_status members_read(sos_reader *r, size_t k, uint32_t members[])
{
    for (size_t i = 0; i < k; i++) {
        size_t variable;
        const sos_status status = sos_scan_count(r->s, "a variable", r->variables - 1, &variable);
        if (status) return status;
        members[i] = (uint32_t)variable;
    }
    return SOS_OK;
}

static sos_status weight_read(sos_reader *r, double *weight)
{
    const sos_status status = sos_scan_real(r->s, "the weight of a clique", weight);
    return !status && *weight < 0 ? sos_scan_expected(r->s, "a weight that is not negative") : status;
}

static sos_status clique_read(sos_reader *r)
{
    size_t table, k;
    sos_status status = sos_scan_word(r->s, "clique");
    if (!status && !r->tables) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "a clique, but there are no tables");
    if (!status && !r->variables) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "a clique, but there are no variables");
    if (!status) status = sos_scan_count(r->s, "the number of a table", r->tables - 1, &table);
    if (!status && (table != r->batch_table || r->batch_count == BATCH)) status = batch_flush(r);
    double weight = 1;
    if (!status && r->version > 1) status = weight_read(r, &weight);
    if (status) return status;

    sos_energy_table(r->e, (uint32_t)table, &k);
    if (!sos_grow(&r->members, &r->members_room, BATCH * k) || !sos_grow(&r->weights, &r->weights_room, BATCH))
        return no_memory(r);
    uint32_t *members = r->members + r->batch_count * k;
    status = members_read(r, k, members);
    if (status) return status;
    for (size_t i = 1; i < k; i++)
        for (size_t j = 0; j < i; j++)
            if (members[i] == members[j])
                return sos_scan_fail(r->s, SOS_ERR_FORMAT, "the clique has variable %u twice", (unsigned)members[i]);
    r->batch_table = (uint32_t)table;
    r->weights[r->batch_count++] = weight;
    r->batch_weighted |= weight != 1;
    return SOS_OK;
}

static sos_status concave_read(sos_reader *r)
{
    size_t k;
    sos_status status = sos_scan_word(r->s, "concave");
    if (!status) status = sos_scan_count(r->s, "the number of members of a concave clique", r->variables, &k);
    if (status) return status;
    if (!k) return sos_scan_expected(r->s, "a concave clique of at least 1 member");
    const sos_scanner heading = *r->s;
    status = sos_scan_room(r->s, "members of a concave clique", k, 4);
    if (status) return status;
    if (!sos_grow(&r->members, &r->members_room, k) || !sos_grow(&r->costs, &r->costs_room, k + 1)) return no_memory(r);
    double weight = 1;
    if (r->version > 2) status = weight_read(r, &weight);
    if (!status) status = members_read(r, k, r->members);
    for (size_t m = 0; !status && m <= k; m++) status = sos_scan_real(r->s, "a cost of a concave clique", &r->costs[m]);
    sos_error inner;
    if (!status && sos_energy_add_concave(r->e, k, r->members, r->costs, weight, &inner))
        return sos_scan_blame(&heading, &inner, "");
    return status;
}

static sos_status fix_read(sos_reader *r)
{
    size_t variable, label;
    sos_status status = sos_scan_word(r->s, "fix");
    if (!status && !r->variables) return sos_scan_fail(r->s, SOS_ERR_FORMAT, "a fixed variable, but there are no variables");
    if (!status) status = sos_scan_count(r->s, "a variable", r->variables - 1, &variable);
    if (status) return status;
    if (sos_energy_fixed(r->e, variable) != SOS_FREE)
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "variable %zu is fixed twice", variable);
    status = sos_scan_count(r->s, "a label", 1, &label);
    sos_error inner;
    if (!status && sos_energy_fix(r->e, variable, (int)label, &inner)) return sos_scan_blame(r->s, &inner, "");
    return status;
}

static sos_status body_read(sos_reader *r)
{
    sos_status status = unaries_read(r);
    for (size_t t = 0; !status && t < r->tables; t++) status = table_read(r, t);
    if (!status) status = cliques_reserve(r);
    for (size_t c = 0; !status && c < r->cliques; c++) status = clique_read(r);
    if (!status) status = batch_flush(r);
    for (size_t c = 0; !status && c < r->concaves; c++) status = concave_read(r);
    for (size_t f = 0; !status && f < r->fixed; f++) status = fix_read(r);
    return status ? status : sos_scan_finish(r->s);
}

sos_status sos_format_sos_read(sos_scanner *s, sos_energy **out)
{
    sos_reader r = { .s = s };
    sos_status status = header_read(&r);
    if (status) return status;
    sos_error inner;
    if (sos_energy_create(r.variables, &r.e, &inner)) return sos_scan_blame(s, &inner, "");
    status = body_read(&r);
    free(r.members);
    free(r.costs);
    free(r.weights);
    if (status)
        sos_energy_free(r.e);
    else
        *out = r.e;
    return status;
}

/* The least version that can say what there is. */
static int version_of(const sos_energy *e, size_t fixed)
{
    for (size_t c = 0; c < sos_energy_concaves(e); c++)
        if (sos_energy_concave(e, c).weight != 1) return 3;
    if (fixed || sos_energy_concaves(e) || sos_energy_constant(e) != 0) return 2;
    for (size_t c = 0; c < sos_energy_cliques(e); c++)
        if (sos_energy_clique(e, c).weight != 1) return 2;
    return 1;
}

static void concave_write(sos_output *o, sos_concave concave, int version)
{
    fprintf(o->file, "concave %zu ", concave.k);
    if (version > 2) sos_output_real(o, concave.weight, ' ');
    for (size_t i = 0; i < concave.k; i++) fprintf(o->file, "%u ", (unsigned)concave.variables[i]);
    for (size_t m = 0; m <= concave.k; m++) sos_output_real(o, concave.g[m], m < concave.k ? ' ' : '\n');
}

static void cliques_write(const sos_energy *e, sos_output *o, int version)
{
    for (size_t c = 0; c < sos_energy_cliques(e); c++) {
        const sos_clique clique = sos_energy_clique(e, c);
        fprintf(o->file, "clique %u ", (unsigned)clique.table);
        if (version > 1) sos_output_real(o, clique.weight, ' ');
        for (size_t i = 0; i < clique.k; i++)
            fprintf(o->file, "%u%c", (unsigned)clique.variables[i], i + 1 < clique.k ? ' ' : '\n');
    }
}

static void tables_write(const sos_energy *e, sos_output *o)
{
    for (size_t t = 0; t < sos_energy_tables(e); t++) {
        size_t k;
        const double *f = sos_energy_table(e, (uint32_t)t, &k);
        fprintf(o->file, "table %zu\n", k);
        const size_t entries = (size_t)1 << k;
        for (size_t S = 0; S < entries; S++) sos_output_real(o, f[S], S + 1 < entries ? ' ' : '\n');
    }
}

static void unaries_write(const sos_energy *e, sos_output *o)
{
    fputs("unary\n", o->file);
    for (size_t i = 0; i < sos_energy_variables(e); i++) {
        double cost0, cost1;
        sos_energy_unary(e, i, &cost0, &cost1);
        sos_output_real(o, cost0, ' ');
        sos_output_real(o, cost1, '\n');
    }
}

sos_status sos_format_sos_write(const sos_energy *e, sos_output *o)
{
    const size_t n = sos_energy_variables(e);
    size_t fixed = 0;
    for (size_t i = 0; i < n; i++) fixed += sos_energy_fixed(e, i) != SOS_FREE;
    const int version = version_of(e, fixed);

    fprintf(o->file, "sos %d\nvariables %zu\ncliques %zu\ntables %zu\n", version, n, sos_energy_cliques(e),
            sos_energy_tables(e));
    if (version > 1) fprintf(o->file, "concaves %zu\nfixed %zu\n", sos_energy_concaves(e), fixed);
    if (sos_energy_constant(e) != 0) {
        fputs("constant ", o->file);
        sos_output_real(o, sos_energy_constant(e), '\n');
    }
    unaries_write(e, o);
    tables_write(e, o);
    cliques_write(e, o, version);
    for (size_t c = 0; c < sos_energy_concaves(e); c++) concave_write(o, sos_energy_concave(e, c), version);
    for (size_t i = 0; fixed && i < n; i++)
        if (sos_energy_fixed(e, i) != SOS_FREE) fprintf(o->file, "fix %zu %d\n", i, sos_energy_fixed(e, i));
    return SOS_OK;
}

/* format_sos.c - the .sos text format, versions 1 to 4 (docs/formats.md). */
#include <stdlib.h>

#include "base/memory.h"
#include "energy/format.h"

typedef struct sos_reader {
    sos_scanner *s;
    sos_energy *e;
    size_t version, variables, cliques, tables, concaves, fixed;

    uint32_t *members; /* of a concave clique */
    double *costs;     /* of a table or a concave clique */
    sos_format_pieces pieces;
    size_t members_room, costs_room;
} sos_reader;

/* The bytes are those of the shortest line there is, such as "clique 0 0\n". */
static sos_status text_header_read(sos_reader *r)
{
    sos_status status = sos_scan_word(r->s, "sos");
    if (!status) status = sos_scan_count(r->s, "the version, 1 to 4", SIZE_MAX, &r->version);
    if (!status && (r->version < 1 || r->version > 4))
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "version %zu; this library reads 1 to 4", r->version);
    if (!status) status = sos_format_count_read(r->s, "variables", 4, &r->variables);
    if (!status) status = sos_format_count_read(r->s, "cliques", r->version == 1 ? 11 : 13, &r->cliques);
    if (!status) status = sos_format_count_read(r->s, "tables", 12, &r->tables);
    if (!status && r->version > 1) status = sos_format_count_read(r->s, "concaves", 16, &r->concaves);
    if (!status && r->version > 1) status = sos_format_count_read(r->s, "fixed", 8, &r->fixed);
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
    if (!sos_grow(&r->costs, &r->costs_room, entries)) return sos_format_no_memory(r->s);
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

static sos_status pieces_read(sos_reader *r)
{
    const sos_scanner heading = *r->s;
    sos_format_pieces *p = &r->pieces;
    const sos_status status = sos_format_pieces_read(r->s, r->variables, 1, p);
    sos_error inner;
    if (!status && sos_energy_add_pieces(r->e, p->k, p->members, p->amounts, p->knots, p->place, p->value, p->weight, &inner))
        return sos_scan_blame(&heading, &inner, "");
    return status;
}

static sos_status concave_read(sos_reader *r)
{
    size_t k;
    sos_scan_next(r->s);
    if (r->version > 3 && sos_format_is_pieces(r->s)) return pieces_read(r);
    sos_status status = sos_scan_is(r->s, "concave") ? SOS_OK : sos_scan_expected(r->s, "'concave'");
    if (!status) status = sos_scan_count(r->s, "the number of members of a concave clique", r->variables, &k);
    if (status) return status;
    if (!k) return sos_scan_expected(r->s, "a concave clique of at least 1 member");
    const sos_scanner heading = *r->s;
    status = sos_scan_room(r->s, "members of a concave clique", k, 4);
    if (status) return status;
    if (!sos_grow(&r->members, &r->members_room, k) || !sos_grow(&r->costs, &r->costs_room, k + 1))
        return sos_format_no_memory(r->s);
    double weight = 1;
    if (r->version > 2) status = sos_format_weight_read(r->s, &weight);
    if (!status) status = sos_format_members_read(r->s, r->variables, k, r->members);
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
    if (!status) status = sos_format_cliques_read(r->s, r->e, r->cliques, r->version > 1);
    for (size_t c = 0; !status && c < r->concaves; c++) status = concave_read(r);
    for (size_t f = 0; !status && f < r->fixed; f++) status = fix_read(r);
    return status ? status : sos_scan_finish(r->s);
}

sos_status sos_format_sos_read(sos_scanner *s, sos_energy **out)
{
    sos_reader r = { .s = s };
    sos_status status = text_header_read(&r);
    if (status) return status;
    sos_error inner;
    if (sos_energy_create(r.variables, &r.e, &inner)) return sos_scan_blame(s, &inner, "");
    status = body_read(&r);
    free(r.members);
    free(r.costs);
    sos_format_pieces_free(&r.pieces);
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
        if (sos_energy_pieces(e, c).place) return 4;
    for (size_t c = 0; c < sos_energy_concaves(e); c++)
        if (sos_energy_pieces(e, c).weight != 1) return 3;
    if (fixed || sos_energy_concaves(e) || sos_energy_constant(e) != 0) return 2;
    for (size_t c = 0; c < sos_energy_cliques(e); c++)
        if (sos_energy_clique(e, c).weight != 1) return 2;
    return 1;
}

static void concave_write(sos_output *o, const sos_energy *e, size_t c, int version)
{
    const sos_pieces pieces = sos_energy_pieces(e, c);
    if (pieces.place) {
        sos_format_pieces_write(o, &pieces, 1);
        return;
    }
    fprintf(o->file, "concave %zu ", pieces.k);
    if (version > 2) sos_output_real(o, pieces.weight, ' ');
    for (size_t i = 0; i < pieces.k; i++) fprintf(o->file, "%u ", (unsigned)pieces.variables[i]);
    sos_format_reals_write(o, pieces.k + 1, pieces.value);
}

static void tables_write(const sos_energy *e, sos_output *o)
{
    for (size_t t = 0; t < sos_energy_tables(e); t++) {
        size_t k;
        const double *f = sos_energy_table(e, (uint32_t)t, &k);
        fprintf(o->file, "table %zu\n", k);
        sos_format_reals_write(o, (size_t)1 << k, f);
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
    sos_format_cliques_write(e, o, version > 1);
    for (size_t c = 0; c < sos_energy_concaves(e); c++) concave_write(o, e, c, version);
    for (size_t i = 0; fixed && i < n; i++)
        if (sos_energy_fixed(e, i) != SOS_FREE) fprintf(o->file, "fix %zu %d\n", i, sos_energy_fixed(e, i));
    return SOS_OK;
}

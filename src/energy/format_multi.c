/* format_multi.c - energies with several labels as text (docs/formats.md). */
#include <stdlib.h>

#include "base/memory.h"
#include "energy/format.h"
#include "energy/multi_energy.h"

typedef struct multi_reader {
    sos_scanner *s;
    sos_multi_energy *e;
    size_t version, labels, variables, cliques, sets, counts;

    uint32_t *members; /* of a clique that counts */
    double *costs;     /* of a variable, a set of tables or a clique that counts */
    sos_format_pieces pieces;
    size_t members_room, costs_room;
} multi_reader;

/* The bytes are those of the shortest line there is, such as "clique 0 1 0\n". */
static sos_status multi_header_read(multi_reader *r)
{
    sos_status status = sos_scan_word(r->s, "sosmulti");
    if (!status) status = sos_scan_count(r->s, "the version, 1 or 2", SIZE_MAX, &r->version);
    if (!status && (r->version < 1 || r->version > 2))
        return sos_scan_fail(r->s, SOS_ERR_FORMAT, "version %zu; this library reads 1 and 2", r->version);
    if (!status) status = sos_scan_word(r->s, "labels");
    if (!status) status = sos_scan_count(r->s, "the number of labels", SOS_LABELS_MAX, &r->labels);
    if (status) return status;
    if (r->labels < 2) return sos_scan_expected(r->s, "at least 2 labels");
    status = sos_format_count_read(r->s, "variables", 2 * r->labels, &r->variables);
    if (!status) status = sos_format_count_read(r->s, "cliques", 13, &r->cliques);
    if (!status) status = sos_format_count_read(r->s, "tables", 9 + 4 * r->labels, &r->sets);
    return status ? status : sos_format_count_read(r->s, "counts", 13 + 4 * r->labels, &r->counts);
}

/* Room for count numbers, which must be in what follows, and the numbers. */
static sos_status costs_read(multi_reader *r, const char *what, size_t count)
{
    sos_status status = sos_scan_room(r->s, "costs", count, 2);
    if (status) return status;
    if (!sos_grow(&r->costs, &r->costs_room, count)) return sos_format_no_memory(r->s);
    for (size_t i = 0; !status && i < count; i++) status = sos_scan_real(r->s, what, &r->costs[i]);
    return status;
}

static sos_status unaries_read(multi_reader *r)
{
    sos_error inner;
    sos_scan_next(r->s);
    if (sos_scan_is(r->s, "constant")) {
        double constant;
        const sos_status status = sos_scan_real(r->s, "the constant", &constant);
        if (status) return status;
        if (sos_multi_energy_add_constant(r->e, constant, &inner)) return sos_scan_blame(r->s, &inner, "");
        sos_scan_next(r->s);
    }
    if (!sos_scan_is(r->s, "unary")) return sos_scan_expected(r->s, "'unary'");
    for (size_t i = 0; i < r->variables; i++) {
        const sos_status status = costs_read(r, "a cost of a label", r->labels);
        if (status) return status;
        if (sos_multi_energy_set_unary(r->e, i, r->costs, &inner)) return sos_scan_blame(r->s, &inner, "");
    }
    return SOS_OK;
}

static sos_status set_read(multi_reader *r, size_t number)
{
    size_t k;
    sos_status status = sos_scan_word(r->s, "tables");
    if (!status) status = sos_scan_count(r->s, "the number of members of tables", SOS_TABLE_MEMBERS_MAX, &k);
    if (status) return status;
    if (!k) return sos_scan_expected(r->s, "tables of at least 1 member");
    const sos_scanner heading = *r->s; /* its line is the one to name */
    status = costs_read(r, "a cost of tables", r->labels << k);
    if (status) return status;
    sos_error inner;
    uint32_t added;
    if (!sos_multi_energy_add_tables(r->e, k, r->costs, &added, &inner)) return SOS_OK;
    char what[40];
    snprintf(what, sizeof what, "tables %zu", number);
    return sos_scan_blame(&heading, &inner, what);
}

static sos_status pieces_read(multi_reader *r)
{
    const sos_scanner heading = *r->s;
    sos_format_pieces *p = &r->pieces;
    const sos_status status = sos_format_pieces_read(r->s, r->variables, r->labels, p);
    sos_error inner;
    if (!status &&
        sos_multi_energy_add_pieces(r->e, p->k, p->members, p->amounts, p->knots, p->place, p->value, p->weight, &inner))
        return sos_scan_blame(&heading, &inner, "");
    return status;
}

/* "counts K w variables costs", or "robust K w variables most agree reach". */
static sos_status count_read(multi_reader *r)
{
    size_t k;
    double weight;
    sos_scan_next(r->s);
    if (r->version > 1 && sos_format_is_pieces(r->s)) return pieces_read(r);
    const bool robust = sos_scan_is(r->s, "robust");
    if (!robust && !sos_scan_is(r->s, "counts")) return sos_scan_expected(r->s, "'counts' or 'robust'");
    sos_status status = sos_scan_count(r->s, "the number of members of a clique", r->variables, &k);
    if (status) return status;
    if (!k) return sos_scan_expected(r->s, "a clique of at least 1 member");
    const sos_scanner heading = *r->s;
    status = sos_format_weight_read(r->s, &weight);
    if (!status) status = sos_scan_room(r->s, "members of a clique", k, 2);
    if (status) return status;
    if (!sos_grow(&r->members, &r->members_room, k)) return sos_format_no_memory(r->s);
    status = sos_format_members_read(r->s, r->variables, k, r->members);
    if (!status) status = costs_read(r, "a cost of a clique", robust ? 1 + 2 * r->labels : r->labels * (k + 1));
    if (status) return status;
    sos_error inner;
    const double *agree = r->costs + 1, *reach = agree + r->labels;
    status = robust ? sos_multi_energy_add_robust(r->e, k, r->members, agree, reach, r->costs[0], weight, &inner)
                    : sos_multi_energy_add_counts(r->e, k, r->members, r->costs, weight, &inner);
    return status ? sos_scan_blame(&heading, &inner, "") : SOS_OK;
}

static sos_status body_read(multi_reader *r)
{
    sos_status status = unaries_read(r);
    for (size_t t = 0; !status && t < r->sets; t++) status = set_read(r, t);
    if (!status) status = sos_format_cliques_read(r->s, r->e->frame, r->cliques, true);
    for (size_t c = 0; !status && c < r->counts; c++) status = count_read(r);
    return status ? status : sos_scan_finish(r->s);
}

sos_status sos_format_multi_read(sos_scanner *s, sos_multi_energy **out)
{
    multi_reader r = { .s = s };
    sos_status status = multi_header_read(&r);
    if (status) return status;
    sos_error inner;
    if (sos_multi_energy_create(r.variables, r.labels, &r.e, &inner)) return sos_scan_blame(s, &inner, "");
    status = body_read(&r);
    free(r.members);
    free(r.costs);
    sos_format_pieces_free(&r.pieces);
    if (status)
        sos_multi_energy_free(r.e);
    else
        *out = r.e;
    return status;
}

static void count_write(sos_output *o, const sos_multi_energy *e, size_t clique, size_t labels)
{
    const sos_counts c = sos_multi_energy_counts(e, clique);
    if (c.kind == SOS_COUNTS_PIECES) {
        sos_format_pieces_write(o, &c.as.pieces, labels);
        return;
    }
    fprintf(o->file, "%s %zu ", c.kind == SOS_COUNTS_COSTS ? "counts" : "robust", c.k);
    sos_output_real(o, c.weight, ' ');
    for (size_t i = 0; i < c.k; i++) fprintf(o->file, "%u ", (unsigned)c.variables[i]);
    if (c.kind == SOS_COUNTS_COSTS) {
        sos_format_reals_write(o, labels * (c.k + 1), c.as.g);
        return;
    }
    sos_output_real(o, c.as.robust.most, ' ');
    for (size_t l = 0; l < labels; l++) sos_output_real(o, c.as.robust.agree[l], ' ');
    sos_format_reals_write(o, labels, c.as.robust.reach);
}

sos_status sos_format_multi_write(const sos_multi_energy *e, sos_output *o)
{
    const size_t n = sos_multi_energy_variables(e), L = sos_multi_energy_labels(e), sets = sos_multi_energy_sets(e);
    const size_t counts = sos_multi_energy_count_cliques(e);
    int version = 1; /* the least that can say what there is */
    for (size_t c = 0; c < counts; c++)
        if (sos_multi_energy_counts(e, c).kind == SOS_COUNTS_PIECES) version = 2;
    fprintf(o->file, "sosmulti %d\nlabels %zu\nvariables %zu\ncliques %zu\ntables %zu\ncounts %zu\n", version, L, n,
            sos_multi_energy_cliques(e), sets, counts);
    if (sos_multi_energy_constant(e) != 0) {
        fputs("constant ", o->file);
        sos_output_real(o, sos_multi_energy_constant(e), '\n');
    }
    fputs("unary\n", o->file);
    for (size_t i = 0; i < n; i++)
        for (size_t l = 0; l < L; l++) sos_output_real(o, sos_multi_energy_unary(e, i, l), l + 1 < L ? ' ' : '\n');
    for (size_t t = 0; t < sets; t++) {
        size_t k;
        const double *g = sos_multi_energy_tables(e, (uint32_t)t, &k);
        fprintf(o->file, "tables %zu\n", k);
        sos_format_reals_write(o, L << k, g);
    }
    sos_format_cliques_write(e->frame, o, true);
    for (size_t c = 0; c < counts; c++) count_write(o, e, c, L);
    return SOS_OK;
}

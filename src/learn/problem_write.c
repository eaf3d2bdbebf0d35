/* problem_write.c - learning problems as text (docs/formats.md, "Problem files"): what reads back as the same examples. */
#include <sos/problem.h>

#include <string.h>

#include "base/number.h"
#include "base/output.h"
#include "learn/problem_reader.h"

static const char *const KINDS[] = { "free", "nonnegative", "table", "count" }; /* in the order of sos_group_kind */

/* ---------------------------------------------------------------- what can be written */

/* Names are words of plain characters; a # would start a comment. */
static bool is_plain(const char *name)
{
    const size_t length = strlen(name);
    bool plain = length <= SOS_PROBLEM_NAME_MAX;
    for (size_t i = 0; plain && i < length; i++) plain = name[i] > ' ' && name[i] < 127 && name[i] != '#';
    return plain;
}

static sos_status problem_check(const sos_model *m, size_t count, sos_example *const examples[], sos_error *error)
{
    if (!m || (count && !examples)) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no examples were given");
    if (sos_model_groups(m) > SOS_PROBLEM_GROUPS_MAX)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu groups; a problem file can have %d", sos_model_groups(m),
                        SOS_PROBLEM_GROUPS_MAX);
    for (uint32_t g = 0; g < sos_model_groups(m); g++)
        if (!is_plain(sos_model_group(m, g)->name))
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "group %u cannot be written: names in problem files are up to %d plain characters, without spaces "
                            "and #",
                            (unsigned)g, SOS_PROBLEM_NAME_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!examples[i]) return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu is missing", i);
        if (!sos_example_fits(examples[i], m))
            return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu was made for a model with other groups", i);
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- groups */

static void group_line_write(sos_output *o, const sos_group *g)
{
    char text[SOS_REAL_TEXT];
    fprintf(o->file, "group %s %s %zu", g->name, KINDS[g->kind], g->size);
    for (size_t j = 0; g->shares && j < g->size; j++) fprintf(o->file, " %s", sos_number_print(g->shares[j], text));
    if (g->anchored) fputs(" anchored", o->file);
    if (g->swap) fputs(" swap", o->file);
    if (g->patch_width) fprintf(o->file, " patch %zu %zu", g->patch_width, g->patch_height);
    if (g->reversal) fputs(" reversal", o->file);
    if (g->counted) fputs(" counted", o->file);
    if (g->class_of) fputs(" classes", o->file);
    for (size_t S = 0; g->class_of && S < (size_t)1 << g->size; S++)
        if (g->class_of[S] == UINT32_MAX)
            fputs(" -", o->file);
        else
            fprintf(o->file, " %u", (unsigned)g->class_of[S]);
    if (g->strengths > 1) fprintf(o->file, " strengths %zu", g->strengths);
    if (g->stiffness > 0) fprintf(o->file, " stiffness %s", sos_number_print(g->stiffness, text));
    fputc('\n', o->file);
}

/* ---------------------------------------------------------------- examples */

static void numbers_write(sos_output *o, size_t count, const double numbers[])
{
    for (size_t i = 0; i < count; i++) sos_output_real(o, numbers[i], i + 1 < count ? ' ' : '\n');
}

static void truth_write(sos_output *o, const sos_model *m, const sos_example *x)
{
    const size_t n = sos_example_variables(x), labels = sos_model_labels(m);
    const uint8_t *truth = sos_example_truth(x), *care = sos_example_care(x);
    if (!truth) return;
    fputs("truth", o->file);
    for (size_t i = 0; i < n; i++) fprintf(o->file, " %u%s", (unsigned)truth[i], care && !care[i] ? "?" : "");
    fputc('\n', o->file);
    if (sos_example_variable_loss(x)) {
        fputs("loss\n", o->file);
        for (size_t i = 0; i < n; i++) numbers_write(o, labels, sos_example_variable_loss(x) + i * labels);
    } else if (sos_example_class_loss(x)) {
        fputs("class-loss ", o->file);
        numbers_write(o, labels, sos_example_class_loss(x));
    }
}

static void features_write(sos_output *o, const sos_model *m, const sos_example *x, uint32_t group)
{
    const sos_feature_list f = sos_example_features(x, group);
    const size_t n = sos_example_variables(x);
    if (!f.start || !f.start[n]) return;
    fprintf(o->file, "features %s\n", sos_model_group(m, group)->name);
    for (size_t i = 0; i < n; i++) {
        if (f.start[i] == f.start[i + 1]) continue;
        fprintf(o->file, "feature %zu", i);
        for (size_t j = f.start[i]; j < f.start[i + 1]; j++) {
            fprintf(o->file, " %u ", (unsigned)f.index[j]);
            sos_output_real(o, f.value ? f.value[j] : 1, j + 1 < f.start[i + 1] ? ' ' : '\n');
        }
    }
}

static void costs_write(sos_output *o, const sos_model *m, const sos_example *x, uint32_t group)
{
    const sos_group *g = sos_model_group(m, group);
    const double *cost = sos_example_costs(x, group);
    if (!cost) return;
    const size_t each = sos_model_labels(m) * g->size;
    fprintf(o->file, "costs %s\n", g->name);
    for (size_t i = 0; i < sos_example_variables(x); i++) numbers_write(o, each, cost + i * each);
}

static void members_write(sos_output *o, const sos_part *p)
{
    for (size_t q = 0; q < p->k; q++) fprintf(o->file, " %u", (unsigned)p->variables[q]);
}

/* The phi of a pair or region; without any they are 1. */
static void phi_write(sos_output *o, const sos_part *p, size_t count)
{
    fputc(p->phi ? ' ' : '\n', o->file);
    if (p->phi) numbers_write(o, count, p->phi);
}

/* A share of the k members whose whole part is the reach, also after rounding: in the middle between two, or 1/2. */
static double reach_share(const sos_part *p)
{
    const double share = ((double)p->as.reach + 0.5) / (double)p->k;
    return share < 0.5 ? share : 0.5;
}

/* Losses that a new truth has emptied are no more. */
static void loss_write(sos_output *o, const sos_part *p)
{
    const size_t entries = (size_t)1 << p->k;
    bool empty = true;
    for (size_t S = 0; S < entries; S++) empty &= p->as.delta[S] == 0;
    if (empty) return;
    fprintf(o->file, "clique-loss %zu", p->k);
    members_write(o, p);
    fputc(' ', o->file);
    numbers_write(o, entries, p->as.delta);
}

/* A clique of a group with several strengths has phi = 0 for all but one: its other parts are cliques of their own. */
static void clique_write(sos_output *o, const sos_group *g, const sos_part *p)
{
    char text[SOS_REAL_TEXT];
    fprintf(o->file, "clique %s", g->name);
    for (size_t j = 0; j < sos_problem_strengths(g); j++)
        fprintf(o->file, " %s", sos_number_print(j != p->as.strength ? 0 : p->phi ? *p->phi : 1, text));
    members_write(o, p);
    fputc('\n', o->file);
}

static void count_write(sos_output *o, const sos_group *g, const sos_part *p)
{
    char text[SOS_REAL_TEXT];
    const double *amounts = p->as.amounts;
    fprintf(o->file, "count %s %zu", g->name, p->k);
    members_write(o, p);
    for (size_t j = 0; p->phi && j < sos_problem_strengths(g); j++) fprintf(o->file, " %s", sos_number_print(p->phi[j], text));
    if (amounts) fputs(" amounts", o->file);
    for (size_t q = 0; amounts && q < p->k; q++) fprintf(o->file, " %s", sos_number_print(amounts[q], text));
    fputc('\n', o->file);
}

static void part_write(sos_output *o, const sos_model *m, const sos_part *p)
{
    const sos_group *g = p->kind == SOS_PART_LOSS ? NULL : sos_model_group(m, p->group);
    char text[SOS_REAL_TEXT];
    switch (p->kind) {
    case SOS_PART_PAIR:
        fprintf(o->file, "pair %s", g->name);
        members_write(o, p);
        phi_write(o, p, g->size);
        break;
    case SOS_PART_CLIQUE: clique_write(o, g, p); break;
    case SOS_PART_COUNT: count_write(o, g, p); break;
    case SOS_PART_REGION:
        fprintf(o->file, "region %s %s %zu", g->name, sos_number_print(reach_share(p), text), p->k);
        members_write(o, p);
        phi_write(o, p, g->size);
        break;
    case SOS_PART_LOSS: loss_write(o, p);
    }
}

static void example_write(sos_output *o, const sos_model *m, const sos_example *x)
{
    fprintf(o->file, "example %zu\n", sos_example_variables(x));
    if (sos_example_scale(x) != 1) {
        fputs("scale ", o->file);
        sos_output_real(o, sos_example_scale(x), '\n');
    }
    truth_write(o, m, x);
    for (size_t i = 0; i < sos_example_variables(x); i++)
        if (sos_example_fixed(x, i) != SOS_LABEL_FREE) fprintf(o->file, "fix %zu %d\n", i, sos_example_fixed(x, i));
    for (uint32_t g = 0; g < sos_model_groups(m); g++) {
        features_write(o, m, x, g);
        costs_write(o, m, x, g);
    }
    for (size_t i = 0; i < sos_example_parts(x); i++) {
        const sos_part p = sos_example_part(x, i);
        part_write(o, m, &p);
    }
}

static void problem_print(sos_output *o, const sos_model *m, size_t count, sos_example *const examples[])
{
    fprintf(o->file, "sosproblem 1\nlabels %zu\n", sos_model_labels(m));
    for (uint32_t g = 0; g < sos_model_groups(m); g++) group_line_write(o, sos_model_group(m, g));
    for (size_t i = 0; i < count; i++) example_write(o, m, examples[i]);
    fputs("end\n", o->file);
}

/* ---------------------------------------------------------------- where to */

sos_status sos_problem_write(const sos_model *m, size_t count, sos_example *const examples[], const char *path,
                             sos_error *error)
{
    if (!path) return sos_fail(error, SOS_ERR_ARGUMENT, "no path was given");
    sos_output o;
    sos_status status = problem_check(m, count, examples, error);
    if (!status) status = sos_output_open(&o, path, error);
    if (status) return status;
    problem_print(&o, m, count, examples);
    return sos_output_commit(&o);
}

sos_status sos_problem_write_memory(const sos_model *m, size_t count, sos_example *const examples[], char **text,
                                    size_t *length, sos_error *error)
{
    if (!text || !length) return sos_fail(error, SOS_ERR_ARGUMENT, "no place for the text was given");
    sos_output o;
    sos_status status = problem_check(m, count, examples, error);
    if (!status) status = sos_output_open_memory(&o, error);
    if (status) return status;
    problem_print(&o, m, count, examples);
    return sos_output_take(&o, text, length);
}

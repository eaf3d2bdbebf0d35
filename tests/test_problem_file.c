/* test_problem_file.c - learning problems in files: they are read as they are written, what is wrong is refused with line and
 * example, and no damage to a file does anything else. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <sos/problem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "learning_support.h"

typedef struct problem_read {
    sos_model *model;
    size_t count;
    sos_example **examples;
} problem_read;

static void problem_release(problem_read *p)
{
    sos_problem_free(p->count, p->examples);
    sos_model_free(p->model);
}

static problem_read parse(const char *text)
{
    problem_read p = { 0 };
    sos_error error;
    check_ok(sos_problem_parse(text, strlen(text), "t", NULL, &p.model, &p.count, &p.examples, &error), error);
    return p;
}

/* ---------------------------------------------------------------- what is written is read */

static const sos_group GROUPS_OF_TWO[] = {
    { .name = "u", .kind = SOS_GROUP_FREE, .size = 3 },
    { .name = "more", .kind = SOS_GROUP_FREE, .size = 1 },
    { .name = "e", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
    { .name = "t", .kind = SOS_GROUP_TABLE, .size = 3, .anchored = true },
    { .name = "same-size",
      .kind = SOS_GROUP_TABLE,
      .size = 3,
      .class_of = (const uint32_t[]){ UINT32_MAX, 0, 0, 1, 2, 1, 3, 4 } },
    { .name = "p", .kind = SOS_GROUP_TABLE, .size = 4, .anchored = true, .swap = true, .patch_width = 2, .patch_height = 2 },
};
enum { GROUPS = sizeof GROUPS_OF_TWO / sizeof *GROUPS_OF_TWO };

static void group_print(FILE *out, const sos_group *g)
{
    static const char *const kinds[] = { "free", "nonnegative", "table" };
    fprintf(out, "group %s %s %zu", g->name, kinds[g->kind], g->size);
    if (g->patch_width) fprintf(out, " patch %zu %zu", g->patch_width, g->patch_height);
    fprintf(out, "%s%s%s%s", g->swap ? " swap" : "", g->anchored ? " anchored" : "", g->reversal ? " reversal" : "",
            g->counted ? " counted" : "");
    if (g->class_of) fputs(" classes", out);
    for (size_t S = 0; g->class_of && S < (size_t)1 << g->size; S++)
        if (g->class_of[S] == UINT32_MAX)
            fputs(" -", out);
        else
            fprintf(out, " %u", (unsigned)g->class_of[S]);
    fputc('\n', out);
}

static void real_print(FILE *out, double x)
{
    char text[SOS_REAL_TEXT];
    fprintf(out, " %s", sos_number_print(x, text));
}

static void features_print(FILE *out, const plan *p, const sample *s)
{
    for (uint32_t g = 0; g < p->count; g++) {
        if (p->groups[g].spec.kind != SOS_GROUP_FREE) continue;
        fprintf(out, "features %s\n", p->groups[g].spec.name);
        for (size_t f = 0; f < s->features_count; f++) {
            if (s->features[f].group != g) continue;
            fprintf(out, "feature %u %u", (unsigned)s->features[f].variable, (unsigned)s->features[f].index);
            real_print(out, s->features[f].value);
            fputc('\n', out);
        }
    }
}

static void cliques_print(FILE *out, const plan *p, const sample *s)
{
    for (size_t c = 0; c < s->cliques_count; c++) {
        const sample_clique *q = &s->cliques[c];
        fprintf(out, "clique %s", p->groups[q->group].spec.name);
        real_print(out, q->phi);
        for (size_t i = 0; i < p->groups[q->group].spec.size; i++) fprintf(out, " %u", (unsigned)q->variables[i]);
        fputc('\n', out);
    }
    for (size_t c = 0; c < s->pairs_count; c++) {
        const sample_pair *pair = &s->pairs[c];
        fprintf(out, "pair %s %u %u", p->groups[pair->group].spec.name, (unsigned)pair->variables[0],
                (unsigned)pair->variables[1]);
        bool ones = true;
        for (size_t j = 0; j < p->groups[pair->group].spec.size; j++) ones &= pair->phi[j] == 1;
        for (size_t j = 0; !ones && j < p->groups[pair->group].spec.size; j++) real_print(out, pair->phi[j]);
        fputc('\n', out);
    }
}

static void truth_print(FILE *out, const plan *p, const sample *s)
{
    fputs("truth", out);
    for (size_t i = 0; i < s->n; i++) fprintf(out, " %u%s", (unsigned)s->truth[i], s->care && !s->care[i] ? "?" : "");
    if (s->class_weight) fputs("\nclass-loss", out);
    for (size_t l = 0; s->class_weight && l < p->labels; l++) real_print(out, s->class_weight[l]);
    if (s->loss && !s->class_weight) fputs("\nloss", out);
    for (size_t i = 0; s->loss && !s->class_weight && i < s->n * p->labels; i++) real_print(out, s->loss[i]);
    for (size_t c = 0; c < s->losses_count; c++) {
        fprintf(out, "\nclique-loss %zu", s->losses[c].k);
        for (size_t i = 0; i < s->losses[c].k; i++) fprintf(out, " %u", (unsigned)s->losses[c].variables[i]);
        for (size_t S = 0; S < (size_t)1 << s->losses[c].k; S++) real_print(out, s->losses[c].delta[S]);
    }
    fputc('\n', out);
}

static char *lesson_text(const lesson *l)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    fprintf(out, "sosproblem 1 # a comment\nlabels %zu\n", l->plan.labels);
    for (size_t g = 0; g < l->plan.count; g++) group_print(out, &l->plan.groups[g].spec);
    for (size_t i = 0; i < l->count; i++) {
        const sample *s = &l->samples[i];
        fprintf(out, "\nexample %zu\n", s->n);
        if (s->scale > 0) {
            fputs("scale", out);
            real_print(out, s->scale);
            fputc('\n', out);
        }
        if (i % 2) truth_print(out, &l->plan, s);
        features_print(out, &l->plan, s);
        cliques_print(out, &l->plan, s);
        if (i % 2 == 0) truth_print(out, &l->plan, s);
    }
    fputs("end\n", out);
    fclose(out);
    return text;
}

static bool near(double a, double b) { return fabs(a - b) <= 1e-12 * (1 + fabs(a)); }

static void check_same_example(sos_random *r, const lesson *l, size_t i, const sos_example *x)
{
    const size_t n = l->samples[i].n, d = l->plan.weights;
    check(sos_example_variables(x) == n);
    check(!memcmp(sos_example_truth(x), l->samples[i].truth, n));
    uint8_t *y = test_room(NULL, n, 1);
    double *psi = test_room(NULL, 2 * d, sizeof *psi);
    for (int trial = 0; trial < 20; trial++) {
        for (size_t v = 0; v < n; v++) y[v] = (uint8_t)sos_random_below(r, l->plan.labels);
        sos_example_psi(x, y, psi);
        sos_example_psi(l->examples[i], y, psi + d);
        for (size_t j = 0; j < d; j++) check(near(psi[j], psi[d + j]));
        check(near(sos_example_loss(x, y), sos_example_loss(l->examples[i], y)));
    }
    free(y);
    free(psi);
}

static void a_problem_is_read_as_it_was_written(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const size_t labels = c % 4 ? 2 : 3;
        sos_group groups[GROUPS];
        memcpy(groups, GROUPS_OF_TWO, sizeof groups);
        if (labels > 2) groups[GROUPS - 1].swap = false;
        const sample_recipe wanted = { .n = 4 + sos_random_below(&r, 4),
                                       .pairs = 3,
                                       .cliques = 3,
                                       .phi = sos_random_below(&r, 2),
                                       .scale = sos_random_below(&r, 2),
                                       .care = sos_random_below(&r, 2),
                                       .losses = sos_random_below(&r, 2),
                                       .noise = 0.2 };
        lesson l = lesson_random(&r, labels, GROUPS, groups, sos_random_below(&r, 4), &wanted);
        char *text = lesson_text(&l);
        problem_read p = parse(text);
        check(p.count == l.count && sos_model_labels(p.model) == labels);
        check(sos_model_weight_count(p.model) == l.plan.weights && sos_model_groups(p.model) == GROUPS);
        for (size_t i = 0; i < p.count; i++) check_same_example(&r, &l, i, p.examples[i]);

        sos_example **again = NULL;
        size_t count = 0;
        sos_error error;
        check_ok(sos_problem_parse(text, strlen(text), "t", l.model, NULL, &count, &again, &error), error);
        check(count == l.count);
        for (size_t i = 0; i < count; i++) check_same_example(&r, &l, i, again[i]);
        sos_problem_free(count, again);
        problem_release(&p);
        free(text);
        lesson_free(&l);
    }
}

/* ---------------------------------------------------------------- what the library writes */

/* What lessons do not have: costs of labels, regions, fixed variables, and a truth that has replaced another. */
static void example_enrich(sos_random *r, const plan *p, const sample *s, sos_example *x)
{
    sos_error error;
    double numbers[8 * 3 * 2], phi[2 * 2];
    uint32_t members[6];
    for (size_t i = 0; i < s->n * p->labels * 2; i++) numbers[i] = sos_random_normal(r);
    if (sos_random_below(r, 2)) check_ok(sos_example_set_costs(x, 2, numbers, &error), error);
    for (size_t i = 0; i < 4; i++) phi[i] = sos_random_uniform(r);
    members_random(r, s->n, 3, members);
    members_random(r, s->n, 3, members + 3);
    const bool one = sos_random_below(r, 2);
    const size_t start[] = { 0, one ? 1 : 3, 6 - 3 * (size_t)one };
    if (one) memmove(members + 1, members + 3, 2 * sizeof *members);
    if (sos_random_below(r, 2))
        check_ok(sos_example_add_regions(x, 2, 1, start, members, sos_random_uniform(r) / 2, NULL, &error), error);
    if (!one) check_ok(sos_example_add_regions(x, 2, 2, start, members, 0.5, phi, &error), error);
    const size_t fixed = (size_t)sos_random_below(r, s->n);
    if (sos_random_below(r, 2)) check_ok(sos_example_fix(x, fixed, s->truth[fixed], &error), error);
}

static void check_same_bits(sos_random *r, const sos_model *m, const sos_example *a, const sos_example *b)
{
    const size_t n = sos_example_variables(a), d = sos_model_weight_count(m);
    uint8_t *y = test_room(NULL, n, 1);
    double *psi = test_room(NULL, 2 * d, sizeof *psi);
    check(sos_example_variables(b) == n && sos_example_scale(a) == sos_example_scale(b));
    for (int trial = 0; trial < 20; trial++) {
        for (size_t v = 0; v < n; v++) y[v] = (uint8_t)sos_random_below(r, sos_model_labels(m));
        sos_example_psi(a, y, psi);
        sos_example_psi(b, y, psi + d);
        check(!memcmp(psi, psi + d, d * sizeof *psi));
        const double losses[] = { sos_example_loss(a, y), sos_example_loss(b, y) };
        check(!memcmp(&losses[0], &losses[1], sizeof *losses));
    }
    for (size_t i = 0; i < n; i++) check(sos_example_fixed(a, i) == sos_example_fixed(b, i));
    for (size_t i = 0; sos_example_care(a) && i < n; i++)
        check(!sos_example_care(a)[i] == !(sos_example_care(b) ? sos_example_care(b)[i] : 1));
    free(y);
    free(psi);
}

static void what_is_written_reads_back_to_the_last_bit(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        const size_t labels = c % 4 ? 2 : 3;
        sos_group groups[GROUPS];
        memcpy(groups, GROUPS_OF_TWO, sizeof groups);
        if (labels > 2) groups[GROUPS - 1].swap = false;
        const sample_recipe wanted = { .n = 6 + sos_random_below(&r, 2),
                                       .pairs = 3,
                                       .cliques = 3,
                                       .phi = sos_random_below(&r, 2),
                                       .scale = sos_random_below(&r, 2),
                                       .care = sos_random_below(&r, 2),
                                       .losses = sos_random_below(&r, 2),
                                       .noise = 0.2 };
        lesson l = lesson_random(&r, labels, GROUPS, groups, sos_random_below(&r, 3), &wanted);
        sos_error error;
        for (size_t i = 0; i < l.count; i++) {
            sos_example *x = l.examples[i];
            example_enrich(&r, &l.plan, &l.samples[i], x);
            if (sos_random_below(&r, 4) == 0) /* clique losses of the old truth are gone */
                check_ok(sos_example_set_truth(x, l.samples[i].truth, l.samples[i].care, &error), error);
        }
        char *text = NULL, *again = NULL;
        size_t length = 0, again_length = 0;
        check_ok(sos_problem_write_memory(l.model, l.count, l.examples, &text, &length, &error), error);
        problem_read p = parse(text);
        check(strlen(text) == length && p.count == l.count);
        for (size_t i = 0; i < p.count; i++) {
            check(sos_example_fits(p.examples[i], l.model));
            check_same_bits(&r, l.model, l.examples[i], p.examples[i]);
        }
        check_ok(sos_problem_write_memory(p.model, p.count, p.examples, &again, &again_length, &error), error);
        problem_read q = parse(again); /* orders may differ once, between kinds of cliques of two members */
        for (size_t i = 0; i < q.count; i++) check_same_bits(&r, l.model, l.examples[i], q.examples[i]);
        problem_release(&q);
        problem_release(&p);
        free(text);
        free(again);
        lesson_free(&l);
    }
}

/* Every reach that a region can have survives the way through a share. */
static void the_reach_of_regions_survives(void **state)
{
    (void)state;
    enum { N = 40 };
    sos_model *m = NULL;
    sos_error error;
    uint32_t number, members[N];
    for (uint32_t i = 0; i < N; i++) members[i] = i;
    check_ok(sos_model_create(2, &m, &error), error);
    check_ok(sos_model_add_group(m, &(sos_group){ .name = "r", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 }, &number, &error),
             error);
    sos_example *x = NULL;
    check_ok(sos_example_create(m, N, &x, &error), error);
    size_t regions = 0;
    for (size_t k = 1; k <= N; k++)
        for (size_t reach = 0; reach <= k / 2; reach++, regions++)
            check_ok(sos_example_add_regions(x, 0, 1, (size_t[]){ 0, k }, members,
                                             fmin(0.5, ((double)reach + 0.25) / (double)k), NULL, &error),
                     error);
    char *text = NULL;
    size_t length = 0;
    check_ok(sos_problem_write_memory(m, 1, &x, &text, &length, &error), error);
    problem_read p = parse(text);
    check(sos_example_parts(x) == regions && sos_example_parts(p.examples[0]) == regions);
    for (size_t i = 0; i < regions; i++) {
        const sos_part a = sos_example_part(x, i), b = sos_example_part(p.examples[0], i);
        check(a.kind == SOS_PART_REGION && b.kind == SOS_PART_REGION && a.k == b.k && a.as.reach == b.as.reach && !b.phi);
    }
    problem_release(&p);
    free(text);
    sos_example_free(x);
    sos_model_free(m);
}

static void problems_are_written_to_files_and_streams(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    const sample_recipe wanted = { .n = 6, .pairs = 2, .cliques = 2, .noise = 0.2 };
    lesson l = lesson_random(&r, 2, GROUPS, GROUPS_OF_TWO, 2, &wanted),
           other = lesson_random(&r, 2, 1, GROUPS_OF_TWO, 1, &wanted);
    sos_error error;
    char *text = NULL, path[] = "/tmp/sos-problem-XXXXXX";
    size_t length = 0;
    check_ok(sos_problem_write_memory(l.model, l.count, l.examples, &text, &length, &error), error);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    check_ok(sos_problem_write(l.model, l.count, l.examples, path, &error), error);
    char *read = test_room(NULL, length + 2, 1);
    FILE *in = fopen(path, "r");
    check(fread(read, 1, length + 2, in) == length && !memcmp(read, text, length));
    fclose(in);
    unlink(path);
    free(read);
    free(text);

    text = NULL;
    check_error(sos_problem_write(l.model, l.count, l.examples, "/no/such/folder/p", &error), SOS_ERR_IO, error, "/no/such");
    check_error(sos_problem_write_memory(l.model, 1, other.examples, &text, &length, &error), SOS_ERR_ARGUMENT, error,
                "example 0", "group");
    check_is(sos_problem_write_memory(NULL, 0, NULL, &text, &length, NULL), SOS_ERR_ARGUMENT);
    check_is(sos_problem_write_memory(l.model, 1, NULL, &text, &length, NULL), SOS_ERR_ARGUMENT);
    check_is(sos_problem_write_memory(l.model, 1, &(sos_example *){ NULL }, &text, &length, NULL), SOS_ERR_ARGUMENT);
    check_is(sos_problem_write(l.model, 0, NULL, NULL, NULL), SOS_ERR_ARGUMENT);
    static const char *const NAMES[] = { "two words", "a#comment", "\xc3\xa9", "tab\there" };
    for (size_t i = 0; i < 4; i++) {
        sos_model *m = NULL;
        uint32_t number;
        const sos_group group = { .name = NAMES[i], .kind = SOS_GROUP_FREE, .size = 1 };
        check_ok(sos_model_create(2, &m, &error), error);
        check_ok(sos_model_add_group(m, &group, &number, &error), error);
        check_error(sos_problem_write_memory(m, 0, NULL, &text, &length, &error), SOS_ERR_ARGUMENT, error, "group 0", "plain");
        sos_model_free(m);
    }
    check(!text);
    lesson_free(&l);
    lesson_free(&other);
}

#define HEAD    "sosproblem 1\nlabels 2\ngroup u free 2\ngroup e nonnegative 2\ngroup t table 2 anchored\n"
#define EXAMPLE "example 3\n"

static void costs_regions_and_fixed_variables_are_read(void **state)
{
    (void)state;
    problem_read p = parse(HEAD EXAMPLE "costs e 1 2 3 4 0 0 0 0 0 0 0 0.5\nregion e 0.5 3 2 0 1 4 5\nregion e 0 2 1 2\n"
                                        "fix 1 1\nend\n");
    const sos_example *x = p.examples[0];
    double psi[2 * 2 + 2 + 3];
    sos_example_psi(x, (uint8_t[]){ 0, 1, 1 }, psi);
    check(psi[4] == 1 + 0 + 0 + 4 && psi[5] == 2 + 0 + 0.5 + 5); /* of three one differs, which is all that counts */
    sos_example_psi(x, (uint8_t[]){ 1, 1, 0 }, psi);
    check(psi[4] == 3 + 0 + 0 + 4 + 1 && psi[5] == 4 + 0 + 0 + 5 + 1);
    check(sos_example_fixed(x, 1) == 1 && sos_example_fixed(x, 0) == SOS_LABEL_FREE);
    check(sos_example_parts(x) == 2 && sos_example_part(x, 0).phi[1] == 5 && !sos_example_part(x, 1).phi);
    problem_release(&p);
}

/* Features in any order of variables, and several lines for one. */
static void features_may_come_in_any_order(void **state)
{
    (void)state;
    problem_read p = parse(
        "\xef\xbb\xbfsosproblem 1 labels 2 group u free 2 example 3 features u feature 2 0 1 1 -2.5 feature 0 "
        "1 4 feature 1 feature 2 1 0.5 feature 0 1 1\r\nend\r\n");
    double psi[4];
    sos_example_psi(p.examples[0], (const uint8_t[]){ 0, 0, 1 }, psi);
    check(psi[0] == 0 && psi[1] == 1 && psi[2] == 5 && psi[3] == -2);
    check(!sos_example_truth(p.examples[0]));
    problem_release(&p);
}

/* More pairs and cliques than are added at once, of groups that alternate. */
static void long_lists_are_read_whole(void **state)
{
    (void)state;
    enum { N = 5000 };
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    fputs("sosproblem 1\nlabels 2\ngroup a table 2\ngroup b table 2\ngroup c table 3\ngroup e nonnegative 1\nexample 5001\n",
          out);
    for (int i = 0; i < N; i++) {
        fprintf(out, "clique %c %d %d %d\n", i % 3 ? 'a' : 'b', i % 4, i, i + 1);
        fprintf(out, i % 2 ? "pair e %d %d\n" : "pair e %d %d 2\n", i, i + 1);
        if (i % 100 == 0) fprintf(out, "clique c 1 %d %d %d\n", i, i + 1, (i + 50) % N);
    }
    fputs("end\n", out);
    fclose(out);
    problem_read p = parse(text);
    uint8_t *y = test_room(NULL, N + 1, 1);
    for (int i = 0; i <= N; i++) y[i] = (uint8_t)(i & 1);
    double psi[17] = { 0 };
    sos_example_psi(p.examples[0], y, psi);
    double a = 0, b = 0, c = 0;
    for (int i = 0; i < 8; i++) {
        a += i < 4 ? psi[i] : 0;
        b += i < 4 ? psi[4 + i] : 0;
        c += psi[8 + i];
    }
    double wanted_a = 0, wanted_b = 0;
    for (int i = 0; i < N; i++) *(i % 3 ? &wanted_a : &wanted_b) += i % 4;
    check(a == wanted_a && b == wanted_b && c == N / 100 && psi[16] == N + N / 2);
    free(y);
    free(text);
    problem_release(&p);
}

/* "1?" is label 1 that costs nothing; "?" is "0?". */
static void question_marks_do_not_count(void **state)
{
    (void)state;
    problem_read p = parse(HEAD EXAMPLE "truth 1 1? ?\nend\n");
    const uint8_t wanted[] = { 1, 1, 0 };
    check(!memcmp(sos_example_truth(p.examples[0]), wanted, 3));
    check(sos_example_loss(p.examples[0], (const uint8_t[]){ 1, 0, 1 }) == 0);
    check(sos_example_loss(p.examples[0], (const uint8_t[]){ 0, 1, 0 }) > 0);
    problem_release(&p);
}

static void a_problem_without_examples_is_one(void **state)
{
    (void)state;
    problem_read p = parse("sosproblem 1\nlabels 255\nend\n");
    check(!p.count && p.examples && sos_model_labels(p.model) == 255 && !sos_model_groups(p.model));
    problem_release(&p);
}

/* ---------------------------------------------------------------- what is wrong */

static void what_is_wrong_is_refused_with_line_and_example(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words[3];
        sos_status status;
    } cases[] = {
        { "", { "t:1: expected 'sosproblem', found the end" }, SOS_ERR_FORMAT },
        { "sos 1\n", { "t:1: expected 'sosproblem', found 'sos'" }, SOS_ERR_FORMAT },
        { "sosproblem 2\nlabels 2\nend\n", { "t:1: version 2" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 1\nend\n", { "t:2: expected 2 labels" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 256\nend\n", { "t:2: ", "the largest is 255" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\nclique u 1 0\nend\n",
          { "t:3: expected 'group', 'example' or 'end', found 'clique'" },
          SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup u fre 1\nend\n", { "t:3: expected 'free'", "'fre'" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup u free 0\nend\n", { "t:3: ", "above 0" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup u free -1\nend\n", { "t:3: expected the number of features" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup u free 1073741824\nend\n", { "t:3: ", "too many for a file" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 255\ngroup t table 16\nend\n", { "t:3: ", "too many for a file" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 17\nend\n", { "t:3: ", "largest is 16" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 4 patch 2 3\nend\n", { "t:3: ", "its patch is 2x3" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 4 patch 0 4\nend\n", { "t:3: ", "0 x 4" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 4 patch 2\nend\n", { "t:4: expected the height" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t count 2 0\nend\n", { "t:4: expected the share" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t count 1025\nend\n", { "t:3: ", "largest is 1024" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t count 1 0\nend\n", { "t:3: ", "1 knots" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t count 2 0 0.5\nend\n", { "t:3: ", "end at 1" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t count 2 0 1 patch 2 1\nend\n", { "t:3: ", "found 'patch'" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t count 2 0 1 strengths 0\nend\n", { "t:3: ", "above 0" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t free 2 strengths 2\nend\n", { "t:3: ", "found 'strengths'" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t free 2 stiffness 0\nend\n", { "t:3: ", "over 0" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t count 2 0 1\nexample 2\ncount t 0\nend\n",
          { "t:5: ", "at least 1" },
          SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t count 2 0 1\nexample 2\ncount t 2 0 0\nend\n",
          { "t:5: ", "twice" },
          SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t count 2 0 1\nexample 2\ncount t 2 0 1 -1\nend\n",
          { "t:5: ", "phi" },
          SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t count 2 0 1\nexample 2\ncount t 2 0 1 amounts 0 0\nend\n",
          { "t:5: ", "add up to 0" },
          SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 2\nexample 2\ncount t 2 0 1\nend\n",
          { "t:5: ", "'t' is a table group; here a count one is needed" },
          SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 2 strengths 2\nexample 2\nclique t 1 0 1\nend\n",
          { "t:6: " },
          SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 2 classes 0 1 1\nend\n",
          { "t:4: expected the class of an entry" },
          SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 2 classes 0 1 1 4\nend\n", { "t:3: ", "largest is 3" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 2 classes - 0 0 2\nend\n", { "t:3: ", "class 1" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 16 classes 0 1\nend\n", { "t:3: ", "classes" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup t table 2 counted reversal\nend\n", { "t:3: ", "counted" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 3\ngroup t table 4 swap\nend\n", { "t:3: ", "swaps two labels" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup u free 1 anchored\nend\n", { "t:3: ", "found 'anchored'" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup u free 1\ngroup u free 1\nend\n", { "t:4: ", "already" }, SOS_ERR_FORMAT },
        { "sosproblem 1\nlabels 2\ngroup \xc3\xa9 free 1\nend\n",
          { "t:3: expected the name of a group", "found '" },
          SOS_ERR_FORMAT },
        { HEAD "example 0\nend\n", { "t:6: example 0: an example needs variables" }, SOS_ERR_FORMAT },
        { HEAD "example\nend\n", { "t:7: example 0: expected the number of variables" }, SOS_ERR_FORMAT },
        { HEAD "example 4000000000\nend\n", { "t:6: example 0: ", "too many for a file" }, SOS_ERR_FORMAT },
        { HEAD "example 1\nexample 2\nexample x\nend\n", { "t:8: example 2: expected the number" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "frobnicate\nend\n", { "t:7: example 0: expected the next item", "'frobnicate'" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "feature 0 0 1\nend\n", { "t:7: example 0: expected the next item" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1\nend\n", { "t:8: example 0: expected a true label", "'end'" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 2\nend\n", { "t:7: example 0: the label is 2, but the largest is 1" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 1??\nend\n", { "t:7: example 0: expected a true label" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 -1\nend\n", { "t:7: example 0: expected a true label" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 1 1\nend\n", { "t:7: example 0: expected the next item", "'1'" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 1\ntruth 0 1 1\nend\n", { "t:8: example 0: ", "twice" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "class-loss 1 1\nend\n", { "t:7: example 0: ", "true labels have not come" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 1\nclass-loss 1 -1\nend\n", { "t:8: example 0: errors on label 1 cost -1" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 1\nclass-loss 1\nend\n", { "t:9: example 0: expected a loss" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 1\nloss 0 1 1 0 1 0\nclass-loss 1 1\nend\n",
          { "t:9: example 0: ", "twice" },
          SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 1\nloss 0 1 1 0 1 1\nend\n", { "t:8: example 0: " }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 1\nclique-loss 2 0 1 0 5 0 0\nend\n", { "t:8: example 0: " }, SOS_ERR_NOT_SUBMODULAR },
        { HEAD EXAMPLE "truth 0 1 1\nclique-loss 2 0 1 1 1 1 1\nend\n", { "t:8: example 0: " }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 1\nclique-loss 0\nend\n", { "t:8: example 0: ", "at least 1 member" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "truth 0 1 1\nclique-loss 2 0 0 0 0 0 0\nend\n",
          { "t:8: example 0: variable 0 comes twice" },
          SOS_ERR_FORMAT },
        { HEAD EXAMPLE "region e 0.6 2 0 1\nend\n", { "t:7: example 0: ", "reach 0.6" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "region e 0.5 2 0 0\nend\n", { "t:7: example 0: ", "twice" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "region e 0.5 4 0 1 2 3\nend\n", { "t:7: example 0: ", "largest is 3" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "region e 0.5 0\nend\n", { "t:7: example 0: expected a region of at least 1 member" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "region e 0.5 2 0 1 5\nend\n", { "t:8: example 0: expected a weight phi" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "region e 0.5 2 0 1 5 -1\nend\n", { "t:7: example 0: ", "not negative" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "region t 0.5 2 0 1\nend\n", { "t:7: example 0: 't' is a table group" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "costs e 1 2 3\nend\n", { "t:", "example 0: ", "costs" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "costs u 1 2 3\nend\n", { "t:7: example 0: 'u' is a free group" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "costs e 0 0 0 0 0 0 0 0 0 0 0 0\ncosts e 0 0 0 0 0 0 0 0 0 0 0 0\nend\n",
          { "t:8: example 0: the costs of group 'e' come twice" },
          SOS_ERR_FORMAT },
        { HEAD EXAMPLE "fix 3 0\nend\n", { "t:7: example 0: ", "largest is 2" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "fix 1 2\nend\n", { "t:7: example 0: ", "largest is 1" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "fix 1 1\nfix 1 1\nend\n", { "t:8: example 0: variable 1 is fixed twice" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "scale 0\nend\n", { "t:7: example 0: the scale" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "scale 1\nscale 1\nend\n", { "t:8: example 0: the scale comes twice" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "features w\nend\n", { "t:7: example 0: there is no group 'w'" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "features t\nend\n", { "t:7: example 0: 't' is a table group; here a free one" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "features u\nfeature 3 0 1\nend\n",
          { "t:8: example 0: a variable is 3, but the largest is 2" },
          SOS_ERR_FORMAT },
        { HEAD EXAMPLE "features u\nfeature 0 2 1\nend\n", { "t:8: example 0: the number of a feature is 2" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "features u\nfeature 0 1 nan\nend\n",
          { "t:8: example 0: expected the value", "'nan'" },
          SOS_ERR_FORMAT },
        { HEAD EXAMPLE "features u\nfeature 0 1 1e999\nend\n", { "t:8: example 0: ", "range of a double" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "features u\nfeature 0 1\nend\n",
          { "t:9: example 0: expected the value of a feature" },
          SOS_ERR_FORMAT },
        { HEAD EXAMPLE "features u\nfeatures u\nend\n", { "t:8: example 0: ", "'u' come twice" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "pair u 0 1\nend\n", { "t:7: example 0: 'u' is a free group; here a nonnegative one" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "pair e 1 1\nend\n", { "t:7: example 0: variable 1 comes twice" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "pair e 0 1 1\nend\n", { "t:8: example 0: expected a weight phi" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "pair e 0 1 1 -1\nend\n", { "t:7: example 0: ", "not negative", "'-1'" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "clique x 1 0 1\nend\n", { "t:7: example 0: there is no group 'x'" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "clique t -0.5 0 1\nend\n", { "t:7: example 0: ", "not negative", "'-0.5'" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "clique t 1 0 3\nend\n", { "t:7: example 0: a variable is 3" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "clique t 1 2 2\nend\n", { "t:7: example 0: variable 2 comes twice" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "clique t 1 0\nend\n", { "t:8: example 0: expected a variable, found 'end'" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "clique t 1 0 1\n", { "t:8: example 0: ", "found the end of the file" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "clique t 1 0 1\nend", { "t:8: the last line is incomplete" }, SOS_ERR_FORMAT },
        { HEAD EXAMPLE "clique t 1 0 1\nend\nmore\n", { "t:9: expected the end of the file" }, SOS_ERR_FORMAT },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        problem_read p = { 0 };
        sos_error error = { SOS_OK, "" };
        const size_t length = strlen(cases[i].text);
        const sos_status status = sos_problem_parse(cases[i].text, length, "t", NULL, &p.model, &p.count, &p.examples, &error);
        if (status != cases[i].status) print_error("case %zu: %s\n%s\n", i, cases[i].text, error.message);
        for (size_t k = 0; k < 3 && cases[i].words[k]; k++) check_error(status, cases[i].status, error, cases[i].words[k]);
        check(!p.model && !p.examples && !p.count);
        check(sos_problem_parse(cases[i].text, length, NULL, NULL, &p.model, &p.count, &p.examples, NULL) == cases[i].status);
    }
}

static void another_models_problem_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
    } cases[] = {
        { "sosproblem 1\nlabels 3\nend\n", "3 labels; the model has 2" },
        { "sosproblem 1\nlabels 2\nend\n", "0 groups; the model has 3" },
        { "sosproblem 1\nlabels 2\ngroup e nonnegative 2\nend\n", "group 0 is 'e'; in the model it is 'u'" },
        { "sosproblem 1\nlabels 2\ngroup u free 3\nend\n", "group 'u' is declared otherwise" },
        { "sosproblem 1\nlabels 2\ngroup u nonnegative 2\nend\n", "group 'u' is declared otherwise" },
        { HEAD "group more free 1\nend\n", "4 groups; the model has 3" },
        { "sosproblem 1\nlabels 2\ngroup u free 2\ngroup e nonnegative 2\ngroup t table 2\nend\n",
          "'t' is declared otherwise" },
    };
    problem_read p = parse(HEAD "end\n");
    sos_example **examples = NULL;
    size_t count = 0;
    sos_error error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_error(sos_problem_parse(cases[i].text, strlen(cases[i].text), "t", p.model, NULL, &count, &examples, &error),
                    SOS_ERR_FORMAT, error, cases[i].word, "t:");
    check(!examples);
    sos_model *same = NULL;
    check_ok(sos_problem_parse(HEAD "end\n", strlen(HEAD "end\n"), "t", p.model, &same, &count, &examples, &error), error);
    check(same && sos_model_groups(same) == 3);
    sos_problem_free(count, examples);
    sos_model_free(same);
    problem_release(&p);
}

static void files_and_arguments_are_checked(void **state)
{
    (void)state;
    problem_read p = { 0 };
    sos_error error;
    check_error(sos_problem_read("/no/such/file", NULL, &p.model, &p.count, &p.examples, &error), SOS_ERR_IO, error, "no/such");
    check_is(sos_problem_read(NULL, NULL, &p.model, &p.count, &p.examples, &error), SOS_ERR_ARGUMENT);
    check_is(sos_problem_parse("", 0, "t", NULL, NULL, &p.count, &p.examples, &error), SOS_ERR_ARGUMENT);
    check_is(sos_problem_parse(NULL, 0, "t", NULL, &p.model, &p.count, &p.examples, &error), SOS_ERR_ARGUMENT);
    char path[] = "/tmp/sos-problem-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    check(write(file, HEAD EXAMPLE "end\n", strlen(HEAD EXAMPLE "end\n")) > 0);
    close(file);
    check_ok(sos_problem_read(path, NULL, &p.model, &p.count, &p.examples, &error), error);
    check(p.count == 1 && sos_example_variables(p.examples[0]) == 3);
    unlink(path);
    problem_release(&p);
    sos_problem_free(0, NULL);
}

/* A name of any length leaves the example's number where it belongs. */
static void long_names_keep_the_message_whole(void **state)
{
    (void)state;
    static const char text[] = HEAD EXAMPLE "clique x 1 0 1\nend\n";
    char name[400];
    problem_read p = { 0 };
    sos_error error;
    memset(name, 'n', sizeof name);
    for (size_t length = 190; length < sizeof name; length++) {
        name[length] = '\0';
        check_error(sos_problem_parse(text, sizeof text - 1, name, NULL, &p.model, &p.count, &p.examples, &error),
                    SOS_ERR_FORMAT, error, "n:7: example 0: there is no group 'x'");
        name[length] = 'n';
    }
}

/* They were against the old one; the new one may have its own. */
static void losses_that_a_new_truth_empties_are_not_written(void **state)
{
    (void)state;
    static const char text[] = "sosproblem 1\nlabels 2\ngroup u free 1\nexample 2\ntruth 0 1\nclique-loss 2 0 1 1 2 0 1\nend\n";
    problem_read p = parse(text);
    for (int turn = 0; turn < 2; turn++) {
        char *written;
        size_t length;
        sos_error error;
        check_ok(sos_problem_write_memory(p.model, p.count, p.examples, &written, &length, &error), error);
        check((strstr(written, "clique-loss") == NULL) == (turn == 1));
        free(written);
        check_ok(sos_example_set_truth(p.examples[0], (uint8_t[]){ 1, 0 }, NULL, &error), error);
    }
    problem_release(&p);
}

/* ---------------------------------------------------------------- damage */

static const char WHOLE[] = "sosproblem 1\nlabels 2\ngroup u free 2\ngroup e nonnegative 1\ngroup t table 2 anchored\n"
                            "group p table 4 swap patch 2 2\nexample 4\ntruth 0 1? 1 ?\nclass-loss 1 2.5\nscale 0.25\n"
                            "features u\nfeature 0 0 1.5 1 -2\nfeature 2 1 1e-3\npair e 0 1\npair e 1 2 0.5\n"
                            "clique t 1 0 3\nclique p 0.5 0 1 2 3\nclique-loss 2 0 2 0 0 0 0\nfix 1 0\n"
                            "region e 0.25 3 0 2 3 1.5\ncosts e 1 2 3 4 5 6 7 8\n"
                            "example 2\ntruth 1 0\nloss 1 0 0 2\nclique t 2 1 0\nend\n";

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    problem_read whole = parse(WHOLE);
    check(whole.count == 2);
    problem_release(&whole);
    for (size_t n = 0; n < sizeof WHOLE - 1; n++) {
        char *cut = test_room(NULL, n ? n : 1, 1);
        memcpy(cut, WHOLE, n);
        problem_read p = { 0 };
        sos_error error;
        check_error(sos_problem_parse(cut, n, "t", NULL, &p.model, &p.count, &p.examples, &error), SOS_ERR_FORMAT, error, "t:");
        check(!p.model && !p.examples);
        free(cut);
    }
}

static char flipped(char c, size_t bit) { return (char)((unsigned char)c ^ 1u << bit); }

/* Any byte changed: a problem whose examples can be used, or an error. */
static void a_byte_that_flipped_does_no_harm(void **state)
{
    (void)state;
    static const char bytes[] = "0129-.e?# \nx\x80\xff";
    char *text = test_room(NULL, sizeof WHOLE, 1);
    memcpy(text, WHOLE, sizeof WHOLE);
    for (size_t at = 0; at < sizeof WHOLE - 1; at++)
        for (size_t b = 0; b < sizeof bytes + 8; b++) {
            text[at] = b < sizeof bytes ? bytes[b] : flipped(WHOLE[at], b - sizeof bytes);
            problem_read p = { 0 };
            sos_error error;
            const sos_status status = sos_problem_parse(text, sizeof WHOLE - 1, "t", NULL, &p.model, &p.count, &p.examples,
                                                        &error);
            check(status == SOS_OK || status == SOS_ERR_FORMAT || status == SOS_ERR_NOT_SUBMODULAR || status == SOS_ERR_RANGE);
            check((status == SOS_OK) == (p.model != NULL));
            for (size_t i = 0; i < p.count && sos_model_labels(p.model) == 2; i++) {
                uint8_t *labels = test_room(NULL, sos_example_variables(p.examples[i]), 1);
                check_ok(sos_model_predict(p.model, p.examples[i], NULL, labels, NULL, &error), error);
                free(labels);
            }
            problem_release(&p);
            text[at] = WHOLE[at];
        }
    free(text);
}

/* Small files that ask for much. */
static void no_small_file_takes_much_memory(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    fputs("sosproblem 1\nlabels 2\ngroup t table 16\n", out);
    for (int i = 0; i < 100; i++) fputs("example 16\nclique t 1 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n", out);
    fputs("end\n", out);
    fclose(out);
    problem_read p = { 0 };
    sos_error error;
    check_error(sos_problem_parse(text, length, "t", NULL, &p.model, &p.count, &p.examples, &error), SOS_ERR_FORMAT, error,
                "too many for a file");
    free(text);
    out = open_memstream(&text, &length);
    fputs("sosproblem 1\nlabels 2\n", out);
    for (int i = 0; i < 5000; i++) fprintf(out, "group %d free 1\n", i);
    fputs("end\n", out);
    fclose(out);
    check_error(sos_problem_parse(text, length, "t", NULL, &p.model, &p.count, &p.examples, &error), SOS_ERR_FORMAT, error,
                "more than 4096 groups");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_reads_back_to_the_last_bit),
        cmocka_unit_test(the_reach_of_regions_survives),
        cmocka_unit_test(problems_are_written_to_files_and_streams),
        cmocka_unit_test(costs_regions_and_fixed_variables_are_read),
        cmocka_unit_test(a_problem_is_read_as_it_was_written),
        cmocka_unit_test(features_may_come_in_any_order),
        cmocka_unit_test(long_lists_are_read_whole),
        cmocka_unit_test(question_marks_do_not_count),
        cmocka_unit_test(a_problem_without_examples_is_one),
        cmocka_unit_test(what_is_wrong_is_refused_with_line_and_example),
        cmocka_unit_test(another_models_problem_is_refused),
        cmocka_unit_test(files_and_arguments_are_checked),
        cmocka_unit_test(long_names_keep_the_message_whole),
        cmocka_unit_test(losses_that_a_new_truth_empties_are_not_written),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_byte_that_flipped_does_no_harm),
        cmocka_unit_test(no_small_file_takes_much_memory),
    };
    return cmocka_run_group_tests_name("problem files", tests, NULL, NULL);
}

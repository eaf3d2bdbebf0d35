/* test_allocation.c - every allocation fails in turn, in every function of the public headers that can fail: the call says so,
 * loses nothing, and works when repeated (allocation.h). */
#define _POSIX_C_SOURCE 200809L
#include "learning_support.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocation.h"
#include "experiments/segment/experiment.h"
#include "tasks/score.h"
#include <s3svm/label.h>
#include <s3svm/simulate.h>

/* ---- the scenarios ---- */

static sos_energy *build(const problem *p)
{
    sos_energy *e = NULL;
    attempt(sos_energy_create(p->n, &e, &error));
    attempt(sos_energy_add_constant(e, p->constant, &error));
    attempt(sos_energy_set_unaries(e, p->cost0, p->cost1, &error));
    for (size_t i = 0; i < p->n; i++)
        if (p->fixed[i] != SOS_FREE) attempt(sos_energy_fix(e, i, p->fixed[i], &error));
    for (size_t t = 0; t < p->table_count; t++) {
        uint32_t number = UINT32_MAX;
        attempt(sos_energy_add_table(e, p->tables[t].k, p->tables[t].f, &number, &error));
        check(number == t);
    }
    for (size_t c = 0; c < p->clique_count; c++) {
        const problem_clique *q = &p->cliques[c];
        if (c == p->clique_count / 2) attempt(sos_energy_reserve(e, q->table, 3, &error));
        attempt(sos_energy_add_cliques(e, q->table, 1, q->variables, q->weight == 1 ? NULL : &q->weight, &error));
    }
    for (size_t c = 0; c < p->concave_count; c++)
        attempt(sos_energy_add_concave(e, p->concaves[c].k, p->concaves[c].variables, p->concaves[c].g, p->concaves[c].weight,
                                       &error));
    check(sos_energy_cliques(e) == p->clique_count && sos_energy_concaves(e) == p->concave_count);
    return e;
}

/* What can change in an energy that is there; then all of it in a copy. */
static sos_energy *change_and_copy(problem *p, sos_energy *e)
{
    sos_energy *copy = NULL;
    attempt(sos_energy_copy(e, &copy, &error));
    check_same_energy(e, copy);
    sos_energy_free(e);
    if (p->n) p->fixed[0] = 1;
    attempt(sos_energy_fix_all(copy, p->fixed, &error));
    double *weights = test_room(NULL, p->concave_count, sizeof *weights);
    for (size_t c = 0; c < p->concave_count; c++) weights[c] = p->concaves[c].weight = (double)c;
    attempt(sos_energy_set_concave_weights(copy, 0, p->concave_count, weights, &error));
    free(weights);
    return copy;
}

static void run(sos_minimizer *m, const problem *p, const sos_energy *e, const sos_minimize_settings *s)
{
    const oracle o = problem_solve_exhaustively(p);
    uint8_t labels[EXHAUSTIVE_MAX];
    sos_minimize_result result;
    memset(labels, s->start == SOS_START_LABELS, sizeof labels);
    attempt(sos_minimizer_run(m, e, s, labels, &result, &error));
    check_answer(p, &o, s->maximal, labels, &result);
}

/* Another unary, then again from the last flow and from a guess, and cold. */
static void run_all(problem *p, sos_energy *e)
{
    sos_minimizer *m = NULL;
    sos_minimize_settings s = sos_minimize_defaults();
    attempt(sos_minimizer_create(&m, &error));
    run(m, p, e, &s);
    p->cost1[0] += 3;
    attempt(sos_energy_set_unary(e, 0, p->cost0[0], p->cost1[0], &error));
    s.start = SOS_START_FLOW;
    run(m, p, e, &s);
    s.start = SOS_START_LABELS;
    s.reduce = false;
    run(m, p, e, &s);
    s.start = SOS_START_COLD;
    s.maximal = true;
    run(m, p, e, &s);
    sos_minimizer_free(m);
}

static problem problem_of_case(uint64_t c)
{
    sos_random r = test_case_begin(c);
    problem p = problem_grid(&r, 3, 3, COSTS_SMALL);
    p.constant = 2;
    if (c == 1) p.fixed[4] = 1;
    double f[16];
    table_random(&r, 4, COSTS_SMALL, f);
    problem_add_patches(&p, problem_add_table(&p, 4, f), 3, 3, 2, 2);
    for (int more = 0; c && more < 3; more++) problem_add_random_clique(&r, &p, 5, COSTS_SMALL, true);
    for (uint64_t more = 0; more < c; more++) problem_add_random_concave(&r, &p, 9, COSTS_SMALL, true);
    return p;
}

static void build_and_minimise(uint64_t c)
{
    problem p = problem_of_case(c);
    sos_energy *e = change_and_copy(&p, build(&p));
    run_all(&p, e);
    sos_energy_free(e);
    problem_free(&p);
}

/* Functions of the count: added, changed to one that is concave but for rounding, copied, written, read; and a clique with so
 * many pieces that knots are chosen. */
static void count_and_minimise(uint64_t c)
{
    enum { N = 60 };
    (void)c;
    uint32_t variables[N];
    double amounts[N], place[N + 1], value[2 * (N + 1)], cost[N];
    for (uint32_t i = 0; i < N; i++) {
        variables[i] = i;
        amounts[i] = i % 3 ? 1 : 0;
        cost[i] = (double)(i * 37 % 100) - 60;
    }
    for (size_t m = 0; m <= N; m++) {
        place[m] = (double)m;
        value[m] = value[N + 1 + m] = (double)(m * (N - m)) / 2;
    }
    static const double P[] = { 0, 0.1, 0.2, 40 }, F[] = { 0, 1, 2 - 1e-15, 9 }, ROUNDED[] = { 0, 1, 2 + 1e-15, 9 };
    sos_energy *e = NULL, *copy = NULL, *again = NULL;
    sos_multi_energy *multi = NULL, *multi_copy = NULL;
    uint8_t y[N], z[N];
    attempt(sos_energy_create(N, &e, &error));
    attempt(sos_energy_set_unaries(e, NULL, cost, &error));
    attempt(sos_energy_add_pieces(e, N, variables, NULL, N + 1, place, value, 1, &error));
    attempt(sos_energy_add_pieces(e, N, variables, amounts, 4, P, F, 1, &error));
    attempt(sos_energy_set_pieces(e, 1, ROUNDED, &error));
    attempt(sos_energy_copy(e, &copy, &error));
    attempt(sos_minimize(copy, NULL, y, NULL, &error));
    char *text = NULL;
    size_t length = 0;
    attempt(sos_energy_write_memory(e, SOS_FORMAT_SOS, &text, &length, &error));
    attempt(sos_energy_parse(text, length, "t", SOS_FORMAT_AUTO, &again, &error));
    attempt(sos_minimize(again, NULL, z, NULL, &error));
    check(!memcmp(y, z, N));
    attempt(sos_multi_energy_create(N, 2, &multi, &error));
    attempt(sos_multi_energy_add_pieces(multi, N, variables, NULL, N + 1, place, value, 1, &error));
    attempt(sos_multi_energy_copy(multi, &multi_copy, &error));
    attempt(sos_expand(multi_copy, NULL, z, NULL, &error));
    free(text);
    sos_energy_free(e);
    sos_energy_free(copy);
    sos_energy_free(again);
    sos_multi_energy_free(multi);
    sos_multi_energy_free(multi_copy);
}

/* A minimizer that has served a small energy must grow for a larger one, and shrink again. */
static void grow_and_shrink(uint64_t c)
{
    problem small = problem_of_case(0), large = problem_of_case(2);
    sos_energy *e = problem_build(&small), *larger = problem_build(&large);
    sos_minimizer *m = NULL;
    sos_minimize_settings s = sos_minimize_defaults();
    s.maximal = c & 1;
    attempt(sos_minimizer_create(&m, &error));
    run(m, &small, e, &s);
    run(m, &large, larger, &s);
    s.start = SOS_START_FLOW;
    run(m, &large, larger, &s);
    run(m, &small, e, &s);
    sos_minimizer_free(m);
    sos_energy_free(e);
    sos_energy_free(larger);
    problem_free(&small);
    problem_free(&large);
}

static void minimise_at_once_and_in_a_batch(uint64_t c)
{
    problem p = problem_of_case(c);
    const oracle o = problem_solve_exhaustively(&p);
    sos_energy *e = problem_build(&p);
    const sos_energy *energies[] = { e, e };
    uint8_t rows[2][EXHAUSTIVE_MAX], *labels[] = { rows[0], rows[1] };
    sos_minimize_result results[2];
    attempt(sos_minimize(e, NULL, labels[0], &results[0], &error));
    check_answer(&p, &o, false, labels[0], &results[0]);
    sos_minimize_settings settings = sos_minimize_defaults();
    settings.work.threads = 1;
    attempt(sos_minimize_batch(2, energies, &settings, labels, results, &error));
    for (size_t i = 0; i < 2; i++) check_answer(&p, &o, false, labels[i], &results[i]);
    sos_energy_free(e);
    problem_free(&p);
}

static void parse_and_minimise(uint64_t c)
{
    static const char TEXT[] = "sos 1\nvariables 4\ncliques 3\ntables 2\nunary\n0 5\n3 0\n2 2\n0 1\n"
                               "table 2\n0 2 2 0\ntable 3\n0 3 3 4 3 4 4 3\n"
                               "clique 0 0 1\nclique 0 3 2\nclique 1 1 2 3\n";
    static const uint8_t ZEROS[4], MIXED[4] = { 0, 1, 1, 0 };
    (void)c;
    sos_energy *e = NULL;
    char *text = NULL;
    size_t length = 0;
    attempt(sos_energy_parse(TEXT, sizeof TEXT - 1, "text", SOS_FORMAT_SOS, &e, &error));
    for (int format = SOS_FORMAT_SOS; format <= SOS_FORMAT_UAI_ENERGIES; format++) {
        attempt(sos_energy_write_memory(e, (sos_format)format, &text, &length, &error));
        check(strlen(text) == length);
        free(text);
    }
    check(sos_energy_variables(e) == 4 && sos_energy_cliques(e) == 3);
    check(sos_energy_value(e, ZEROS) == 5);
    check(sos_energy_value(e, MIXED) == 0 + 0 + 2 + 0 + 2 + 2 + 4);
    sos_energy_free(e);
}

/* ---- several labels ---- */

static sos_multi_energy *build_several(void)
{
    static const double COST[] = { 0, 3, 1, 2, 0, 4, 5, 1, 0, 1, 1, 0, 2, 0, 2 }, AGREE[] = { 0, 1, 2 }, REACH[] = { 1, 2, 3 };
    static const double G[] = { 0, 1, 1, 0, 0, 2, 2, 0, 0, 3, 3, 1 }, H[] = { 0, 2, 3, 3, 0, 1, 1, 0, 0, 1, 2, 3 };
    static const uint32_t MEMBERS[] = { 0, 1, 2, 3, 4 };
    sos_multi_energy *e = NULL;
    uint32_t set = 9;
    attempt(sos_multi_energy_create(5, 3, &e, &error));
    attempt(sos_multi_energy_set_unaries(e, COST, &error));
    attempt(sos_multi_energy_add_tables(e, 2, G, &set, &error));
    attempt(sos_multi_energy_add_cliques(e, set, 2, MEMBERS, NULL, &error));
    attempt(sos_multi_energy_add_potts(e, 1, MEMBERS + 3, NULL, &error));
    attempt(sos_multi_energy_set_weights(e, 0, 2, COST + 1, &error));
    attempt(sos_multi_energy_add_counts(e, 3, MEMBERS + 1, H, 1.5, &error));
    attempt(sos_multi_energy_add_robust(e, 5, MEMBERS, AGREE, REACH, 4, 0.5, &error));
    check(sos_multi_energy_cliques(e) == 3 && sos_multi_energy_count_cliques(e) == 2);
    return e;
}

static void expand_energies_with_several_labels(uint64_t c)
{
    sos_multi_energy *e = build_several(), *copy = NULL, *read = NULL;
    sos_expander *x = NULL;
    uint8_t y[5], again[5];
    sos_expand_result result;
    char *text = NULL;
    size_t length = 0;
    sos_expand_settings s = sos_expand_defaults();
    const sos_relax_settings relaxing = { .rounds = 2, .work.threads = 1 };
    s.reduce = c;
    attempt(sos_multi_energy_copy(e, &copy, &error));
    attempt(sos_multi_energy_write_memory(copy, SOS_FORMAT_AUTO, &text, &length, &error));
    attempt(sos_multi_energy_parse(text, length, "text", SOS_FORMAT_AUTO, &read, &error));
    attempt(sos_expand(e, &s, y, &result, &error));
    attempt(sos_expander_create(&x, &error));
    attempt(sos_expander_run(x, read, &s, again, &result, &error));
    check(!memcmp(y, again, sizeof y) && result.energy == sos_multi_energy_value(copy, y));
    attempt(sos_expander_run(x, copy, &s, again, NULL, &error));
    attempt(sos_relax(e, &relaxing, y, NULL, &error));
    free(text);
    sos_expander_free(x);
    sos_multi_energy_free(read);
    sos_multi_energy_free(copy);
    sos_multi_energy_free(e);
}

/* ---- learning ---- */

static const sos_group GROUPS[] = {
    { .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 },
    { .name = "square", .kind = SOS_GROUP_TABLE, .size = 4, .patch_width = 2, .patch_height = 2 },
    { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 },
    { .name = "pair",
      .kind = SOS_GROUP_TABLE,
      .size = 2,
      .class_of = (const uint32_t[]){ UINT32_MAX, 0, 1, 2 },
      .stiffness = 2 },
    { .name = "share", .kind = SOS_GROUP_COUNT, .size = 3, .shares = (const double[]){ 0, 0.5, 1 } },
    { .name = "several", .kind = SOS_GROUP_TABLE, .size = 2, .strengths = 2 },
};
enum { GROUPS_COUNT = sizeof GROUPS / sizeof *GROUPS };

static lesson lesson_of_case(uint64_t c)
{
    sos_random r = test_case_begin(c);
    const sample_recipe wanted = { .n = 5, .pairs = 2, .cliques = 1, .phi = true, .care = true, .losses = true, .noise = 0.3 };
    return lesson_random(&r, 2, GROUPS_COUNT, GROUPS, 2, &wanted);
}

/* A model and an example of it, put together call by call. */
static void build_model_and_example(uint64_t c)
{
    static const size_t START[] = { 0, 1, 2, 3, 4 };
    static const uint32_t INDEX[] = { 0, 1, 0, 1 }, MEMBERS[] = { 0, 1, 2, 3 }, LISTED[] = { 3, 3 };
    static const double VALUE[] = { 1, 2, 3, 4 }, PHI[] = { 1, 2 }, BY_CLASS[] = { 1, 2 }, DELTA[] = { 0, 0, 0, 1 };
    static const double LOSS[] = { 0, 1, 0, 1, 0, 1, 0, 1 };
    static const uint8_t TRUTH[4], CARE[] = { 1, 0, 1, 1 };
    (void)c;
    sos_model *m = NULL;
    sos_example *x = NULL;
    uint32_t number = 0;
    uint8_t y[4];
    attempt(sos_model_create(2, &m, &error));
    for (size_t g = 0; g < GROUPS_COUNT; g++) attempt(sos_model_add_group(m, &GROUPS[g], &number, &error));
    check(sos_model_groups(m) == GROUPS_COUNT);
    attempt(sos_model_set_fact(m, "C", "1", &error));
    attempt(sos_model_set_fact(m, "C", "2", &error));
    check(sos_model_facts(m) == 1);
    double *w = test_room(NULL, sos_model_weight_count(m), sizeof *w);
    memset(w, 0, sos_model_weight_count(m) * sizeof *w);
    attempt(sos_model_set_weights(m, w, &error));
    attempt(sos_model_set_stiffness(m, 1, 0.5, &error));
    attempt(sos_example_create(m, 4, &x, &error));
    attempt(sos_example_set_features(x, 0, START, INDEX, VALUE, &error));
    attempt(sos_example_set_features(x, 0, START, INDEX, NULL, &error));
    attempt(sos_example_set_dense_features(x, 0, VALUE, 0, 0, &error));
    attempt(sos_example_set_features(x, 0, START, INDEX, NULL, &error));
    attempt(sos_example_add_cliques(x, 1, 1, MEMBERS, NULL, &error));
    attempt(sos_example_add_pairs(x, 2, 2, MEMBERS, PHI, &error));
    attempt(sos_example_add_listed(x, 2, LISTED, MEMBERS, PHI, &error));
    attempt(sos_example_add_regions(x, 2, 2, (size_t[]){ 0, 2, 4 }, MEMBERS, 0.5, PHI, &error));
    attempt(sos_example_add_counts(x, 4, 2, (size_t[]){ 0, 3, 4 }, MEMBERS, VALUE, PHI, &error));
    attempt(sos_example_add_cliques(x, 5, 1, MEMBERS, PHI, &error));
    attempt(sos_example_set_costs(x, 2, (double[8]){ 1 }, &error));
    attempt(sos_example_fix(x, 3, 0, &error));
    attempt(sos_example_set_truth(x, TRUTH, CARE, &error));
    attempt(sos_example_set_class_loss(x, BY_CLASS, &error));
    attempt(sos_example_set_loss(x, LOSS, &error));
    attempt(sos_example_add_clique_loss(x, 2, MEMBERS, DELTA, &error));
    check(sos_example_loss(x, (uint8_t[]){ 1, 1, 0, 0 }) == 2);
    attempt(sos_example_minimize(x, w, true, NULL, y, NULL, &error));
    sos_minimize_settings s = sos_minimize_defaults();
    s.start = SOS_START_FLOW;
    attempt(sos_example_minimize(x, w, true, &s, y, NULL, &error));
    attempt(sos_model_predict(m, x, NULL, y, NULL, &error));
    attempt(sos_example_fix_all(x, TRUTH, &error));
    const sos_energy *e = NULL;
    attempt(sos_example_energy(x, w, false, &e, &error));
    check(sos_energy_variables(e) == 4);
    char *text = NULL;
    size_t length = 0;
    attempt(sos_problem_write_memory(m, 1, &x, &text, &length, &error));
    check(length > 0);
    free(text);
    sos_example_free(x);
    sos_model_free(m);
    free(w);
}

/* An example with three labels, with fixed variables. */
static void minimise_three_labels(uint64_t c)
{
    sos_random r = test_case_begin(c);
    const sample_recipe wanted = { .n = 5, .pairs = 2, .cliques = 1, .phi = true, .noise = 0.3 };
    lesson l = lesson_random(&r, 3, GROUPS_COUNT, GROUPS, 1, &wanted);
    sos_example *x = l.examples[0];
    const sos_multi_energy *e = NULL;
    uint8_t y[5] = { 9, 9, 9, 9, 9 };
    double *w = test_room(NULL, l.plan.weights, sizeof *w);
    plan_weights_random(&r, &l.plan, w);
    attempt(sos_example_fix(x, 2, l.samples[0].truth[2], &error));
    allocation_armed = true; /* it may do without the lower bound */
    const sos_status tried = sos_example_minimize(x, w, true, NULL, y, NULL, NULL);
    allocation_armed = false;
    check(tried == SOS_OK || (tried == SOS_ERR_MEMORY && y[0] == 9 && y[4] == 9));
    check_is(sos_example_minimize(x, w, true, NULL, y, NULL, NULL), SOS_OK);
    check(y[2] == l.samples[0].truth[2]);
    attempt(sos_example_multi_energy(x, w, true, &e, &error));
    check(sos_multi_energy_labels(e) == 3);
    free(w);
    lesson_free(&l);
}

/* A model copied, and written into memory. */
static void copy_and_write_a_model(uint64_t c)
{
    lesson l = lesson_of_case(c);
    sos_model *copy = NULL;
    sos_error built;
    char *text = NULL;
    size_t length = 0;
    check_ok(sos_model_set_fact(l.model, "C", "1", &built), built);
    attempt(sos_model_copy(l.model, &copy, &error));
    check(!strcmp(sos_model_fact(copy, "C"), "1"));
    attempt(sos_model_write_memory(copy, &text, &length, &error));
    check(length > 0 && text[length] == '\0');
    free(text);
    sos_model_free(copy);
    lesson_free(&l);
}

/* A call that, where an allocation fails in it, leaves the weights alone. */
#define attempt_keeping(l, before, call)                                                                                       \
    do {                                                                                                                       \
        sos_error error = { SOS_OK, "" };                                                                                      \
        const long forced = allocation_failures;                                                                               \
        allocation_note(#call);                                                                                                \
        allocation_armed = true;                                                                                               \
        const sos_status first = (call);                                                                                       \
        allocation_armed = false;                                                                                              \
        if (allocation_failures == forced) {                                                                                   \
            check_ok(first, error);                                                                                            \
        } else {                                                                                                               \
            check_error(first, SOS_ERR_MEMORY, error, "memory");                                                               \
            check(!memcmp((before), sos_model_weights((l)->model), (l)->plan.weights * sizeof(double)));                       \
            check_ok((call), error);                                                                                           \
        }                                                                                                                      \
    } while (0)

/* Few rounds: every allocation of the last of them fails once, too. */
static sos_train_settings few_rounds(size_t rounds)
{
    sos_train_settings s = sos_train_defaults();
    s.rounds = rounds;
    s.gap = 0;
    s.work.threads = 1;
    return s;
}

static void train_a_little(uint64_t c)
{
    lesson l = lesson_of_case(c);
    sos_train_settings s = few_rounds(3);
    s.slacks = 1 + c;
    s.warm = c;
    double *before = test_room(NULL, l.plan.weights, sizeof *before), mean;
    memset(before, 0, l.plan.weights * sizeof *before);
    attempt_keeping(&l, before, sos_train(l.model, l.count, l.examples, &s, NULL, &error));
    size_t group;
    check(plan_holds(&l.plan, sos_model_weights(l.model), &group));
    memcpy(before, sos_model_weights(l.model), l.plan.weights * sizeof *before);
    attempt_keeping(&l, before, sos_evaluate(l.model, l.count, l.examples, &(sos_work){ .threads = 1 }, NULL, &mean, &error));
    free(before);
    lesson_free(&l);
}

static void train_along_a_path(uint64_t c)
{
    static const double VALUES[] = { 0.1, 1 };
    lesson l = lesson_of_case(c);
    const sos_train_settings s = few_rounds(2);
    sos_path_point path[2];
    size_t best = 9;
    double *before = test_room(NULL, l.plan.weights, sizeof *before);
    memset(before, 0, l.plan.weights * sizeof *before);
    attempt_keeping(&l, before,
                    sos_train_path(l.model, l.count, l.examples, 1, l.examples, 2, VALUES, &s, path, &best, &error));
    check(best < 2);
    free(before);
    lesson_free(&l);
}

/* Writing a checkpoint and reading it back; the file is there from the first run on. */
static void train_from_a_checkpoint(uint64_t c)
{
    char path[300];
    const char *root = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/sos-allocation-%ld", root && *root ? root : "/tmp", (long)getpid());
    lesson l = lesson_of_case(c);
    sos_train_settings s = few_rounds(3);
    s.checkpoint = path;
    s.checkpoint_seconds = 0;
    double *before = test_room(NULL, l.plan.weights, sizeof *before);
    memset(before, 0, l.plan.weights * sizeof *before);
    remove(path);
    for (int again = 0; again < 2; again++) {
        sos_train_result result;
        allocation_armed = true;
        const sos_status tried = sos_train(l.model, l.count, l.examples, &s, &result, NULL);
        allocation_armed = false;
        check(tried == SOS_OK || tried == SOS_ERR_MEMORY); /* a checkpoint that is not written is no error */
        if (tried) check(!memcmp(before, sos_model_weights(l.model), l.plan.weights * sizeof *before));
        check_is(sos_train(l.model, l.count, l.examples, &s, &result, NULL), SOS_OK);
        check(result.checkpoint_error.status == SOS_OK);
        memcpy(before, sos_model_weights(l.model), l.plan.weights * sizeof *before);
    }
    remove(path);
    free(before);
    lesson_free(&l);
}

/* ---- photographs ---- */

s3svm_score __real_s3svm_score_of(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[]);
s3svm_score __wrap_s3svm_score_of(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[]);

/* Only labels that a prediction has set are scored. */
s3svm_score __wrap_s3svm_score_of(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[])
{
    for (size_t i = 0; i < n; i++) check(labels[i] <= 1);
    return __real_s3svm_score_of(n, labels, truth, care);
}

enum { PHOTOGRAPHS = 3, SIDE = 8 };

static const char *const PARTS[] = { "images", "labels", "scribbles" };

/* A light square on dark ground, with a stroke on either. */
static void photograph_write(const char *folder, size_t number)
{
    uint8_t colours[3 * SIDE * SIDE], labels[SIDE * SIDE], scribbles[SIDE * SIDE];
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        const size_t x = i % SIDE, y = i / SIDE;
        const bool object = x > 1 && x < 6 && y > 1 && y < 6;
        for (size_t c = 0; c < 3; c++) colours[3 * i + c] = (uint8_t)(object ? 180 + x + c : 40 + y + number);
        labels[i] = object ? 255 : 0;
        scribbles[i] = y == 3 && object ? 1 : y == 0 ? 2 : 0;
    }
    const s3svm_image images[] = { { SIDE, SIDE, 3, colours }, { SIDE, SIDE, 1, labels }, { SIDE, SIDE, 1, scribbles } };
    for (size_t k = 0; k < 3; k++) {
        char path[300];
        sos_error error;
        snprintf(path, sizeof path, "%s/%s/%zu.%s", folder, PARTS[k], number, k ? "pgm" : "ppm");
        check_ok(s3svm_image_write(&images[k], path, &error), error);
    }
}

static char photographs[64];

static int photographs_make(void **state)
{
    (void)state;
    strcpy(photographs, "/tmp/sos-allocation-XXXXXX");
    if (!mkdtemp(photographs)) return -1;
    for (size_t k = 0; k < 3; k++) {
        char path[300];
        snprintf(path, sizeof path, "%s/%s", photographs, PARTS[k]);
        if (mkdir(path, 0700)) return -1;
    }
    for (size_t i = 0; i < PHOTOGRAPHS; i++) photograph_write(photographs, i);
    return 0;
}

static int photographs_remove(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", photographs);
    return system(command); /* NOLINT: the name is our own */
}

static void judge(size_t contender)
{
    s3svm_segment_plan one = { .data = photographs, .splits = 1, .threads = 1 };
    s3svm_segment_results r;
    one.contends[contender] = true;
    attempt(s3svm_segment_experiment(&one, &r, &error));
    check(r.test == 1 && r.outcomes[contender].error < 0.5);
    s3svm_segment_results_free(&r);
}

static void judge_grabcut(uint64_t c)
{
    (void)c;
    judge(S3SVM_CONTENDER_GRABCUT);
}

static void judge_model(uint64_t c)
{
    (void)c;
    judge(S3SVM_CONTENDER_AMN);
}

/* A picture whose left half is dark, and a model of labels whose features are learned from it. */
enum { WIDE = 8 };
static uint8_t half_pixels[3 * WIDE * WIDE], half_truth[WIDE * WIDE];
static const s3svm_image half = { .width = WIDE, .height = WIDE, .channels = 3, .pixels = half_pixels };
static const uint8_t *const half_truths[] = { half_truth };
static const s3svm_label_pictures halves = { .count = 1, .labels = 2, .pictures = &half, .truths = half_truths };
static sos_model *half_model;

static int half_learn(void **state)
{
    (void)state;
    static s3svm_label_names names;
    const s3svm_label_design design = s3svm_label_design_of(S3SVM_LABEL_FULL);
    s3svm_label_learning settings = s3svm_label_learning_defaults();
    s3svm_label_features *features;
    sos_error error;
    if (!sos_has("models")) return 0;
    settings.clusters = 2;
    settings.epochs = 1;
    for (size_t i = 0; i < WIDE * WIDE; i++) half_truth[i] = i % WIDE >= WIDE / 2;
    for (size_t i = 0; i < 3 * WIDE * WIDE; i++) half_pixels[i] = (uint8_t)(100 * half_truth[i / 3] + i * 7 % 40);
    check_ok(s3svm_label_names_parse("dark,light", &names, &error), error);
    check_ok(s3svm_label_features_learn(&halves, &settings, &features, &error), error);
    check_ok(s3svm_label_create(&design, features, &names, &half_model, &error), error);
    s3svm_label_features_free(features);
    return 0;
}

static int half_forget(void **state)
{
    (void)state;
    sos_model_free(half_model);
    return 0;
}

static void prepare_and_find_labels(uint64_t c)
{
    (void)c;
    const sos_work work = { .threads = 1 };
    s3svm_label_model *prepared = NULL;
    sos_example *example = NULL;
    uint8_t labels[WIDE * WIDE];
    attempt(s3svm_label_model_create(half_model, &prepared, &error));
    attempt(s3svm_label_model_examples(prepared, &halves, true, NULL, &work, &example, &error));
    attempt(s3svm_label_model_predict(prepared, &half, labels, &error));
    for (size_t i = 0; i < WIDE * WIDE; i++) check(labels[i] < 2);
    sos_example_free(example);
    s3svm_label_model_free(prepared);
}

/* Marks of all shapes, drawn, copied, written and read; then marks that a simulated person makes and corrects by. */
static void mark_and_correct(uint64_t c)
{
    enum { WIDTH = 12 };
    uint8_t truth[WIDTH * WIDTH] = { 0 }, labels[WIDTH * WIDTH] = { 0 }, pixels[WIDTH * WIDTH] = { 1, 2 };
    const s3svm_point points[] = { { 2, 3 }, { 9, 2 }, { 5, 9 } };
    const s3svm_image picture = { WIDTH, WIDTH, 1, pixels };
    const s3svm_mark step[] = { { .label = S3SVM_MARK_OBJECT, .radius = 2, .count = 3, .points = points },
                                { .shape = S3SVM_SHAPE_OUTLINE, .count = 3, .points = points },
                                { .shape = S3SVM_SHAPE_PIXELS, .pixels = &picture } };
    s3svm_simulation person = s3svm_simulation_defaults();
    s3svm_dialogue *d = NULL, *copy = NULL, *back = NULL;
    s3svm_image marks = { 0 };
    char *text = NULL;
    size_t length = 0;
    bool right = true;
    for (size_t i = 0; i < sizeof truth; i++) truth[i] = i % WIDTH > 3 && i / WIDTH > 4 && i / WIDTH < 10;
    person.kind = (s3svm_simulated)(c % S3SVM_SIMULATED_KINDS);
    person.both = true;
    attempt(s3svm_dialogue_create(WIDTH, WIDTH, &d, &error));
    attempt(s3svm_dialogue_add(d, 3, step, &error));
    attempt(s3svm_simulate_first(&person, truth, NULL, d, &error));
    attempt(s3svm_simulate_correct(&person, truth, NULL, labels, d, &right, &error));
    check(!right && s3svm_dialogue_steps(d) == 3);
    attempt(s3svm_dialogue_create(WIDTH, WIDTH, &copy, &error));
    for (size_t step_number = 0; step_number < 3; step_number++) attempt(s3svm_dialogue_add_step(copy, d, step_number, &error));
    attempt(s3svm_image_create(WIDTH, WIDTH, 1, &marks, &error));
    attempt(s3svm_dialogue_draw(copy, 3, &marks, &error));
    attempt(s3svm_dialogue_encode(d, &text, &length, &error));
    s3svm_dialogue_cut(d, 1);
    if (sos_has("models") && !c) attempt(s3svm_dialogue_parse(text, length, "marks", &back, &error));
    free(text);
    s3svm_image_free(&marks);
    s3svm_dialogue_free(d);
    s3svm_dialogue_free(copy);
    s3svm_dialogue_free(back);
}

static void building_and_minimising_survives(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 3; c++) check_every_allocation(build_and_minimise, c);
}

static void functions_of_the_count_survive(void **state)
{
    (void)state;
    check_every_allocation(count_and_minimise, 0);
}

static void a_minimizer_that_grows_survives(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 2; c++) check_every_allocation(grow_and_shrink, c);
}

static void one_call_and_a_batch_survive(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 3; c++) check_every_allocation(minimise_at_once_and_in_a_batch, c);
}

static void parsing_survives(void **state)
{
    (void)state;
    check_every_allocation(parse_and_minimise, 0);
}

static void marks_survive(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < S3SVM_SIMULATED_KINDS; c++) check_every_allocation(mark_and_correct, c);
}

static void several_labels_survive(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 2; c++) check_every_allocation(expand_energies_with_several_labels, c);
}

static void models_and_examples_survive(void **state)
{
    (void)state;
    check_every_allocation(build_model_and_example, 0);
    if (sos_has("models")) check_every_allocation(copy_and_write_a_model, 0);
    check_every_allocation(minimise_three_labels, 0);
}

static void training_survives(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 2; c++) check_every_allocation(train_a_little, c);
    check_every_allocation(train_along_a_path, 0);
    check_every_allocation(train_from_a_checkpoint, 0);
}

static void models_of_labels_survive(void **state)
{
    (void)state;
    if (!sos_has("models")) return; /* what they say about themselves is JSON */
    check_every_allocation(prepare_and_find_labels, 0);
}

static void an_experiment_survives_and_scores_only_what_was_predicted(void **state)
{
    (void)state;
    check_every_allocation(judge_grabcut, 0);
    if (sos_has("models")) check_last_allocations(judge_model, 0, 80); /* predicting takes these */
}

static void every_function_is_attempted(void **state)
{
    (void)state;
    if (!sos_has("models")) return; /* some cannot be called then */
    check_all_are_attempted();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(building_and_minimising_survives),
        cmocka_unit_test(functions_of_the_count_survive),
        cmocka_unit_test(a_minimizer_that_grows_survives),
        cmocka_unit_test(one_call_and_a_batch_survive),
        cmocka_unit_test(parsing_survives),
        cmocka_unit_test(several_labels_survive),
        cmocka_unit_test(marks_survive),
        cmocka_unit_test(models_and_examples_survive),
        cmocka_unit_test(training_survives),
        cmocka_unit_test_setup_teardown(models_of_labels_survive, half_learn, half_forget),
        cmocka_unit_test_setup_teardown(an_experiment_survives_and_scores_only_what_was_predicted, photographs_make,
                                        photographs_remove),
        cmocka_unit_test(energies_in_other_ways_survive),
        cmocka_unit_test(files_survive),
        cmocka_unit_test(pictures_survive),
        cmocka_unit_test(cut_outs_survive),
        cmocka_unit_test(maps_survive),
        cmocka_unit_test(data_sets_survive),
        cmocka_unit_test(other_ways_to_learn_survive),
        cmocka_unit_test(models_of_drawings_survive),
        cmocka_unit_test(models_of_thin_structures_survive),
        cmocka_unit_test(models_of_photographs_survive),
        cmocka_unit_test(segmenters_survive),
        cmocka_unit_test(tasks_survive),
        cmocka_unit_test(every_function_is_attempted),
    };
    return cmocka_run_group_tests_name("allocation", tests, allocation_calls_begin, allocation_calls_end);
}

/* test_ranks.c - training on several ranks: the model of one process to the last bit, whoever has which examples; failures of
 * one are failures of all; what is sent does not grow with the examples. */
#define _POSIX_C_SOURCE 200809L
#include "learning_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "communicator_threads.h"
#include "learn/sums.h"

enum { RANKS_MOST = 4 };

/* ---- sums ---- */

typedef struct terms {
    size_t count;
    const double *x;
    const size_t *owner; /* NULL: rank 0 has all */
    double sum[RANKS_MOST];
    size_t rank; /* of a copy for one rank */
} terms;

static void terms_list(const void *from, sos_sums *s)
{
    const terms *t = from;
    for (size_t i = 0; i < t->count; i++)
        if (!t->owner || t->owner[i] == t->rank) sos_sums_term(s, 0, t->x[i]);
}

static sos_status terms_take(const sos_communicator *c, terms *t, sos_error *error)
{
    terms mine = *t;
    sos_share share;
    mine.rank = c->rank;
    check_ok(sos_share_join(&share, c, error), *error);
    return sos_sums_take(&share, 1, terms_list, &mine, &t->sum[c->rank], error);
}

static void terms_sum(const sos_communicator *c, void *user)
{
    sos_error error;
    check_ok(terms_take(c, user, &error), error);
}

/* Magnitudes from 2^-spread to 2^spread, some of them 0, and some that cancel. */
static void terms_random(sos_random *r, size_t count, int spread, double x[])
{
    for (size_t i = 0; i < count; i++) {
        const double size = ldexp(1, (int)sos_random_below(r, 2 * (uint64_t)spread + 1) - spread);
        const double value = sos_random_uniform(r);
        x[i] = i % 7 == 3 ? 0 : i % 5 == 4 ? -x[i - 1] : (value - 0.5) * size;
    }
}

/* Is the sum of x no further from value than tolerance, in exact arithmetic? */
static bool is_near(size_t count, const double x[], double value, double tolerance)
{
    double *all = test_room(NULL, count + 2, sizeof *all);
    memcpy(all, x, count * sizeof *x);
    all[count] = -value;
    all[count + 1] = tolerance;
    const bool above = exact_sign(count + 2, all) >= 0;
    all[count + 1] = -tolerance;
    const bool below = exact_sign(count + 2, all) <= 0;
    free(all);
    return above && below;
}

/* What may be off is the last places of the result, and 2^-90 of the largest term for each. */
static void sums_are_those_of_one_rank(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        const size_t count = 1 + (size_t)sos_random_below(&r, 300);
        double *x = test_room(NULL, count, sizeof *x), most = 0;
        size_t *owner = test_room(NULL, count, sizeof *owner);
        terms_random(&r, count, c % 3 == 0 ? 4 : c % 3 == 1 ? 40 : 1000, x);
        terms alone = { .count = count, .x = x };
        ranks_run(1, terms_sum, &alone);
        for (size_t i = 0; i < count; i++) most = fmax(most, fabs(x[i]));
        check(is_near(count, x, alone.sum[0], 0x1p-51 * fabs(alone.sum[0]) + 0x1p-90 * most * (double)count + 0x1p-1070));
        for (size_t size = 2; size <= RANKS_MOST; size++) {
            terms dealt = { .count = count, .x = x, .owner = owner };
            for (size_t i = 0; i < count; i++) owner[i] = (size_t)sos_random_below(&r, size);
            ranks_run(size, terms_sum, &dealt);
            for (size_t k = 0; k < size; k++) check(!memcmp(&dealt.sum[k], &alone.sum[0], sizeof(double)));
        }
        free(x);
        free(owner);
    }
}

static void terms_refuse(const sos_communicator *c, void *user)
{
    sos_error error;
    check(terms_take(c, user, &error) == SOS_ERR_ARGUMENT);
    check(strstr(error.message, "beyond all numbers"));
}

static void sums_of_what_is_not_finite_fail_on_all_ranks(void **state)
{
    (void)state;
    static const double wrong[] = { INFINITY, -INFINITY, NAN };
    for (size_t k = 0; k < 3; k++)
        for (size_t size = 1; size <= RANKS_MOST; size++) {
            const double x[] = { 1, wrong[k], -2 };
            const size_t owner[] = { 0, size - 1, 0 };
            terms dealt = { .count = 3, .x = x, .owner = owner };
            ranks_run(size, terms_refuse, &dealt);
        }
}

/* ---- training ---- */

typedef enum way { BY_EXAMPLES, BY_ORACLE, BY_PATH, BY_FOLDS, WAYS } way;

static const double PATH[] = { 0.3, 3, 30 };
enum { PATH_COUNT = sizeof PATH / sizeof *PATH, WEIGHTS_MOST = 128 };

/* What must be the same on all ranks, for any number of them. */
typedef struct answer {
    sos_status status;
    char words[512];
    int outcome;
    double primal, dual, hinge, loss, validation, mean;
    size_t round, planes, oracle_calls, cache_hits, beaten, best;
    double weights[WEIGHTS_MOST];
} answer;

typedef struct job {
    lesson *l;
    way how;
    sos_train_settings settings;
    const size_t *owner;
    answer answers[RANKS_MOST];
    uint64_t bytes[RANKS_MOST][2]; /* sent until round 3 and round 6 */
} job;

static sos_example **own_examples(const job *j, size_t rank)
{
    sos_example **examples = test_room(NULL, j->l->count, sizeof(sos_example *));
    for (size_t i = 0; i < j->l->count; i++) examples[i] = j->owner[i] == rank ? j->l->examples[i] : NULL;
    return examples;
}

static void result_note(answer *a, const sos_train_result *r)
{
    a->outcome = (int)r->outcome;
    a->primal = r->last.primal;
    a->dual = r->last.dual;
    a->hinge = r->last.hinge;
    a->loss = r->last.loss;
    a->round = r->last.round;
    a->planes = r->last.planes;
    a->oracle_calls = r->last.oracle_calls;
    a->cache_hits = r->last.cache_hits;
    a->beaten = r->last.beaten;
}

static sos_status job_train(const job *j, const sos_train_settings *s, sos_model *m, sos_example *const examples[], answer *a,
                            sos_error *error)
{
    const lesson *l = j->l;
    const sos_oracle asked = { .examples = l->count, .user = j->l, .violate = lesson_violate };
    sos_train_result result = { 0 };
    sos_path_point path[PATH_COUNT] = { 0 };
    double losses[PATH_COUNT] = { 0 };
    sos_status status;
    switch (j->how) {
    case BY_EXAMPLES: status = sos_train(m, l->count, examples, s, &result, error); break;
    case BY_ORACLE: status = sos_train_oracle(m, &asked, s, &result, error); break;
    case BY_PATH:
        status = sos_train_path(m, l->count, examples, l->count, examples, PATH_COUNT, PATH, s, path, &a->best, error);
        result = path[PATH_COUNT - 1].result;
        a->validation = path[0].validation_loss;
        break;
    default: status = sos_train_folds(m, l->count, examples, 2, PATH_COUNT, PATH, s, losses, &a->best, error);
    }
    result_note(a, &result);
    for (size_t i = 0; i < PATH_COUNT; i++) a->validation += losses[i];
    return status;
}

typedef struct counter {
    uint64_t *bytes;
} counter;

static bool bytes_note(void *user, const sos_train_round *round)
{
    const counter *c = user;
    if (round->round == 3) c->bytes[0] = round->bytes_shared;
    if (round->round == 6) c->bytes[1] = round->bytes_shared;
    return true;
}

static void job_rank(const sos_communicator *c, void *user)
{
    job *j = user;
    answer *a = &j->answers[c->rank];
    sos_error error = { SOS_OK, "" };
    sos_model *m;
    sos_example **examples = own_examples(j, c->rank);
    sos_train_settings s = j->settings;
    counter counts = { j->bytes[c->rank] };
    s.work.communicator = c;
    s.watch = bytes_note;
    s.work.user = &counts;
    *a = (answer){ 0 };
    check_ok(sos_model_copy(j->l->model, &m, &error), error);
    a->status = job_train(j, &s, m, examples, a, &error);
    if (a->status) snprintf(a->words, sizeof a->words, "%.500s", error.message);
    if (!a->status && j->how == BY_EXAMPLES)
        a->status = sos_evaluate(m, j->l->count, examples, &(sos_work){ .threads = 1, .communicator = c }, NULL, &a->mean,
                                 &error);
    check(sos_model_weight_count(m) <= WEIGHTS_MOST);
    if (!a->status) memcpy(a->weights, sos_model_weights(m), sos_model_weight_count(m) * sizeof(double));
    sos_model_free(m);
    free(examples);
}

static void job_run(job *j, size_t size, const size_t owner[])
{
    j->owner = owner;
    ranks_run(size, job_rank, j);
}

static const sos_group GROUPS[] = {
    { .name = "colour", .kind = SOS_GROUP_FREE, .size = 3 },
    { .name = "contrast", .kind = SOS_GROUP_NONNEGATIVE, .size = 2 },
    { .name = "square", .kind = SOS_GROUP_TABLE, .size = 4, .anchored = true, .patch_width = 2, .patch_height = 2 },
    { .name = "triple", .kind = SOS_GROUP_TABLE, .size = 3, .anchored = true, .stiffness = 3 },
};

static lesson lesson_of_case(sos_random *r, size_t labels, size_t count)
{
    const sample_recipe wanted = { .n = labels == 2 ? 9 : 5, .pairs = 5, .cliques = 3, .phi = true, .noise = 0.3 };
    return lesson_random(r, labels, labels == 2 ? 4 : 3, GROUPS, count, &wanted);
}

static void deal(sos_random *r, size_t count, size_t size, size_t owner[])
{
    for (size_t i = 0; i < count; i++) owner[i] = (size_t)sos_random_below(r, size);
}

static void training_is_that_of_one_rank(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(24); c++) {
        sos_random r = test_case_begin(c);
        const size_t labels = c % 4 == 3 ? 3 : 2, count = 2 + (size_t)sos_random_below(&r, 11);
        lesson l = lesson_of_case(&r, labels, count);
        job j = { .l = &l, .how = (way)(c % WAYS), .settings = sos_train_defaults() };
        size_t owner[16] = { 0 };
        j.settings.C = C_of_case(c);
        j.settings.slacks = c % 3 == 1 ? 1 : c % 3 == 2 ? count : 0;
        j.settings.rounds = 40;
        j.settings.exhaustive = c % 8 == 3 ? 0 : 4096; /* of several labels: moves, which are approximate */
        j.settings.work.threads = 1;
        j.settings.idle = 3;
        job_run(&j, 1, owner);
        const answer alone = j.answers[0];
        check(alone.status == SOS_OK);
        for (size_t size = 2; size <= RANKS_MOST; size++) {
            deal(&r, count, size, owner);
            j.settings.work.threads = size == 3 ? 2 : 1;
            job_run(&j, size, owner);
            for (size_t k = 0; k < size; k++) check(!memcmp(&j.answers[k], &alone, sizeof alone));
        }
        lesson_free(&l);
    }
}

/* ---- what is sent ---- */

static void what_a_round_sends_does_not_grow(void **state)
{
    (void)state;
    uint64_t sent[2];
    for (size_t k = 0; k < 2; k++) {
        const size_t count = k ? 48 : 12;
        sos_random r = test_case_begin(0);
        lesson l = lesson_of_case(&r, 2, count);
        job j = { .l = &l, .how = BY_EXAMPLES, .settings = sos_train_defaults() };
        size_t owner[48];
        for (size_t i = 0; i < count; i++) owner[i] = i % 2;
        j.settings.slacks = 1;
        j.settings.C = 1000;
        j.settings.gap = 0;
        j.settings.cache = 0;
        j.settings.idle = 0;
        j.settings.rounds = 6;
        job_run(&j, 2, owner);
        check(j.answers[1].status == SOS_OK && j.answers[1].round == 6);
        sent[k] = j.bytes[1][1] - j.bytes[1][0];
        lesson_free(&l);
    }
    check(sent[0] > 0 && sent[0] == sent[1]);
}

/* ---- failures ---- */

static sos_status broken_violate(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                 sos_error *error)
{
    if (i == 5 || i == 7) {
        snprintf(error->message, sizeof error->message, "number %zu broke", i);
        return error->status = SOS_ERR_RANGE;
    }
    return lesson_violate(user, i, w, difference, loss, missed, error);
}

static void broken_rank(const sos_communicator *c, void *user)
{
    job *j = user;
    sos_error error = { SOS_OK, "" };
    const sos_oracle asked = { .examples = j->l->count, .user = j->l, .violate = broken_violate };
    sos_train_settings s = sos_train_defaults();
    sos_model *m;
    s.work.communicator = c;
    s.slacks = 1;
    check_ok(sos_model_copy(j->l->model, &m, &error), error);
    j->answers[c->rank].status = sos_train_oracle(m, &asked, &s, NULL, &error);
    snprintf(j->answers[c->rank].words, sizeof j->answers[c->rank].words, "%.500s", error.message);
    sos_model_free(m);
}

static void what_fails_on_one_rank_fails_on_all(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_of_case(&r, 2, 10);
    job j = { .l = &l };
    for (size_t size = 1; size <= RANKS_MOST; size++) {
        ranks_run(size, broken_rank, &j);
        for (size_t k = 0; k < size; k++) check(j.answers[k].status == SOS_ERR_RANGE);
        for (size_t k = 0; k < size; k++) check(!strcmp(j.answers[k].words, "example 5: number 5 broke"));
    }
    lesson_free(&l);
}

/* Wherever it breaks: all ranks say so, and none waits for ever. */
static void a_broken_communicator_ends_training(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_of_case(&r, 2, 6);
    size_t owner[6];
    job j = { .l = &l, .how = BY_EXAMPLES, .settings = sos_train_defaults() };
    j.settings.rounds = 4;
    deal(&r, 6, 3, owner);
    bool failed = true;
    size_t operation = 1;
    for (; failed && operation < 1000; operation += operation < 30 ? 1 : 7) {
        ranks_fail_from(operation);
        job_run(&j, 3, owner);
        failed = j.answers[0].status == SOS_ERR_IO;
        for (size_t k = 0; k < 3; k++) check(j.answers[k].status == j.answers[0].status);
    }
    ranks_fail_from(0);
    check(!failed && j.answers[0].status == SOS_OK && operation > 30);
    lesson_free(&l);
}

/* owner 9 stands for nobody. */
static void each_example_is_on_one_rank(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    lesson l = lesson_of_case(&r, 2, 4);
    job j = { .l = &l, .how = BY_EXAMPLES, .settings = sos_train_defaults() };
    const size_t owner[] = { 0, 1, 9, 1 };
    job_run(&j, 2, owner);
    for (size_t k = 0; k < 2; k++) check(j.answers[k].status == SOS_ERR_ARGUMENT && strstr(j.answers[k].words, "example 2"));
    lesson_free(&l);
}

/* ---- checkpoints ---- */

static void a_checkpoint_serves_any_number_of_ranks(void **state)
{
    (void)state;
    char path[300];
    const char *root = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/sos-ranks-%ld", root && *root ? root : "/tmp", (long)getpid());
    for (uint64_t c = 0; c < test_cases(8); c++) {
        sos_random r = test_case_begin(c);
        lesson l = lesson_of_case(&r, c % 4 == 3 ? 3 : 2, 9);
        job j = { .l = &l, .how = c % 2 ? BY_PATH : BY_EXAMPLES, .settings = sos_train_defaults() };
        size_t owner[9] = { 0 };
        j.settings.C = 30;
        j.settings.gap = 1e-4;
        j.settings.work.threads = 1;
        j.settings.exhaustive = 0;
        job_run(&j, 1, owner);
        const answer alone = j.answers[0];
        j.settings.checkpoint = path;
        j.settings.checkpoint_seconds = 0;
        remove(path);
        for (size_t legs = 0; legs < 4; legs++) { /* each goes a little further, with other ranks */
            const size_t size = 1 + (size_t)sos_random_below(&r, RANKS_MOST);
            deal(&r, 9, size, owner);
            j.settings.rounds = legs < 3 ? 2 + 2 * legs : 0;
            if (j.how == BY_PATH && legs < 3) continue; /* which would go on to the next C */
            job_run(&j, size, owner);
            check(j.answers[0].status == SOS_OK);
        }
        check(!memcmp(&j.answers[0], &alone, sizeof alone));
        check(!remove(path));
        lesson_free(&l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_one_rank),          cmocka_unit_test(sums_of_what_is_not_finite_fail_on_all_ranks),
        cmocka_unit_test(training_is_that_of_one_rank),        cmocka_unit_test(what_a_round_sends_does_not_grow),
        cmocka_unit_test(what_fails_on_one_rank_fails_on_all), cmocka_unit_test(a_broken_communicator_ends_training),
        cmocka_unit_test(each_example_is_on_one_rank),         cmocka_unit_test(a_checkpoint_serves_any_number_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

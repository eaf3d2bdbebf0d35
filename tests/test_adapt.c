/* test_adapt.c - a model learns from somebody's own photographs: it knows more than before, and the same whatever the number of
 * threads and wherever it was stopped in between. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/adapt.h>
#include <s3svm/task.h>

#include "dialogue_support.h"
#include "scratch.h"

enum { COUNT = 5, OWN = 4, FOLDS = 2 };

static struct {
    s3svm_marked pictures[COUNT], own[OWN];
    sos_model *model;
} shared;

static int shared_create(void **state)
{
    sos_random r = test_case_begin(0);
    for (size_t i = 0; i < COUNT; i++) shared.pictures[i] = ellipse_random(&r, false);
    for (size_t i = 0; i < OWN; i++) shared.own[i] = ellipse_random(&r, true);
    shared.model = dialogue_model_of(COUNT, shared.pictures, 2);
    return scratch_make(state);
}

static int shared_free(void **state)
{
    for (size_t i = 0; i < COUNT; i++) s3svm_marked_free(&shared.pictures[i]);
    for (size_t i = 0; i < OWN; i++) s3svm_marked_free(&shared.own[i]);
    sos_model_free(shared.model);
    return scratch_remove(state);
}

/* What is told, and when to stop. */
typedef struct told {
    size_t events, rounds, judged, stop; /* stop: after so many folds; 0: never */
    double share;
} told;

static bool watch(void *user, const s3svm_adapt_event *e)
{
    told *t = user;
    t->events++;
    t->rounds += e->round != NULL;
    t->judged += e->judged;
    check(e->folds == FOLDS && e->fold <= FOLDS && e->share >= 0 && e->share <= 1);
    check(!e->judged || (e->before.clicks >= 1 && e->after.clicks <= S3SVM_ADAPT_CLICKS));
    t->share = e->share;
    return !t->stop || t->judged < t->stop;
}

static s3svm_adapt_settings settings_of(told *t, int threads)
{
    s3svm_adapt_settings s = s3svm_adapt_defaults();
    s.folds = FOLDS;
    s.work.threads = threads;
    s.watch = watch;
    s.work.user = t;
    return s;
}

static void check_same(const sos_model *a, const sos_model *b)
{
    check(!strcmp(sos_model_fact(a, "outline"), sos_model_fact(b, "outline")));
    check(!memcmp(sos_model_weights(a), sos_model_weights(b), sos_model_weight_count(a) * sizeof(double)));
}

/* Stopped after the first fold it goes on with the second, and comes to the same as in one go, on one thread. */
static void stopped_learning_goes_on(void **state)
{
    (void)state;
    sos_error error;
    sos_model *once, *again = NULL;
    s3svm_adapt_result results[2];
    told whole = { 0 }, first = { .stop = 1 }, rest = { 0 };
    s3svm_adapt_settings s = settings_of(&whole, 2);
    check_ok(s3svm_segment_adapt(shared.model, OWN, shared.own, &s, &once, &results[0], &error), error);
    check(whole.judged == FOLDS && whole.rounds > FOLDS && results[0].photographs == OWN);
    check(results[0].better == (results[0].after.clicks < results[0].before.clicks));
    s = settings_of(&first, 1);
    s.cache = scratch_folder();
    check_error(s3svm_segment_adapt(shared.model, OWN, shared.own, &s, &again, NULL, &error), SOS_CANCELLED, error, "stopped");
    check(!again && first.judged == 1);
    s = settings_of(&rest, 1);
    s.cache = scratch_folder();
    check_ok(s3svm_segment_adapt(shared.model, OWN, shared.own, &s, &again, &results[1], &error), error);
    check(rest.judged == FOLDS && rest.rounds < whole.rounds);
    check(!memcmp(&results[0], &results[1], sizeof results[0]));
    check_same(once, again);
    sos_model_free(once);
    sos_model_free(again);
}

/* A model that went on learning is a file as others are, and can go on again. */
static void learned_models_are_models(void **state)
{
    (void)state;
    sos_error error;
    sos_model *m, *read, *further;
    s3svm_segment_model *p;
    s3svm_adapt_settings s = s3svm_adapt_defaults();
    s.folds = 0;
    check_ok(s3svm_segment_adapt(shared.model, OWN, shared.own, &s, &m, NULL, &error), error);
    check(sos_model_fact(m, "outline") && !sos_model_fact(shared.model, "outline"));
    check_ok(sos_model_write(m, scratch("own.json"), &error), error);
    check_ok(sos_model_read(scratch("own.json"), &read, &error), error);
    check_same(m, read);
    check_ok(s3svm_segment_adapt(read, OWN, shared.own, &s, &further, NULL, &error), error);
    check_ok(s3svm_segment_model_create(further, &p, &error), error);
    s3svm_segment_model_free(p);
    sos_model_free(m);
    sos_model_free(read);
    sos_model_free(further);
}

/* The same photograph twice is in one fold: with two different ones there are no more than two folds, whatever is asked for,
 * and with one there is nothing to judge by. */
static void the_same_photograph_is_never_on_both_sides(void **state)
{
    (void)state;
    sos_error error;
    sos_model *m;
    told t = { 0 };
    s3svm_adapt_result result;
    s3svm_marked twice[OWN];
    for (size_t i = 0; i < OWN; i++) twice[i] = shared.own[i % 2];
    s3svm_adapt_settings s = settings_of(&t, 2);
    s.folds = 4; /* watch checks that they are two */
    check_ok(s3svm_segment_adapt(shared.model, OWN, twice, &s, &m, &result, &error), error);
    check(t.judged == FOLDS && result.photographs == OWN);
    sos_model_free(m);
    for (size_t i = 0; i < OWN; i++) twice[i] = shared.own[0];
    check_error(s3svm_segment_adapt(shared.model, OWN, twice, NULL, &m, NULL, &error), SOS_ERR_ARGUMENT, error, "the same");
}

/* A photograph as pictures in memory have it, whose truth says background where nobody can be sure, as it is read. */
static s3svm_task_picture picture_of(s3svm_marked *p, uint8_t truth[], uint8_t numbers[])
{
    const size_t width = p->photograph.width, height = p->photograph.height;
    for (size_t i = 0; i < width * height; i++) {
        numbers[i] = !p->care[i] ? 128 : p->truth[i] ? 255 : 0;
        truth[i] = numbers[i] == 255;
    }
    p->truth = truth;
    return (s3svm_task_picture){
        .in = { .width = width, .height = height, .colour = p->photograph, .marks = p->marks },
        .labels = { .width = width, .height = height, .channels = 1, .pixels = numbers },
    };
}

/* The row gives the model that s3svm_segment_adapt does, or the one to start from where that needs no fewer clicks, and the
 * model says which. */
static void the_row_keeps_the_better_model(void **state)
{
    (void)state;
    sos_error error;
    sos_model *learned, *kept;
    s3svm_adapt_result by_call, by_row;
    s3svm_task_picture pictures[OWN];
    s3svm_marked read[OWN];
    uint8_t *numbers[OWN], *truths[OWN];
    const s3svm_task *task = s3svm_task_find("segment");
    void *settings = s3svm_form_create(task->form);
    s3svm_adapt_settings s = s3svm_adapt_defaults();
    for (size_t i = 0; i < OWN; i++) {
        const size_t n = s3svm_image_size(&shared.own[i].photograph);
        read[i] = shared.own[i];
        numbers[i] = malloc(n);
        truths[i] = malloc(n);
        pictures[i] = picture_of(&read[i], truths[i], numbers[i]);
    }
    const s3svm_lesson_data data = { .count = OWN, .pictures = pictures };
    check(task->adapts(settings, shared.model));
    check_ok(s3svm_segment_adapt(shared.model, OWN, read, &s, &learned, &by_call, &error), error);
    check_ok(task->adapt(settings, shared.model, &data, &s, &kept, &by_row, &error), error);
    check(by_call.after.clicks == by_row.after.clicks && by_call.strokes_after == by_row.strokes_after);
    check(by_call.strokes_before >= 0 && by_call.strokes_after <= 1);
    const sos_model *wanted = by_row.better ? learned : shared.model;
    const size_t bytes = sos_model_weight_count(kept) * sizeof(double);
    check(!memcmp(sos_model_weights(kept), sos_model_weights(wanted), bytes));
    check((sos_model_fact(kept, "outline") != NULL) == (sos_model_fact(wanted, "outline") != NULL));
    check(strstr(sos_model_fact(kept, "own photographs"), by_row.better ? "\"new\"" : "\"old\"") != NULL);
    for (size_t i = 0; i < OWN; i++) {
        free(numbers[i]);
        free(truths[i]);
    }
    free(settings);
    sos_model_free(learned);
    sos_model_free(kept);
}

static void what_cannot_be_learned_from_is_refused(void **state)
{
    (void)state;
    sos_error error;
    sos_model *m, *plain;
    s3svm_adapt_settings s = s3svm_adapt_defaults();
    check_error(s3svm_segment_adapt(shared.model, S3SVM_ADAPT_LEAST - 1, shared.own, NULL, &m, NULL, &error), SOS_ERR_ARGUMENT,
                error, "3 photographs");
    s.folds = 1;
    check_error(s3svm_segment_adapt(shared.model, OWN, shared.own, &s, &m, NULL, &error), SOS_ERR_ARGUMENT, error, "one fold");
    s = s3svm_adapt_defaults();
    s.reserved[3] = 1;
    check_error(s3svm_segment_adapt(shared.model, OWN, shared.own, &s, &m, NULL, &error), SOS_ERR_ARGUMENT, error, "reserved");
    s3svm_marked blind[OWN];
    memcpy(blind, shared.own, sizeof blind);
    blind[2].truth = NULL;
    check_error(s3svm_segment_adapt(shared.model, OWN, blind, NULL, &m, NULL, &error), SOS_ERR_ARGUMENT, error, "photograph 2");
    s3svm_segment_settings paper = s3svm_segment_defaults();
    paper.features = S3SVM_SEGMENT_PAPER;
    check_ok(s3svm_segment_create(&paper, COUNT, shared.pictures, &plain, &error), error);
    check_error(s3svm_segment_adapt(plain, OWN, shared.own, NULL, &m, NULL, &error), SOS_ERR_ARGUMENT, error, "dialogues");
    sos_model_free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_learning_goes_on),
        cmocka_unit_test(learned_models_are_models),
        cmocka_unit_test(the_same_photograph_is_never_on_both_sides),
        cmocka_unit_test(the_row_keeps_the_better_model),
        cmocka_unit_test(what_cannot_be_learned_from_is_refused),
    };
    return cmocka_run_group_tests(tests, shared_create, shared_free);
}

/* The experiment of interactive segmentation on a few small pictures: what it says of splits and errors is found again from
 * what it says of single images, whatever the number of threads and the cache. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#endif

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "experiments/segment/experiment.h"
#include "segment/marks/data.h"
#include "support.h"

enum { PICTURES = 8, WIDTH = 40, HEIGHT = 30, SPLITS = 2 };

static char folder[] = "/tmp/sos-segment-XXXXXX";

static void path_of(char path[256], const char *part, size_t i) { snprintf(path, 256, "%s/%s/p%zu.png", folder, part, i); }

static void image_keep(const char *part, size_t i, s3svm_image *image)
{
    sos_error error;
    char path[256];
    path_of(path, part, i);
    check_ok(s3svm_image_write(image, path, &error), error);
    s3svm_image_free(image);
}

/* A disc on a ground of another colour, with noise, an unsure ring and a scribble of either kind. */
static void picture_make(sos_random *r, size_t i)
{
    static const uint32_t colours[3] = { 0, 0xff0000, 0x0000ff };
    const double cx = 12 + 16 * sos_random_uniform(r), cy = 12 + 6 * sos_random_uniform(r), radius = 8;
    s3svm_image photograph, labels, scribbles;
    sos_error error;
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 3, &photograph, &error), error);
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 1, &labels, &error), error);
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 1, &scribbles, &error), error);
    for (size_t p = 0; p < WIDTH * HEIGHT; p++) {
        const double x = (double)(p % WIDTH), y = (double)(p / WIDTH), away = hypot(x - cx, y - cy) - radius;
        for (size_t c = 0; c < 3; c++)
            photograph.pixels[3 * p + c] = (uint8_t)(60 + (away < 0 ? 60 * (int)c : 60) + (int)sos_random_below(r, 40));
        labels.pixels[p] = fabs(away) < 0.7 ? 128 : away < 0 ? 255 : 0;
        scribbles.pixels[p] = fabs(y - cy) < 1 && fabs(x - cx) < 4 ? S3SVM_MARK_OBJECT : S3SVM_MARK_NONE;
        if (p / WIDTH == 1) scribbles.pixels[p] = S3SVM_MARK_BACKGROUND;
    }
    char path[256];
    path_of(path, "scribbles", i);
    check_ok(s3svm_image_write_palette(&scribbles, 3, colours, path, &error), error);
    s3svm_image_free(&scribbles);
    image_keep("images", i, &photograph);
    image_keep("labels", i, &labels);
}

static int data_make(void **state)
{
    static const char *const parts[] = { "images", "labels", "scribbles" };
    (void)state;
    sos_error error;
    sos_random r = test_case_begin(0);
    if (!mkdtemp(folder)) return 1;
    for (size_t k = 0; k < 3; k++) {
        char *path = sos_path_join(folder, parts[k], "");
        check_ok(sos_folder_create(path, &error), error);
        free(path);
    }
    for (size_t i = 0; i < PICTURES; i++) picture_make(&r, i);
    return 0;
}

static int data_remove(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command); /* NOLINT: the name is our own */
}

static s3svm_segment_plan plan_make(int threads, const char *cache)
{
    return (s3svm_segment_plan){
        .data = folder,
        .splits = SPLITS,
        .seed = 3,
        .contends = { [S3SVM_CONTENDER_GRABCUT] = true, [S3SVM_CONTENDER_AMN] = true, [S3SVM_CONTENDER_AMN_FULL] = true },
        .samples = 100,
        .cache = cache,
        .threads = threads
    };
}

static s3svm_segment_results run(const s3svm_segment_plan *plan)
{
    s3svm_segment_results r;
    sos_error error;
    check_ok(s3svm_segment_experiment(plan, &r, &error), error);
    return r;
}

static void test_splits_are_disjoint(void **state)
{
    (void)state;
    s3svm_segment_plan plan = plan_make(1, NULL);
    plan.contends[S3SVM_CONTENDER_AMN_FULL] = false;
    plan.splits = 5;
    s3svm_segment_results r = run(&plan);
    check(r.images == PICTURES && r.train == 4 && r.validation == 2 && r.test == 2 && r.splits == 5 && !r.stopped);
    bool differ = false;
    for (size_t split = 0; split < r.splits; split++) {
        size_t seen[PICTURES] = { 0 };
        const size_t *order = s3svm_segment_order(&r, split);
        for (size_t i = 0; i < PICTURES; i++) seen[order[i]]++;
        for (size_t i = 0; i < PICTURES; i++) check(seen[i] == 1);
        for (size_t i = 0; i < r.test; i++)
            check(s3svm_segment_outcome_at(&r, split, S3SVM_CONTENDER_GRABCUT)->judged[i].picture ==
                  order[r.train + r.validation + i]);
        differ |= memcmp(order, r.orders, PICTURES * sizeof *order) != 0;
    }
    check(differ);
    s3svm_segment_results_free(&r);
}

/* From the labels that were kept of the first split. */
static void check_judged(const s3svm_segment_results *r, size_t contender, size_t i)
{
    const s3svm_segment_judged *j = &s3svm_segment_outcome_at(r, 0, contender)->judged[i];
    const s3svm_marked *p = &r->pictures[j->picture];
    const uint8_t *labels = r->labels[contender][i];
    double wrong = 0, wrong_sure = 0, sure = 0, both = 0, either = 0;
    for (size_t k = 0; k < WIDTH * HEIGHT; k++) {
        wrong += labels[k] != p->truth[k];
        wrong_sure += p->care[k] && labels[k] != p->truth[k];
        sure += p->care[k];
        both += labels[k] && p->truth[k];
        either += labels[k] || p->truth[k];
    }
    check(fabs(j->error - wrong / (WIDTH * HEIGHT)) < 1e-12);
    check(sure < WIDTH * HEIGHT && fabs(j->error_without_unsure - wrong_sure / sure) < 1e-12);
    check(fabs(j->iou - both / either) < 1e-12);
    check(j->seconds >= 0);
}

static void check_outcome(const s3svm_segment_results *r, size_t split, size_t contender)
{
    const s3svm_segment_outcome *o = s3svm_segment_outcome_at(r, split, contender);
    double error = 0, sure = 0, iou = 0;
    for (size_t i = 0; i < r->test; i++) {
        error += o->judged[i].error / (double)r->test;
        sure += o->judged[i].error_without_unsure / (double)r->test;
        iou += o->judged[i].iou / (double)r->test;
        if (!split) check_judged(r, contender, i);
    }
    check(fabs(o->error - error) < 1e-12 && fabs(o->error_without_unsure - sure) < 1e-12 && fabs(o->iou - iou) < 1e-12);
    if (contender == S3SVM_CONTENDER_GRABCUT) return;
    double seconds = 0;
    for (size_t i = 0; i < S3SVM_SEGMENT_CS; i++) {
        check(o->trained[i].validation >= o->trained[o->best].validation && o->trained[i].rounds > 0);
        check(!i || o->trained[i].C > o->trained[i - 1].C);
        if (i <= o->best) seconds += o->trained[i].seconds;
    }
    check(fabs(seconds - o->seconds_training) < 1e-9);
    check(o->curve.count > 0 && o->weights > 0);
}

static void check_same(const s3svm_segment_results *a, const s3svm_segment_results *b)
{
    for (size_t split = 0; split < SPLITS; split++)
        for (size_t c = 0; c < S3SVM_CONTENDERS; c++) {
            const s3svm_segment_outcome *x = s3svm_segment_outcome_at(a, split, c), *y = s3svm_segment_outcome_at(b, split, c);
            check(x->error == y->error && x->iou == y->iou && x->best == y->best);
            for (size_t i = 0; i < S3SVM_SEGMENT_CS; i++)
                check(x->trained[i].validation == y->trained[i].validation && x->trained[i].gap == y->trained[i].gap);
        }
}

static void test_figures_come_from_single_images_and_are_the_same_for_threads_and_cache(void **state)
{
    (void)state;
    char *cache = sos_path_join(folder, "cache", "");
    const s3svm_segment_plan plans[] = { plan_make(1, NULL), plan_make(2, cache), plan_make(1, cache) };
    s3svm_segment_results first = run(&plans[0]);
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++) {
        if (!first.plan.contends[c]) continue;
        for (size_t split = 0; split < SPLITS; split++) check_outcome(&first, split, c);
        const double x = s3svm_segment_outcome_at(&first, 0, c)->error, y = s3svm_segment_outcome_at(&first, 1, c)->error;
        const s3svm_spread error = S3SVM_SEGMENT_SPREAD(&first, c, error);
        check(fabs(error.mean - (x + y) / 2) < 1e-12 && fabs(error.deviation - fabs(x - y) / sqrt(2)) < 1e-12);
    }
    check(isnan(S3SVM_SEGMENT_SPREAD(&first, S3SVM_CONTENDER_S3SVM, error).mean));
    for (size_t k = 1; k < 3; k++) {
        s3svm_segment_results again = run(&plans[k]);
        check_same(&first, &again);
        s3svm_segment_results_free(&again);
    }
    s3svm_segment_results_free(&first);
    free(cache);
}

/* Stops when a contender of a split has been told. */
typedef struct stopper {
    size_t split, contender;
    bool now;
} stopper;

static bool go_on(void *user, const char *phase, double done)
{
    (void)phase;
    (void)done;
    return !((stopper *)user)->now;
}

static void listen(void *user, const s3svm_segment_results *r, size_t split, size_t contender)
{
    stopper *s = user;
    check(r->splits == split + (contender == S3SVM_CONTENDERS));
    if (split == s->split && contender == s->contender) s->now = true;
}

static void test_stopping_keeps_complete_splits(void **state)
{
    (void)state;
    s3svm_segment_plan plan = plan_make(2, NULL);
    plan.contends[S3SVM_CONTENDER_AMN_FULL] = false;
    plan.contends[S3SVM_CONTENDER_AMN] = true;
    plan.progress = go_on;
    plan.told = listen;
    stopper s = { .split = 1, .contender = S3SVM_CONTENDER_GRABCUT };
    plan.user = plan.listener = &s;
    s3svm_segment_results r = run(&plan);
    check(r.splits == 1 && r.stopped);
    check_outcome(&r, 0, S3SVM_CONTENDER_AMN);
    s3svm_segment_results_free(&r);
    sos_error error;
    s = (stopper){ .split = 0, .contender = S3SVM_CONTENDER_GRABCUT };
    check_is(s3svm_segment_experiment(&plan, &r, &error), SOS_CANCELLED);
}

/* A plan whose results are kept; two splits of GrabCut and AMN. */
static s3svm_segment_plan plan_kept(const char *kept)
{
    s3svm_segment_plan plan = plan_make(1, NULL);
    plan.contends[S3SVM_CONTENDER_AMN_FULL] = false;
    plan.choose_once = true;
    plan.relations = 1;
    plan.kept = kept;
    return plan;
}

static char *folder_make(const char *name)
{
    sos_error error;
    char *path = sos_path_join(folder, name, "");
    check_ok(sos_folder_create(path, &error), error);
    return path;
}

static void check_models_same(const sos_model *a, const sos_model *b)
{
    sos_error error;
    char *text[2];
    size_t length[2];
    check_ok(sos_model_write_memory(a, &text[0], &length[0], &error), error);
    check_ok(sos_model_write_memory(b, &text[1], &length[1], &error), error);
    check(length[0] == length[1] && !memcmp(text[0], text[1], length[0]));
    free(text[0]);
    free(text[1]);
}

static void check_whole_same(const s3svm_segment_results *a, const s3svm_segment_results *b)
{
    check(a->splits == SPLITS && b->splits == SPLITS && !b->stopped);
    check_same(a, b);
    check_models_same(a->models[S3SVM_CONTENDER_AMN], b->models[S3SVM_CONTENDER_AMN]);
    check(!a->models[S3SVM_CONTENDER_GRABCUT] && !b->models[S3SVM_CONTENDER_GRABCUT]);
    for (size_t c = S3SVM_CONTENDER_GRABCUT; c <= S3SVM_CONTENDER_AMN; c++)
        for (size_t i = 0; a->plan.contends[c] && i < a->test; i++) {
            check(!memcmp(a->labels[c][i], b->labels[c][i], WIDTH * HEIGHT));
            for (size_t split = 0; split < SPLITS; split++)
                check(s3svm_contest_errors(&a->contest, split, c)[i] == s3svm_contest_errors(&b->contest, split, c)[i]);
        }
}

/* Stopped at the beginning of the second split, and within it. */
static void test_an_interrupted_run_goes_on(void **state)
{
    (void)state;
    const s3svm_segment_plan straight = plan_kept(NULL);
    s3svm_segment_results whole = run(&straight);
    for (size_t c = S3SVM_CONTENDER_GRABCUT; c <= S3SVM_CONTENDER_AMN; c += S3SVM_CONTENDER_AMN - S3SVM_CONTENDER_GRABCUT) {
        char *kept = folder_make(c ? "kept-amn" : "kept-grabcut");
        s3svm_segment_plan plan = plan_kept(kept);
        stopper s = { .split = c ? 0 : 1, .contender = c };
        plan.progress = go_on;
        plan.told = listen;
        plan.user = plan.listener = &s;
        s3svm_segment_results r = run(&plan);
        check(r.stopped && r.splits == 1);
        s3svm_segment_results_free(&r);
        plan.told = NULL;
        s.now = false;
        r = run(&plan);
        check_whole_same(&whole, &r);
        const double seconds = s3svm_segment_outcome_at(&r, 0, S3SVM_CONTENDER_AMN)->seconds_training;
        s3svm_segment_results_free(&r);
        r = run(&plan); /* nothing is left to do: even the seconds are those of before */
        check_whole_same(&whole, &r);
        check(s3svm_segment_outcome_at(&r, 0, S3SVM_CONTENDER_AMN)->seconds_training == seconds);
        s3svm_segment_results_free(&r);
        free(kept);
    }
    s3svm_segment_results_free(&whole);
}

static void test_C_is_chosen_on_the_first_split(void **state)
{
    (void)state;
    s3svm_segment_plan plan = plan_kept(NULL);
    plan.relations = 0;
    s3svm_segment_results r = run(&plan);
    const s3svm_segment_outcome *first = s3svm_segment_outcome_at(&r, 0, S3SVM_CONTENDER_AMN);
    const s3svm_segment_outcome *second = s3svm_segment_outcome_at(&r, 1, S3SVM_CONTENDER_AMN);
    check(first->values == S3SVM_SEGMENT_CS && second->values == 1 && second->best == 0);
    check(second->trained[0].C == first->trained[first->best].C && second->relations == first->relations);
    s3svm_segment_results_free(&r);
}

static void test_C_is_one_of_those_that_are_asked_for(void **state)
{
    (void)state;
    static const double C[] = { 0.5, 7, 40, 300, 2000, 9000 };
    s3svm_segment_plan plan = plan_kept(NULL);
    plan.values = sizeof C / sizeof *C;
    memcpy(plan.C, C, sizeof C);
    s3svm_segment_results r = run(&plan);
    const s3svm_segment_outcome *first = s3svm_segment_outcome_at(&r, 0, S3SVM_CONTENDER_AMN);
    const s3svm_segment_outcome *second = s3svm_segment_outcome_at(&r, 1, S3SVM_CONTENDER_AMN);
    check(first->values == plan.values && second->values == 1);
    for (size_t i = 0; i < plan.values; i++) check(first->trained[i].C == C[i] && first->trained[i].rounds > 0);
    check(second->trained[0].C == C[first->best]);
    s3svm_segment_results_free(&r);
}

/* Replaces what the file holds. */
static void file_fill(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    check(file && fputs(text, file) >= 0);
    check(!fclose(file));
}

static void test_files_of_another_run_or_damaged_are_refused(void **state)
{
    (void)state;
    s3svm_segment_results r;
    sos_error error;
    char *kept = folder_make("kept-wrong"), *path = sos_path_join(kept, "split-1-grabcut", ".json"), *text;
    size_t length;
    s3svm_segment_plan plan = plan_kept(kept);
    plan.contends[S3SVM_CONTENDER_AMN] = false;
    r = run(&plan);
    s3svm_segment_results_free(&r);
    plan.seed++;
    check_error(s3svm_segment_experiment(&plan, &r, &error), SOS_ERR_ARGUMENT, error, "split-1-grabcut.json",
                "of a run with other pictures");
    plan.seed--;
    check_ok(sos_file_read(path, SOS_CONTENT_TEXT, &text, &length, &error), error);
    char *judged = strstr(text, "\"judged\": [");
    check(judged != NULL);
    if (judged) judged[strlen("\"judged\": [")] = '7'; /* a picture that is not tested on, or no number */
    file_fill(path, text);
    check(s3svm_segment_experiment(&plan, &r, &error) == SOS_ERR_FORMAT);
    check_words(__FILE__, __LINE__, SOS_ERR_FORMAT, &error, "split-1-grabcut.json", (const char *)NULL);
    text[length / 2] = 0;
    file_fill(path, text);
    check(s3svm_segment_experiment(&plan, &r, &error) == SOS_ERR_FORMAT);
    file_fill(path, "{}");
    check(s3svm_segment_experiment(&plan, &r, &error) != SOS_OK);
    check(!remove(path));
    r = run(&plan);
    check(r.splits == SPLITS);
    s3svm_segment_results_free(&r);
    free(text);
    free(path);
    free(kept);
}

static void test_what_cannot_be_run_is_refused(void **state)
{
    (void)state;
    s3svm_segment_results r;
    sos_error error;
    s3svm_segment_plan plan = plan_make(1, NULL);
    plan.train = 6;
    check_error(s3svm_segment_experiment(&plan, &r, &error), SOS_ERR_ARGUMENT, error, folder, "8 pictures",
                "leave none for testing");
    plan = plan_make(1, NULL);
    plan.train = SIZE_MAX;
    check_error(s3svm_segment_experiment(&plan, &r, &error), SOS_ERR_ARGUMENT, error, "leave none for testing");
    plan = plan_make(1, NULL);
    plan.validation = SIZE_MAX;
    check_error(s3svm_segment_experiment(&plan, &r, &error), SOS_ERR_ARGUMENT, error, "leave none for testing");
    plan = plan_make(1, NULL);
    memset(plan.contends, 0, sizeof plan.contends);
    check_error(s3svm_segment_experiment(&plan, &r, &error), SOS_ERR_ARGUMENT, error, "no method");
    plan = plan_make(1, NULL);
    plan.splits = 0;
    check_error(s3svm_segment_experiment(&plan, &r, &error), SOS_ERR_ARGUMENT, error, "0 splits");
    plan = plan_make(1, NULL);
    plan.data = "/nowhere/at/all";
    check(s3svm_segment_experiment(&plan, &r, &error) != SOS_OK);
    check_words(__FILE__, __LINE__, SOS_ERR_IO, &error, "/nowhere/at/all", (const char *)NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_splits_are_disjoint),
        cmocka_unit_test(test_figures_come_from_single_images_and_are_the_same_for_threads_and_cache),
        cmocka_unit_test(test_stopping_keeps_complete_splits),
        cmocka_unit_test(test_an_interrupted_run_goes_on),
        cmocka_unit_test(test_C_is_chosen_on_the_first_split),
        cmocka_unit_test(test_C_is_one_of_those_that_are_asked_for),
        cmocka_unit_test(test_files_of_another_run_or_damaged_are_refused),
        cmocka_unit_test(test_what_cannot_be_run_is_refused),
    };
    return cmocka_run_group_tests(tests, data_make, data_remove);
}

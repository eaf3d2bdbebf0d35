/* test_task.c - the rows of tasks, prepared models, and jobs: whatever the number of threads, results are the same, what fails
 * is said of the item, the others are done all the same.  Jobs here are of a task that exists in this file only. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/embedded.h>
#include <s3svm/task.h>

#include "base/error.h"
#include "experiments/experiment.h"
#include "support.h"
#include "tasks/task_model.h"

/* ---- which task a model is for ---- */

static void test_the_fact_names_the_task(void **state)
{
    (void)state;
    sos_model *m;
    sos_error error;
    const s3svm_task *task = NULL;
    check_ok(sos_model_create(2, &m, &error), error);
    check_error(s3svm_task_of(m, &task, &error), SOS_ERR_FORMAT, error, "no fact \"task\"");
    check_ok(sos_model_set_fact(m, "task", "\"weaving\"", &error), error);
    check_error(s3svm_task_of(m, &task, &error), SOS_ERR_FORMAT, error, "weaving", "unknown");
    check_ok(sos_model_set_fact(m, "task", "[1]", &error), error);
    check_is(s3svm_task_of(m, &task, &error), SOS_ERR_FORMAT);
    assert_null(task);
    check_ok(sos_model_set_fact(m, "task", "\"denoise\"", &error), error);
    check_ok(s3svm_task_of(m, &task, &error), error);
    assert_string_equal(task->name, "denoise");
    sos_model_free(m);
}

static void check_form(const s3svm_form *form)
{
    assert_non_null(form);
    void *settings = s3svm_form_create(form);
    assert_non_null(settings);
    for (const s3svm_option *o = form->options; o->name; o++) {
        assert_true(o->offset < form->size);
        assert_non_null(o->help);
        assert_true(o->argument || o->kind == S3SVM_OPTION_FLAG);
        assert_ptr_equal(s3svm_option_find(form->options, o->name), o); /* so no name comes twice */
    }
    free(settings);
}

static bool is_inside(const char *name)
{
    bool found = false;
    for (size_t i = 0; s3svm_embedded_name(i); i++) found |= !strcmp(s3svm_embedded_name(i), name);
    return found;
}

static void test_rows_are_whole(void **state)
{
    (void)state;
    size_t count = 0;
    for (const s3svm_task *t; (t = s3svm_task_at(count)); count++) {
        assert_ptr_equal(s3svm_task_find(t->name), t);
        assert_true(t->summary && t->details && t->examples && t->data && t->shows);
        assert_true(t->form && t->steps && t->prepare && t->release && t->labels && t->read && t->predict && t->example &&
                    t->judge);
        check_form(t->form);
        if (t->model) assert_true(is_inside(t->model));
    }
    assert_true(count > 0);
    assert_null(s3svm_task_find("weaving"));
    assert_null(s3svm_task_at(count + 1));
}

static void test_experiments_are_whole(void **state)
{
    (void)state;
    size_t count = 0;
    for (const s3svm_experiment *x; (x = s3svm_experiments_1[count]); count++) {
        assert_true(x->name && x->summary && x->details && x->examples && x->run);
        check_form(x->form);
    }
    assert_true(count > 0);
}

static void test_embedded_models_are_known_by_name(void **state)
{
    (void)state;
    sos_model *m = NULL;
    sos_error error;
    check_error(s3svm_embedded_model("nobody", &m, &error), SOS_ERR_ARGUMENT, error, "nobody");
    assert_null(s3svm_embedded_name(1000));
    for (size_t i = 0; s3svm_embedded_name(i); i++) {
        const s3svm_task *task;
        s3svm_task_model *model;
        check_ok(s3svm_embedded_model(s3svm_embedded_name(i), &m, &error), error);
        check_ok(s3svm_task_of(m, &task, &error), error);
        assert_non_null(sos_model_fact(m, "command"));
        check_ok(s3svm_task_model_create(task, m, &model, &error), error);
        assert_ptr_equal(s3svm_task_model_task(model), task);
        assert_int_equal(s3svm_task_model_labels(model)->count, 2);
        s3svm_task_model_free(model);
        sos_model_free(m);
    }
}

/* ---- a task: the name of an item is its width; labels are its columns, the truth is all 1 ---- */

enum { FAILS_TO_READ = 91, FAILS_TO_PREDICT = 92, FAILS_TO_HAVE_TRUTH = 93, TOY_LABELS = 100 };

static size_t width_of(const s3svm_item *item) { return (size_t)strtoul(item->name, NULL, 10); }

static sos_status toy_prepare(const sos_model *m, void **prepared, sos_error *error)
{
    static int nothing;
    (void)m;
    (void)error;
    *prepared = &nothing;
    return SOS_OK;
}

static void toy_release(void *prepared) { (void)prepared; }

static bool numbered;

static const s3svm_task_labels *toy_labels(const void *prepared)
{
    static uint32_t colours[TOY_LABELS];
    static s3svm_task_labels labels = { .count = TOY_LABELS, .colours = colours };
    (void)prepared;
    for (uint32_t l = 0; l < TOY_LABELS; l++) colours[l] = numbered ? 0x020100 * l : 0x010101 * (255 - l);
    labels.numbered = numbered;
    return &labels;
}

static sos_status toy_read(const s3svm_item *item, const s3svm_noise *noise, s3svm_task_input *in, sos_error *error)
{
    assert_null(noise);
    in->width = width_of(item);
    in->height = 2;
    return in->width == FAILS_TO_READ ? sos_fail(error, SOS_ERR_IO, "cannot read %s", item->name) : SOS_OK;
}

static sos_status toy_predict(const void *prepared, const s3svm_task_input *in, uint8_t labels[], sos_error *error)
{
    (void)prepared;
    if (in->width == FAILS_TO_PREDICT) return sos_fail(error, SOS_ERR_MEMORY, "no memory");
    for (size_t i = 0; i < in->width * 2; i++) labels[i] = (uint8_t)(i % in->width);
    return SOS_OK;
}

static atomic_int judged;

static sos_status toy_judge(const void *prepared, const s3svm_item *item, const s3svm_image *labels, s3svm_confusion *counts,
                            s3svm_task_score *score, sos_error *error)
{
    (void)prepared;
    if (width_of(item) == FAILS_TO_HAVE_TRUTH) return sos_fail(error, SOS_ERR_FORMAT, "no truth of %s", item->name);
    size_t wrong = 0;
    for (size_t i = 0; i < s3svm_image_size(labels); i++) wrong += labels->pixels[i] != 1;
    *score = (s3svm_task_score){ .error = (double)wrong };
    judged++;
    return s3svm_confusion_create(2, counts, error);
}

static const s3svm_task toy = { .name = "toy",
                                .prepare = toy_prepare,
                                .release = toy_release,
                                .labels = toy_labels,
                                .read = toy_read,
                                .predict = toy_predict,
                                .judge = toy_judge };

static s3svm_task_model *toy_model(void)
{
    sos_model *nothing;
    s3svm_task_model *m;
    sos_error error;
    check_ok(sos_model_create(2, &nothing, &error), error);
    check_ok(s3svm_task_model_create(&toy, nothing, &m, &error), error);
    sos_model_free(nothing);
    return m;
}

enum { ITEMS = 40 };

typedef struct toys {
    char names[ITEMS][24];
    s3svm_item items[ITEMS];
    s3svm_task_result results[ITEMS];
} toys;

static void toys_fill(toys *t, sos_random *r)
{
    for (size_t i = 0; i < ITEMS; i++) {
        const size_t width = 1 + (size_t)sos_random_below(r, 50);
        snprintf(t->names[i], sizeof t->names[i], "%zu", width);
        t->items[i] = (s3svm_item){ .name = t->names[i], .image = t->names[i], .labels = t->names[i] };
    }
}

static s3svm_task_job toys_job(toys *t, const s3svm_task_model *m, int threads)
{
    return (s3svm_task_job){ .model = m, .count = ITEMS, .items = t->items, .score = true, .work = { .threads = threads } };
}

static void check_done(const toys *t, size_t i)
{
    const size_t width = width_of(&t->items[i]);
    const s3svm_task_result *r = &t->results[i];
    check(r->done && !r->error.status && r->width == width && r->height == 2 && r->seconds >= 0);
    check(r->score.error == (double)(width > 1 ? 2 * (width - 1) : 2)); /* column 1 alone is right */
}

static void test_every_item_is_labelled_and_scored_once(void **state)
{
    (void)state;
    s3svm_task_model *m = toy_model();
    for (uint64_t c = 0; c < test_cases(30); c++) {
        sos_random r = test_case_begin(c);
        toys t;
        sos_error error;
        s3svm_confusion counts[ITEMS] = { { 0 } };
        toys_fill(&t, &r);
        s3svm_task_job job = toys_job(&t, m, 1 + (int)(c % 4));
        job.counts = c % 2 ? counts : NULL;
        judged = 0;
        check_ok(s3svm_task_run(&job, t.results, &error), error);
        check(judged == ITEMS);
        for (size_t i = 0; i < ITEMS; i++) {
            check_done(&t, i);
            check((counts[i].counts != NULL) == (job.counts != NULL));
            s3svm_confusion_free(&counts[i]);
        }
    }
    s3svm_task_model_free(m);
}

static void test_items_that_fail_say_why_and_the_others_are_done(void **state)
{
    (void)state;
    static const char *const words[] = { "cannot read 91", "92: no memory", "no truth of 93" };
    s3svm_task_model *m = toy_model();
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        toys t;
        sos_error error;
        size_t first = ITEMS;
        toys_fill(&t, &r);
        for (int k = 0; k < 3; k++) {
            const size_t i = (size_t)sos_random_below(&r, ITEMS);
            snprintf(t.names[i], sizeof t.names[i], "%d", FAILS_TO_READ + (int)sos_random_below(&r, 3));
            if (i < first) first = i;
        }
        const s3svm_task_job job = toys_job(&t, m, 1 + (int)(c % 4));
        check(s3svm_task_run(&job, t.results, &error) == t.results[first].error.status);
        check(!strcmp(error.message, t.results[first].error.message));
        for (size_t i = 0; i < ITEMS; i++) {
            const size_t width = width_of(&t.items[i]);
            if (width < FAILS_TO_READ) {
                check_done(&t, i);
                continue;
            }
            check(!t.results[i].done && t.results[i].error.status);
            check(!strcmp(t.results[i].error.message, words[width - FAILS_TO_READ]));
        }
    }
    s3svm_task_model_free(m);
}

static bool stop_after_ten(void *user, const char *phase, double done)
{
    atomic_int *calls = user;
    assert_non_null(phase);
    assert_true(done >= 0 && done <= 1);
    return ++*calls <= 10;
}

static void test_a_job_can_be_stopped(void **state)
{
    (void)state;
    s3svm_task_model *m = toy_model();
    for (int threads = 1; threads <= 3; threads++) {
        sos_random r = test_case_begin(0);
        toys t;
        sos_error error;
        atomic_int calls = 0;
        size_t done = 0;
        toys_fill(&t, &r);
        s3svm_task_job job = toys_job(&t, m, threads);
        job.work.progress = stop_after_ten;
        job.work.user = &calls;
        check_is(s3svm_task_run(&job, t.results, &error), SOS_CANCELLED);
        for (size_t i = 0; i < ITEMS; i++) {
            done += t.results[i].done;
            check(!t.results[i].error.status);
        }
        assert_int_equal(done, 10);
    }
    s3svm_task_model_free(m);
}

/* ---- pictures of labels ---- */

static void test_labels_are_shown_in_their_colours(void **state)
{
    (void)state;
    s3svm_task_model *m = toy_model();
    s3svm_image labels, shown;
    sos_error error;
    check_ok(s3svm_image_create(TOY_LABELS, 1, 1, &labels, &error), error);
    for (int l = 0; l < TOY_LABELS; l++) labels.pixels[l] = (uint8_t)l;
    numbered = false;
    check_ok(s3svm_task_model_show(m, &labels, &shown, &error), error);
    assert_int_equal(shown.channels, 1);
    for (int l = 0; l < TOY_LABELS; l++) assert_int_equal(shown.pixels[l], 255 - l);
    s3svm_image_free(&shown);
    numbered = true;
    check_ok(s3svm_task_model_show(m, &labels, &shown, &error), error);
    assert_int_equal(shown.channels, 3);
    for (int i = 0; i < 3 * TOY_LABELS; i++) assert_int_equal(shown.pixels[i], (2 - i % 3) * (i / 3));
    s3svm_image_free(&shown);
    labels.pixels[7] = TOY_LABELS;
    check_error(s3svm_task_model_show(m, &labels, &shown, &error), SOS_ERR_ARGUMENT, error, "pixel 7", "100");
    numbered = false;
    s3svm_image_free(&labels);
    s3svm_task_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_fact_names_the_task),
        cmocka_unit_test(test_rows_are_whole),
        cmocka_unit_test(test_experiments_are_whole),
        cmocka_unit_test(test_embedded_models_are_known_by_name),
        cmocka_unit_test(test_every_item_is_labelled_and_scored_once),
        cmocka_unit_test(test_items_that_fail_say_why_and_the_others_are_done),
        cmocka_unit_test(test_a_job_can_be_stopped),
        cmocka_unit_test(test_labels_are_shown_in_their_colours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

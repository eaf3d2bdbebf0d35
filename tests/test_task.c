/* test_task.c - the table of tasks, and jobs: whatever the number of threads, results are the same, the first failure is the
 * one that is reported, and nothing before it is left out.  Jobs here are of a task that exists in this file only. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalogue/catalogue.h"
#include "support.h"
#include <s3svm/embedded.h>

/* ---- which task a model is for ---- */

static void test_the_fact_names_the_task(void **state)
{
    (void)state;
    sos_model *m;
    sos_error error;
    const sos_task *task = NULL;
    check_ok(sos_model_create(2, &m, &error), error);
    check_error(sos_task_of(m, &task, &error), SOS_ERR_FORMAT, error, "no fact \"task\"");
    check_ok(sos_model_set_fact(m, "task", "\"weaving\"", &error), error);
    check_error(sos_task_of(m, &task, &error), SOS_ERR_FORMAT, error, "weaving", "not known");
    check_ok(sos_model_set_fact(m, "task", "[1]", &error), error);
    check_is(sos_task_of(m, &task, &error), SOS_ERR_FORMAT);
    assert_null(task);
    check_ok(sos_model_set_fact(m, "task", "\"denoise\"", &error), error);
    check_ok(sos_task_of(m, &task, &error), error);
    assert_string_equal(task->name, "denoise");
    sos_model_free(m);
}

static void test_embedded_models_are_known_by_name(void **state)
{
    (void)state;
    sos_model *m = NULL;
    sos_error error;
    const sos_task *task;
    check_error(sos_embedded_model("nobody", &m, &error), SOS_ERR_ARGUMENT, error, "nobody");
    const sos_status status = sos_embedded_model("denoise", &m, &error);
    if (status == SOS_ERR_IO) {
        check_words(__FILE__, __LINE__, status, &error, "libjansson", (const char *)NULL);
        return;
    }
    check_ok(status, error);
    check_ok(sos_task_of(m, &task, &error), error);
    assert_string_equal(task->name, "denoise");
    assert_non_null(sos_model_fact(m, "command"));
    sos_model_free(m);
}

/* ---- a task: the name of an item is its width; labels are its columns, the truth is all 1 ---- */

enum { FAILS_TO_READ = 91, FAILS_TO_PREDICT = 92, FAILS_TO_HAVE_TRUTH = 93 };

static size_t width_of(const sos_item *item) { return (size_t)strtoul(item->name, NULL, 10); }

static sos_status toy_read(const sos_item *item, const sos_noise *noise, sos_task_input *in, sos_error *error)
{
    assert_null(noise);
    in->width = width_of(item);
    in->height = 2;
    return in->width == FAILS_TO_READ ? sos_fail(error, SOS_ERR_IO, "cannot read %s", item->name) : SOS_OK;
}

static sos_status toy_predict(const sos_model *m, const sos_task_input *in, uint8_t labels[], sos_error *error)
{
    (void)m;
    if (in->width == FAILS_TO_PREDICT) return sos_fail(error, SOS_ERR_MEMORY, "no memory");
    for (size_t i = 0; i < in->width * 2; i++) labels[i] = (uint8_t)(i % in->width);
    return SOS_OK;
}

static sos_status toy_truth(const sos_item *item, sos_image *out, sos_error *error)
{
    const size_t width = width_of(item);
    const sos_status status = sos_image_create(width == FAILS_TO_HAVE_TRUTH ? 1 : width, 2, 1, out, error);
    if (!status) memset(out->pixels, 1, sos_image_size(out));
    return status;
}

static sos_task_score toy_score(const sos_image *labels, const sos_image *truth)
{
    size_t wrong = 0;
    for (size_t i = 0; i < sos_image_size(labels); i++) wrong += labels->pixels[i] != truth->pixels[i];
    return (sos_task_score){ .error = (double)wrong };
}

static atomic_int written;

static sos_status toy_write(const sos_image *labels, const char *path, sos_error *error)
{
    (void)error;
    assert_int_equal(labels->width, strtoul(path, NULL, 10));
    written++;
    return SOS_OK;
}

static const sos_task toy = {
    .name = "toy", .read = toy_read, .predict = toy_predict, .truth = toy_truth, .score = toy_score, .write = toy_write
};

enum { ITEMS = 40 };

typedef struct toys {
    char names[ITEMS][24];
    char *paths[ITEMS];
    sos_item items[ITEMS];
    sos_task_result results[ITEMS];
} toys;

static void toys_fill(toys *t, sos_random *r)
{
    for (size_t i = 0; i < ITEMS; i++) {
        const size_t width = 1 + (size_t)sos_random_below(r, 50);
        snprintf(t->names[i], sizeof t->names[i], "%zu", width);
        t->paths[i] = t->names[i];
        t->items[i] = (sos_item){ .name = t->names[i], .image = t->names[i], .labels = t->names[i] };
    }
}

static sos_task_job toys_job(toys *t, int threads)
{
    return (sos_task_job){ .task = &toy, .count = ITEMS, .items = t->items, .score = true, .threads = threads };
}

static void test_every_item_is_labelled_scored_and_written_once(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(30); c++) {
        sos_random r = test_case_begin(c);
        toys t;
        sos_error error;
        toys_fill(&t, &r);
        sos_task_job job = toys_job(&t, 1 + (int)(c % 4));
        job.outputs = t.paths;
        written = 0;
        check_ok(sos_task_run(&job, t.results, &error), error);
        check(written == ITEMS);
        for (size_t i = 0; i < ITEMS; i++) {
            const size_t width = width_of(&t.items[i]);
            check(t.results[i].done && t.results[i].width == width && t.results[i].height == 2 && t.results[i].seconds >= 0);
            check(t.results[i].score.error == (double)(width > 1 ? 2 * (width - 1) : 2)); /* column 1 alone is right */
        }
    }
}

static void test_the_first_failure_is_reported_and_none_before_it_is_left_out(void **state)
{
    (void)state;
    static const char *const words[] = { "cannot read 91", "92: no memory", "'93' has 1 by 2 pixels, but '93' 93 by 2" };
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
        const sos_task_job job = toys_job(&t, 1 + (int)(c % 4));
        const sos_status status = sos_task_run(&job, t.results, &error);
        check(status != SOS_OK);
        check(strstr(error.message, words[width_of(&t.items[first]) - FAILS_TO_READ]));
        check(!t.results[first].done);
        for (size_t i = 0; i < first; i++) check(t.results[i].done);
    }
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
    for (int threads = 1; threads <= 3; threads++) {
        sos_random r = test_case_begin(0);
        toys t;
        sos_error error;
        atomic_int calls = 0;
        size_t done = 0;
        toys_fill(&t, &r);
        sos_task_job job = toys_job(&t, threads);
        job.progress = stop_after_ten;
        job.user = &calls;
        check_is(sos_task_run(&job, t.results, &error), SOS_CANCELLED);
        for (size_t i = 0; i < ITEMS; i++) done += t.results[i].done;
        assert_int_equal(done, 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_fact_names_the_task),
        cmocka_unit_test(test_embedded_models_are_known_by_name),
        cmocka_unit_test(test_every_item_is_labelled_scored_and_written_once),
        cmocka_unit_test(test_the_first_failure_is_reported_and_none_before_it_is_left_out),
        cmocka_unit_test(test_a_job_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* test_clicks.c - labels are judged along the outline as by trying all pixels; means count a photograph once; dialogues go
 * where papers place clicks, whatever the number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/simulate.h>

#include "base/path.h"
#include "experiments/segment/clicks_judge.h"
#include "experiments/segment/clicks_report.h"
#include "scratch.h"
#include "support.h"

enum { SIDE = 40, N = SIDE * SIDE };

/* ---------------------------------------------------------------- judging */

/* Distance of pixel i from the nearest that is not sure of the same label. */
static double outline_distance(const uint8_t truth[], const uint8_t care[], size_t width, size_t n, size_t i)
{
    double least = INFINITY;
    for (size_t j = 0; j < n; j++) {
        if (care[j] && truth[j] == truth[i]) continue;
        const double x = (double)(j % width) - (double)(i % width), y = (double)(j / width) - (double)(i / width);
        least = fmin(least, hypot(x, y));
    }
    return least;
}

/* A folder data/ with pictures of random discs, as many as asked for, the outlines of which are not sure. */
static void data_write(sos_random *r, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double x = 10 + 20 * sos_random_uniform(r), y = 10 + 20 * sos_random_uniform(r);
        s3svm_image picture, labels;
        sos_error error;
        char name[64];
        check_ok(s3svm_image_create(SIDE, SIDE, 3, &picture, &error), error);
        check_ok(s3svm_image_create(SIDE, SIDE, 1, &labels, &error), error);
        for (size_t p = 0; p < N; p++) {
            const double d = hypot((double)(p % SIDE) - x, (double)(p / SIDE) - y);
            labels.pixels[p] = d < 7.5 ? 255 : d < 9 ? 128 : 0;
            for (size_t c = 0; c < 3; c++)
                picture.pixels[3 * p + c] = (uint8_t)((d < 8 ? 170 : 60) + 20 * (double)c + 20 * sos_random_uniform(r));
        }
        snprintf(name, sizeof name, "data-%zu/images", count);
        check_ok(sos_folder_create(scratch(name), &error), error);
        snprintf(name, sizeof name, "data-%zu/labels", count);
        check_ok(sos_folder_create(scratch(name), &error), error);
        snprintf(name, sizeof name, "data-%zu/images/p%zu.ppm", count, i);
        check_ok(s3svm_image_write(&picture, scratch(name), &error), error);
        snprintf(name, sizeof name, "data-%zu/labels/p%zu.pgm", count, i);
        check_ok(s3svm_image_write(&labels, scratch(name), &error), error);
        s3svm_image_free(&picture);
        s3svm_image_free(&labels);
    }
}

static void test_labels_are_judged_by_their_distance_from_the_outline(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    data_write(&r, 2);
    for (size_t p = 0; p < 2; p++) {
        char image[300], truth[300], name[64];
        snprintf(name, sizeof name, "data-2/images/p%zu.ppm", p);
        snprintf(image, sizeof image, "%s", scratch(name));
        snprintf(name, sizeof name, "data-2/labels/p%zu.pgm", p);
        snprintf(truth, sizeof truth, "%s", scratch(name));
        const s3svm_item item = { .name = name, .image = image, .labels = truth };
        s3svm_clicks_subject s;
        sos_error error;
        uint8_t labels[N];
        check_ok(s3svm_clicks_subject_read(&item, &s, &error), error);
        for (size_t i = 0; i < N; i++) labels[i] = (uint8_t)(s.truth[i] ^ (sos_random_below(&r, 10) == 0));
        const s3svm_clicks_score score = s3svm_clicks_judge(&s, labels);
        double sure = 0, wrong = 0, both = 0, either = 0, near[S3SVM_CLICKS_ZONES][2] = { { 0 } };
        for (size_t i = 0; i < N; i++) {
            if (!s.care[i]) continue;
            const double far = outline_distance(s.truth, s.care, SIDE, N, i), is_wrong = labels[i] != s.truth[i];
            sure++;
            wrong += is_wrong;
            both += labels[i] && s.truth[i];
            either += labels[i] || s.truth[i];
            for (size_t z = 0; z < S3SVM_CLICKS_ZONES; z++) {
                if (far > (double)s3svm_clicks_zones[z]) continue;
                near[z][0] += is_wrong;
                near[z][1]++;
            }
        }
        check(fabs(score.error - wrong / sure) < 1e-12 && fabs(score.iou - both / either) < 1e-12);
        for (size_t z = 0; z < S3SVM_CLICKS_ZONES; z++) check(fabs(score.near[z] - near[z][0] / near[z][1]) < 1e-12);
        check(near[2][1] > near[0][1] && near[0][1] > 0);
        s3svm_clicks_subject_free(&s);
    }
}

static void test_harm_is_far_from_the_click(void **state)
{
    (void)state;
    uint8_t truth[N] = { 0 }, care[N], before[N] = { 0 }, behind[N] = { 0 };
    const s3svm_clicks_subject s = { .photograph = { SIDE, SIDE, 3, NULL }, .truth = truth, .care = care };
    memset(care, 1, sizeof care);
    behind[0] = behind[1] = behind[5] = 1; /* (5, 0) is 5 pixels from the click at (0, 0), farther than 4 */
    behind[N - 1] = before[N - 1] = 1;     /* was wrong before */
    care[N - 2] = 0;
    behind[N - 2] = 1; /* is not sure */
    size_t right = 0;
    for (size_t i = 0; i < N; i++) {
        const double x = (double)(i % SIDE), y = (double)(i / SIDE);
        right += i < N - 2 && x * x + y * y > 16;
    }
    check(s3svm_clicks_harm_of(&s, before, behind, (s3svm_point){ 0, 0 }) == 1 / (double)right);
}

/* ---------------------------------------------------------------- means */

static void test_a_photograph_counts_once(void **state)
{
    (void)state;
    s3svm_clicks_case cases[] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 2, 1 } };
    s3svm_clicks_outcome outcomes[8];
    memset(outcomes, 0, sizeof outcomes);
    s3svm_clicks_results r = { .plan.clicks = 3, .method_count = 2, .case_count = 4, .cases = cases, .outcomes = outcomes };
    static const size_t needed[4][2] = { { 3, 5 }, { 4, 9 }, { 8, 9 }, { 12, 7 } };
    for (size_t i = 0; i < 4; i++)
        for (size_t m = 0; m < 2; m++) {
            s3svm_clicks_outcome *o = s3svm_clicks_outcome_at(&r, i, m);
            o->needed[0] = needed[i][m];
            o->scores[0].iou = 0.5;
            o->scores[1].iou = m ? 0.75 : 0.25;
            o->scores[2].iou = 1;
        }
    const s3svm_clicks_mean mean = s3svm_clicks_average(&r, 0, s3svm_clicks_needed, 0); /* 3, 6, 12 */
    check(mean.pictures == 3 && mean.mean == 7 && fabs(mean.deviation - sqrt(21)) < 1e-12);
    check(fabs(mean.standard_error - sqrt(7)) < 1e-12);
    const s3svm_clicks_mean less = s3svm_clicks_difference(&r, 0, 1, s3svm_clicks_needed, 0); /* -2, -3, 5 */
    check(less.pictures == 3 && fabs(less.mean) < 1e-12 && fabs(less.deviation - sqrt(19)) < 1e-12);
    s3svm_clicks_mean change;
    check(s3svm_clicks_worst(&r, 0, &change) == 2 && change.mean == -0.25);
    check(s3svm_clicks_worst(&r, 1, &change) == 2 && change.mean == 0.25); /* the first of those alike */
}

/* ---------------------------------------------------------------- the whole */

static bool never(void *user, const char *phase, double done)
{
    (void)user;
    (void)phase;
    return done < 0.4;
}

static s3svm_clicks_plan plan_of(const char *data, int threads)
{
    return (s3svm_clicks_plan){ .data = data, .methods = "grabcut", .clicks = 6, .radius = 3, .seed = 1, .threads = threads };
}

/* Every click lies on the true label, and labels reach the goals that scores say. */
static void outcome_check(const s3svm_clicks_outcome *o, size_t clicks)
{
    check(o->done && o->made >= 1 && o->made <= clicks && s3svm_dialogue_steps(o->dialogue) == o->made);
    check(s3svm_dialogue_mark(o->dialogue, 0, 0).label == S3SVM_MARK_OBJECT);
    for (size_t g = 0; g < S3SVM_CLICKS_GOALS; g++) {
        size_t k = 0;
        while (k < clicks && o->scores[k].iou < s3svm_clicks_goals[g]) k++;
        check(o->reached[g] == (k < clicks) && o->needed[g] == (k < clicks ? k + 1 : clicks));
    }
    for (size_t f = 0; f < S3SVM_CLICKS_FRAMES; f++) check((o->film[f] != NULL) == (s3svm_clicks_frames[f] <= clicks));
    check(isnan(o->scribbles.iou) && o->box.iou > 0.5);
}

static void test_dialogues_are_the_same_on_all_threads(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    data_write(&r, 5);
    char data[300];
    snprintf(data, sizeof data, "%s", scratch("data-5"));
    s3svm_clicks_results one, two;
    sos_error error;
    s3svm_clicks_plan plan = plan_of(data, 1);
    check_ok(s3svm_clicks_experiment(&plan, &one, &error), error);
    plan.threads = 3;
    check_ok(s3svm_clicks_experiment(&plan, &two, &error), error);
    check(one.case_count == 5 && two.case_count == 5 && one.picture_count == 5);
    for (size_t i = 0; i < 5; i++) {
        const s3svm_clicks_outcome *a = s3svm_clicks_outcome_at(&one, i, 0), *b = s3svm_clicks_outcome_at(&two, i, 0);
        outcome_check(a, plan.clicks);
        check(!memcmp(a->scores, b->scores, plan.clicks * sizeof *a->scores) && one.cases[i].picture == two.cases[i].picture);
        check(a->box.error == b->box.error);
    }
    check_ok(s3svm_clicks_report(&one, scratch("report"), "s3svm experiment clicks", &error), error);
    check(sos_path_exists(scratch("report/index.html")) && sos_path_exists(scratch("report/results.csv")));
    s3svm_clicks_results_free(&one);
    s3svm_clicks_results_free(&two);

    plan.threads = 1;
    plan.progress = never;
    check_ok(s3svm_clicks_experiment(&plan, &one, &error), error); /* stopped: what was whole is kept */
    check(one.case_count >= 1 && one.case_count < 5 && one.planned == 5);
    s3svm_clicks_results_free(&one);

    plan.progress = NULL;
    plan.splits = 2;
    plan.photographs = 1;
    check_ok(s3svm_clicks_experiment(&plan, &one, &error), error);
    check(one.case_count == 2 && one.cases[0].split == 0 && one.cases[1].split == 1);
    size_t order[5];
    s3svm_split(5, plan.seed, 1, order);
    check(one.cases[1].picture == order[2 + 1]); /* behind a half to learn from and a quarter to choose by */
    s3svm_clicks_results_free(&one);
}

/* Of eight files of five photographs, those of one are all among the test part or all before it, on every split. */
static void test_splits_go_by_photograph(void **state)
{
    (void)state;
    enum { COUNT = 8, DIFFERENT = 5, SPLITS = 20 };
    sos_random r = test_case_begin(0);
    data_write(&r, COUNT);
    for (size_t i = DIFFERENT; i < COUNT; i++) { /* the same photograph, with another object */
        char name[64];
        s3svm_image picture;
        sos_error error;
        snprintf(name, sizeof name, "data-%d/images/p%zu.ppm", COUNT, i - DIFFERENT);
        check_ok(s3svm_image_read(scratch(name), S3SVM_IMAGE_COLOUR, &picture, &error), error);
        snprintf(name, sizeof name, "data-%d/images/p%zu.ppm", COUNT, i);
        check_ok(s3svm_image_write(&picture, scratch(name), &error), error);
        s3svm_image_free(&picture);
    }
    char data[300];
    sos_error error;
    s3svm_clicks_results one;
    snprintf(data, sizeof data, "%s", scratch("data-8"));
    s3svm_clicks_plan plan = plan_of(data, 2);
    plan.methods = "grabcut";
    plan.clicks = 1;
    plan.splits = SPLITS;
    check_ok(s3svm_clicks_experiment(&plan, &one, &error), error);
    check(one.case_count == 2 * SPLITS); /* 8 less 4 to learn from and 2 to choose by */
    size_t mixed = 0;
    for (size_t split = 0; split < SPLITS; split++) {
        bool tested[COUNT] = { false };
        size_t plain[COUNT];
        for (size_t i = 0; i < one.case_count; i++)
            if (one.cases[i].split == split) tested[one.cases[i].picture] = true;
        for (size_t i = DIFFERENT; i < COUNT; i++) check(tested[i] == tested[i - DIFFERENT]);
        s3svm_split(COUNT, plan.seed, split, plain); /* which would have parted some */
        for (size_t i = DIFFERENT; i < COUNT; i++) {
            size_t places[2] = { 0 };
            for (size_t k = 0; k < COUNT; k++) {
                if (plain[k] == i) places[0] = k;
                if (plain[k] == i - DIFFERENT) places[1] = k;
            }
            mixed += (places[0] < 6) != (places[1] < 6);
        }
    }
    check(mixed > 0);
    s3svm_clicks_results_free(&one);
}

static void test_what_cannot_be_measured_is_refused(void **state)
{
    (void)state;
    s3svm_clicks_results r;
    sos_error error;
    char data[300];
    snprintf(data, sizeof data, "%s", scratch("data-5"));
    s3svm_clicks_plan plan = plan_of(data, 1);
    plan.methods = "grabcut,magic";
    check_error(s3svm_clicks_experiment(&plan, &r, &error), SOS_ERR_ARGUMENT, error, "magic");
    plan.methods = "";
    check_is(s3svm_clicks_experiment(&plan, &r, &error), SOS_ERR_ARGUMENT);
    plan = plan_of(data, 1);
    plan.clicks = S3SVM_CLICKS_MAX + 1;
    check_is(s3svm_clicks_experiment(&plan, &r, &error), SOS_ERR_ARGUMENT);
    plan = plan_of(data, 1);
    plan.models = "no-such-model";
    check(s3svm_clicks_experiment(&plan, &r, &error) != SOS_OK);
    plan = plan_of("no-such-folder", 1);
    check_is(s3svm_clicks_experiment(&plan, &r, &error), SOS_ERR_IO);
}

static int folders_remove(void **state)
{
    char command[400];
    snprintf(command, sizeof command, "rm -rf '%s'/*", scratch_folder());
    return system(command) ? -1 : scratch_remove(state); /* NOLINT(concurrency-mt-unsafe, cert-env33-c): a folder of our own */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels_are_judged_by_their_distance_from_the_outline),
        cmocka_unit_test(test_harm_is_far_from_the_click),
        cmocka_unit_test(test_a_photograph_counts_once),
        cmocka_unit_test(test_dialogues_are_the_same_on_all_threads),
        cmocka_unit_test(test_splits_go_by_photograph),
        cmocka_unit_test(test_what_cannot_be_measured_is_refused),
    };
    return cmocka_run_group_tests(tests, scratch_make, folders_remove);
}

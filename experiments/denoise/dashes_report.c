/* dashes_report.c - the report of the experiment "dashes": index.html, results.json, results.csv.
 */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "experiments/common/results.h"
#include "experiments/denoise/dashes.h"
#include "experiments/denoise/pictures.h"

#define SPREAD(r, method, member) s3svm_dashes_spread((r), (method), offsetof(s3svm_dashes_outcome, member))

enum { COUNTS = S3SVM_DASHES_METHODS - 1 }; /* the method of learned functions */

static const char *const COLUMNS[] = {
    "split", "method", "error", "iou", "C", "gap", "rounds", "weights", "seconds_training", "seconds_per_image", NULL
};

/* ---------------------------------------------------------------- for programs */

static void outcome_json(sos_json *j, const s3svm_dashes_results *r, size_t split, size_t method)
{
    const s3svm_dashes_outcome *o = s3svm_dashes_outcome_at(r, split, method);
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "split", split);
    sos_json_real(j, "error", o->error);
    sos_json_real(j, "iou", o->iou);
    sos_json_real(j, "C", o->C);
    sos_json_real(j, "gap", o->gap);
    sos_json_count(j, "rounds", o->rounds);
    sos_json_real(j, "seconds_training", o->seconds_training);
    sos_json_real(j, "seconds_per_image", o->seconds_an_image);
    s3svm_contest_images_json(j, &r->contest, split, method);
    sos_json_close(j, '}');
}

static void method_json(sos_json *j, const s3svm_dashes_results *r, size_t method)
{
    const s3svm_spread error = SPREAD(r, method, error), iou = SPREAD(r, method, iou);
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "method", s3svm_dashes_preset(method)->name);
    sos_json_text(j, "name", s3svm_dashes_names[method]);
    sos_json_real(j, "error", error.mean);
    sos_json_real(j, "deviation", error.deviation);
    sos_json_real(j, "iou", iou.mean);
    sos_json_real(j, "deviation_iou", iou.deviation);
    sos_json_open(j, "splits", '[');
    for (size_t split = 0; split < r->splits; split++) outcome_json(j, r, split, method);
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

static void dashes_numbers_write(sos_json *j, const void *results)
{
    const s3svm_dashes_results *r = results;
    sos_json_real(j, "sigma", r->plan.sigma);
    sos_json_count(j, "side", r->plan.side);
    sos_json_real(j, "error_all_paper", r->ink);
    sos_json_open(j, "results", '[');
    for (size_t m = 0; m < S3SVM_DASHES_METHODS; m++) method_json(j, r, m);
    sos_json_close(j, ']');
    s3svm_contest_json(j, &r->contest, S3SVM_DASHES_RIVALS, s3svm_dashes_rivals);
}

static void dashes_table_write(s3svm_csv *c, const void *results)
{
    const s3svm_dashes_results *r = results;
    for (size_t split = 0; split < r->splits; split++)
        for (size_t m = 0; m < S3SVM_DASHES_METHODS; m++) {
            const s3svm_dashes_outcome *o = s3svm_dashes_outcome_at(r, split, m);
            s3svm_csv_count(c, split);
            s3svm_csv_text(c, s3svm_dashes_preset(m)->name);
            const double first[] = { o->error, o->iou, o->C, o->gap };
            for (size_t i = 0; i < sizeof first / sizeof *first; i++) s3svm_csv_real(c, first[i]);
            s3svm_csv_count(c, o->rounds);
            s3svm_csv_count(c, o->weights);
            s3svm_csv_real(c, o->seconds_training);
            s3svm_csv_real(c, o->seconds_an_image);
            s3svm_csv_row(c);
        }
}

/* ---------------------------------------------------------------- for people */

static void pictures(s3svm_report *page, const s3svm_dashes_results *r)
{
    static const char *const heads[] = {
        "seen", "pairs of neighbours", "all pairs of lines", "robust P^n on lines", "learned functions of lines", "truth"
    };
    s3svm_report_text(page, "Some dashes belong to long curves, which are to be found completely; the others are scattered. "
                            "Locally both look the same. Pairs of neighbours see dashes and cannot tell them apart. A clique "
                            "of all pixels of a line can: its share of ink tells whether there is a curve.");
    s3svm_report_pictures(page,
                          "Test drawings of the first split, with the share of wrong pixels. Click a picture to enlarge "
                          "it.",
                          6, heads);
    for (size_t i = 0; i < S3SVM_DASHES_SHOWN && i < r->test; i++) {
        const size_t drawing = r->orders[r->train + i];
        s3svm_report_picture_row(page, r->drawings.names[drawing]);
        s3svm_denoise_show_noisy(page, &r->drawings.noisy[drawing], "what is seen");
        for (size_t m = 1; m < S3SVM_DASHES_METHODS; m++) {
            char said[32];
            snprintf(said, sizeof said, "%.2f %%", 100 * s3svm_contest_errors(&r->contest, 0, m)[i]);
            s3svm_denoise_show_labels(page, r->plan.side, r->plan.side, r->labels[m][i], said);
        }
        s3svm_denoise_show_labels(page, r->plan.side, r->plan.side, r->drawings.truths[drawing], "truth");
    }
}

static void errors_table(s3svm_report *page, const s3svm_dashes_results *r)
{
    static const s3svm_column columns[] = { { .name = "Method" },
                                            { .name = "wrong, %", .best = S3SVM_BEST_LEAST },
                                            { .name = "IoU, %", .best = S3SVM_BEST_MOST },
                                            { .name = "weights" },
                                            { .name = "training, s" },
                                            { .name = "a drawing, s" } };
    char caption[100];
    snprintf(caption, sizeof caption, "On test drawings, without a frame of %d pixels. The best is highlighted.",
             S3SVM_DASHES_FRAME);
    s3svm_report_table(page, caption, 6, columns);
    for (size_t m = 0; m < S3SVM_DASHES_METHODS; m++) {
        const s3svm_spread error = SPREAD(r, m, error), iou = SPREAD(r, m, iou);
        const size_t weights = s3svm_dashes_outcome_at(r, 0, m)->weights;
        const double training = SPREAD(r, m, seconds_training).mean, drawing = SPREAD(r, m, seconds_an_image).mean;
        s3svm_report_cell(page, "%s", s3svm_dashes_names[m]);
        s3svm_report_share(page, error.mean, error.deviation);
        s3svm_report_share(page, iou.mean, iou.deviation);
        s3svm_report_number(page, (double)weights, "%zu", weights);
        s3svm_report_number(page, training, "%.1f", training);
        s3svm_report_number(page, drawing, "%.3f", drawing);
    }
    s3svm_report_text(
        page,
        "All methods have the same features of pixels: the grey value and the strength of a line at the "
        "pixel. Pairs, robust P^n and learned functions use the same directions and the same lines. " S3SVM_CONTEST_EXPLAINED);
    s3svm_contest_table(page, &r->contest, "Learned functions of lines against the others", NULL);
    for (size_t i = 0; i < S3SVM_DASHES_RIVALS; i++) s3svm_contest_row(page, &r->contest, s3svm_dashes_rivals[i], NULL);
}

/* The function of the share of ink that was learned. */
static void function_chart(s3svm_report *page, const s3svm_dashes_results *r)
{
    const sos_model *m = r->models[COUNTS];
    for (uint32_t g = 0; g < sos_model_groups(m); g++) {
        const sos_group *group = sos_model_group(m, g);
        if (group->kind != SOS_GROUP_COUNT) continue;
        const double *w = sos_model_weights(m) + sos_model_group_offset(m, g);
        double *x = calloc(2 * group->size, sizeof *x), *y = x ? x + group->size : NULL;
        if (!x) {
            s3svm_report_no_memory(page, "a chart");
            return;
        }
        for (size_t k = 0; k < group->size; k++) {
            x[k] = 100 * group->shares[k];
            y[k] = k ? w[k - 1] : 0;
        }
        const s3svm_series series = { .name = "learned", .count = group->size, .x = x, .y = y };
        s3svm_report_chart(
            page, &(s3svm_chart){
                      .title = "What a line costs, by how much of it is ink",
                      .note = "First split. A small share of ink makes a line more expensive, a large one cheaper: below the "
                              "bend single dashes are removed, above it gaps are filled. The function is constrained to be "
                              "concave, so that the minimum of the whole energy is found exactly.",
                      .x = { .name = "share of ink, %" },
                      .y = { .name = "cost" },
                      .count = 1,
                      .series = &series });
        free(x);
    }
}

static void dashes_report_set_up(s3svm_report *page, const s3svm_dashes_results *r, const s3svm_results_head *head)
{
    s3svm_report_heading(page, "How it was measured");
    s3svm_report_text(page,
                      "Drawings are generated at random: two or three nearly straight curves from border to border, of "
                      "dashes of 6 pixels with gaps of 5, and single dashes of the same length and width in any "
                      "direction; Gaussian noise is added. A random half is used for training, the other for testing. "
                      "C is chosen from %g and %g inside the training half, with two thirds for training and one third "
                      "for validation; the model is then trained on all of it. Pixels near the border, where lines are "
                      "incomplete, are not counted.",
                      s3svm_dashes_cs[0], s3svm_dashes_cs[1]);
    s3svm_results_facts(page, head, "Drawings");
    s3svm_report_fact(page, "Size, noise", "%zu x %zu pixels, σ = %g", r->plan.side, r->plan.side, r->plan.sigma);
    s3svm_report_fact(page, "Calling everything paper", "%.2f %% wrong", 100 * r->ink);
    s3svm_results_run(page, head);
}

static void dashes_page_write(s3svm_report *page, const s3svm_results_head *head, const void *results)
{
    const s3svm_dashes_results *r = results;
    s3svm_report_heading(page, "Pictures");
    pictures(page, r);
    s3svm_report_heading(page, "Results");
    errors_table(page, r);
    s3svm_report_heading(page, "What was learned");
    function_chart(page, r);
    dashes_report_set_up(page, r, head);
}

sos_status s3svm_dashes_report(const s3svm_dashes_results *r, const char *folder, const char *command, sos_error *error)
{
    static const s3svm_results_writers writers = { .page = dashes_page_write,
                                                   .numbers = dashes_numbers_write,
                                                   .table = dashes_table_write };
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle, "%zu drawings, %zu random %s", r->drawings.count, r->splits,
             r->splits == 1 ? "half" : "halves");
    const s3svm_results_head head = { .experiment = "dashes",
                                      .title = "Joining dashed curves: what pairs cannot see",
                                      .subtitle = subtitle,
                                      .data = "drawings made for the occasion",
                                      .command = command,
                                      .images = r->drawings.count,
                                      .train = r->train,
                                      .test = r->test,
                                      .splits = r->splits,
                                      .splits_planned = r->plan.splits,
                                      .seed = r->plan.seed,
                                      .seconds = r->seconds,
                                      .columns = COLUMNS };
    return s3svm_results_write(&head, &writers, r, folder, error);
}

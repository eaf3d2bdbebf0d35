/* experiment_report.c - the report of the experiment: index.html, results.json, results.csv. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "denoise/features.h"
#include "experiments/common/results.h"
#include "experiments/denoise/experiment.h"
#include "experiments/denoise/pictures.h"
#include "tasks/score.h"

enum {
    PAPER = S3SVM_METHOD_MODELS + S3SVM_DESIGN_PAPER,
    FULL = S3SVM_METHOD_MODELS + S3SVM_DESIGN_FULL,
    PAIRS = S3SVM_METHOD_MODELS + S3SVM_DESIGN_LONG_LINE_PAIRS,
    LONG_LINES = S3SVM_METHOD_MODELS + S3SVM_DESIGN_LONG_LINES,
    ODDS_LONG_LINES = S3SVM_METHOD_MODELS + S3SVM_DESIGN_ODDS_LONG_LINES
};

/* The paper's own figures, in per cent; NaN: it has none. */
static double paper_error(size_t method) { return method == S3SVM_BASELINE_GENERIC_CUTS ? 28.6 : method == PAPER ? 4.9 : NAN; }
static const double PAPER_TRAINING = 16 * 60, PAPER_CUTS = 0.76, PAPER_INFERENCE = 0.82; /* seconds */

static const char *noise_text(const s3svm_denoise_results *r, size_t noise)
{
    static _Thread_local char text[S3SVM_DENOISE_NOISE_TEXT];
    return s3svm_denoise_noise_text(&r->plan.noise[noise], text);
}

static bool is_missing(const s3svm_denoise_results *r, size_t method)
{
    return s3svm_denoise_outcome_at(r, 0, 0, method)->missing;
}

/* Means over all kinds of noise and all splits. */
static void mean_seconds(const s3svm_denoise_results *r, size_t method, double *training, double *an_image)
{
    const double share = 1 / ((double)r->plan.noises * (double)r->plan.splits);
    *training = *an_image = 0;
    for (size_t noise = 0; noise < r->plan.noises; noise++)
        for (size_t split = 0; split < r->plan.splits; split++) {
            const s3svm_denoise_outcome *o = s3svm_denoise_outcome_at(r, noise, split, method);
            *training += share * o->seconds_training;
            *an_image += share * o->seconds_an_image;
        }
}

/* ---------------------------------------------------------------- for programs */

static void outcome_json(sos_json *j, const s3svm_denoise_results *r, size_t noise, size_t split, size_t method)
{
    const s3svm_denoise_outcome *o = s3svm_denoise_outcome_at(r, noise, split, method);
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "split", split);
    sos_json_real(j, "error", o->error);
    sos_json_real(j, "iou", o->iou);
    if (method < S3SVM_METHOD_MODELS) {
        sos_json_real(j, "parameter", o->parameter);
        sos_json_real(j, "radius", o->radius);
        sos_json_real(j, "offset", o->offset);
        sos_json_real(j, "training_error", o->training_error);
    } else {
        sos_json_real(j, "C", o->C);
        sos_json_real(j, "gap", o->gap);
        sos_json_count(j, "rounds", o->rounds);
    }
    sos_json_real(j, "seconds_training", o->seconds_training);
    sos_json_real(j, "seconds_per_image", o->seconds_an_image);
    s3svm_contest_images_json(j, &r->contests[noise], split, method);
    sos_json_close(j, '}');
}

static void method_json(sos_json *j, const s3svm_denoise_results *r, size_t noise, size_t method)
{
    const s3svm_spread error = s3svm_denoise_error(r, noise, method);
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "method", s3svm_denoise_method_name(method));
    sos_json_real(j, "error", error.mean);
    sos_json_real(j, "deviation", error.deviation);
    sos_json_open(j, "splits", '[');
    for (size_t split = 0; split < r->plan.splits; split++) outcome_json(j, r, noise, split, method);
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

static void noise_json(sos_json *j, const s3svm_denoise_results *r, size_t noise)
{
    static const char *const models[] = { "plain", "shifted" };
    const s3svm_noise *n = &r->plan.noise[noise];
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "noise", models[n->model]);
    sos_json_real(j, "sigma", n->sigma);
    sos_json_count(j, "seed", n->seed);
    sos_json_truth(j, "clipped", !n->unclipped);
    sos_json_open(j, "methods", '[');
    for (size_t m = 0; m < S3SVM_DENOISE_METHODS; m++)
        if (!is_missing(r, m)) method_json(j, r, noise, m);
    sos_json_close(j, ']');
    s3svm_rivals rivals[S3SVM_DENOISE_RIVALS];
    s3svm_denoise_rivals(r, noise, rivals);
    s3svm_contest_json(j, &r->contests[noise], S3SVM_DENOISE_RIVALS, rivals);
    sos_json_close(j, '}');
}

static void denoising_numbers_write(sos_json *j, const void *results)
{
    const s3svm_denoise_results *r = results;
    sos_json_real(j, "error_all_white", r->white_error);
    sos_json_open(j, "results", '[');
    for (size_t noise = 0; noise < r->plan.noises; noise++) noise_json(j, r, noise);
    sos_json_close(j, ']');
}

static const char *const COLUMNS[] = { "noise", "sigma",     "split", "method",           "error",
                                       "iou",   "parameter", "gap",   "seconds_training", "seconds_per_image",
                                       NULL };

static void denoising_table_write(s3svm_csv *c, const void *results)
{
    const s3svm_denoise_results *r = results;
    for (size_t noise = 0; noise < r->plan.noises; noise++)
        for (size_t split = 0; split < r->plan.splits; split++)
            for (size_t m = 0; m < S3SVM_DENOISE_METHODS; m++) {
                const s3svm_denoise_outcome *o = s3svm_denoise_outcome_at(r, noise, split, m);
                if (o->missing) continue;
                s3svm_csv_text(c, r->plan.noise[noise].model == S3SVM_NOISE_PLAIN ? "plain" : "shifted");
                s3svm_csv_real(c, r->plan.noise[noise].sigma);
                s3svm_csv_count(c, split);
                s3svm_csv_text(c, s3svm_denoise_method_name(m));
                s3svm_csv_real(c, o->error);
                s3svm_csv_real(c, o->iou);
                s3svm_csv_real(c, o->parameter);
                s3svm_csv_real(c, o->gap);
                s3svm_csv_real(c, o->seconds_training);
                s3svm_csv_real(c, o->seconds_an_image);
                s3svm_csv_row(c);
            }
}

/* ---------------------------------------------------------------- tables */

static void errors_table(s3svm_report *page, const s3svm_denoise_results *r)
{
    s3svm_column columns[S3SVM_DENOISE_NOISES_MAX + 2] = { { .name = "Method" },
                                                           { .name = "their noise", .group = "The paper" } };
    char names[S3SVM_DENOISE_NOISES_MAX][S3SVM_DENOISE_NOISE_TEXT];
    for (size_t noise = 0; noise < r->plan.noises; noise++)
        columns[noise + 2] = (s3svm_column){ .name = s3svm_denoise_noise_text(&r->plan.noise[noise], names[noise]),
                                             .group = "This run",
                                             .best = S3SVM_BEST_LEAST };
    s3svm_report_table(page,
                       "Wrong pixels on test images, %: mean and standard deviation over the splits. The best is "
                       "highlighted.",
                       r->plan.noises + 2, columns);
    for (size_t m = 0; m < S3SVM_DENOISE_METHODS; m++) {
        if (is_missing(r, m)) continue;
        s3svm_report_cell(page, "%s", s3svm_denoise_method_name(m));
        s3svm_report_number(page, paper_error(m), "%.1f", paper_error(m));
        for (size_t noise = 0; noise < r->plan.noises; noise++) {
            const s3svm_spread error = s3svm_denoise_error(r, noise, m);
            s3svm_report_share(page, error.mean, error.deviation);
        }
    }
}

static void gains_table(s3svm_report *page, const s3svm_denoise_results *r)
{
    s3svm_report_text(page, "Whether one method is better than another shows on the same images. " S3SVM_CONTEST_EXPLAINED);
    s3svm_contest_table(page, &r->contests[0], "Learned models against what they should beat", "Noise");
    for (size_t noise = 0; noise < r->plan.noises; noise++) {
        s3svm_rivals rivals[S3SVM_DENOISE_RIVALS];
        s3svm_denoise_rivals(r, noise, rivals);
        for (size_t i = 0; i < S3SVM_DENOISE_RIVALS; i++)
            s3svm_contest_row(page, &r->contests[noise], rivals[i], noise_text(r, noise));
    }
}

static void times_table(s3svm_report *page, const s3svm_denoise_results *r)
{
    static const s3svm_column columns[] = { { .name = "Method" },
                                            { .name = "training", .group = "The paper" },
                                            { .name = "an image", .group = "The paper" },
                                            { .name = "training", .group = "This run" },
                                            { .name = "an image", .group = "This run" } };
    s3svm_report_table(page,
                       "Seconds: training or tuning with all threads, and restoring an image with one; means over all runs.", 5,
                       columns);
    for (size_t m = 0; m < S3SVM_DENOISE_METHODS; m++) {
        if (is_missing(r, m)) continue;
        double training, inference;
        mean_seconds(r, m, &training, &inference);
        const double theirs = m == PAPER ? PAPER_INFERENCE : m == S3SVM_BASELINE_GENERIC_CUTS ? PAPER_CUTS : NAN;
        s3svm_report_cell(page, "%s", s3svm_denoise_method_name(m));
        s3svm_report_number(page, m == PAPER ? PAPER_TRAINING : NAN, "%.0f", PAPER_TRAINING);
        s3svm_report_number(page, theirs, "%.2f", theirs);
        s3svm_report_number(page, training, "%.2f", training);
        s3svm_report_number(page, inference, "%.3f", inference);
    }
}

/* ---------------------------------------------------------------- charts */

/* Which kinds of noise are plain: those that a chart over sigma can show. */
static size_t plain_noises(const s3svm_denoise_results *r, size_t which[S3SVM_DENOISE_NOISES_MAX])
{
    size_t count = 0;
    for (size_t noise = 0; noise < r->plan.noises; noise++)
        if (r->plan.noise[noise].model == S3SVM_NOISE_PLAIN) which[count++] = noise;
    return count;
}

/* Of many methods those that a reader looks for. */
static bool is_charted(size_t method)
{
    static const size_t shown[] = {
        S3SVM_BASELINE_POTTS4, S3SVM_BASELINE_GENERIC_CUTS, PAPER, FULL, PAIRS, LONG_LINES, S3SVM_METHOD_NETWORKS,
        ODDS_LONG_LINES
    };
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (shown[i] == method) return true;
    return false;
}

/* Thresholding is left out: its errors would flatten all others. */
static void sigma_chart(s3svm_report *page, const s3svm_denoise_results *r)
{
    size_t which[S3SVM_DENOISE_NOISES_MAX], lines = 0;
    const size_t count = plain_noises(r, which);
    double x[S3SVM_DENOISE_NOISES_MAX], y[S3SVM_DENOISE_METHODS][S3SVM_DENOISE_NOISES_MAX],
        spread[S3SVM_DENOISE_METHODS][S3SVM_DENOISE_NOISES_MAX];
    s3svm_series series[S3SVM_DENOISE_METHODS];
    if (count < 2) return;
    for (size_t i = 0; i < count; i++) x[i] = r->plan.noise[which[i]].sigma;
    for (size_t m = 1; m < S3SVM_DENOISE_METHODS; m++) {
        if (is_missing(r, m) || !is_charted(m)) continue;
        for (size_t i = 0; i < count; i++) {
            const s3svm_spread error = s3svm_denoise_error(r, which[i], m);
            y[m][i] = 100 * error.mean;
            spread[m][i] = 100 * error.deviation;
        }
        series[lines] = (s3svm_series){ .name = s3svm_denoise_method_name(m),
                                        .count = count,
                                        .x = x,
                                        .y = y[m],
                                        .spread = r->plan.splits > 1 ? spread[m] : NULL,
                                        .style = (int)lines };
        lines++;
    }
    const s3svm_chart chart = {
        .title = "Error against noise",
        .note = "Plain noise; bars are one standard deviation over the splits. Thresholding, far above, "
                "is left out.",
        .x = { .name = "σ" },
        .y = { .name = "wrong pixels, %", .zero = true },
        .count = lines,
        .series = series,
        .wide = true
    };
    s3svm_report_chart(page, &chart);
}

static void path_chart(s3svm_report *page, const s3svm_denoise_results *r)
{
    s3svm_series series[S3SVM_DENOISE_NOISES_MAX];
    char names[S3SVM_DENOISE_NOISES_MAX][S3SVM_DENOISE_NOISE_TEXT];
    double y[S3SVM_DENOISE_NOISES_MAX][S3SVM_DENOISE_VALUES];
    for (size_t noise = 0; noise < r->plan.noises; noise++) {
        const s3svm_denoise_path *p = &r->show[noise].path;
        for (size_t i = 0; i < p->count; i++) y[noise][i] = 100 * p->error[i];
        series[noise] = (s3svm_series){
            .name = s3svm_denoise_noise_text(&r->plan.noise[noise], names[noise]), .count = p->count, .x = p->C, .y = y[noise]
        };
    }
    const s3svm_chart chart = {
        .title = "Error against C, paper's model",
        .note = "Test images of the first split, trained to a gap of 0.01. Results elsewhere are for one "
                "C, chosen beforehand.",
        .x = { .name = "C", .scale = S3SVM_SCALE_LOG },
        .y = { .name = "wrong pixels, %", .scale = S3SVM_SCALE_LOG },
        .count = r->plan.noises,
        .series = series
    };
    s3svm_report_chart(page, &chart);
}

static void training_chart(s3svm_report *page, const s3svm_denoise_results *r, size_t noise, s3svm_drawing_design kind)
{
    char title[160], text[S3SVM_DENOISE_NOISE_TEXT];
    snprintf(title, sizeof title, "Training \"%s\": %s", s3svm_denoise_method_name(S3SVM_METHOD_MODELS + kind),
             s3svm_denoise_noise_text(&r->plan.noise[noise], text));
    s3svm_curve_chart(page, &r->show[noise].curves[kind], 0, title,
                      kind == S3SVM_DESIGN_PAPER ? "First split. The optimum lies between the two."
                                                 : "First split, after its features were learned.");
}

/* ---------------------------------------------------------------- pictures */

/* Labels with their share of wrong pixels. */
static void show_judged(s3svm_report *page, const s3svm_plane *like, const uint8_t labels[], const uint8_t truth[])
{
    const s3svm_score score = s3svm_score_of(s3svm_plane_size(like), labels, truth, NULL);
    char said[32];
    snprintf(said, sizeof said, "%.2f %%", 100 * s3svm_score_error(&score));
    s3svm_denoise_show_labels(page, like->width, like->height, labels, said);
}

static sos_status predict_once(const sos_model *m, const s3svm_plane *noisy, uint8_t labels[], sos_error *error)
{
    s3svm_denoise_model *p;
    sos_status status = s3svm_denoise_model_create(m, &p, error);
    if (status) return status;
    status = s3svm_denoise_model_predict(p, noisy, labels, error);
    s3svm_denoise_model_free(p);
    return status;
}

/* Models whose results are shown. */
static const s3svm_drawing_design SHOWN[] = { S3SVM_DESIGN_PAPER, S3SVM_DESIGN_FULL, S3SVM_DESIGN_LONG_LINE_PAIRS,
                                              S3SVM_DESIGN_LONG_LINES, S3SVM_DESIGN_ODDS_LONG_LINES };
enum { SHOWN_COUNT = sizeof SHOWN / sizeof *SHOWN };

static void picture_row(s3svm_report *page, const s3svm_denoise_results *r, size_t noise, size_t i, uint8_t labels[])
{
    const s3svm_denoise_show *show = &r->show[noise];
    const s3svm_plane *noisy = &show->pictures.noisy[i];
    const uint8_t *truth = show->pictures.truths[i];
    const s3svm_baseline_kind baselines[] = { S3SVM_BASELINE_GENERIC_CUTS,
                                              (s3svm_baseline_kind)s3svm_denoise_tuned_best(r, noise, S3SVM_BASELINE_POTTS4,
                                                                                            S3SVM_BASELINE_POTTS8) };
    char name[S3SVM_DENOISE_NOISE_TEXT + 80];
    snprintf(name, sizeof name, "%s, %.64s", noise_text(r, noise), show->pictures.names[i]);
    s3svm_report_picture_row(page, name);
    s3svm_denoise_show_labels(page, noisy->width, noisy->height, truth, "original");
    s3svm_denoise_show_noisy(page, noisy, "noisy");
    for (size_t b = 0; b < 2 && !page->status; b++) {
        if (is_missing(r, baselines[b])) continue;
        s3svm_report_fail(page, s3svm_baseline_predict(&show->baselines[baselines[b]], noisy, labels, page->error));
        if (!page->status) show_judged(page, noisy, labels, truth);
    }
    for (size_t m = 0; m < SHOWN_COUNT && !page->status; m++) {
        const sos_model *model = show->models[SHOWN[m]];
        if (!model) continue;
        s3svm_report_fail(page, predict_once(model, noisy, labels, page->error));
        if (!page->status) show_judged(page, noisy, labels, truth);
    }
}

static void pictures(s3svm_report *page, const s3svm_denoise_results *r)
{
    const char *heads[4 + SHOWN_COUNT] = { "original", "noisy", "Generic Cuts", "pairwise" };
    size_t count = is_missing(r, S3SVM_BASELINE_GENERIC_CUTS) ? 2 : 4;
    for (size_t m = 0; m < SHOWN_COUNT; m++)
        if (!is_missing(r, S3SVM_METHOD_MODELS + SHOWN[m]))
            heads[count++] = s3svm_denoise_method_name(S3SVM_METHOD_MODELS + SHOWN[m]);
    s3svm_report_pictures(
        page, "Test images of the first split, with the share of wrong pixels. Click a picture to enlarge it.", count, heads);
    for (size_t noise = 0; noise < r->plan.noises; noise++)
        for (size_t i = 0; i < r->show[noise].pictures.count; i++) {
            uint8_t *labels = malloc(s3svm_plane_size(&r->show[noise].pictures.noisy[i]));
            if (!labels) s3svm_report_no_memory(page, "a picture");
            if (!page->status) picture_row(page, r, noise, i, labels);
            free(labels);
        }
}

static void learned_patches(s3svm_report *page, const s3svm_denoise_results *r)
{
    enum { ENTRIES = 16 };
    for (size_t noise = 0; noise < r->plan.noises; noise++) {
        const sos_model *m = r->show[noise].models[S3SVM_DESIGN_PAPER];
        if (!m) continue;
        double costs[ENTRIES];
        char caption[S3SVM_DENOISE_NOISE_TEXT + 80];
        for (uint32_t g = 0; g < sos_model_groups(m); g++)
            if (sos_model_group(m, g)->kind == SOS_GROUP_TABLE) sos_model_table(m, g, 0, costs);
        snprintf(caption, sizeof caption, "The costs of the 16 patches, cheapest first: %s", noise_text(r, noise));
        const s3svm_patches patches = {
            .caption = caption, .width = 2, .height = 2, .count = 1, .costs = costs, .ink = true, .sorted = true
        };
        s3svm_report_patches(page, &patches);
    }
}

/* Costs of a line, by how its ink lies. */
typedef struct line_costs {
    double places[S3SVM_DENOISE_LENGTH_MAX + 1]; /* pixels of ink, 0 to the length */
    double end[S3SVM_DENOISE_LENGTH_MAX + 1];    /* all in one run from an end */
    double middle[S3SVM_DENOISE_LENGTH_MAX + 1]; /* all in one run in the middle */
    double apart[S3SVM_DENOISE_LENGTH_MAX + 1];  /* in as many runs as can be: every second pixel, then the others */
} line_costs;

/* What costs for all ink would be alone, shared out evenly, is taken off: unaries can say that. */
static void line_costs_take(size_t length, const double f[], line_costs *out)
{
    const size_t all = ((size_t)1 << length) - 1;
    size_t scattered = 0;
    for (size_t n = 0; n <= length; n++) {
        const size_t run = ((size_t)1 << n) - 1;
        const double linear = f[all] * (double)n / (double)length;
        out->places[n] = (double)n;
        out->end[n] = f[run] - linear;
        out->middle[n] = f[run << (length - n) / 2] - linear;
        out->apart[n] = f[scattered] - linear;
        const size_t half = (length + 1) / 2;
        if (n < length) scattered |= (size_t)1 << (n < half ? 2 * n : 2 * (n - half) + 1);
    }
}

static void line_chart(s3svm_report *page, const sos_model *m, uint32_t group, const char *which, const char *noise)
{
    const sos_group *g = sos_model_group(m, group);
    double *f = malloc(sizeof *f << g->size);
    line_costs c;
    char title[200];
    if (!f) {
        s3svm_report_no_memory(page, "a table");
        return;
    }
    sos_model_table(m, group, 0, f);
    line_costs_take(g->size, f, &c);
    free(f);
    const s3svm_series series[] = { { .name = "every second pixel", .count = g->size + 1, .x = c.places, .y = c.apart },
                                    { .name = "one run in the middle", .count = g->size + 1, .x = c.places, .y = c.middle },
                                    { .name = "one run from an end", .count = g->size + 1, .x = c.places, .y = c.end } };
    snprintf(title, sizeof title, "%s, \"%s\": %s", which, g->name, noise);
    const s3svm_chart chart = {
        .title = title,
        .note = "First split. The part that unary costs could express is subtracted: the cost of all ink, "
                "divided evenly.",
        .x = { .name = "pixels of ink" },
        .y = { .name = "cost" },
        .count = 3,
        .series = series
    };
    s3svm_report_chart(page, &chart);
}

static void learned_lines(s3svm_report *page, const s3svm_denoise_results *r)
{
    static const s3svm_drawing_design kinds[] = { S3SVM_DESIGN_LONG_LINES, S3SVM_DESIGN_ODDS_LONG_LINES };
    if (is_missing(r, LONG_LINES) && is_missing(r, ODDS_LONG_LINES)) return;
    s3svm_report_text(page, "The pixels of a line follow the local direction, adjacent or, in long lines, three apart. Costs "
                            "depend on how many of them are ink, and where. Classes are ranges of the strength of the line, "
                            "the last one being the strongest. With pairs the curves are parabolas; with tables they need "
                            "not be.");
    for (size_t k = 0; k < 2; k++)
        for (size_t noise = 0; noise < r->plan.noises; noise++) {
            const sos_model *m = r->show[noise].models[kinds[k]];
            for (uint32_t g = 0; m && g < sos_model_groups(m); g++)
                if (sos_model_group(m, g)->kind == SOS_GROUP_TABLE && sos_model_group(m, g)->size > 2)
                    line_chart(page, m, g, s3svm_denoise_method_name(S3SVM_METHOD_MODELS + kinds[k]), noise_text(r, noise));
        }
}

/* ---------------------------------------------------------------- the page */

static void denoising_report_set_up(s3svm_report *page, const s3svm_denoise_results *r, const s3svm_results_head *head)
{
    s3svm_report_heading(page, "How it was measured");
    s3svm_report_text(page, "Gaussian noise is added to black and white drawings, independently for each pixel. A random "
                            "half of them is used for training: models are trained by large margin, and baselines are tuned "
                            "over a fine grid. The other half is restored, and wrong pixels are counted. Plain noise is "
                            "added to the grey values; shifted noise is that of the paper, which moves black to about the "
                            "middle of the range, so that |y − x| hardly distinguishes black from white.");
    s3svm_results_facts(page, head, "Drawings");
    s3svm_report_fact(page, "Calling everything white", "%.2f %% wrong", 100 * r->white_error);
    s3svm_results_run(page, head);
}

static void denoising_page_write(s3svm_report *page, const s3svm_results_head *head, const void *results)
{
    const s3svm_denoise_results *r = results;
    s3svm_report_heading(page, "Pictures");
    pictures(page, r);
    s3svm_report_heading(page, "Results");
    errors_table(page, r);
    gains_table(page, r);
    sigma_chart(page, r);
    s3svm_report_heading(page, "What was learned");
    if (!is_missing(r, PAPER))
        s3svm_report_text(
            page, "The paper's model has one weight for |y − x| and one cost for each labelling of a 2x2 patch. Dark is "
                  "ink. Costs are those of the first split.");
    learned_patches(page, r);
    learned_lines(page, r);
    s3svm_report_heading(page, "Training");
    times_table(page, r);
    if (!r->plan.without_curves && r->show[0].path.count) path_chart(page, r);
    for (size_t noise = 0; noise < r->plan.noises; noise++)
        for (size_t m = 0; m < SHOWN_COUNT; m++)
            if (!is_missing(r, S3SVM_METHOD_MODELS + SHOWN[m])) training_chart(page, r, noise, SHOWN[m]);
    denoising_report_set_up(page, r, head);
}

sos_status s3svm_denoise_report(const s3svm_denoise_results *r, const char *folder, const char *command, sos_error *error)
{
    static const s3svm_results_writers writers = { .page = denoising_page_write,
                                                   .numbers = denoising_numbers_write,
                                                   .table = denoising_table_write };
    char subtitle[200];
    snprintf(subtitle, sizeof subtitle, "%zu drawings, %zu random %s, %zu %s of noise", r->images, r->plan.splits,
             r->plan.splits == 1 ? "half" : "halves", r->plan.noises, r->plan.noises == 1 ? "kind" : "kinds");
    const s3svm_results_head head = { .experiment = "denoising",
                                      .title = "Denoising drawings with learned sum-of-submodular energies",
                                      .subtitle = subtitle,
                                      .data = r->plan.data ? r->plan.data : "drawings made for the occasion",
                                      .command = command,
                                      .images = r->images,
                                      .train = r->parts.train,
                                      .test = r->parts.test,
                                      .splits = r->plan.splits,
                                      .splits_planned = r->plan.splits,
                                      .seed = r->plan.seed,
                                      .seconds = r->seconds,
                                      .columns = COLUMNS };
    return s3svm_results_write(&head, &writers, r, folder, error);
}

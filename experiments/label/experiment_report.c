/* experiment_report.c - the report of the experiment: index.html, results.json, results.csv. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "experiments/common/results.h"
#include "experiments/label/experiment.h"

enum { KINDS = S3SVM_LABEL_DESIGNS };

/* What a kind took, on average of the splits; the other members are 0. */
static s3svm_label_outcome mean_times(const s3svm_label_results *r, s3svm_label_kind kind)
{
    s3svm_label_outcome mean = { 0 };
    const double share = 1 / (double)r->plan.splits;
    for (size_t split = 0; split < r->plan.splits; split++) {
        const s3svm_label_outcome *o = s3svm_label_outcome_at(r, split, kind);
        mean.seconds_features += share * o->seconds_features;
        mean.seconds_training += share * o->seconds_training;
        mean.seconds_an_image += share * o->seconds_an_image;
        mean.slowest_image += share * o->slowest_image;
    }
    return mean;
}

/* The kind with the best accuracy. */
static s3svm_label_kind best_of(const s3svm_label_results *r)
{
    s3svm_label_kind kinds[KINDS], best = S3SVM_LABEL_UNARY;
    const size_t count = s3svm_label_contenders(&r->plan, kinds);
    double most = -1;
    for (size_t k = 0; k < count; k++) {
        const double mean = s3svm_label_spread(r, kinds[k], s3svm_confusion_accuracy).mean;
        if (mean > most) best = kinds[k];
        most = fmax(most, mean);
    }
    return best;
}

/* All splits added up; to free. */
static sos_status counts_of(const s3svm_label_results *r, s3svm_label_kind kind, s3svm_confusion *out, sos_error *error)
{
    const size_t labels = r->names.count;
    const sos_status status = s3svm_confusion_create(labels, out, error);
    for (size_t split = 0; !status && split < r->plan.splits; split++)
        for (size_t i = 0; i < labels * labels; i++) out->counts[i] += s3svm_label_outcome_at(r, split, kind)->counts.counts[i];
    return status;
}

/* ---------------------------------------------------------------- for programs */

static void outcome_json(sos_json *j, const s3svm_label_results *r, size_t split, s3svm_label_kind kind)
{
    const s3svm_label_outcome *o = s3svm_label_outcome_at(r, split, kind);
    const size_t labels = o->counts.labels;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "split", split);
    sos_json_real(j, "accuracy", s3svm_confusion_accuracy(&o->counts));
    sos_json_real(j, "class_accuracy", s3svm_confusion_mean(&o->counts));
    sos_json_real(j, "iou", s3svm_confusion_mean_iou(&o->counts));
    sos_json_real(j, "gap", o->gap);
    sos_json_truth(j, "approximate", o->approximate);
    sos_json_count(j, "oracle_calls", o->answers);
    sos_json_count(j, "oracle_beaten", o->beaten);
    sos_json_count(j, "rounds", o->rounds);
    sos_json_real(j, "seconds_features", o->seconds_features);
    sos_json_real(j, "seconds_training", o->seconds_training);
    sos_json_real(j, "seconds_per_image", o->seconds_an_image);
    sos_json_real(j, "slowest_image", o->slowest_image);
    sos_json_open(j, "confusion", '[');
    for (size_t t = 0; t < labels; t++) {
        sos_json_open_row(j, NULL, '[');
        sos_json_reals(j, labels, o->counts.counts + t * labels, 0);
        sos_json_close(j, ']');
    }
    sos_json_close(j, ']');
    s3svm_contest_images_json(j, &r->contest, split, kind);
    sos_json_close(j, '}');
}

static void kind_json(sos_json *j, const s3svm_label_results *r, s3svm_label_kind kind)
{
    const s3svm_spread accuracy = s3svm_label_spread(r, kind, s3svm_confusion_accuracy);
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "method", s3svm_label_method_name(kind));
    sos_json_text(j, "model", s3svm_label_kind_name(kind));
    sos_json_count(j, "weights", s3svm_label_outcome_at(r, 0, kind)->weights);
    sos_json_real(j, "accuracy", accuracy.mean);
    sos_json_real(j, "deviation", accuracy.deviation);
    sos_json_real(j, "class_accuracy", s3svm_label_spread(r, kind, s3svm_confusion_mean).mean);
    sos_json_real(j, "iou", s3svm_label_spread(r, kind, s3svm_confusion_mean_iou).mean);
    sos_json_open(j, "splits", '[');
    for (size_t split = 0; split < r->plan.splits; split++) outcome_json(j, r, split, kind);
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

static void corel_numbers_write(sos_json *j, const void *results)
{
    const s3svm_label_results *r = results;
    sos_json_open_row(j, "labels", '[');
    for (size_t l = 0; l < r->names.count; l++) sos_json_text(j, NULL, r->names.name[l]);
    sos_json_close(j, ']');
    sos_json_open(j, "results", '[');
    s3svm_label_kind kinds[KINDS];
    const size_t count = s3svm_label_contenders(&r->plan, kinds);
    for (size_t k = 0; k < count; k++) kind_json(j, r, kinds[k]);
    sos_json_close(j, ']');
    s3svm_contest_json(j, &r->contest, S3SVM_LABEL_RIVALS, s3svm_label_rivals);
}

static const char *const COLUMNS[] = { "split", "method",           "accuracy",         "class_accuracy",    "iou",
                                       "gap",   "seconds_features", "seconds_training", "seconds_per_image", NULL };

static void corel_table_write(s3svm_csv *c, const void *results)
{
    const s3svm_label_results *r = results;
    s3svm_label_kind kinds[KINDS];
    const size_t count = s3svm_label_contenders(&r->plan, kinds);
    for (size_t split = 0; split < r->plan.splits; split++)
        for (size_t k = 0; k < count; k++) {
            const s3svm_label_outcome *o = s3svm_label_outcome_at(r, split, kinds[k]);
            s3svm_csv_count(c, split);
            s3svm_csv_text(c, s3svm_label_method_name(kinds[k]));
            s3svm_csv_real(c, s3svm_confusion_accuracy(&o->counts));
            s3svm_csv_real(c, s3svm_confusion_mean(&o->counts));
            s3svm_csv_real(c, s3svm_confusion_mean_iou(&o->counts));
            s3svm_csv_real(c, o->gap);
            s3svm_csv_real(c, o->seconds_features);
            s3svm_csv_real(c, o->seconds_training);
            s3svm_csv_real(c, o->seconds_an_image);
            s3svm_csv_row(c);
        }
}

/* ---------------------------------------------------------------- tables */

static void score_cell(s3svm_report *page, const s3svm_label_results *r, s3svm_label_kind kind,
                       double (*score)(const s3svm_confusion *))
{
    const s3svm_spread s = s3svm_label_spread(r, kind, score);
    s3svm_report_share(page, s.mean, s.deviation);
}

static void scores_table(s3svm_report *page, const s3svm_label_results *r)
{
    static const s3svm_column columns[] = { { .name = "Model" },
                                            { .name = "pixels right, %", .best = S3SVM_BEST_MOST },
                                            { .name = "mean over classes, %", .best = S3SVM_BEST_MOST },
                                            { .name = "mean IoU, %", .best = S3SVM_BEST_MOST },
                                            { .name = "weights" } };
    s3svm_report_table(page, "On test images: mean and standard deviation over the splits. The best is highlighted.", 5,
                       columns);
    s3svm_label_kind kinds[KINDS];
    const size_t count = s3svm_label_contenders(&r->plan, kinds);
    for (size_t k = 0; k < count; k++) {
        const s3svm_label_kind kind = kinds[k];
        const size_t weights = s3svm_label_outcome_at(r, 0, kind)->weights;
        s3svm_report_cell(page, "%s", s3svm_label_method_name(kind));
        score_cell(page, r, kind, s3svm_confusion_accuracy);
        score_cell(page, r, kind, s3svm_confusion_mean);
        score_cell(page, r, kind, s3svm_confusion_mean_iou);
        s3svm_report_number(page, (double)weights, "%zu", weights);
    }
}

static void gains_table(s3svm_report *page, const s3svm_label_results *r)
{
    s3svm_report_text(
        page, "Models are compared on the same images, each of which has the same weight here. " S3SVM_CONTEST_EXPLAINED);
    s3svm_contest_table(page, &r->contest, "Models against what they should beat", NULL);
    for (size_t i = 0; i < S3SVM_LABEL_RIVALS; i++) s3svm_contest_row(page, &r->contest, s3svm_label_rivals[i], NULL);
}

/* How exact training was: the largest gap, and what is known of the oracle that it is against. */
static void training_words(const s3svm_label_results *r, char text[400])
{
    double gap = 0;
    size_t answers = 0, beaten = 0;
    for (size_t split = 0; split < r->plan.splits; split++)
        for (size_t k = 0; k < KINDS; k++) {
            const s3svm_label_outcome *o = s3svm_label_outcome_at(r, split, (s3svm_label_kind)k);
            if (!o->approximate) continue;
            gap = o->gap > gap ? o->gap : gap;
            answers += o->answers;
            beaten += o->beaten;
        }
    text[0] = '\0';
    if (answers)
        snprintf(text, 400,
                 " Duality gaps of training, at most %.2g, are relative to expansion moves, which do not always "
                 "find the most violated labelling: %zu of %zu answers were worse than an earlier one.",
                 gap, beaten, answers);
}

static void times_table(s3svm_report *page, const s3svm_label_results *r)
{
    char exactness[400], note[700];
    training_words(r, exactness);
    snprintf(note, sizeof note,
             "Seconds: learning features, which all models share, and training with all threads; labelling an image with one. "
             "Means over the splits.%s",
             exactness);
    static const s3svm_column columns[] = { { .name = "Model" },
                                            { .name = "features, s" },
                                            { .name = "training, s" },
                                            { .name = "an image, s" },
                                            { .name = "slowest image, s" } };
    s3svm_report_table(page, note, 5, columns);
    s3svm_label_kind kinds[KINDS];
    const size_t count = s3svm_label_contenders(&r->plan, kinds);
    for (size_t k = 0; k < count; k++) {
        const s3svm_label_kind kind = kinds[k];
        const s3svm_label_outcome mean = mean_times(r, kind);
        const double numbers[] = { mean.seconds_features, mean.seconds_training, mean.seconds_an_image, mean.slowest_image };
        s3svm_report_cell(page, "%s", s3svm_label_method_name(kind));
        for (size_t i = 0; i < 4; i++) s3svm_report_number(page, numbers[i], i < 2 ? "%.1f" : "%.3f", numbers[i]);
    }
}

static void classes_table(s3svm_report *page, const s3svm_label_results *r)
{
    s3svm_label_kind kinds[KINDS];
    const size_t count = s3svm_label_contenders(&r->plan, kinds);
    s3svm_column columns[2 * KINDS + 1] = { { .name = "Label" } };
    for (size_t k = 0; k < count; k++) {
        columns[k + 1] = (s3svm_column){ .name = s3svm_label_kind_name(kinds[k]),
                                         .group = "Pixels right, %",
                                         .best = S3SVM_BEST_NONE };
        columns[count + k + 1] = (s3svm_column){ .name = s3svm_label_kind_name(kinds[k]), .group = "IoU, %" };
    }
    s3svm_confusion counts[KINDS] = { { 0 } };
    for (size_t k = 0; k < count && !page->status; k++)
        s3svm_report_fail(page, counts_of(r, kinds[k], &counts[k], page->error));
    s3svm_report_table(page, "Label by label, over the test images of all splits.", 2 * count + 1, columns);
    for (size_t l = 0; l < r->names.count && !page->status; l++) {
        s3svm_report_cell(page, "%s", r->names.name[l]);
        for (size_t k = 0; k < count; k++) {
            const double right = 100 * s3svm_confusion_of(&counts[k], l);
            s3svm_report_number(page, right, "%.1f", right);
        }
        for (size_t k = 0; k < count; k++) {
            const double iou = 100 * s3svm_confusion_iou(&counts[k], l);
            s3svm_report_number(page, iou, "%.1f", iou);
        }
    }
    for (size_t k = 0; k < KINDS; k++) s3svm_confusion_free(&counts[k]);
}

static void names_of(const s3svm_label_results *r, const char *names[SOS_LABELS_MAX])
{
    for (size_t l = 0; l < r->names.count; l++) names[l] = r->names.name[l];
}

static void confusion(s3svm_report *page, const s3svm_label_results *r)
{
    const char *names[SOS_LABELS_MAX];
    const s3svm_label_kind best = best_of(r);
    char caption[160];
    s3svm_confusion counts = { 0 };
    names_of(r, names);
    if (!page->status) s3svm_report_fail(page, counts_of(r, best, &counts, page->error));
    if (page->status) return;
    snprintf(caption, sizeof caption, "%s: true labels (rows) and predicted labels (columns), over all splits",
             s3svm_label_method_name(best));
    s3svm_report_matrix(page, &(s3svm_matrix){ .caption = caption,
                                               .rows = "truth",
                                               .columns = "result",
                                               .count = r->names.count,
                                               .names = names,
                                               .values = counts.counts });
    s3svm_confusion_free(&counts);
}

/* ---------------------------------------------------------------- pictures */

static void show_labels(s3svm_report *page, const s3svm_label_results *r, const s3svm_labelled *seen, const uint8_t labels[],
                        const uint8_t care[])
{
    s3svm_image picture = { 0 };
    const size_t width = seen->picture.width, height = seen->picture.height;
    const sos_status status = s3svm_label_paint(&r->names, width, height, labels, care, &picture, page->error);
    size_t right = 0, all = 0;
    for (size_t i = 0; i < width * height; i++) {
        if (seen->care && !seen->care[i]) continue;
        right += labels[i] == seen->truth[i];
        all++;
    }
    s3svm_report_fail(page, status);
    if (labels == seen->truth)
        s3svm_report_picture(page, status ? NULL : &picture, "truth");
    else
        s3svm_report_picture(page, status ? NULL : &picture, "%.1f %%", all ? 100 * (double)right / (double)all : 0);
    s3svm_image_free(&picture);
}

static void pictures(s3svm_report *page, const s3svm_label_results *r)
{
    const char *heads[KINDS + 2] = { "image", "truth" }, *names[SOS_LABELS_MAX];
    s3svm_label_kind kinds[KINDS];
    const size_t count = s3svm_label_contenders(&r->plan, kinds);
    for (size_t k = 0; k < count; k++) heads[k + 2] = s3svm_label_kind_name(kinds[k]);
    names_of(r, names);
    s3svm_report_legend(page, r->names.count, names, r->names.colour);
    s3svm_report_pictures(page,
                          "Test images of the first split, with the share of right pixels. Click a picture to enlarge it.",
                          count + 2, heads);
    for (size_t i = 0; i < r->shown_count; i++) {
        const s3svm_label_shown *s = &r->shown[i];
        s3svm_report_picture_row(page, s->name);
        s3svm_report_picture(page, &s->seen.picture, "image");
        show_labels(page, r, &s->seen, s->seen.truth, s->seen.care);
        for (size_t k = 0; k < count; k++) show_labels(page, r, &s->seen, s->labels[kinds[k]], NULL);
    }
}

/* "Costs of patches whose pixels are 8 apart": of table number n of so many. */
static void table_caption(size_t n, size_t tables, char text[120])
{
    const s3svm_label_design d = s3svm_label_design_of(S3SVM_LABEL_TABLES);
    const size_t reaches = d.reaches ? d.reaches : 1, clusters = tables > reaches ? tables / reaches : 1, reach = n / clusters;
    char apart[60] = "of neighbours", cluster[40] = "";
    if (d.reach[reach] > 1) snprintf(apart, sizeof apart, "whose pixels are %g apart", d.reach[reach]);
    if (clusters > 1) snprintf(cluster, sizeof cluster, ", cluster %zu", n % clusters + 1);
    snprintf(text, 120, "Costs of patches %s%s", apart, cluster);
}

static size_t table_count(const sos_model *m)
{
    size_t count = 0;
    for (uint32_t g = 0; g < sos_model_groups(m); g++) count += sos_model_group(m, g)->kind == SOS_GROUP_TABLE;
    return count;
}

/* The tables of patches of neighbours, then of those whose pixels are further apart. */
static void learned_patches(s3svm_report *page, const s3svm_label_results *r)
{
    enum { ENTRIES = 16 };
    const sos_model *m = r->models[S3SVM_LABEL_TABLES];
    const char *names[SOS_LABELS_MAX];
    const size_t labels = r->names.count;
    if (!m || labels < 3) return; /* with two labels there is one table for both */
    const size_t tables = table_count(m);
    double *costs = malloc(labels * ENTRIES * sizeof *costs);
    if (!costs) s3svm_report_no_memory(page, "tables");
    names_of(r, names);
    for (uint32_t g = 0, n = 0; costs && g < sos_model_groups(m); g++) {
        if (sos_model_group(m, g)->kind != SOS_GROUP_TABLE) continue;
        char caption[120];
        table_caption(n++, tables, caption);
        for (size_t l = 0; l < labels; l++) sos_model_table(m, g, l, costs + l * ENTRIES);
        s3svm_report_patches(
            page,
            &(s3svm_patches){
                .caption = caption, .width = 2, .height = 2, .count = labels, .names = names, .costs = costs, .ink = true });
    }
    free(costs);
}

/* ---------------------------------------------------------------- the page */

static void corel_report_set_up(s3svm_report *page, const s3svm_results_head *head)
{
    s3svm_report_heading(page, "How it was measured");
    s3svm_report_text(page, "Photographs are split at random into training and test images; everything, including features, "
                            "is learned from the former. Networks estimate the label of a pixel from colours, edges and "
                            "texture around it, from its position and from the picture as a whole; energies are trained on "
                            "the output of networks that have not seen the picture. Labels of low energy are found by "
                            "expansion moves. Pixels are counted over all test images; those without a label do not count.");
    s3svm_results_facts(page, head, "Photographs");
    s3svm_results_run(page, head);
}

static void corel_page_write(s3svm_report *page, const s3svm_results_head *head, const void *results)
{
    const s3svm_label_results *r = results;
    s3svm_report_heading(page, "Results");
    scores_table(page, r);
    gains_table(page, r);
    s3svm_report_heading(page, "Pictures");
    pictures(page, r);
    s3svm_report_heading(page, "Labels");
    classes_table(page, r);
    confusion(page, r);
    s3svm_report_heading(page, "Time");
    times_table(page, r);
    s3svm_report_heading(page, "What was learned");
    s3svm_report_text(page, "A 2x2 patch, of neighbours or of pixels further apart, costs the sum over labels of the cost of "
                            "the set of pixels with this label, times a factor that decreases with the contrast of the "
                            "patch. Dark pixels have the label. Tables are the same for rotated and mirrored patches. First "
                            "split.");
    learned_patches(page, r);
    corel_report_set_up(page, head);
}

sos_status s3svm_label_report(const s3svm_label_results *r, const char *folder, const char *command, sos_error *error)
{
    static const s3svm_results_writers writers = { .page = corel_page_write,
                                                   .numbers = corel_numbers_write,
                                                   .table = corel_table_write };
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle, "%zu photographs, %zu labels, %zu random split%s", r->images, r->names.count,
             r->plan.splits, r->plan.splits == 1 ? "" : "s");
    const s3svm_results_head head = { .experiment = "corel",
                                      .title = "Labelling photographs with learned sum-of-submodular energies",
                                      .subtitle = subtitle,
                                      .data = r->plan.data,
                                      .command = command,
                                      .images = r->images,
                                      .train = r->train,
                                      .test = r->images - r->train,
                                      .splits = r->plan.splits,
                                      .splits_planned = r->plan.splits,
                                      .seed = r->plan.seed,
                                      .seconds = r->seconds,
                                      .columns = COLUMNS };
    return s3svm_results_write(&head, &writers, r, folder, error);
}

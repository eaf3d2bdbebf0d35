/* experiment_report.c - what the experiment found, for people (index.html) and for programs (results.json, results.csv). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "label/experiment.h"
#include "report/results.h"

enum { KINDS = SOS_LABEL_KINDS_COUNT };

/* What a kind took, on average of the splits; the other members are 0. */
static sos_label_outcome mean_times(const sos_label_results *r, sos_label_kind kind)
{
    sos_label_outcome mean = { 0 };
    const double share = 1 / (double)r->plan.splits;
    for (size_t split = 0; split < r->plan.splits; split++) {
        const sos_label_outcome *o = sos_label_outcome_at(r, split, kind);
        mean.seconds_features += share * o->seconds_features;
        mean.seconds_training += share * o->seconds_training;
        mean.seconds_an_image += share * o->seconds_an_image;
        mean.slowest_image += share * o->slowest_image;
    }
    return mean;
}

/* The kind with the best accuracy. */
static sos_label_kind best_of(const sos_label_results *r)
{
    sos_label_kind kinds[KINDS], best = SOS_LABEL_UNARY;
    const size_t count = sos_label_contenders(&r->plan, kinds);
    double most = -1;
    for (size_t k = 0; k < count; k++) {
        const double mean = sos_label_spread(r, kinds[k], sos_confusion_accuracy).mean;
        if (mean > most) best = kinds[k];
        most = fmax(most, mean);
    }
    return best;
}

/* All splits added up; to free. */
static sos_status counts_of(const sos_label_results *r, sos_label_kind kind, sos_confusion *out, sos_error *error)
{
    const size_t labels = r->names.count;
    const sos_status status = sos_confusion_create(labels, out, error);
    for (size_t split = 0; !status && split < r->plan.splits; split++)
        for (size_t i = 0; i < labels * labels; i++) out->counts[i] += sos_label_outcome_at(r, split, kind)->counts.counts[i];
    return status;
}

/* ---------------------------------------------------------------- for programs */

static void outcome_json(sos_json *j, const sos_label_results *r, size_t split, sos_label_kind kind)
{
    const sos_label_outcome *o = sos_label_outcome_at(r, split, kind);
    const size_t labels = o->counts.labels;
    sos_json_open(j, NULL, '{');
    sos_json_count(j, "split", split);
    sos_json_real(j, "accuracy", sos_confusion_accuracy(&o->counts));
    sos_json_real(j, "class_accuracy", sos_confusion_mean(&o->counts));
    sos_json_real(j, "iou", sos_confusion_mean_iou(&o->counts));
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
    sos_contest_images_json(j, &r->contest, split, kind);
    sos_json_close(j, '}');
}

static void kind_json(sos_json *j, const sos_label_results *r, sos_label_kind kind)
{
    const sos_spread accuracy = sos_label_spread(r, kind, sos_confusion_accuracy);
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "method", sos_label_method_name(kind));
    sos_json_text(j, "model", sos_label_kind_name(kind));
    sos_json_count(j, "weights", sos_label_outcome_at(r, 0, kind)->weights);
    sos_json_real(j, "accuracy", accuracy.mean);
    sos_json_real(j, "deviation", accuracy.deviation);
    sos_json_real(j, "class_accuracy", sos_label_spread(r, kind, sos_confusion_mean).mean);
    sos_json_real(j, "iou", sos_label_spread(r, kind, sos_confusion_mean_iou).mean);
    sos_json_open(j, "splits", '[');
    for (size_t split = 0; split < r->plan.splits; split++) outcome_json(j, r, split, kind);
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

static void write_numbers(sos_json *j, const void *results)
{
    const sos_label_results *r = results;
    sos_json_open_row(j, "labels", '[');
    for (size_t l = 0; l < r->names.count; l++) sos_json_text(j, NULL, r->names.name[l]);
    sos_json_close(j, ']');
    sos_json_open(j, "results", '[');
    sos_label_kind kinds[KINDS];
    const size_t count = sos_label_contenders(&r->plan, kinds);
    for (size_t k = 0; k < count; k++) kind_json(j, r, kinds[k]);
    sos_json_close(j, ']');
    sos_contest_json(j, &r->contest, SOS_LABEL_RIVALS, sos_label_rivals);
}

static const char *const COLUMNS[] = { "split", "method",           "accuracy",         "class_accuracy",    "iou",
                                       "gap",   "seconds_features", "seconds_training", "seconds_per_image", NULL };

static void write_table(sos_csv *c, const void *results)
{
    const sos_label_results *r = results;
    sos_label_kind kinds[KINDS];
    const size_t count = sos_label_contenders(&r->plan, kinds);
    for (size_t split = 0; split < r->plan.splits; split++)
        for (size_t k = 0; k < count; k++) {
            const sos_label_outcome *o = sos_label_outcome_at(r, split, kinds[k]);
            sos_csv_count(c, split);
            sos_csv_text(c, sos_label_method_name(kinds[k]));
            sos_csv_real(c, sos_confusion_accuracy(&o->counts));
            sos_csv_real(c, sos_confusion_mean(&o->counts));
            sos_csv_real(c, sos_confusion_mean_iou(&o->counts));
            sos_csv_real(c, o->gap);
            sos_csv_real(c, o->seconds_features);
            sos_csv_real(c, o->seconds_training);
            sos_csv_real(c, o->seconds_an_image);
            sos_csv_row(c);
        }
}

/* ---------------------------------------------------------------- tables */

static void score_cell(sos_report *page, const sos_label_results *r, sos_label_kind kind,
                       double (*score)(const sos_confusion *))
{
    const sos_spread s = sos_label_spread(r, kind, score);
    sos_report_share(page, s.mean, s.deviation);
}

static void scores_table(sos_report *page, const sos_label_results *r)
{
    static const sos_column columns[] = { { .name = "Model" },
                                          { .name = "pixels right, %", .best = SOS_BEST_MOST },
                                          { .name = "mean over classes, %", .best = SOS_BEST_MOST },
                                          { .name = "mean IoU, %", .best = SOS_BEST_MOST },
                                          { .name = "weights" } };
    sos_report_table(page, "On test images: mean and standard deviation over the splits. The best is set off.", 5, columns);
    sos_label_kind kinds[KINDS];
    const size_t count = sos_label_contenders(&r->plan, kinds);
    for (size_t k = 0; k < count; k++) {
        const sos_label_kind kind = kinds[k];
        const size_t weights = sos_label_outcome_at(r, 0, kind)->weights;
        sos_report_cell(page, "%s", sos_label_method_name(kind));
        score_cell(page, r, kind, sos_confusion_accuracy);
        score_cell(page, r, kind, sos_confusion_mean);
        score_cell(page, r, kind, sos_confusion_mean_iou);
        sos_report_number(page, (double)weights, "%zu", weights);
    }
}

static void gains_table(sos_report *page, const sos_label_results *r)
{
    sos_report_text(page, "Whether one model is better than another shows on the same images, each of which counts as much as "
                          "any other here. " SOS_CONTEST_EXPLAINED);
    sos_contest_table(page, &r->contest, "Models against what they should beat", NULL);
    for (size_t i = 0; i < SOS_LABEL_RIVALS; i++) sos_contest_row(page, &r->contest, sos_label_rivals[i], NULL);
}

/* How exact training was: the largest gap, and what is known of the oracle that it is against. */
static void training_words(const sos_label_results *r, char text[400])
{
    double gap = 0;
    size_t answers = 0, beaten = 0;
    for (size_t split = 0; split < r->plan.splits; split++)
        for (size_t k = 0; k < KINDS; k++) {
            const sos_label_outcome *o = sos_label_outcome_at(r, split, (sos_label_kind)k);
            if (!o->approximate) continue;
            gap = o->gap > gap ? o->gap : gap;
            answers += o->answers;
            beaten += o->beaten;
        }
    text[0] = '\0';
    if (answers)
        snprintf(text, 400,
                 " Duality gaps of training, %.2g at most, are against expansion moves, which do not always find the most "
                 "violated labelling: %zu of %zu answers were worse than what had been found before.",
                 gap, beaten, answers);
}

static void times_table(sos_report *page, const sos_label_results *r)
{
    char exactness[400], note[700];
    training_words(r, exactness);
    snprintf(note, sizeof note,
             "Seconds: learning features, which all models share, and training with all threads; labelling an image with one. "
             "Means over the splits.%s",
             exactness);
    static const sos_column columns[] = { { .name = "Model" },
                                          { .name = "features, s" },
                                          { .name = "training, s" },
                                          { .name = "an image, s" },
                                          { .name = "slowest image, s" } };
    sos_report_table(page, note, 5, columns);
    sos_label_kind kinds[KINDS];
    const size_t count = sos_label_contenders(&r->plan, kinds);
    for (size_t k = 0; k < count; k++) {
        const sos_label_kind kind = kinds[k];
        const sos_label_outcome mean = mean_times(r, kind);
        const double numbers[] = { mean.seconds_features, mean.seconds_training, mean.seconds_an_image, mean.slowest_image };
        sos_report_cell(page, "%s", sos_label_method_name(kind));
        for (size_t i = 0; i < 4; i++) sos_report_number(page, numbers[i], i < 2 ? "%.1f" : "%.3f", numbers[i]);
    }
}

static void classes_table(sos_report *page, const sos_label_results *r)
{
    sos_label_kind kinds[KINDS];
    const size_t count = sos_label_contenders(&r->plan, kinds);
    sos_column columns[2 * KINDS + 1] = { { .name = "Label" } };
    for (size_t k = 0; k < count; k++) {
        columns[k + 1] = (sos_column){ .name = sos_label_kind_name(kinds[k]),
                                       .group = "Pixels right, %",
                                       .best = SOS_BEST_NONE };
        columns[count + k + 1] = (sos_column){ .name = sos_label_kind_name(kinds[k]), .group = "IoU, %" };
    }
    sos_confusion counts[KINDS] = { { 0 } };
    for (size_t k = 0; k < count && !page->status; k++) sos_report_fail(page, counts_of(r, kinds[k], &counts[k], page->error));
    sos_report_table(page, "Label by label, over the test images of all splits.", 2 * count + 1, columns);
    for (size_t l = 0; l < r->names.count && !page->status; l++) {
        sos_report_cell(page, "%s", r->names.name[l]);
        for (size_t k = 0; k < count; k++) {
            const double right = 100 * sos_confusion_of(&counts[k], l);
            sos_report_number(page, right, "%.1f", right);
        }
        for (size_t k = 0; k < count; k++) {
            const double iou = 100 * sos_confusion_iou(&counts[k], l);
            sos_report_number(page, iou, "%.1f", iou);
        }
    }
    for (size_t k = 0; k < KINDS; k++) sos_confusion_free(&counts[k]);
}

static void names_of(const sos_label_results *r, const char *names[SOS_LABELS_MAX])
{
    for (size_t l = 0; l < r->names.count; l++) names[l] = r->names.name[l];
}

static void confusion(sos_report *page, const sos_label_results *r)
{
    const char *names[SOS_LABELS_MAX];
    const sos_label_kind best = best_of(r);
    char caption[160];
    sos_confusion counts = { 0 };
    names_of(r, names);
    if (!page->status) sos_report_fail(page, counts_of(r, best, &counts, page->error));
    if (page->status) return;
    snprintf(caption, sizeof caption, "%s: what pixels of a label (rows) are called (columns), over all splits",
             sos_label_method_name(best));
    sos_report_matrix(page, &(sos_matrix){ .caption = caption,
                                           .rows = "truth",
                                           .columns = "result",
                                           .count = r->names.count,
                                           .names = names,
                                           .values = counts.counts });
    sos_confusion_free(&counts);
}

/* ---------------------------------------------------------------- pictures */

static void show_labels(sos_report *page, const sos_label_results *r, const sos_labelled *seen, const uint8_t labels[],
                        const uint8_t care[])
{
    sos_image picture = { 0 };
    const size_t width = seen->picture.width, height = seen->picture.height;
    const sos_status status = sos_label_paint(&r->names, width, height, labels, care, &picture, page->error);
    size_t right = 0, all = 0;
    for (size_t i = 0; i < width * height; i++) {
        if (seen->care && !seen->care[i]) continue;
        right += labels[i] == seen->truth[i];
        all++;
    }
    sos_report_fail(page, status);
    if (labels == seen->truth)
        sos_report_picture(page, status ? NULL : &picture, "truth");
    else
        sos_report_picture(page, status ? NULL : &picture, "%.1f %%", all ? 100 * (double)right / (double)all : 0);
    sos_image_free(&picture);
}

static void pictures(sos_report *page, const sos_label_results *r)
{
    const char *heads[KINDS + 2] = { "image", "truth" }, *names[SOS_LABELS_MAX];
    sos_label_kind kinds[KINDS];
    const size_t count = sos_label_contenders(&r->plan, kinds);
    for (size_t k = 0; k < count; k++) heads[k + 2] = sos_label_kind_name(kinds[k]);
    names_of(r, names);
    sos_report_legend(page, r->names.count, names, r->names.colour);
    sos_report_pictures(page, "Test images of the first split, with the share of right pixels. A click enlarges a picture.",
                        count + 2, heads);
    for (size_t i = 0; i < r->shown_count; i++) {
        const sos_label_shown *s = &r->shown[i];
        sos_report_picture_row(page, s->name);
        sos_report_picture(page, &s->seen.picture, "image");
        show_labels(page, r, &s->seen, s->seen.truth, s->seen.care);
        for (size_t k = 0; k < count; k++) show_labels(page, r, &s->seen, s->labels[kinds[k]], NULL);
    }
}

/* "Costs of patches whose pixels are 8 apart": of table number n of so many. */
static void table_caption(size_t n, size_t tables, char text[120])
{
    const sos_label_design d = sos_label_design_of(SOS_LABEL_TABLES);
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
static void learned_patches(sos_report *page, const sos_label_results *r)
{
    enum { ENTRIES = 16 };
    const sos_model *m = r->models[SOS_LABEL_TABLES];
    const char *names[SOS_LABELS_MAX];
    const size_t labels = r->names.count;
    if (!m || labels < 3) return; /* with two labels there is one table for both */
    const size_t tables = table_count(m);
    double *costs = malloc(labels * ENTRIES * sizeof *costs);
    if (!costs) sos_report_no_memory(page, "tables");
    names_of(r, names);
    for (uint32_t g = 0, n = 0; costs && g < sos_model_groups(m); g++) {
        if (sos_model_group(m, g)->kind != SOS_GROUP_TABLE) continue;
        char caption[120];
        table_caption(n++, tables, caption);
        for (size_t l = 0; l < labels; l++) sos_model_table(m, g, l, costs + l * ENTRIES);
        sos_report_patches(
            page,
            &(sos_patches){
                .caption = caption, .width = 2, .height = 2, .count = labels, .names = names, .costs = costs, .ink = true });
    }
    free(costs);
}

/* ---------------------------------------------------------------- the page */

static void set_up(sos_report *page, const sos_results_head *head)
{
    sos_report_heading(page, "How it was measured");
    sos_report_text(
        page, "Photographs are split at random into some to learn from and others to test on; everything, features "
              "included, is learned from the former. Networks estimate the label of a pixel from colours, edges and texture "
              "around it, from its place and from the picture as a whole; energies are learned on what they say of "
              "pictures they have not seen. Labels of least energy are sought by expansion moves. Pixels are counted over "
              "all test images; those without a label do not count.");
    sos_results_facts(page, head, "Photographs");
    sos_results_run(page, head);
}

static void write_page(sos_report *page, const sos_results_head *head, const void *results)
{
    const sos_label_results *r = results;
    sos_report_heading(page, "Results");
    scores_table(page, r);
    gains_table(page, r);
    sos_report_heading(page, "Pictures");
    pictures(page, r);
    sos_report_heading(page, "Labels");
    classes_table(page, r);
    confusion(page, r);
    sos_report_heading(page, "Time");
    times_table(page, r);
    sos_report_heading(page, "What was learned");
    sos_report_text(page,
                    "A 2x2 patch, of neighbours or of pixels further apart, costs the sum, over labels, of the cost of the "
                    "pixels that have it, times a contrast that is less where the patch's colours differ. Dark pixels have "
                    "the label. Tables are the same for turned and mirrored patches. Of the first split.");
    learned_patches(page, r);
    set_up(page, head);
}

sos_status sos_label_report(const sos_label_results *r, const char *folder, const char *command, sos_error *error)
{
    static const sos_results_writers writers = { .page = write_page, .numbers = write_numbers, .table = write_table };
    char subtitle[160];
    snprintf(subtitle, sizeof subtitle, "%zu photographs, %zu labels, %zu random split%s", r->images, r->names.count,
             r->plan.splits, r->plan.splits == 1 ? "" : "s");
    const sos_results_head head = { .experiment = "corel",
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
    return sos_results_write(&head, &writers, r, folder, error);
}

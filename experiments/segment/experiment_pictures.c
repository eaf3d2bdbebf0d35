/* experiment_pictures.c - photographs as all methods cut them out: where the best one gains most, where it is as usual, and
 * where it fails. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "experiments/segment/experiment_report.h"
#include "experiments/segment/shown.h"

enum { GAINS = 4, USUAL = 4, WORST = 6 };

/* ---------------------------------------------------------------- rows */

static void row_show(s3svm_report *page, const s3svm_segment_results *r, size_t i)
{
    const size_t number = s3svm_segment_order(r, 0)[r->train + r->validation + i];
    const s3svm_marked *p = &r->pictures[number];
    s3svm_shown s;
    if (page->status) return;
    s3svm_report_fail(page, s3svm_shown_create(&p->photograph, &s, page->error));
    if (page->status) return;
    s3svm_report_picture_row(page, r->names[number]);
    s3svm_shown_overlay(page, &s, NULL, &p->marks, "scribbles");
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++) {
        char said[32];
        if (!r->plan.contends[c]) continue;
        snprintf(said, sizeof said, "%.2f %%", 100 * s3svm_segment_outcome_at(r, 0, c)->judged[i].error);
        s3svm_shown_overlay(page, &s, r->labels[c][i], NULL, said);
    }
    s3svm_shown_overlay(page, &s, p->truth, NULL, "truth");
    s3svm_shown_free(&s);
}

/* ---------------------------------------------------------------- which ones */

typedef s3svm_shown_candidate candidate; /* a test picture */

static double error_of(const s3svm_segment_results *r, size_t contender, size_t i)
{
    return s3svm_segment_outcome_at(r, 0, contender)->judged[i].error;
}

/* The columns of all grids. */
static void grid_open(s3svm_report *page, const s3svm_segment_results *r, const char *caption)
{
    const char *heads[S3SVM_CONTENDERS + 2] = { "input" };
    size_t columns = 1;
    for (size_t c = 0; c < S3SVM_CONTENDERS; c++)
        if (r->plan.contends[c]) heads[columns++] = s3svm_contender_row(c)->short_name;
    heads[columns++] = "truth";
    s3svm_report_pictures(page, caption, columns, heads);
}

/* Shows those that are not taken yet among the first ones of so much worth. */
static void grid_show(s3svm_report *page, const s3svm_segment_results *r, const char *title, const char *caption,
                      candidate list[], size_t from, size_t most)
{
    size_t shown_count = 0;
    for (size_t k = from; k < r->test && shown_count < most; k++) {
        if (list[k].taken) continue;
        if (!shown_count++) {
            s3svm_report_subheading(page, title);
            grid_open(page, r, caption);
        }
        list[k].taken = true;
        row_show(page, r, list[k].number);
    }
}

static void gains_show(s3svm_report *page, const s3svm_segment_results *r, candidate list[], size_t subject, size_t reference)
{
    char caption[240];
    if (subject == reference) return;
    for (size_t i = 0; i < r->test; i++)
        list[i] = (candidate){ .number = i, .worth = error_of(r, reference, i) - error_of(r, subject, i) };
    s3svm_shown_order(r->test, list);
    snprintf(caption, sizeof caption, "Test images of the first split on which %s gains most over %s, with wrong pixels.",
             s3svm_contender_names[subject], s3svm_contender_names[reference]);
    grid_show(page, r, "Largest gains", caption, list, 0, GAINS);
}

void s3svm_segment_pictures(s3svm_report *page, const s3svm_segment_results *r)
{
    const size_t subject = s3svm_segment_subject(r), reference = s3svm_segment_reference(r);
    candidate *list = calloc(r->test, sizeof *list);
    char caption[240];
    if (!list) {
        s3svm_report_no_memory(page, "pictures");
        return;
    }
    gains_show(page, r, list, subject, reference);
    for (size_t k = 0; k < r->test; k++) {
        if (subject == reference) list[k].number = k;
        list[k].worth = error_of(r, subject, list[k].number);
    }
    s3svm_shown_order(r->test, list);
    snprintf(caption, sizeof caption, "Test images of the first split on which %s makes the most errors.",
             s3svm_contender_names[subject]);
    grid_show(page, r, "Worst", caption, list, 0, WORST);
    snprintf(caption, sizeof caption, "Test images of the first split with about the median error of %s.",
             s3svm_contender_names[subject]);
    grid_show(page, r, "Usual", caption, list, r->test / 2 > USUAL / 2 ? r->test / 2 - USUAL / 2 : 0, USUAL);
    free(list);
}

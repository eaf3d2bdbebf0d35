/* clicks_films.c - dialogues as rows of pictures: where most clicks were needed, where a click did most harm, and usual ones.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "experiments/segment/clicks_judge.h"
#include "experiments/segment/clicks_report.h"
#include "experiments/segment/shown.h"

enum { SHOWN = 3 }; /* photographs of each kind */

/* A photograph with its films. */
typedef struct film {
    const s3svm_clicks_results *results;
    s3svm_report *page;
    s3svm_clicks_subject subject;
    s3svm_shown shown;
    s3svm_image marks;
    uint8_t *labels;
} film;

static sos_status film_open(film *f, const s3svm_item *item, sos_error *error)
{
    sos_status status = s3svm_clicks_subject_read(item, &f->subject, error);
    if (!status) status = s3svm_shown_create(&f->subject.photograph, &f->shown, error);
    if (!status) status = s3svm_image_create(f->subject.photograph.width, f->subject.photograph.height, 1, &f->marks, error);
    if (status) return status;
    f->labels = malloc(s3svm_image_size(&f->marks));
    return f->labels ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
}

static void film_close(film *f)
{
    s3svm_clicks_subject_free(&f->subject);
    s3svm_shown_free(&f->shown);
    s3svm_image_free(&f->marks);
    free(f->labels);
}

/* Labels behind a click, with all clicks up to it. */
static void frame_show(film *f, const s3svm_clicks_outcome *o, size_t frame)
{
    const size_t click = s3svm_clicks_frames[frame];
    char said[40];
    for (size_t i = 0; i < s3svm_image_size(&f->marks); i++) f->labels[i] = o->film[frame][i / 8] >> i % 8 & 1;
    s3svm_report_fail(f->page, s3svm_dialogue_draw(o->dialogue, click, &f->marks, f->page->error));
    snprintf(said, sizeof said, "IoU %.3f%s", o->scores[click - 1].iou, click > o->made ? ", all right" : "");
    s3svm_shown_overlay(f->page, &f->shown, f->labels, &f->marks, said);
}

static void case_show(s3svm_report *page, const s3svm_clicks_results *r, size_t i)
{
    const s3svm_item *item = &r->data.items[r->cases[i].picture];
    film f = { .results = r, .page = page };
    if (page->status) return;
    s3svm_report_fail(page, film_open(&f, item, page->error));
    for (size_t m = 0; m < r->method_count && !page->status; m++) {
        char name[260];
        snprintf(name, sizeof name, "%.120s: %s", item->name, r->methods[m].name);
        s3svm_report_picture_row(page, name);
        for (size_t k = 0; k < S3SVM_CLICKS_FRAMES; k++)
            if (s3svm_clicks_frames[k] <= r->plan.clicks) frame_show(&f, s3svm_clicks_outcome_at(r, i, m), k);
        s3svm_shown_overlay(page, &f.shown, f.subject.truth, NULL, "truth");
    }
    film_close(&f);
}

/* ---------------------------------------------------------------- which ones */

typedef s3svm_shown_candidate candidate; /* a case */

/* Clicks to the last goal; where they are all made, the less is reached the worse. */
static double needed_worth(const s3svm_clicks_results *r, size_t i)
{
    const s3svm_clicks_outcome *o = s3svm_clicks_outcome_at(r, i, 0);
    return (double)o->needed[S3SVM_CLICKS_GOALS - 1] + (1 - o->scores[r->plan.clicks - 1].iou);
}

/* The largest fall of the IoU by a click. */
static double fall_worth(const s3svm_clicks_results *r, size_t i)
{
    const s3svm_clicks_outcome *o = s3svm_clicks_outcome_at(r, i, 0);
    double most = 0;
    for (size_t k = 1; k < r->plan.clicks; k++) most = fmax(most, -s3svm_clicks_change(o, k));
    return most;
}

/* The candidates anew by a worth, those that were taken staying so. */
static void candidates_order(const s3svm_clicks_results *r, candidate list[],
                             double (*worth)(const s3svm_clicks_results *r, size_t i))
{
    for (size_t k = 0; k < r->case_count; k++) list[k].worth = worth(r, list[k].number);
    s3svm_shown_order(r->case_count, list);
}

static void grid_open(s3svm_report *page, const s3svm_clicks_results *r, const char *title, const char *caption)
{
    const char *heads[S3SVM_CLICKS_FRAMES + 1];
    char words[S3SVM_CLICKS_FRAMES][24];
    size_t columns = 0;
    for (size_t k = 0; k < S3SVM_CLICKS_FRAMES; k++) {
        if (s3svm_clicks_frames[k] > r->plan.clicks) continue;
        snprintf(words[k], sizeof words[k], "%zu click%s", s3svm_clicks_frames[k], s3svm_clicks_frames[k] == 1 ? "" : "s");
        heads[columns++] = words[k];
    }
    heads[columns++] = "truth";
    s3svm_report_subheading(page, title);
    s3svm_report_pictures(page, caption, columns, heads);
}

static void grid_show(s3svm_report *page, const s3svm_clicks_results *r, const char *title, const char *caption,
                      candidate list[], size_t from)
{
    size_t count = 0;
    for (size_t k = from; k < r->case_count && count < SHOWN; k++) {
        if (list[k].taken) continue;
        if (!count++) grid_open(page, r, title, caption);
        list[k].taken = true;
        case_show(page, r, list[k].number);
    }
}

void s3svm_clicks_films(s3svm_report *page, const s3svm_clicks_results *r)
{
    candidate *list = calloc(r->case_count, sizeof *list);
    char caption[300];
    if (!list) {
        s3svm_report_no_memory(page, "films");
        return;
    }
    for (size_t i = 0; i < r->case_count; i++) list[i].number = i;
    candidates_order(r, list, needed_worth);
    snprintf(caption, sizeof caption,
             "Photographs with about the median number of clicks of %s. Red: clicks on the object; blue: on the background.",
             r->methods[0].name);
    grid_show(page, r, "Usual dialogues", caption, list, r->case_count / 2 > 1 ? r->case_count / 2 - 1 : 0);
    snprintf(caption, sizeof caption, "Photographs on which %s needs the most clicks, or does not get there.",
             r->methods[0].name);
    grid_show(page, r, "Hardest dialogues", caption, list, 0);
    candidates_order(r, list, fall_worth);
    snprintf(caption, sizeof caption, "Photographs on which one click made the labels of %s most worse.", r->methods[0].name);
    grid_show(page, r, "Clicks that did harm", caption, list, 0);
    free(list);
}

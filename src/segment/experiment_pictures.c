/* experiment_pictures.c - photographs as all methods cut them out: where the best one gains most, where it is as usual, and
 * where it fails. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/cutout.h>

#include "base/error.h"
#include "segment/experiment_report.h"

/* Pictures are as large as the page shows them, so that the page stays small: at most so wide, and of so many pixels. */
enum { WIDTH = 200, PIXELS = 28000, GAINS = 4, USUAL = 4, WORST = 6 };

/* ---------------------------------------------------------------- smaller pictures */

/* A photograph reduced to the width of the page's columns, and what belongs to its pixels. */
typedef struct shown {
    sos_image picture;
    size_t full_width, full_height;
    uint8_t *labels;
    sos_image marks;
} shown;

static void shown_free(shown *s)
{
    sos_image_free(&s->picture);
    sos_image_free(&s->marks);
    free(s->labels);
    *s = (shown){ 0 };
}

/* The pixels of the full picture that make pixel i of the reduced one: from, to of columns and rows. */
static void block_of(const shown *s, size_t i, size_t x[2], size_t y[2])
{
    const size_t column = i % s->picture.width, row = i / s->picture.width;
    x[0] = column * s->full_width / s->picture.width;
    x[1] = (column + 1) * s->full_width / s->picture.width;
    y[0] = row * s->full_height / s->picture.height;
    y[1] = (row + 1) * s->full_height / s->picture.height;
}

static void colour_shrink(const shown *s, const sos_image *from, size_t i, uint8_t out[3])
{
    size_t x[2], y[2], sum[3] = { 0 };
    block_of(s, i, x, y);
    const size_t count = (x[1] - x[0]) * (y[1] - y[0]);
    for (size_t v = y[0]; v < y[1]; v++)
        for (size_t u = x[0]; u < x[1]; u++)
            for (size_t c = 0; c < 3; c++) sum[c] += from->pixels[3 * (v * from->width + u) + c];
    for (size_t c = 0; c < 3; c++) out[c] = (uint8_t)((sum[c] + count / 2) / count);
}

/* How many pixels of a block have this value, of how many. */
static size_t block_count(const shown *s, const uint8_t values[], uint8_t value, size_t i, size_t *of)
{
    size_t x[2], y[2], count = 0;
    block_of(s, i, x, y);
    *of = (x[1] - x[0]) * (y[1] - y[0]);
    for (size_t v = y[0]; v < y[1]; v++)
        for (size_t u = x[0]; u < x[1]; u++) count += values[v * s->full_width + u] == value;
    return count;
}

/* Thin scribbles must not vanish: one pixel in three is enough. */
static uint8_t mark_shrink(const shown *s, const uint8_t marks[], size_t i)
{
    size_t of;
    const size_t object = block_count(s, marks, SOS_MARK_OBJECT, i, &of);
    const size_t background = block_count(s, marks, SOS_MARK_BACKGROUND, i, &of);
    if (3 * (object + background) < of) return SOS_MARK_NONE;
    return object >= background ? SOS_MARK_OBJECT : SOS_MARK_BACKGROUND;
}

static sos_status shown_create(const sos_marked *from, shown *out, sos_error *error)
{
    const sos_image *p = &from->photograph;
    const double scale = fmin(fmin(1, WIDTH / (double)p->width), sqrt(PIXELS / (double)sos_image_size(p)));
    const size_t width = (size_t)fmax(1, scale * (double)p->width), height = (size_t)fmax(1, scale * (double)p->height);
    shown s = { .full_width = p->width, .full_height = p->height };
    sos_status status = sos_image_create(width, height, 3, &s.picture, error);
    if (!status) status = sos_image_create(width, height, 1, &s.marks, error);
    if (!status && !(s.labels = malloc(sos_image_size(&s.picture))))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a picture");
    for (size_t i = 0; !status && i < sos_image_size(&s.picture); i++) {
        colour_shrink(&s, p, i, s.picture.pixels + 3 * i);
        s.marks.pixels[i] = mark_shrink(&s, from->marks.pixels, i);
    }
    if (status)
        shown_free(&s);
    else
        *out = s;
    return status;
}

/* ---------------------------------------------------------------- rows */

/* labels NULL: the photograph with its scribbles. */
static sos_status overlay_make(shown *s, const uint8_t labels[], sos_image *out, sos_error *error)
{
    for (size_t i = 0; i < sos_image_size(&s->picture); i++) {
        size_t of;
        s->labels[i] = !labels || 2 * block_count(s, labels, 1, i, &of) > of;
    }
    return sos_cutout_overlay(&s->picture, s->labels, labels ? NULL : &s->marks, 1, out, error);
}

/* To 6 bits, which nobody sees, but a PNG of a photograph then takes two thirds. */
static void shades_reduce(sos_image *picture)
{
    for (size_t i = 0; i < 3 * sos_image_size(picture); i++)
        picture->pixels[i] = (uint8_t)((picture->pixels[i] & 0xfc) | picture->pixels[i] >> 6);
}

static void overlay_show(sos_report *page, shown *s, const uint8_t labels[], const char *said)
{
    sos_image picture = { 0 };
    if (page->status) return;
    sos_report_fail(page, overlay_make(s, labels, &picture, page->error));
    if (!page->status) {
        shades_reduce(&picture);
        sos_report_picture(page, &picture, "%s", said);
    }
    sos_image_free(&picture);
}

static void row_show(sos_report *page, const sos_segment_results *r, size_t i)
{
    const size_t number = sos_segment_order(r, 0)[r->train + r->validation + i];
    const sos_marked *p = &r->pictures[number];
    shown s;
    if (page->status) return;
    sos_report_fail(page, shown_create(p, &s, page->error));
    if (page->status) return;
    sos_report_picture_row(page, r->names[number]);
    overlay_show(page, &s, NULL, "scribbles");
    for (size_t c = 0; c < SOS_CONTENDERS; c++) {
        char said[32];
        if (!r->plan.contends[c]) continue;
        snprintf(said, sizeof said, "%.2f %%", 100 * sos_segment_outcome_at(r, 0, c)->judged[i].error);
        overlay_show(page, &s, r->labels[c][i], said);
    }
    overlay_show(page, &s, p->truth, "truth");
    shown_free(&s);
}

/* ---------------------------------------------------------------- which ones */

typedef struct candidate {
    size_t number; /* of the test picture */
    double worth;
    bool taken;
} candidate;

static int dearest_first(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->worth != y->worth) return x->worth < y->worth ? 1 : -1;
    return (x->number > y->number) - (x->number < y->number);
}

static double error_of(const sos_segment_results *r, size_t contender, size_t i)
{
    return sos_segment_outcome_at(r, 0, contender)->judged[i].error;
}

/* The columns of all grids. */
static void grid_open(sos_report *page, const sos_segment_results *r, const char *caption)
{
    const char *heads[SOS_CONTENDERS + 2] = { "input" };
    size_t columns = 1;
    for (size_t c = 0; c < SOS_CONTENDERS; c++)
        if (r->plan.contends[c]) heads[columns++] = sos_contender_row(c)->short_name;
    heads[columns++] = "truth";
    sos_report_pictures(page, caption, columns, heads);
}

/* Shows those that are not taken yet among the first ones of so much worth. */
static void grid_show(sos_report *page, const sos_segment_results *r, const char *title, const char *caption, candidate list[],
                      size_t from, size_t most)
{
    size_t shown_count = 0;
    for (size_t k = from; k < r->test && shown_count < most; k++) {
        if (list[k].taken) continue;
        if (!shown_count++) {
            sos_report_subheading(page, title);
            grid_open(page, r, caption);
        }
        list[k].taken = true;
        row_show(page, r, list[k].number);
    }
}

static void gains_show(sos_report *page, const sos_segment_results *r, candidate list[], size_t subject, size_t reference)
{
    char caption[240];
    if (subject == reference) return;
    for (size_t i = 0; i < r->test; i++)
        list[i] = (candidate){ .number = i, .worth = error_of(r, reference, i) - error_of(r, subject, i) };
    qsort(list, r->test, sizeof *list, dearest_first);
    snprintf(caption, sizeof caption, "Test images of the first split on which %s gains most over %s, with wrong pixels.",
             sos_contender_names[subject], sos_contender_names[reference]);
    grid_show(page, r, "Largest gains", caption, list, 0, GAINS);
}

void sos_segment_pictures(sos_report *page, const sos_segment_results *r)
{
    const size_t subject = sos_segment_subject(r), reference = sos_segment_reference(r);
    candidate *list = calloc(r->test, sizeof *list);
    char caption[240];
    if (!list) {
        sos_report_no_memory(page, "pictures");
        return;
    }
    gains_show(page, r, list, subject, reference);
    for (size_t k = 0; k < r->test; k++) {
        if (subject == reference) list[k].number = k;
        list[k].worth = error_of(r, subject, list[k].number);
    }
    qsort(list, r->test, sizeof *list, dearest_first);
    snprintf(caption, sizeof caption, "Test images of the first split on which %s makes the most errors.",
             sos_contender_names[subject]);
    grid_show(page, r, "Worst", caption, list, 0, WORST);
    snprintf(caption, sizeof caption, "Test images of the first split with about the median error of %s.",
             sos_contender_names[subject]);
    grid_show(page, r, "Usual", caption, list, r->test / 2 > USUAL / 2 ? r->test / 2 - USUAL / 2 : 0, USUAL);
    free(list);
}

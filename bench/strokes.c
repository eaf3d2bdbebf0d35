/* strokes.c - how long a person waits: from a new mark to new labels, the photograph having been looked at, against a cold
 * start with the same list of marks. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <s3svm/segmenter.h>

#include "base/random.h"

enum { STROKES = 9, RADIUS = 5, SEED = 1 };

#ifndef BENCH_PICTURES
#define BENCH_PICTURES "docs/segmentation"
#endif

/* A picture of another size, linear between pixels. */
static s3svm_image picture_scale(const s3svm_image *p, size_t width, size_t height)
{
    s3svm_image out;
    sos_error error;
    must(s3svm_image_create(width, height, p->channels, &out, &error), &error);
    for (size_t i = 0; i < width * height; i++) {
        const double x = (double)(i % width) * (double)(p->width - 1) / (double)(width - 1);
        const double y = (double)(i / width) * (double)(p->height - 1) / (double)(height - 1);
        const size_t u = (size_t)fmin(x, (double)p->width - 2), v = (size_t)fmin(y, (double)p->height - 2);
        const double a = x - (double)u, b = y - (double)v;
        for (size_t c = 0; c < p->channels; c++) {
            const uint8_t *at = p->pixels + (v * p->width + u) * p->channels + c, *below = at + p->width * p->channels;
            const double upper = (1 - a) * at[0] + a * at[p->channels], lower = (1 - a) * below[0] + a * below[p->channels];
            out.pixels[i * p->channels + c] = (uint8_t)((1 - b) * upper + b * lower + 0.5);
        }
    }
    return out;
}

/* Clicks on places that somebody scribbled over, object first. */
static void clicks_draw(const s3svm_image *scribbles, size_t width, size_t height, s3svm_point points[], s3svm_mark marks[])
{
    sos_random r = sos_random_seeded(SEED);
    for (size_t k = 0; k < STROKES;) {
        const size_t i = (size_t)sos_random_below(&r, scribbles->width * scribbles->height);
        const uint8_t label = scribbles->pixels[i];
        if (!s3svm_mark_is_sure(label) || (!k && label != S3SVM_MARK_OBJECT)) continue;
        points[k] = (s3svm_point){ (float)(i % scribbles->width * width / scribbles->width),
                                   (float)(i / scribbles->width * height / scribbles->height) };
        marks[k] = (s3svm_mark){ .label = label, .radius = RADIUS, .count = 1, .points = &points[k] };
        k++;
    }
}

typedef struct waits {
    double look, first, next, cold; /* seconds; next: the median of later marks */
} waits;

static s3svm_segment_model *model_prepare(void)
{
    s3svm_segment_model *model;
    sos_error error;
    must(s3svm_segmenter_model(s3svm_segmenter_method_at(0)->name, &model, &error), &error);
    return model;
}

/* From a model in its file and a photograph in memory to labels. */
static double cold_measure(const s3svm_image *photograph, const s3svm_mark marks[])
{
    s3svm_segmenter *s;
    sos_error error;
    const double began = seconds_passed();
    s3svm_segment_model *model = model_prepare();
    must(s3svm_segmenter_create(model, photograph, NULL, &s, &error), &error);
    must(s3svm_segmenter_mark(s, STROKES, marks, &error), &error);
    const double seconds = seconds_passed() - began;
    s3svm_segmenter_free(s);
    s3svm_segment_model_free(model);
    return seconds;
}

static waits waits_measure(const s3svm_segment_model *model, const s3svm_image *photograph, const s3svm_mark marks[])
{
    s3svm_segmenter *s;
    sos_error error;
    series next = { 0 };
    waits w;
    double began = seconds_passed();
    must(s3svm_segmenter_create(model, photograph, NULL, &s, &error), &error);
    w.look = seconds_passed() - began;
    for (size_t k = 0; k < STROKES; k++) {
        began = seconds_passed();
        must(s3svm_segmenter_mark(s, 1, &marks[k], &error), &error);
        if (k)
            series_add(&next, seconds_passed() - began);
        else
            w.first = seconds_passed() - began;
    }
    w.next = series_median(&next);
    s3svm_segmenter_free(s);
    w.cold = cold_measure(photograph, marks);
    return w;
}

static void size_report(bench *b, const s3svm_segment_model *model, const s3svm_image *picture, const s3svm_image *scribbles,
                        size_t width, size_t height)
{
    char name[32];
    s3svm_point points[STROKES];
    s3svm_mark marks[STROKES];
    s3svm_image photograph = picture_scale(picture, width, height);
    clicks_draw(scribbles, width, height, points, marks);
    const waits w = waits_measure(model, &photograph, marks);
    snprintf(name, sizeof name, "%zux%zu", width, height);
    const cell cells[] = { { .text = name },           { .number = 1e3 * w.look }, { .number = 1e3 * w.first },
                           { .number = 1e3 * w.next }, { .number = 1e3 * w.cold }, { .number = w.next / w.cold } };
    report_row(&b->report, cells);
    s3svm_image_free(&photograph);
}

void section_strokes(bench *b)
{
    static const column columns[] = { { "size", "size", 10, COLUMN_TEXT }, { "look_ms", "look, ms", 9, 1 },
                                      { "first_ms", "first, ms", 9, 1 },   { "next_ms", "next, ms", 9, 1 },
                                      { "cold_ms", "cold, ms", 9, 1 },     { "share", "next / cold", 11, 2 } };
    s3svm_image picture, scribbles;
    sos_error error;
    if (s3svm_image_read(BENCH_PICTURES "/images/fruit.jpg", S3SVM_IMAGE_COLOUR, &picture, &error)) {
        printf("\nstrokes: not measured: %s\n", error.message);
        return;
    }
    must(s3svm_image_read(BENCH_PICTURES "/scribbles/fruit.png", S3SVM_IMAGE_LABELS, &scribbles, &error), &error);
    s3svm_segment_model *model = model_prepare();
    report_table(&b->report, "strokes", "From a new mark to new labels, model inside, all cores, seconds on the wall",
                 LENGTH(columns), columns);
    size_report(b, model, &picture, &scribbles, 516, 387);
    size_report(b, model, &picture, &scribbles, 1156, 867);
    report_table_end(&b->report);
    s3svm_segment_model_free(model);
    s3svm_image_free(&picture);
    s3svm_image_free(&scribbles);
}

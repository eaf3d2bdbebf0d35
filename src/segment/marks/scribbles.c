/* scribbles.c - files of scribbles: which convention one follows, and the marks that it means. */
#include "segment/marks/scribbles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/dialogue.h>

#include "base/error.h"
#include "base/path.h"

/* Grey values of a lossy trimap that still are black and white: what JPEG at a good quality does to them. */
enum { TRIMAP_SLACK = 5 };

typedef s3svm_scribbles_reading reading;

const char *s3svm_convention_name(s3svm_convention convention)
{
    static const char *const NAMES[] = { "auto", "palette", "opencv", "trimap", "colour", "list" };
    return NAMES[convention];
}

/* ---------------------------------------------------------------- the file */

/* Byte 25 of a PNG is its type; 3 has a palette. */
static bool has_palette(const char *path)
{
    unsigned char head[26];
    FILE *file = fopen(path, "rb");
    const bool whole = file && fread(head, 1, sizeof head, file) == sizeof head;
    if (file) fclose(file);
    return whole && !memcmp(head, "\x89PNG", 4) && head[25] == 3;
}

static sos_status scribbles_size_check(const reading *r, const s3svm_image *image)
{
    const s3svm_image *p = r->photograph;
    if (image->width == p->width && image->height == p->height) return SOS_OK;
    return sos_fail(r->error, SOS_ERR_ARGUMENT,
                    "%.200s: the scribbles have %zu by %zu pixels, but the photograph has %zu by %zu", r->path, image->width,
                    image->height, p->width, p->height);
}

static sos_status colour_read(reading *r)
{
    if (r->colour.pixels) return SOS_OK;
    const sos_status status = s3svm_image_read(r->path, S3SVM_IMAGE_COLOUR, &r->colour, r->error);
    return status ? status : scribbles_size_check(r, &r->colour);
}

static sos_status file_read(reading *r)
{
    sos_status status = s3svm_image_read(r->path, S3SVM_IMAGE_LABELS, &r->labels, r->error);
    if (status == SOS_ERR_FORMAT) return colour_read(r);
    if (!status) status = scribbles_size_check(r, &r->labels);
    for (size_t i = 0; !status && i < s3svm_image_size(&r->labels); i++) r->histogram[r->labels.pixels[i]]++;
    r->palette = !status && has_palette(r->path);
    return status;
}

static bool is_grey(const s3svm_image *colour)
{
    for (const uint8_t *p = colour->pixels, *end = p + 3 * s3svm_image_size(colour); p < end; p += 3)
        if (p[0] != p[1] || p[0] != p[2]) return false;
    return true;
}

/* ---------------------------------------------------------------- numbers */

static sos_status number_fail(const reading *r, const char *numbers)
{
    size_t i = 0;
    while (r->labels.pixels[i] <= (numbers[strlen(numbers) - 1] - '0')) i++;
    return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: pixel (%zu, %zu) is %d; in the convention \"%s\" numbers are %s",
                    r->path, i % r->labels.width, i / r->labels.width, r->labels.pixels[i],
                    s3svm_convention_name(r->found.convention), numbers);
}

static uint8_t highest(const reading *r)
{
    size_t v = 255;
    while (v && !r->histogram[v]) v--;
    return (uint8_t)v;
}

static sos_status numbers_needed(const reading *r)
{
    if (r->labels.pixels) return SOS_OK;
    return sos_fail(
        r->error, SOS_ERR_FORMAT,
        "%.200s: in the convention \"%s\" pixels are numbers, but this is a colour picture, or of 16 bits, or a JPEG", r->path,
        s3svm_convention_name(r->found.convention));
}

static sos_status palette_take(reading *r)
{
    const sos_status status = numbers_needed(r);
    if (status) return status;
    if (highest(r) > S3SVM_MARK_BACKGROUND) return number_fail(r, "0, 1 and 2");
    memcpy(r->marks.pixels, r->labels.pixels, s3svm_image_size(&r->marks));
    snprintf(r->found.words, sizeof r->found.words, "palette: 1 object, 2 background");
    return SOS_OK;
}

static sos_status opencv_take(reading *r)
{
    static const uint8_t MARKS[] = { S3SVM_MARK_BACKGROUND, S3SVM_MARK_OBJECT, S3SVM_MARK_PERHAPS_BACKGROUND,
                                     S3SVM_MARK_PERHAPS_OBJECT };
    const sos_status status = numbers_needed(r);
    if (status) return status;
    if (highest(r) > 3) return number_fail(r, "0, 1, 2 and 3");
    for (size_t i = 0; i < s3svm_image_size(&r->marks); i++) r->marks.pixels[i] = MARKS[r->labels.pixels[i]];
    snprintf(r->found.words, sizeof r->found.words, "opencv: 0 background, 1 object, 2 and 3 perhaps");
    return SOS_OK;
}

/* A picture of 1 bit has numbers 0 and 1, one with a palette any; what they look like counts. */
static sos_status trimap_take(reading *r)
{
    const sos_status status = colour_read(r);
    if (status) return status;
    if (!is_grey(&r->colour))
        return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: a trimap is grey, but this picture has colours", r->path);
    const int slack = r->labels.pixels ? 0 : TRIMAP_SLACK;
    for (size_t i = 0; i < s3svm_image_size(&r->marks); i++) {
        const int grey = r->colour.pixels[3 * i];
        r->marks.pixels[i] = grey <= slack ? S3SVM_MARK_BACKGROUND : grey >= 255 - slack ? S3SVM_MARK_OBJECT : S3SVM_MARK_NONE;
    }
    snprintf(r->found.words, sizeof r->found.words, "trimap: black background, white object");
    return SOS_OK;
}

static sos_status colour_take(reading *r)
{
    const sos_status status = colour_read(r);
    return status ? status : s3svm_scribbles_strokes(r);
}

/* ---------------------------------------------------------------- which convention */

static sos_status ambiguous(const reading *r, const char *what, const char *choices)
{
    return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: %s; --convention says which: %s", r->path, what, choices);
}

/* A grey photograph with strokes on it looks like a trimap, but for its many greys that are the photograph's: a quarter of all
 * pixels would be a strange trimap. */
static bool is_over_photograph(const reading *r)
{
    size_t same = 0;
    for (size_t i = 0; i < s3svm_image_size(&r->colour); i++) {
        const uint8_t *p = r->colour.pixels + 3 * i;
        same += p[0] > TRIMAP_SLACK && p[0] < 255 - TRIMAP_SLACK && s3svm_scribbles_are_near(p, r->photograph->pixels + 3 * i);
    }
    return same > s3svm_image_size(&r->colour) / 4;
}

/* A palette whose colours say the opposite of its numbers. */
static bool is_swapped(const reading *r)
{
    int one = S3SVM_STROKE_UNCLEAR, two = S3SVM_STROKE_UNCLEAR;
    for (size_t i = 0; i < s3svm_image_size(&r->labels); i++) {
        if (r->labels.pixels[i] == 1) one = s3svm_stroke_of(r->colour.pixels + 3 * i);
        if (r->labels.pixels[i] == 2) two = s3svm_stroke_of(r->colour.pixels + 3 * i);
    }
    return one == S3SVM_STROKE_BLUE && (two == S3SVM_STROKE_RED || two == S3SVM_STROKE_GREEN);
}

static sos_status recognise_palette(reading *r)
{
    const size_t n = s3svm_image_size(&r->labels);
    sos_status status = colour_read(r);
    if (status) return status;
    r->found.convention = S3SVM_CONVENTION_COLOUR;
    if (highest(r) > S3SVM_MARK_BACKGROUND || 2 * r->histogram[0] < n) {
        if (is_grey(&r->colour)) r->found.convention = S3SVM_CONVENTION_TRIMAP;
        return SOS_OK;
    }
    if (is_swapped(r))
        return ambiguous(r, "by its numbers 1, which is blue, marks the object, by its colours the background",
                         "palette (the numbers) or colour");
    r->found.convention = S3SVM_CONVENTION_PALETTE;
    return SOS_OK;
}

/* Grey values from 0 to 3 are labels, others grey. */
static sos_status recognise_grey(reading *r)
{
    const size_t n = s3svm_image_size(&r->labels), *h = r->histogram;
    const size_t most = highest(r), small = h[1] + h[2] + h[3];
    if (most == 1)
        return ambiguous(r, "all pixels are 0 or 1",
                         "palette (0 means nothing), opencv (0 means background) or trimap (black "
                         "means background)");
    if (most == 2 && 2 * h[0] < n && 2 * h[2] < n)
        return ambiguous(r, "all pixels are 0, 1 or 2", "palette (2 means background) or opencv (0 means background)");
    if (most <= 3) {
        r->found.convention = most < 3 && 2 * h[0] >= n ? S3SVM_CONVENTION_PALETTE : S3SVM_CONVENTION_OPENCV;
        return SOS_OK;
    }
    const sos_status status = colour_read(r);
    if (status) return status;
    r->found.convention = S3SVM_CONVENTION_COLOUR;
    if (is_over_photograph(r)) return SOS_OK;
    if (small)
        return ambiguous(r, "some grey values are labels 1, 2 or 3, others not",
                         "trimap (0 background, 255 object), or other numbers are needed");
    if (h[0] + h[255] == n && h[0] && h[255])
        return ambiguous(r, "all pixels are black or white",
                         "trimap (a finished mask: black means background) or colour (white or black strokes)");
    r->found.convention = S3SVM_CONVENTION_TRIMAP;
    return SOS_OK;
}

/* Without numbers: 16 bits, JPEG, opacity, or colours. */
static sos_status recognise_picture(reading *r)
{
    r->found.convention = S3SVM_CONVENTION_COLOUR;
    if (!is_grey(&r->colour)) return SOS_OK;
    size_t between = 0;
    for (size_t i = 0; i < s3svm_image_size(&r->colour); i++) {
        const int grey = r->colour.pixels[3 * i];
        between += grey > TRIMAP_SLACK && grey < 255 - TRIMAP_SLACK;
    }
    if (20 * between < s3svm_image_size(&r->colour)) /* some are where soft strokes end */
        return ambiguous(r, "all pixels are black or white",
                         "trimap (a finished mask: black means background) or colour (white or black strokes)");
    if (!is_over_photograph(r)) r->found.convention = S3SVM_CONVENTION_TRIMAP;
    return SOS_OK;
}

static sos_status recognise(reading *r)
{
    r->found.convention = r->settings.convention;
    if (r->settings.convention) return SOS_OK;
    r->found.convention = S3SVM_CONVENTION_COLOUR;
    if (r->settings.object || r->settings.background) return SOS_OK;
    if (!r->labels.pixels) return recognise_picture(r);
    if (r->histogram[0] == s3svm_image_size(&r->labels) && !r->palette)
        return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: nothing is marked: all pixels are 0", r->path);
    return r->palette ? recognise_palette(r) : recognise_grey(r);
}

static sos_status take(reading *r)
{
    switch (r->found.convention) {
    case S3SVM_CONVENTION_PALETTE: return palette_take(r);
    case S3SVM_CONVENTION_OPENCV: return opencv_take(r);
    case S3SVM_CONVENTION_TRIMAP: return trimap_take(r);
    case S3SVM_CONVENTION_COLOUR: return colour_take(r);
    case S3SVM_CONVENTION_LIST:
    case S3SVM_CONVENTION_AUTO: break;
    }
    return sos_fail(r->error, SOS_ERR_ARGUMENT, "there is no convention number %d", (int)r->found.convention);
}

static sos_status marks_check(const reading *r)
{
    size_t counts[S3SVM_MARKS];
    s3svm_marks_count(&r->marks, counts);
    if (counts[S3SVM_MARK_NONE] < s3svm_image_size(&r->marks)) return SOS_OK;
    return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: nothing is marked, in the convention \"%s\"", r->path,
                    s3svm_convention_name(r->found.convention));
}

/* ---------------------------------------------------------------- calls */

static bool is_list(const reading *r)
{
    const s3svm_convention c = r->settings.convention;
    return c == S3SVM_CONVENTION_LIST || (c == S3SVM_CONVENTION_AUTO && sos_path_ends(r->path, ".json"));
}

static sos_status reading_begin(reading *r, const s3svm_scribbles_settings *settings, const void *out)
{
    const s3svm_image *p = r->photograph;
    if (!r->path || !out || !p || !p->pixels || p->channels != 3)
        return sos_fail(r->error, SOS_ERR_ARGUMENT,
                        "no path, no photograph of 3 channels or no place for the scribbles was given");
    if (settings) r->settings = *settings;
    return sos_reserved_check("s3svm_scribbles_settings", &r->settings, r->error);
}

/* marks are the reading's, to free. */
static sos_status picture_read(reading *r)
{
    sos_status status = file_read(r);
    if (!status) status = s3svm_image_create(r->photograph->width, r->photograph->height, 1, &r->marks, r->error);
    if (!status) status = recognise(r);
    if (!status) status = take(r);
    if (!status) status = marks_check(r);
    s3svm_image_free(&r->labels);
    s3svm_image_free(&r->colour);
    return status;
}

static sos_status list_read(reading *r, s3svm_dialogue **out)
{
    s3svm_dialogue *d;
    sos_status status = s3svm_dialogue_read(r->path, &d, r->error);
    if (status) return status;
    const size_t steps = s3svm_dialogue_steps(d);
    status = scribbles_size_check(r, &(s3svm_image){ .width = s3svm_dialogue_width(d), .height = s3svm_dialogue_height(d) });
    if (!status && !steps)
        status = sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: nothing is marked: the list of marks is empty", r->path);
    if (status) {
        s3svm_dialogue_free(d);
        return status;
    }
    r->found.convention = S3SVM_CONVENTION_LIST;
    snprintf(r->found.words, sizeof r->found.words, "a list of marks in %zu step%s", steps, steps == 1 ? "" : "s");
    *out = d;
    return SOS_OK;
}

/* A picture as the only step. */
static sos_status picture_dialogue(reading *r, s3svm_dialogue **out)
{
    s3svm_dialogue *d = NULL;
    sos_status status = picture_read(r);
    if (!status) status = s3svm_dialogue_create(r->marks.width, r->marks.height, &d, r->error);
    if (!status) status = s3svm_dialogue_add(d, 1, &(s3svm_mark){ .shape = S3SVM_SHAPE_PIXELS, .pixels = &r->marks }, r->error);
    s3svm_image_free(&r->marks);
    if (status)
        s3svm_dialogue_free(d);
    else
        *out = d;
    return status;
}

sos_status s3svm_dialogue_read_scribbles(const char *path, const s3svm_image *photograph,
                                         const s3svm_scribbles_settings *settings, s3svm_dialogue **out,
                                         s3svm_scribbles_found *found, sos_error *error)
{
    reading r = { .path = path, .photograph = photograph, .error = error };
    sos_status status = reading_begin(&r, settings, out);
    if (!status) status = is_list(&r) ? list_read(&r, out) : picture_dialogue(&r, out);
    if (!status && found) *found = r.found;
    return status;
}

sos_status s3svm_scribbles_read(const char *path, const s3svm_image *photograph, const s3svm_scribbles_settings *settings,
                                s3svm_image *marks, s3svm_scribbles_found *found, sos_error *error)
{
    reading r = { .path = path, .photograph = photograph, .error = error };
    s3svm_dialogue *d = NULL;
    sos_status status = reading_begin(&r, settings, marks);
    if (status) return status;
    if (!is_list(&r)) {
        status = picture_read(&r);
    } else {
        status = list_read(&r, &d);
        if (!status) status = s3svm_image_create(photograph->width, photograph->height, 1, &r.marks, error);
        if (!status) status = s3svm_dialogue_draw(d, s3svm_dialogue_steps(d), &r.marks, error);
        s3svm_dialogue_free(d);
    }
    if (status) {
        s3svm_image_free(&r.marks);
        return status;
    }
    *marks = r.marks;
    if (found) *found = r.found;
    return SOS_OK;
}

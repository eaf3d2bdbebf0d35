/* dialogue_file.c - reads and writes dialogues as JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/number.h"
#include "base/output.h"
#include "vision/dialogue.h"

static const char FORMAT[] = "s3svm marks";
enum { VERSION = 1 };

static const char *const SHAPES[S3SVM_SHAPES] = { "stroke", "box", "outline", "pixels" };

/* ---------------------------------------------------------------- writing */

static void points_write(sos_json *j, const s3svm_mark *m)
{
    char text[SOS_REAL_TEXT];
    sos_json_open_row(j, "points", '[');
    for (size_t i = 0; i < m->count; i++) {
        sos_json_raw(j, NULL, sos_number_print_float(m->points[i].x, text));
        sos_json_raw(j, NULL, sos_number_print_float(m->points[i].y, text));
    }
    sos_json_close(j, ']');
}

/* How often a mark comes, and which, row after row. */
static void runs_write(sos_json *j, const s3svm_image *pixels)
{
    const size_t n = s3svm_image_size(pixels);
    sos_json_open_row(j, "runs", '[');
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && pixels->pixels[end] == pixels->pixels[i];) end++;
        sos_json_count(j, NULL, end - i);
        sos_json_count(j, NULL, pixels->pixels[i]);
    }
    sos_json_close(j, ']');
}

static void mark_write(sos_json *j, const s3svm_mark *m)
{
    char text[SOS_REAL_TEXT];
    sos_json_open(j, NULL, '{');
    sos_json_text(j, "shape", SHAPES[m->shape]);
    if (m->shape == S3SVM_SHAPE_STROKE) {
        sos_json_text(j, "label", m->label == S3SVM_MARK_OBJECT ? "object" : "background");
        sos_json_raw(j, "radius", sos_number_print_float(m->radius, text));
    }
    if (m->shape == S3SVM_SHAPE_PIXELS)
        runs_write(j, m->pixels);
    else
        points_write(j, m);
    sos_json_close(j, '}');
}

static void dialogue_print(const s3svm_dialogue *d, FILE *file)
{
    sos_json j = { .file = file };
    sos_json_open(&j, NULL, '{');
    sos_json_text(&j, "format", FORMAT);
    sos_json_count(&j, "version", VERSION);
    sos_json_count(&j, "width", s3svm_dialogue_width(d));
    sos_json_count(&j, "height", s3svm_dialogue_height(d));
    sos_json_open(&j, "steps", '[');
    for (size_t s = 0; s < s3svm_dialogue_steps(d); s++) {
        sos_json_open(&j, NULL, '[');
        for (size_t i = 0; i < s3svm_dialogue_count(d, s); i++) {
            const s3svm_mark m = s3svm_dialogue_mark(d, s, i);
            mark_write(&j, &m);
        }
        sos_json_close(&j, ']');
    }
    sos_json_close(&j, ']');
    sos_json_close(&j, '}');
}

sos_status s3svm_dialogue_write(const s3svm_dialogue *d, const char *path, sos_error *error)
{
    sos_output out;
    const sos_status status = sos_output_open(&out, path, error);
    if (status) return status;
    dialogue_print(d, out.file);
    return sos_output_commit(&out);
}

sos_status s3svm_dialogue_encode(const s3svm_dialogue *d, char **text, size_t *length, sos_error *error)
{
    sos_output out;
    const sos_status status = sos_output_open_memory(&out, error);
    if (status) return status;
    dialogue_print(d, out.file);
    return sos_output_take(&out, text, length);
}

/* ---------------------------------------------------------------- reading */

/* A file being read, and where it is. */
typedef struct reading {
    const char *name;
    size_t width, height, step, mark;
    size_t pictures; /* pixels of all so far */
    sos_error *error;
} reading;

static sos_status file_wrong(const reading *r, const char *what)
{
    return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: %s", r->name, what);
}

static sos_status mark_wrong(const reading *r, const char *what)
{
    return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: step %zu, mark %zu: %s", r->name, r->step + 1, r->mark + 1, what);
}

static sos_status strangers_check(const reading *r, const sos_json_value *object, const char *const known[], bool in_mark)
{
    char words[200], name[80];
    const char *stranger = sos_json_value_stranger(object, known);
    if (!stranger) return SOS_OK;
    snprintf(words, sizeof words, "the member \"%s\" is not known here", sos_harmless(stranger, sizeof name, name));
    return in_mark ? mark_wrong(r, words) : file_wrong(r, words);
}

/* A whole number from low to high; false: it is none. */
static bool whole_read(const sos_json_value *v, double low, double high, size_t *out)
{
    const double x = sos_json_value_number(v);
    if (!(x >= low && x <= high && x == floor(x))) return false;
    *out = (size_t)x;
    return true;
}

static sos_status points_read(const reading *r, const sos_json_value *object, s3svm_mark *m, s3svm_point **points)
{
    const sos_json_value *list = sos_json_value_member(object, "points");
    const size_t size = sos_json_value_size(list);
    if (sos_json_value_kind(list) != SOS_JSON_LIST || size % 2)
        return mark_wrong(r, "\"points\" must be a list x, y, x, y, ...");
    *points = malloc((size ? size : 1) * sizeof **points);
    if (!*points) return sos_fail(r->error, SOS_ERR_MEMORY, "no memory for %zu points", size / 2);
    for (size_t i = 0; i < size; i++) {
        const double x = sos_json_value_number(sos_json_value_item(list, i));
        if (!(fabs(x) <= S3SVM_DIALOGUE_COORDINATE_MAX))
            return mark_wrong(r, "coordinates in \"points\" must be numbers of at most 1048576");
        if (i % 2)
            (*points)[i / 2].y = (float)x;
        else
            (*points)[i / 2].x = (float)x;
    }
    m->count = size / 2;
    m->points = *points;
    return SOS_OK;
}

static sos_status runs_read(reading *r, const sos_json_value *object, s3svm_mark *m, s3svm_image *pixels)
{
    const sos_json_value *list = sos_json_value_member(object, "runs");
    const size_t size = sos_json_value_size(list), n = r->width * r->height;
    size_t at = 0, count, mark;
    if (sos_json_value_kind(list) != SOS_JSON_LIST || size % 2)
        return mark_wrong(r, "\"runs\" must be a list count, mark, count, mark, ...");
    r->pictures += n; /* before memory is taken for them */
    if (r->pictures > S3SVM_DIALOGUE_PICTURE_PIXELS_MAX) return mark_wrong(r, "pictures of marks have too many pixels in all");
    const sos_status status = s3svm_image_create(r->width, r->height, 1, pixels, r->error);
    if (status) return status;
    for (size_t i = 0; i < size; i += 2) {
        if (!whole_read(sos_json_value_item(list, i), 1, (double)(n - at), &count) ||
            !whole_read(sos_json_value_item(list, i + 1), 0, S3SVM_MARKS - 1, &mark))
            return mark_wrong(
                r, "a run must have a count of at least 1, in total no more than there are pixels, and a mark of 0 to 4");
        memset(pixels->pixels + at, (int)mark, count);
        at += count;
    }
    if (at < n) return mark_wrong(r, "\"runs\" ends before the last pixel");
    m->pixels = pixels;
    return SOS_OK;
}

static sos_status stroke_read(const reading *r, const sos_json_value *object, s3svm_mark *m)
{
    const char *label = sos_json_value_text(sos_json_value_member(object, "label"));
    const double radius = sos_json_value_number(sos_json_value_member(object, "radius"));
    if (!label || (strcmp(label, "object") != 0 && strcmp(label, "background") != 0))
        return mark_wrong(r, "\"label\" of a stroke must be \"object\" or \"background\"");
    if (!(radius >= 0 && radius <= S3SVM_DIALOGUE_RADIUS_MAX))
        return mark_wrong(r, "\"radius\" of a stroke must be 0 to 65536");
    m->label = *label == 'o' ? S3SVM_MARK_OBJECT : S3SVM_MARK_BACKGROUND;
    m->radius = (float)radius;
    return SOS_OK;
}

static bool shape_find(const sos_json_value *object, s3svm_shape *shape)
{
    const char *name = sos_json_value_text(sos_json_value_member(object, "shape"));
    for (int i = 0; name && i < S3SVM_SHAPES; i++)
        if (!strcmp(name, SHAPES[i])) {
            *shape = (s3svm_shape)i;
            return true;
        }
    return false;
}

/* What marks of a step own until they are added. */
typedef struct holding {
    s3svm_point *points;
    s3svm_image pixels;
} holding;

static sos_status mark_read(reading *r, const sos_json_value *object, s3svm_mark *m, holding *h)
{
    static const char *const STROKE[] = { "shape", "label", "radius", "points", NULL };
    static const char *const AROUND[] = { "shape", "points", NULL };
    static const char *const PICTURE[] = { "shape", "runs", NULL };
    if (sos_json_value_kind(object) != SOS_JSON_OBJECT || !shape_find(object, &m->shape))
        return mark_wrong(r, "a mark must be an object with \"shape\": \"stroke\", \"box\", \"outline\" or \"pixels\"");
    const bool stroke = m->shape == S3SVM_SHAPE_STROKE, picture = m->shape == S3SVM_SHAPE_PIXELS;
    const char *const *known = stroke ? STROKE : picture ? PICTURE : AROUND;
    sos_status status = strangers_check(r, object, known, true);
    if (!status && stroke) status = stroke_read(r, object, m);
    if (status) return status;
    return picture ? runs_read(r, object, m, &h->pixels) : points_read(r, object, m, &h->points);
}

static sos_status marks_read(reading *r, const sos_json_value *list, s3svm_mark marks[], holding held[], s3svm_dialogue *d)
{
    const size_t count = sos_json_value_size(list);
    sos_status status = SOS_OK;
    sos_error why;
    for (r->mark = 0; r->mark < count && !status; r->mark++)
        status = mark_read(r, sos_json_value_item(list, r->mark), &marks[r->mark], &held[r->mark]);
    if (status) return status;
    status = s3svm_dialogue_add(d, count, marks, &why);
    if (!status || status == SOS_ERR_MEMORY) return status ? sos_fail(r->error, status, "%s", why.message) : SOS_OK;
    return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: step %zu: %.250s", r->name, r->step + 1, why.message);
}

static sos_status step_read(reading *r, const sos_json_value *list, s3svm_dialogue *d)
{
    const size_t count = sos_json_value_size(list);
    if (sos_json_value_kind(list) != SOS_JSON_LIST || !count)
        return sos_fail(r->error, SOS_ERR_FORMAT, "%.200s: step %zu is not a list of marks", r->name, r->step + 1);
    s3svm_mark *marks = calloc(count, sizeof *marks);
    holding *held = calloc(count, sizeof *held);
    const sos_status status = marks && held ? marks_read(r, list, marks, held, d)
                                            : sos_fail(r->error, SOS_ERR_MEMORY, "no memory for %zu marks", count);
    for (size_t i = 0; held && i < count; i++) {
        free(held[i].points);
        s3svm_image_free(&held[i].pixels);
    }
    free(marks);
    free(held);
    return status;
}

static sos_status head_read(reading *r, const sos_json_value *whole)
{
    static const char *const KNOWN[] = { "format", "version", "width", "height", "steps", NULL };
    const char *format = sos_json_value_text(sos_json_value_member(whole, "format"));
    if (!format || strcmp(format, FORMAT) != 0) return file_wrong(r, "not a list of marks: \"format\" is not \"s3svm marks\"");
    if (sos_json_value_number(sos_json_value_member(whole, "version")) != VERSION)
        return file_wrong(r, "\"version\" must be 1");
    const sos_status status = strangers_check(r, whole, KNOWN, false);
    if (status) return status;
    if (!whole_read(sos_json_value_member(whole, "width"), 1, S3SVM_IMAGE_SIDE_MAX, &r->width) ||
        !whole_read(sos_json_value_member(whole, "height"), 1, S3SVM_IMAGE_SIDE_MAX, &r->height))
        return file_wrong(r, "\"width\" and \"height\" must be integers from 1 to 65536");
    if (sos_json_value_kind(sos_json_value_member(whole, "steps")) != SOS_JSON_LIST)
        return file_wrong(r, "\"steps\" must be a list");
    return SOS_OK;
}

static sos_status dialogue_fill(reading *r, const sos_json_value *whole, s3svm_dialogue **out)
{
    const sos_json_value *steps = sos_json_value_member(whole, "steps");
    s3svm_dialogue *d = NULL;
    sos_status status = head_read(r, whole);
    if (!status) status = s3svm_dialogue_create(r->width, r->height, &d, r->error);
    for (r->step = 0; r->step < sos_json_value_size(steps) && !status; r->step++)
        status = step_read(r, sos_json_value_item(steps, r->step), d);
    if (status)
        s3svm_dialogue_free(d);
    else
        *out = d;
    return status;
}

sos_status s3svm_dialogue_parse(const char *text, size_t length, const char *name, s3svm_dialogue **out, sos_error *error)
{
    reading r = { .name = name, .error = error };
    sos_json_value *whole;
    if (!text || !name || !out) return sos_fail(error, SOS_ERR_ARGUMENT, "no text, no name or no place for marks was given");
    sos_status status = sos_json_read(text, length, name, &whole, error);
    if (status) return status;
    status = dialogue_fill(&r, whole, out);
    sos_json_free(whole);
    return status;
}

sos_status s3svm_dialogue_read(const char *path, s3svm_dialogue **out, sos_error *error)
{
    char *text;
    size_t length;
    if (!path) return sos_fail(error, SOS_ERR_ARGUMENT, "no path was given");
    sos_status status = sos_file_read(path, SOS_CONTENT_TEXT, &text, &length, error);
    if (status) return status;
    status = s3svm_dialogue_parse(text, length, path, out, error);
    free(text);
    return status;
}

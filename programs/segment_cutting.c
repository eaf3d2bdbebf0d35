/* segment_cutting.c - s3svm segment: the method, and one photograph's way through it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/embedded.h>
#include <s3svm/option.h>

#include "base/clock.h"
#include "base/error.h"
#include "files.h"
#include "segment.h"

static const char *const METHODS[] = { "s3svm", "amn", "grabcut" };

/* The models that the program carries inside: for s3svm, for amn. */
static const char *const MODELS[] = { "segment", "segment-amn" };

/* ---------------------------------------------------------------- method */

/* Prepares a model, whose method --method must not contradict. */
static int model_prepare(cutter *c, const sos_model *m)
{
    sos_error error;
    if (sos_maps_needed(m, &c->maps, &error) || sos_segment_model_create(m, &c->model, &error))
        return command_fail("%s: %s", c->model_name, error.message);
    const char *is = sos_segment_method_name(sos_segment_model_method(c->model));
    if (c->method != METHOD_UNSAID && strcmp(METHODS[c->method], is) != 0)
        return command_fail("%s: a model of the method %s, not %s", c->model_name, is, METHODS[c->method]);
    if (c->method == METHOD_UNSAID) c->method = METHOD_S3SVM;
    return COMMAND_DONE;
}

static int model_take(const request *r, cutter *c)
{
    sos_error error;
    sos_model *m;
    bool named_inside;
    const char *path = r->model_path, *inside = MODELS[c->method == METHOD_AMN];
    c->model_name = path ? path : inside;
    const sos_status status = path ? model_find(path, &m, &named_inside, &error) : sos_embedded_model(inside, &m, &error);
    if (!status) {
        const int code = model_prepare(c, m);
        sos_model_free(m);
        return code;
    }
    if (path || c->method != METHOD_UNSAID) return command_fail("%s", error.message);
    c->method = METHOD_GRABCUT;
    fprintf(stderr, "s3svm: note: %s: the method is GrabCut\n", error.message);
    return COMMAND_DONE;
}

int cutter_create(const request *r, cutter *c)
{
    *c = (cutter){ .method = (method)r->method };
    return c->method == METHOD_GRABCUT ? COMMAND_DONE : model_take(r, c);
}

void cutter_free(cutter *c) { sos_segment_model_free(c->model); }

const char *cutter_method(const cutter *c)
{
    return c->model ? sos_segment_method_name(sos_segment_model_method(c->model)) : METHODS[c->method];
}

/* ---------------------------------------------------------------- input */

bool rectangle_parse(const char *text, long rectangle[4])
{
    sos_reals r;
    if (!sos_reals_parse(text, 4, &r) || r.count != 4) return false;
    for (int i = 0; i < 4; i++) {
        if (r.values[i] != rint(r.values[i]) || fabs(r.values[i]) > 1e9) return false;
        rectangle[i] = (long)r.values[i];
    }
    return rectangle[2] > 0 && rectangle[3] > 0;
}

/* A photograph in memory. */
typedef struct table {
    const request *r;
    const cutter *c;
    const sos_work *work;
    cutting *k;
    sos_image photograph;
    sos_dialogue *dialogue; /* all that was marked, in order */
    sos_image marks;        /* the same, drawn */
    sos_maps maps;
    uint8_t *labels;
} table;

static void table_free(table *t)
{
    sos_image_free(&t->photograph);
    sos_dialogue_free(t->dialogue);
    sos_image_free(&t->marks);
    sos_maps_free(&t->maps);
    free(t->labels);
}

/* A rectangle is a box between the centres of its outermost pixels, and a step of its own.  Boxes that end far outside of the
 * photograph are cut where all of it is inside. */
static sos_status rectangle_add(table *t, sos_error *error)
{
    const double most = SOS_DIALOGUE_COORDINATE_MAX;
    long r[4];
    rectangle_parse(t->r->rectangle, r); /* it was checked */
    const double left = fmax((double)r[0], -most), top = fmax((double)r[1], -most);
    const double right = fmin((double)r[0] + (double)r[2] - 1, most), bottom = fmin((double)r[1] + (double)r[3] - 1, most);
    if (right < 0 || bottom < 0 || left >= (double)t->photograph.width || top >= (double)t->photograph.height)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the rectangle %ld,%ld,%ld,%ld has no pixel of a photograph of %zu by %zu",
                        r[0], r[1], r[2], r[3], t->photograph.width, t->photograph.height);
    const sos_point corners[2] = { { (float)left, (float)top }, { (float)right, (float)bottom } };
    return sos_dialogue_add(t->dialogue, 1, &(sos_mark){ .shape = SOS_SHAPE_BOX, .count = 2, .points = corners }, error);
}

/* What scribbles or a list say, then the rectangle; all of it is drawn, too. */
static sos_status marks_take(table *t, sos_error *error)
{
    const request *r = t->r;
    const sos_scribbles_settings settings = {
        .convention = r->marks ? SOS_CONVENTION_LIST : (sos_convention)r->convention,
        .object = (sos_stroke)r->object,
        .background = (sos_stroke)r->background,
    };
    cutting *k = t->k;
    sos_status status = k->scribbles ? sos_dialogue_read_scribbles(k->scribbles, &t->photograph, &settings, &t->dialogue,
                                                                   &k->found, error)
                                     : sos_dialogue_create(t->photograph.width, t->photograph.height, &t->dialogue, error);
    if (!status) status = sos_image_create(t->photograph.width, t->photograph.height, 1, &t->marks, error);
    if (!status) status = sos_dialogue_draw(t->dialogue, SIZE_MAX, &t->marks, error);
    if (!status && k->scribbles) sos_marks_count(&t->marks, k->counts);
    if (status || !r->rectangle) return status;
    size_t counts[SOS_MARKS];
    status = rectangle_add(t, error);
    if (!status) status = sos_dialogue_draw(t->dialogue, SIZE_MAX, &t->marks, error);
    if (status) return status;
    sos_marks_count(&t->marks, counts);
    k->rectangle_is_all = counts[SOS_MARK_BACKGROUND] == 0 && counts[SOS_MARK_OBJECT] == 0;
    return SOS_OK;
}

static sos_status table_read(table *t, sos_error *error)
{
    cutting *k = t->k;
    sos_status status = sos_image_read(k->photograph, SOS_IMAGE_COLOUR, &t->photograph, error);
    if (!status) status = marks_take(t, error);
    if (!status && k->maps) status = sos_npy_read(k->maps, &t->maps, error);
    if (status) return status;
    k->width = t->photograph.width;
    k->height = t->photograph.height;
    t->labels = malloc(k->width * k->height);
    return t->labels ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu by %zu labels", k->width, k->height);
}

/* ---------------------------------------------------------------- output */

static sos_status mask_write(const table *t, sos_error *error)
{
    sos_image mask;
    sos_status status = sos_image_create(t->photograph.width, t->photograph.height, 1, &mask, error);
    if (status) return status;
    for (size_t i = 0; i < sos_image_size(&mask); i++) mask.pixels[i] = t->labels[i] ? 255 : 0;
    status = sos_image_write(&mask, t->k->mask, error);
    sos_image_free(&mask);
    return status;
}

static sos_status cutout_write(const table *t, sos_error *error)
{
    sos_image picture;
    const double edge = isnan(t->r->edge) ? sos_cutout_edge(sos_image_size(&t->photograph)) : t->r->edge;
    sos_status status = sos_cutout_matte(&t->photograph, t->labels, edge, t->work->threads, &picture, error);
    if (status) return status;
    status = sos_image_write(&picture, t->k->cutout, error);
    sos_image_free(&picture);
    return status;
}

static sos_status overlay_write(const table *t, sos_error *error)
{
    sos_image picture;
    sos_status status = sos_cutout_overlay(&t->photograph, t->labels, &t->marks, t->work->threads, &picture, error);
    if (status) return status;
    status = sos_image_write(&picture, t->k->overlay, error);
    sos_image_free(&picture);
    return status;
}

static sos_status pictures_write(table *t, sos_error *error)
{
    const double began = sos_seconds();
    cutting *k = t->k;
    sos_status status = SOS_OK;
    if (!t->work->progress(t->work->user, "writing", -1)) return SOS_CANCELLED;
    if (k->cutout) status = cutout_write(t, error);
    if (!status && k->overlay) status = overlay_write(t, error);
    if (!status && k->mask) status = mask_write(t, error);
    k->seconds_pictures = sos_seconds() - began;
    return status;
}

/* ---------------------------------------------------------------- the run */

static sos_cutout_settings settings_make(const table *t)
{
    const request *r = t->r;
    sos_cutout_settings s = sos_cutout_defaults();
    if (r->iterations) s.grabcut.iterations = (size_t)r->iterations;
    if (r->pixels) s.pixels = (size_t)r->pixels;
    s.hard = !r->soft;
    s.work = *t->work;
    s.maps = t->maps.values ? &t->maps : NULL;
    return s;
}

/* Specks are what nobody wants in a cut-out. */
static sos_status labels_tidy(table *t, sos_error *error)
{
    const size_t n = sos_image_size(&t->photograph);
    cutting *k = t->k;
    sos_cutout_tidying tidying = sos_cutout_tidying_defaults(n);
    tidying.connected = t->r->connected;
    if (t->r->specks >= 0) tidying.specks = (size_t)t->r->specks;
    const sos_status status = sos_cutout_tidy(&t->marks, &tidying, t->labels, &k->tidied, error);
    k->result.object = 0;
    for (size_t i = 0; i < n; i++) k->result.object += t->labels[i];
    return status;
}

sos_status cutting_run(const request *r, const cutter *c, const sos_work *work, cutting *k, sos_error *error)
{
    table t = { .r = r, .c = c, .work = work, .k = k };
    sos_status status = table_read(&t, error);
    const double began = sos_seconds();
    const sos_cutout_settings settings = settings_make(&t);
    if (!status)
        status = sos_cutout_dialogue(c->model, &t.photograph, t.dialogue, SIZE_MAX, &settings, t.labels, &k->result, error);
    if (!status) status = labels_tidy(&t, error);
    if (!status) status = pictures_write(&t, error);
    k->seconds = sos_seconds() - began;
    table_free(&t);
    return status;
}

/* ---------------------------------------------------------------- what came out */

void cutting_notes(const request *r, const cutting *k, const char *name)
{
    const char *before = name ? name : "", *colon = name ? ": " : "";
    const size_t n = k->width * k->height, object = k->result.object;
    if (k->found.own)
        command_note(
            "%s%s%zu pixels, most of them %s, were not taken for strokes: the photograph has their colour there, and a "
            "lossy file may have changed it so far; strokes in a PNG leave no doubt",
            before, colon, k->found.own, sos_stroke_name(k->found.own_stroke));
    if (k->rectangle_is_all) command_note("%s%sthe rectangle is the whole photograph", before, colon);
    if (k->result.border_assumed)
        command_note("%s%sno background is marked: the border of the photograph was taken for background", before, colon);
    else if (k->result.background_assumed)
        command_note("%s%sno background is marked: what is not marked was taken for background to begin with", before, colon);
    if (k->result.object_assumed && !r->rectangle)
        command_note("%s%sno object is marked: it was looked for from the middle of the photograph", before, colon);
    if (!object || object == n) command_note("%s%s%s of the photograph is object", before, colon, object ? "all" : "nothing");
}

static double object_share(const cutting *k) { return (double)k->result.object / (double)(k->width * k->height); }

void cutting_members(sos_json *out, const request *r, const cutter *c, const cutting *k)
{
    sos_json_text(out, "file", k->photograph);
    if (k->mask) sos_json_text(out, "output", k->mask);
    if (k->cutout) sos_json_text(out, "cutout", k->cutout);
    if (k->overlay) sos_json_text(out, "overlay", k->overlay);
    sos_json_count(out, "width", k->width);
    sos_json_count(out, "height", k->height);
    sos_json_text(out, "method", cutter_method(c));
    if (c->model) sos_json_text(out, "model", c->model_name);
    if (k->scribbles) sos_json_text(out, "convention", sos_convention_name(k->found.convention));
    if (k->scribbles) sos_json_text(out, "scribbles", k->found.words);
    if (k->scribbles) sos_json_count(out, "not_strokes", k->found.own);
    if (r->rectangle) sos_json_text(out, "rectangle", r->rectangle);
    sos_json_count(out, "object_marks", k->counts[SOS_MARK_OBJECT]);
    sos_json_count(out, "background_marks", k->counts[SOS_MARK_BACKGROUND]);
    sos_json_truth(out, "background_assumed", k->result.background_assumed);
    sos_json_truth(out, "object_assumed", k->result.object_assumed);
    sos_json_real(out, "object", object_share(k));
    sos_json_count(out, "reduction", k->result.reduction);
    sos_json_count(out, "band", k->result.band);
    sos_json_count(out, "tidied", k->tidied);
    sos_json_real(out, "seconds", k->seconds);
    sos_json_real(out, "seconds_solve", k->result.seconds_solve);
    sos_json_real(out, "seconds_look", k->result.seconds_look);
    sos_json_real(out, "seconds_refine", k->result.seconds_refine);
    sos_json_real(out, "seconds_pictures", k->seconds_pictures);
}

void cutting_text(const request *r, const cutter *c, const cutting *k)
{
    printf("%s\n  size         %zu by %zu pixels\n", k->photograph, k->width, k->height);
    if (k->scribbles)
        printf("  scribbles    %s (%zu and %zu pixels)\n", k->found.words, k->counts[SOS_MARK_OBJECT],
               k->counts[SOS_MARK_BACKGROUND]);
    if (r->rectangle) printf("  rectangle    %s\n", r->rectangle);
    printf("  method       %s%s%s\n", cutter_method(c), c->model ? ", model " : "", c->model ? c->model_name : "");
    if (k->result.reduction > 1)
        printf("  solved       at 1/%zu of the sides, and %zu pixels along the outline at full size\n", k->result.reduction,
               k->result.band);
    printf("  object       %.2f %% of the pixels\n", 100 * object_share(k));
    printf("  seconds      %.4f: %.4f to segment, %.4f for the pictures\n", k->seconds,
           k->result.seconds_look + k->result.seconds_solve + k->result.seconds_refine, k->seconds_pictures);
}

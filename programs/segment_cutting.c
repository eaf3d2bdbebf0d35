/* segment_cutting.c - s3svm segment: the method, and one photograph's way through it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/option.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "files.h"
#include "heif.h"
#include "segment.h"

/* ---------------------------------------------------------------- method */

/* Prepares the model of a file, whose method --method must not contradict. */
static int model_prepare(cutter *c, const sos_model *m, const s3svm_segmenter_method *said)
{
    sos_error error;
    if (s3svm_maps_needed(m, &c->maps, &error) || s3svm_segment_model_create(m, &c->model, &error))
        return command_fail("%s: %s", c->model_name, error.message);
    c->evidence = !c->maps && s3svm_segment_model_evidence(c->model);
    c->method = s3svm_segment_method_name(s3svm_segment_model_method(c->model));
    if (said && strcmp(said->name, c->method) != 0)
        return command_fail("%s: a model of the method %s, not %s", c->model_name, c->method, said->name);
    return COMMAND_DONE;
}

static int model_take(const char *path, const s3svm_segmenter_method *said, cutter *c)
{
    sos_error error;
    sos_model *m;
    bool inside;
    c->model_name = path;
    if (model_find(path, &m, &inside, &error)) return command_fail("%s", error.message);
    const int code = model_prepare(c, m, said);
    sos_model_free(m);
    return code;
}

/* The method that needs no model. */
static const s3svm_segmenter_method *method_alone(void)
{
    size_t i = 0;
    while (s3svm_segmenter_method_at(i)->model) i++;
    return s3svm_segmenter_method_at(i);
}

static int calibration_take(const request *r, cutter *c)
{
    sos_error error;
    if (!r->calibration) return COMMAND_DONE;
    c->calibration = &c->given;
    return s3svm_maps_calibration_read(r->calibration, &c->given, &error) ? command_fail("%s", error.message) : COMMAND_DONE;
}

int cutter_create(const request *r, cutter *c)
{
    const s3svm_segmenter_method *said = r->method < 0 ? NULL : s3svm_segmenter_method_at((size_t)r->method);
    const s3svm_segmenter_method *taken = said ? said : s3svm_segmenter_method_at(0);
    sos_error error;
    *c = (cutter){ 0 };
    if (calibration_take(r, c)) return COMMAND_FAILED;
    if (r->backdrop && backdrop_read(r->backdrop, &c->backdrop, &error)) return command_fail("%s", error.message);
    if (r->model_path) return model_take(r->model_path, said, c);
    if (s3svm_segmenter_model(taken->name, &c->model, &error)) {
        if (said) return command_fail("%s", error.message);
        taken = method_alone();
        fprintf(stderr, "s3svm: note: %s: the method is %s\n", error.message, taken->title);
    }
    c->method = taken->name;
    c->model_name = taken->model;
    c->evidence = c->model && s3svm_segment_model_evidence(c->model);
    return COMMAND_DONE;
}

void cutter_free(cutter *c)
{
    s3svm_segment_model_free(c->model);
    s3svm_image_free(&c->backdrop);
}

/* ---------------------------------------------------------------- the photograph */

static void photograph_free(photograph *p)
{
    if (p->image.pixels != p->picture.image.pixels) s3svm_image_free(&p->image);
    s3svm_picture_free(&p->picture);
    s3svm_dialogue_free(p->dialogue);
    s3svm_image_free(&p->marks);
    s3svm_maps_free(&p->maps);
    free(p->labels);
    free(p->confidence);
}

/* libs3svm reads all but what libheif is for. */
static sos_status picture_read(const char *path, s3svm_picture *out, sos_error *error)
{
    if (!heif_recognise(path)) return s3svm_picture_read(path, out, error);
    char *bytes;
    size_t length;
    sos_status status = sos_file_read(path, SOS_CONTENT_BYTES, &bytes, &length, error);
    if (status) return status;
    status = heif_parse(bytes, length, path, out, error);
    free(bytes);
    return status;
}

static sos_status photograph_read(photograph *p, sos_error *error)
{
    cutting *k = p->k;
    sos_status status = picture_read(k->photograph, &p->picture, error);
    if (!status && p->picture.image.channels == 3)
        p->image = p->picture.image;
    else if (!status)
        status = s3svm_picture_seen(&p->picture, &p->image, error);
    if (!status) status = photograph_mark(p, error);
    if (!status && k->maps) status = evidence_read(p->c, k->maps, &p->maps, error);
    if (status) return status;
    k->width = p->image.width;
    k->height = p->image.height;
    p->labels = malloc(k->width * k->height);
    return p->labels ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu by %zu labels", k->width, k->height);
}

/* ---------------------------------------------------------------- evidence */

/* Maps that a model has learned from as they are stay so, unless a calibration was given. */
sos_status evidence_read(const cutter *c, const char *path, s3svm_maps *out, sos_error *error)
{
    sos_error why;
    sos_status status = s3svm_maps_read(path, out, error);
    if (status || (!c->evidence && !c->calibration)) return status;
    status = s3svm_maps_apply(c->calibration, out, &why);
    if (!status) return SOS_OK;
    s3svm_maps_free(out);
    return sos_fail(error, status, "'%.200s': %.250s", path, why.message);
}

sos_status evidence_doubt(const cutter *c, const s3svm_maps *maps, const uint8_t labels[], double *doubt, sos_error *error)
{
    s3svm_maps odds = *maps;
    *doubt = -1;
    if (!maps->values || maps->channels != 1) return SOS_OK;
    if (c->evidence || c->calibration) return s3svm_maps_doubt(maps, labels, doubt, error);
    sos_status status = s3svm_maps_create(maps->width, maps->height, 1, &odds, error);
    if (status) return status;
    memcpy(odds.values, maps->values, maps->width * maps->height * sizeof *odds.values);
    status = s3svm_maps_apply(NULL, &odds, error);
    if (!status) status = s3svm_maps_doubt(&odds, labels, doubt, error);
    s3svm_maps_free(&odds);
    return status;
}

static s3svm_segmentation_settings settings_make(const photograph *p)
{
    const request *r = p->r;
    s3svm_segmentation_settings s = s3svm_segmentation_defaults();
    if (r->iterations) s.grabcut.iterations = (size_t)r->iterations;
    if (r->pixels) s.pixels = (size_t)r->pixels;
    s.hard = !r->soft;
    s.tidying.connected = r->connected;
    if (r->specks >= 0) s.tidying.specks = r->specks ? (size_t)r->specks : 1; /* no part has fewer pixels */
    s.work = *p->work;
    s.maps = p->maps.values ? &p->maps : NULL;
    return s;
}

/* With a confidence to write all steps are made, and the segmenter asked behind the last one. */
static sos_status photograph_segment_surely(photograph *p, const s3svm_segmentation_settings *settings, sos_error *error)
{
    cutting *k = p->k;
    s3svm_segmenter *s = NULL;
    p->confidence = malloc(k->width * k->height * sizeof *p->confidence);
    if (!p->confidence)
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for confidence of %zu by %zu pixels", k->width, k->height);
    sos_status status = s3svm_segmenter_create(p->c->model, &p->image, settings, &s, error);
    if (!status) status = s3svm_segmenter_replay(s, p->dialogue, SIZE_MAX, error);
    if (!status && p->c->evidence && !s3svm_dialogue_steps(p->dialogue)) status = s3svm_segmenter_propose(s, error);
    if (!status) status = s3svm_segmenter_confidence(s, p->confidence, &k->sure, error);
    if (!status) memcpy(p->labels, s3svm_segmenter_labels(s), k->width * k->height);
    if (!status) k->result = s3svm_segmenter_result(s);
    s3svm_segmenter_free(s);
    return status;
}

static sos_status photograph_segment(photograph *p, sos_error *error)
{
    const s3svm_segmentation_settings settings = settings_make(p);
    if (p->k->confidence) return photograph_segment_surely(p, &settings, error);
    return s3svm_photograph_segment(p->c->model, &p->image, p->dialogue, &settings, p->labels, &p->k->result, error);
}

sos_status cutting_run(const request *r, const cutter *c, const sos_work *work, cutting *k, sos_error *error)
{
    photograph p = { .r = r, .c = c, .work = work, .k = k };
    const double began = sos_seconds();
    sos_status status = photograph_read(&p, error);
    const double read = sos_seconds();
    if (!status) status = photograph_segment(&p, error);
    if (!status) status = evidence_doubt(c, &p.maps, p.labels, &k->doubt, error);
    const double segmented = sos_seconds();
    if (!status) status = photograph_write(&p, error);
    const double written = sos_seconds();
    k->seconds = written - began;
    k->seconds_read = read - began;
    k->seconds_segment = segmented - read;
    k->seconds_pictures = written - segmented;
    photograph_free(&p);
    return status;
}

/* ---------------------------------------------------------------- what came out */

void cutting_notes(const request *r, const cutting *k, const char *name)
{
    const char *before = name ? name : "", *colon = name ? ": " : "";
    const size_t n = k->width * k->height, object = k->result.object;
    if (k->found.own)
        command_note(
            "%s%s%zu pixels, most of them %s, were not taken as strokes: the photograph has this colour there, and lossy "
            "compression may have changed it; strokes in a PNG avoid this",
            before, colon, k->found.own, s3svm_stroke_name(k->found.own_stroke));
    if (k->rectangle_is_all) command_note("%s%sthe rectangle is the whole photograph", before, colon);
    const bool proposed = k->maps && !k->result.marks[S3SVM_MARK_OBJECT] && !k->result.marks[S3SVM_MARK_BACKGROUND];
    if (proposed)
        command_note("%s%snothing is marked: this is what the maps propose", before, colon);
    else if (k->result.border_assumed)
        command_note("%s%sno background is marked: the border of the photograph was taken as background", before, colon);
    else if (k->result.background_assumed)
        command_note("%s%sno background is marked: unmarked pixels were taken as background at first", before, colon);
    if (k->result.object_assumed && !r->rectangle && !k->maps)
        command_note("%s%sno object is marked: the search started in the middle of the photograph", before, colon);
    if (!object || object == n) command_note("%s%s%s of the photograph is object", before, colon, object ? "all" : "nothing");
}

static double object_share(const cutting *k) { return (double)k->result.object / (double)(k->width * k->height); }

static void confidence_members(sos_json *out, const s3svm_confidence *c)
{
    if (c->found) {
        sos_json_open_row(out, "look_next", '[');
        sos_json_count(out, NULL, (size_t)c->next.x);
        sos_json_count(out, NULL, (size_t)c->next.y);
        sos_json_close(out, ']');
        sos_json_text(out, "look_next_label", c->label ? "object" : "background");
        sos_json_real(out, "look_next_confidence", c->confidence);
    }
    sos_json_count(out, "pieces", c->pieces);
    sos_json_real(out, "seconds_confidence", c->seconds);
}

void cutting_members(sos_json *out, const request *r, const cutter *c, const cutting *k)
{
    sos_json_text(out, "file", k->photograph);
    if (k->mask) sos_json_text(out, "output", k->mask);
    if (k->cutout) sos_json_text(out, "cutout", k->cutout);
    if (k->overlay) sos_json_text(out, "overlay", k->overlay);
    if (k->confidence) sos_json_text(out, "confidence", k->confidence);
    sos_json_count(out, "width", k->width);
    sos_json_count(out, "height", k->height);
    sos_json_text(out, "method", c->method);
    if (c->model) sos_json_text(out, "model", c->model_name);
    if (k->scribbles) sos_json_text(out, "convention", s3svm_convention_name(k->found.convention));
    if (k->scribbles) sos_json_text(out, "scribbles", k->found.words);
    if (k->scribbles) sos_json_count(out, "not_strokes", k->found.own);
    if (r->rectangle) sos_json_text(out, "rectangle", r->rectangle);
    if (r->clicks.count) sos_json_count(out, "object_clicks", k->clicks[true]);
    if (r->clicks.count) sos_json_count(out, "background_clicks", k->clicks[false]);
    sos_json_count(out, "object_marks", k->counts[S3SVM_MARK_OBJECT]);
    sos_json_count(out, "background_marks", k->counts[S3SVM_MARK_BACKGROUND]);
    sos_json_truth(out, "background_assumed", k->result.background_assumed);
    sos_json_truth(out, "object_assumed", k->result.object_assumed);
    sos_json_real(out, "object", object_share(k));
    if (k->doubt >= 0) sos_json_real(out, "unsure", k->doubt);
    sos_json_count(out, "reduction", k->result.reduction);
    sos_json_count(out, "band", k->result.band);
    sos_json_count(out, "tidied", k->result.tidied);
    if (r->trim && k->cutout) {
        sos_json_open_row(out, "trim", '[');
        for (int i = 0; i < 4; i++) sos_json_count(out, NULL, k->box[i]);
        sos_json_close(out, ']');
    }
    if (k->confidence) confidence_members(out, &k->sure);
    sos_json_real(out, "seconds", k->seconds);
    sos_json_real(out, "seconds_read", k->seconds_read);
    sos_json_real(out, "seconds_segment", k->seconds_segment); /* of which: */
    sos_json_real(out, "seconds_solve", k->result.seconds_solve);
    sos_json_real(out, "seconds_look", k->result.seconds_look);
    sos_json_real(out, "seconds_refine", k->result.seconds_refine);
    sos_json_real(out, "seconds_pictures", k->seconds_pictures);
}

void cutting_text(const request *r, const cutter *c, const cutting *k)
{
    printf("%s\n  size         %zu by %zu pixels\n", k->photograph, k->width, k->height);
    if (k->scribbles)
        printf("  scribbles    %s (%zu and %zu pixels)\n", k->found.words, k->counts[S3SVM_MARK_OBJECT],
               k->counts[S3SVM_MARK_BACKGROUND]);
    if (r->rectangle) printf("  rectangle    %s\n", r->rectangle);
    if (r->clicks.count) printf("  clicks       %zu on the object, %zu on the background\n", k->clicks[true], k->clicks[false]);
    printf("  method       %s%s%s\n", c->method, c->model ? ", model " : "", c->model ? c->model_name : "");
    if (k->result.reduction > 1)
        printf("  solved       at 1/%zu of the sides, and %zu pixels along the outline at full size\n", k->result.reduction,
               k->result.band);
    printf("  object       %.2f %% of the pixels\n", 100 * object_share(k));
    if (k->sure.found)
        printf("  look next    at %g,%g, which is %s now (confidence %.2f)\n", (double)k->sure.next.x, (double)k->sure.next.y,
               k->sure.label ? "object" : "background", k->sure.confidence);
    if (r->trim && k->cutout) printf("  trimmed      to %zu,%zu,%zu,%zu\n", k->box[0], k->box[1], k->box[2], k->box[3]);
    printf("  seconds      %.4f: %.4f to read, %.4f to segment, %.4f for the pictures\n", k->seconds, k->seconds_read,
           k->seconds_segment, k->seconds_pictures);
}

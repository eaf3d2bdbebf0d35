/* module.c - what JavaScript calls besides functions of the libraries: those that take or give structs, with plain numbers and
 * arrays instead.  Pictures come as canvases have them, four bytes for each pixel: red, green, blue and opacity. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/cutout.h>
#include <s3svm/denoise.h>
#include <s3svm/embedded.h>
#include <s3svm/segmenter.h>
#include <sos/minimize.h>

#include "base/error.h"
#include "why.h"

#if defined(__wasm__)
#define EXPORT(name) __attribute__((export_name(name)))
#else
#define EXPORT(name) /* of those who only read it, as linters do */
#endif

/* ---------------------------------------------------------------- energies */

EXPORT("web_minimize")
sos_status web_minimize(sos_minimizer *m, const sos_energy *e, bool warm, bool maximal, uint8_t labels[], double result[],
                        sos_error *error);

/* result receives energy, lower bound, rounding, whether it was warm, and seconds. */
sos_status web_minimize(sos_minimizer *m, const sos_energy *e, bool warm, bool maximal, uint8_t labels[], double result[],
                        sos_error *error)
{
    sos_minimize_settings settings = sos_minimize_defaults();
    sos_minimize_result r;
    settings.start = warm ? SOS_START_FLOW : SOS_START_COLD;
    settings.maximal = maximal;
    settings.device = SOS_DEVICE_CPU;
    const sos_status status = sos_minimizer_run(m, e, &settings, labels, &r, error);
    if (status) return status;
    const double numbers[] = { r.energy, r.lower_bound, r.rounding, r.warm,
                               r.seconds_build + r.seconds_reduce + r.seconds_solve };
    memcpy(result, numbers, sizeof numbers);
    return SOS_OK;
}

/* ---------------------------------------------------------------- pictures */

/* A photograph, and how it is seen: without opacity. */
typedef struct web_photograph {
    s3svm_picture picture;
    s3svm_image seen; /* the picture's own pixels where all are opaque */
} web_photograph;

EXPORT("web_photograph_create")
sos_status web_photograph_create(size_t width, size_t height, const uint8_t rgba[], web_photograph **out, sos_error *error);
EXPORT("web_photograph_free") void web_photograph_free(web_photograph *p);
EXPORT("web_photograph_seen") const s3svm_image *web_photograph_seen(const web_photograph *p);

static bool is_opaque(size_t pixels, const uint8_t rgba[])
{
    for (size_t i = 0; i < pixels; i++)
        if (rgba[4 * i + 3] != 255) return false;
    return true;
}

/* With as many channels as are needed. */
static sos_status picture_create(size_t width, size_t height, const uint8_t rgba[], s3svm_picture *out, sos_error *error)
{
    const size_t channels = is_opaque(width * height, rgba) ? 3 : 4;
    const sos_status status = s3svm_image_create(width, height, channels, &out->image, error);
    if (status) return status;
    for (size_t i = 0; i < width * height; i++) memcpy(out->image.pixels + channels * i, rgba + 4 * i, channels);
    return SOS_OK;
}

sos_status web_photograph_create(size_t width, size_t height, const uint8_t rgba[], web_photograph **out, sos_error *error)
{
    web_photograph *p = calloc(1, sizeof *p);
    if (!p) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a photograph");
    sos_status status = picture_create(width, height, rgba, &p->picture, error);
    if (!status && p->picture.image.channels == 3)
        p->seen = p->picture.image;
    else if (!status)
        status = s3svm_picture_seen(&p->picture, &p->seen, error);
    if (status)
        web_photograph_free(p);
    else
        *out = p;
    return status;
}

void web_photograph_free(web_photograph *p)
{
    if (!p) return;
    if (p->seen.pixels != p->picture.image.pixels) s3svm_image_free(&p->seen);
    s3svm_picture_free(&p->picture);
    free(p);
}

const s3svm_image *web_photograph_seen(const web_photograph *p) { return &p->seen; }

/* Four bytes a pixel from pictures of one, three or four channels. */
static void rgba_fill(const s3svm_image *image, uint8_t rgba[])
{
    const size_t channels = image->channels;
    for (size_t i = 0; i < s3svm_image_size(image); i++) {
        const uint8_t *in = image->pixels + channels * i;
        for (size_t c = 0; c < 3; c++) rgba[4 * i + c] = in[channels == 1 ? 0 : c];
        rgba[4 * i + 3] = channels == 4 ? in[3] : 255;
    }
}

/* ---------------------------------------------------------------- cutting out */

EXPORT("web_segmenter_create")
sos_status web_segmenter_create(const s3svm_segment_model *model, const web_photograph *p, size_t pixels, bool rough,
                                s3svm_segmenter **out, sos_error *error);
EXPORT("web_segmenter_tidy") void web_segmenter_tidy(s3svm_segmenter *s, bool connected);
EXPORT("web_segmenter_result") void web_segmenter_result(const s3svm_segmenter *s, double result[]);
EXPORT("web_cutout")
sos_status web_cutout(const web_photograph *p, const s3svm_segmenter *s, uint8_t rgba[], sos_error *error);
EXPORT("web_overlay")
sos_status web_overlay(const web_photograph *p, const s3svm_segmenter *s, uint8_t rgba[], sos_error *error);
EXPORT("web_why")
sos_status web_why(const web_photograph *p, s3svm_segmenter *s, bool prior, uint8_t rgba[], sos_error *error);
EXPORT("web_confidence")
sos_status web_confidence(s3svm_segmenter *s, float confidence[], double result[], sos_error *error);

/* pixels: larger photographs are solved at a reduced size; 0: as many as the method usually takes. */
sos_status web_segmenter_create(const s3svm_segment_model *model, const web_photograph *p, size_t pixels, bool rough,
                                s3svm_segmenter **out, sos_error *error)
{
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    settings.pixels = pixels;
    settings.rough = rough;
    return s3svm_segmenter_create(model, &p->seen, &settings, out, error);
}

void web_segmenter_tidy(s3svm_segmenter *s, bool connected)
{
    s3svm_segmenter_tidy(s, &(s3svm_tidying){ .connected = connected });
}

/* In the order of RESULT in package/segmenter.js. */
void web_segmenter_result(const s3svm_segmenter *s, double result[])
{
    const s3svm_segmentation_result r = s3svm_segmenter_result(s);
    const double numbers[] = { (double)r.object,
                               r.energy,
                               r.bound,
                               (double)r.reduction,
                               r.background_assumed,
                               r.border_assumed,
                               r.object_assumed,
                               r.seconds_look,
                               r.seconds_solve,
                               r.seconds_refine,
                               (double)r.marks[S3SVM_MARK_NONE] };
    memcpy(result, numbers, sizeof numbers);
}

sos_status web_cutout(const web_photograph *p, const s3svm_segmenter *s, uint8_t rgba[], sos_error *error)
{
    s3svm_picture out = { 0 };
    const double edge = s3svm_cutout_edge(s3svm_image_size(&p->seen));
    const sos_status status = s3svm_cutout_picture(&p->picture, s3svm_segmenter_labels(s), edge, 1, &out, error);
    if (!status) rgba_fill(&out.image, rgba);
    s3svm_picture_free(&out);
    return status;
}

sos_status web_overlay(const web_photograph *p, const s3svm_segmenter *s, uint8_t rgba[], sos_error *error)
{
    s3svm_image out = { 0 };
    const sos_status status = s3svm_cutout_overlay(&p->seen, s3svm_segmenter_labels(s), s3svm_segmenter_marks(s), 1, &out,
                                                   error);
    if (!status) rgba_fill(&out, rgba);
    s3svm_image_free(&out);
    return status;
}

sos_status web_why(const web_photograph *p, s3svm_segmenter *s, bool prior, uint8_t rgba[], sos_error *error)
{
    s3svm_image out = { 0 };
    const sos_status status = prior ? why_prior(s, &p->seen, &out, error) : why_unaries(s, &p->seen, &out, error);
    if (!status) rgba_fill(&out, rgba);
    s3svm_image_free(&out);
    return status;
}

/* result receives whether there is a place to look next, its x, y and label, the confidence there, the number of pieces, and
 * seconds.  confidence may be NULL. */
sos_status web_confidence(s3svm_segmenter *s, float confidence[], double result[], sos_error *error)
{
    s3svm_confidence c;
    const sos_status status = s3svm_segmenter_confidence(s, confidence, &c, error);
    if (status) return status;
    const double numbers[] = {
        c.found, (double)c.next.x, (double)c.next.y, c.label, c.confidence, (double)c.pieces, c.seconds
    };
    memcpy(result, numbers, sizeof numbers);
    return SOS_OK;
}

/* ---------------------------------------------------------------- drawings */

EXPORT("web_denoise_model") sos_status web_denoise_model(s3svm_denoise_model **out, sos_error *error);
EXPORT("web_restore")
sos_status web_restore(const s3svm_denoise_model *model, const web_photograph *p, uint8_t labels[], sos_error *error);

/* The one inside. */
sos_status web_denoise_model(s3svm_denoise_model **out, sos_error *error)
{
    sos_model *file = NULL;
    sos_status status = s3svm_embedded_model("denoise", &file, error);
    if (!status) status = s3svm_denoise_model_create(file, out, error);
    sos_model_free(file);
    return status;
}

/* 1 where there is ink. */
sos_status web_restore(const s3svm_denoise_model *model, const web_photograph *p, uint8_t labels[], sos_error *error)
{
    s3svm_image grey = { 0 };
    s3svm_plane plane = { 0 };
    sos_status status = s3svm_image_grey(&p->seen, &grey, error);
    if (!status) status = s3svm_image_to_plane(&grey, &plane, error);
    if (!status) status = s3svm_denoise_model_predict(model, &plane, labels, error);
    s3svm_plane_free(&plane);
    s3svm_image_free(&grey);
    return status;
}

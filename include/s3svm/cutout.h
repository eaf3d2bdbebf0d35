/* cutout.h - one photograph, from marks to the pictures that people want: which pixels are the object, the object with a soft
 * edge and nothing around it, and the photograph with the outline drawn on it.
 *
 *     sos_image_read("photo.jpg", SOS_IMAGE_COLOUR, &photograph, &error);
 *     sos_scribbles_read("strokes.png", &photograph, NULL, &marks, NULL, &error);
 *     sos_embedded_model("segment", &file, &error);
 *     sos_segment_model_create(file, &model, &error);
 *     sos_cutout_segment(model, &photograph, &marks, NULL, labels, NULL, &error);
 *     sos_cutout_matte(&photograph, labels, sos_cutout_edge(sos_image_size(&photograph)), 0, &cutout, &error); */
#ifndef S3SVM_CUTOUT_H
#define S3SVM_CUTOUT_H

#include <s3svm/dialogue.h>
#include <s3svm/grabcut.h>
#include <s3svm/segment.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- labels ---- */

typedef struct sos_cutout_settings {
    sos_grabcut_settings grabcut; /* GrabCut's, also where it helps a model; but for its work, which is this one's */
    size_t pixels;                /* larger photographs are solved at a reduced size; 0: as serves the method; SIZE_MAX: none */
    bool hard; /* what is marked gets that label; with GrabCut it always does.  false: strong evidence only */
    sos_work work;
    const sos_maps *maps; /* of the photograph, for models that have learned from such (<s3svm/maps.h>), else NULL */
    bool rough;           /* labels of a reduced size are grown, and outlines not decided again at full size */
    uint64_t reserved[6]; /* 0 */
} sos_cutout_settings;

/* GrabCut's defaults, hard, pixels as serve the method: 2,000,000 for GrabCut, 1,000,000 for models, which learn from far
 * smaller ones.  Above half a megapixel GrabCut's gamma grows with the sides. */
SOS_API sos_cutout_settings sos_cutout_defaults(void);

typedef struct sos_cutout_result {
    bool background_assumed; /* there was no background mark: what is not marked was a start for GrabCut ... */
    bool border_assumed;     /* ... or, for models, the border of the picture stood for one */
    bool object_assumed;     /* there was no object mark: the middle was a start for GrabCut, which finds one for models */
    size_t reduction;        /* by what the sides were divided; 1: not at all */
    size_t band;             /* pixels decided again at full size */
    size_t object;           /* pixels of the object */
    double seconds_solve, seconds_refine;
    double seconds_look;  /* at the photograph, whatever is marked */
    double energy, bound; /* of the labels that minimise the model's energy, before outlines are looked at again; and a number
                             that no labels go below, by proof.  0 both: GrabCut */
    uint64_t reserved[5]; /* 0 */
} sos_cutout_result;

/* Labels a photograph of 3 channels by marks of its size, with a model, or NULL for GrabCut.  It does
 *
 *     reduce    colours, marks and maps, above settings.pixels, to blocks of k by k pixels
 *     assume    what is missing: background along the border, or an object in the middle
 *     solve     features of the marks, the energy of the model and its minimum; or GrabCut
 *     release   the border, if it was only assumed: an object may be cut off there
 *     grow      the labels to full size
 *     refine    the outline at full size, if labels were found at a reduced one
 *     keep      marks, if they are hard
 *
 * settings and result may be NULL. */
SOS_MUST_USE SOS_API sos_status sos_cutout_segment(const sos_segment_model *model, const sos_image *photograph,
                                                   const sos_image *marks, const sos_cutout_settings *settings,
                                                   uint8_t labels[], sos_cutout_result *result, sos_error *error);

/* The same by marks in their order (<s3svm/dialogue.h>): those of the first so many steps, or of all if there are fewer. */
SOS_MUST_USE SOS_API sos_status sos_cutout_dialogue(const sos_segment_model *model, const sos_image *photograph,
                                                    const sos_dialogue *d, size_t steps, const sos_cutout_settings *settings,
                                                    uint8_t labels[], sos_cutout_result *result, sos_error *error);

/* Decides the pixels again that are at most reach from the outline, all others staying as they are, by their colours, their
 * contrast, and how far the outline would move.  For labels of any method that were found at 2 / reach of the sides.  marks, if
 * not NULL, are kept, and wrong labels among them put right with what is near them.  *count, if not NULL, receives how many
 * pixels were free. */
SOS_MUST_USE SOS_API sos_status sos_cutout_refine(const sos_image *photograph, const sos_image *marks, size_t reach,
                                                  int threads, uint8_t labels[], size_t *count, sos_error *error);

/* What people do not expect in a cut-out.  Parts are connected along sides, those of the object along corners too. */
typedef struct sos_cutout_tidying {
    bool connected; /* object is only what is connected with an object mark, if there is any such part */
    size_t specks;  /* parts of object and of background with fewer pixels become the other, unless one of them is marked so */
    uint64_t reserved[4]; /* 0 */
} sos_cutout_tidying;

/* Not only what is connected; specks below a ten thousandth of so many pixels. */
SOS_API sos_cutout_tidying sos_cutout_tidying_defaults(size_t pixels);

/* Tidies labels of any method.  *changed, if not NULL, receives how many changed.  tidying may be NULL. */
SOS_MUST_USE SOS_API sos_status sos_cutout_tidy(const sos_image *marks, const sos_cutout_tidying *tidying, uint8_t labels[],
                                                size_t *changed, sos_error *error);

/* ---- pictures ----
 *
 * threads: 0 for all cores; the pictures are the same. */

/* Half the width of the band along the outline where pixels may be partly object, for pictures of so many pixels. */
SOS_API double sos_cutout_edge(size_t pixels);

/* The object alone: red, green, blue and opacity.  More than edge pixels from the outline opacity is 0 or 255, and the colours
 * of the object are the photograph's.  Nearer, a pixel is taken for a mixture alpha F + (1 - alpha) B of the colours of object
 * and background around it: alpha is its opacity, and F its colour, so that nothing of the background is left in it. */
SOS_MUST_USE SOS_API sos_status sos_cutout_matte(const sos_image *photograph, const uint8_t labels[], double edge, int threads,
                                                 sos_image *out, sos_error *error);

/* The photograph with its background dimmed, the outline, and the marks, of which areas show only their rims.  marks may be
 * NULL. */
SOS_MUST_USE SOS_API sos_status sos_cutout_overlay(const sos_image *photograph, const uint8_t labels[], const sos_image *marks,
                                                   int threads, sos_image *out, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif

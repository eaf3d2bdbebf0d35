/* segmenter.h - from marks to labels: one photograph being marked again and again, and the same in one call.
 *
 *     static sos_status pixels_count(const char *path, size_t *object, sos_error *error)
 *     {
 *         s3svm_image photograph = { 0 };
 *         s3svm_segment_model *model = NULL;
 *         s3svm_segmenter *s = NULL;
 *         const s3svm_point place = { 120, 80 };
 *         const s3svm_mark click = { .label = S3SVM_MARK_OBJECT, .radius = 5, .count = 1, .points = &place };
 *         sos_status status = s3svm_image_read(path, S3SVM_IMAGE_COLOUR, &photograph, error);
 *         if (!status) status = s3svm_segmenter_model("s3svm", &model, error);
 *         if (!status) status = s3svm_segmenter_create(model, &photograph, NULL, &s, error);
 *         if (!status) status = s3svm_segmenter_mark(s, 1, &click, error);
 *         if (!status) *object = s3svm_segmenter_result(s).object;
 *         if (!status) s3svm_segmenter_cut(s, s3svm_segmenter_steps(s) - 1);
 *         s3svm_segmenter_free(s);
 *         s3svm_segment_model_free(model);
 *         s3svm_image_free(&photograph);
 *         return status;
 *     }
 *
 * What does not depend on the marks is computed once, by s3svm_segmenter_create.  Each step of marks (<s3svm/dialogue.h>) gives
 * new labels; they depend on the photograph, the model, the settings and the list of marks alone.  Taking steps back gives the
 * labels that were there before: as if they had never been made.  s3svm_photograph_segment goes through all steps of a dialogue
 * at once; s3svm segment, s3svm serve, s3svm predict and Python's Segmenter are made of these two. */
#ifndef S3SVM_SEGMENTER_H
#define S3SVM_SEGMENTER_H

#include <s3svm/dialogue.h>
#include <s3svm/grabcut.h>
#include <s3svm/segment.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- methods ---- */

typedef struct s3svm_segmenter_method {
    const char *name;    /* on the command line, in requests to the server and in Python */
    const char *title;   /* for people */
    const char *summary; /* half a line */
    const char *model;   /* the name of its model inside (<s3svm/embedded.h>); NULL: GrabCut, which has none */
} s3svm_segmenter_method;

/* Their names; the first is the default. */
#define S3SVM_SEGMENTER_METHODS "s3svm|amn|grabcut"

/* In that order, for i = 0, 1, ...; NULL beyond the last. */
SOS_API const s3svm_segmenter_method *s3svm_segmenter_method_at(size_t i);
SOS_API const s3svm_segmenter_method *s3svm_segmenter_method_find(const char *name); /* NULL: there is none */

/* The model of a method, prepared, to free; *out is NULL for GrabCut.  SOS_ERR_ARGUMENT: there is no such method. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_model(const char *method, s3svm_segment_model **out, sos_error *error);

/* ---- settings and results ---- */

/* What people do not expect in a mask.  Parts are connected along sides, those of the object along corners too. */
typedef struct s3svm_tidying {
    bool connected; /* object is only what is connected with an object mark, if there is any such part */
    size_t specks;  /* parts of object and of background with fewer pixels become the other, unless one of them is marked so;
                       0: a ten thousandth of the photograph's pixels; 1: no part does */
    uint64_t reserved[8]; /* 0 */
} s3svm_tidying;

typedef struct s3svm_segmentation_settings {
    s3svm_grabcut_settings grabcut; /* GrabCut's, also where it helps a model; but for its work, which is this one's */
    size_t pixels;          /* larger photographs are solved at a reduced size; 0: depends on the method; SIZE_MAX: none */
    bool hard;              /* what is marked gets that label; with GrabCut it always does.  false: strong evidence only */
    bool rough;             /* labels of a reduced size are grown, and outlines not decided again at full size */
    s3svm_tidying tidying;  /* of the labels of every step */
    const s3svm_maps *maps; /* of the photograph, for models that have learned from such (<s3svm/maps.h>), else NULL */
    sos_work work;
    uint64_t reserved[8]; /* 0 */
} s3svm_segmentation_settings;

/* GrabCut's defaults, hard, specks below a ten thousandth of the pixels, pixels: 2,000,000 for GrabCut, 500,000 for models that
 * have learned from dialogues, 1,000,000 for others.  Above half a megapixel GrabCut's gamma grows with the sides. */
SOS_API s3svm_segmentation_settings s3svm_segmentation_defaults(void);

typedef struct s3svm_segmentation_result {
    bool background_assumed;   /* there was no background mark: what is not marked was a start for GrabCut ... */
    bool border_assumed;       /* ... or, for models, the border of the picture stood for one */
    bool object_assumed;       /* there was no object mark: the middle was a start for GrabCut, which finds one for models */
    size_t marks[S3SVM_MARKS]; /* how many pixels have each mark, of all steps together */
    size_t reduction;          /* by what the sides were divided; 1: not at all */
    size_t band;               /* pixels decided again at full size */
    size_t object;             /* pixels of the object */
    size_t tidied;             /* pixels that tidying changed */
    double seconds_look;       /* at the photograph, whatever is marked */
    double seconds_solve, seconds_refine;
    double energy, bound; /* of the labels that minimise the model's energy, before outlines are looked at again; and a number
                             that no labels go below, by proof.  0 both: GrabCut */
    uint64_t reserved[8]; /* 0 */
} s3svm_segmentation_result;

/* ---- one photograph, marked again and again ---- */

typedef struct s3svm_segmenter s3svm_segmenter;

/* Looks at a photograph of 3 channels with a model, or NULL for GrabCut.  The model, the photograph and the maps of the
 * settings are borrowed: they must stay as they are until the segmenter is freed.  settings may be NULL.  One thread at a time
 * may use a segmenter; any number of segmenters may share a model. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_create(const s3svm_segment_model *model, const s3svm_image *photograph,
                                                       const s3svm_segmentation_settings *settings, s3svm_segmenter **out,
                                                       sos_error *error);
SOS_API void s3svm_segmenter_free(s3svm_segmenter *s); /* NULL is allowed */

/* A further step of count marks, and the labels that follow.  It does
 *
 *     reduce    colours, marks and maps, above settings.pixels, to blocks of k by k pixels
 *     assume    what is missing: background along the border, or an object in the middle
 *     solve     features of the marks, the energy of the model and its minimum; or GrabCut
 *     release   the border, if it was only assumed: an object may be cut off there
 *     grow      the labels to full size
 *     refine    the outline at full size, if labels were found at a reduced one
 *     keep      marks, if they are hard
 *     tidy      the labels
 *
 * Models that have learned from dialogues see the labels of the step before as they were found, not tidied.  When it fails or
 * is stopped the step is not made. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_mark(s3svm_segmenter *s, size_t count, const s3svm_mark marks[],
                                                     sos_error *error);

/* Further steps: the first so many of a dialogue about a photograph of this size, or all if there are fewer.  When it fails or
 * is stopped none of them is made. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_replay(s3svm_segmenter *s, const s3svm_dialogue *d, size_t steps,
                                                       sos_error *error);

/* Keeps the first so many steps; a number that is not smaller than that of all steps changes nothing. */
SOS_API void s3svm_segmenter_cut(s3svm_segmenter *s, size_t steps);

/* Tidies labels in another way from now on, those of the steps that are there included. */
SOS_API void s3svm_segmenter_tidy(s3svm_segmenter *s, const s3svm_tidying *tidying);

SOS_API size_t s3svm_segmenter_steps(const s3svm_segmenter *s);
SOS_API const s3svm_dialogue *s3svm_segmenter_dialogue(const s3svm_segmenter *s);

/* What the last step gave: labels of all pixels, 0 where nothing is marked yet; all marks together; and how it went, zeros
 * without a step.  Good until the next step is made or taken back, or labels are tidied in another way. */
SOS_API const uint8_t *s3svm_segmenter_labels(const s3svm_segmenter *s);
SOS_API const s3svm_image *s3svm_segmenter_marks(const s3svm_segmenter *s);
SOS_API s3svm_segmentation_result s3svm_segmenter_result(const s3svm_segmenter *s);

/* What pixels say by themselves after the last step, before their neighbours are asked: how much more background costs than
 * object, so that object is above 0.  odds receives a number for every pixel of the photograph; where it was reduced they are
 * linear between the middles of blocks.  Zeros without a step.  SOS_ERR_ARGUMENT for GrabCut.  After steps were taken back the
 * last one is computed again. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_odds(s3svm_segmenter *s, float odds[], sos_error *error);

/* ---- one photograph, once ---- */

/* The labels of a photograph of 3 channels by the marks of a dialogue, with a model, or NULL for GrabCut: those of a segmenter
 * that replays it.  Where the labels of earlier steps do not count, as for GrabCut, only the last step is computed.  A picture
 * of marks becomes a dialogue by s3svm_dialogue_of_marks.  settings and result may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_photograph_segment(const s3svm_segment_model *model, const s3svm_image *photograph,
                                                         const s3svm_dialogue *d, const s3svm_segmentation_settings *settings,
                                                         uint8_t labels[], s3svm_segmentation_result *result, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif

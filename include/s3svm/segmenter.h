/* segmenter.h - segmentation of a photograph by marks: interactively, step by step, or in one call.
 *
 *     // Counts the pixels of the object at (120, 80), and takes the click back.
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
 * s3svm_segmenter_create computes once what does not depend on marks.  Each step of marks (<s3svm/dialogue.h>) gives new
 * labels, which depend on the photograph, the model, the settings and the list of marks alone.  Taking a step back restores the
 * labels before it.  s3svm_photograph_segment processes all steps of a dialogue in one call.  s3svm segment, s3svm serve, s3svm
 * predict and Python's Segmenter use these functions, and give the same labels. */
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
    const char *title;   /* for display */
    const char *summary; /* half a line */
    const char *model;   /* the name of its built-in model (<s3svm/embedded.h>); NULL: GrabCut, which has none */
} s3svm_segmenter_method;

/* Their names; the first is the default. */
#define S3SVM_SEGMENTER_METHODS "s3svm|amn|grabcut"

/* In that order, for i = 0, 1, ...; NULL after the last. */
SOS_API const s3svm_segmenter_method *s3svm_segmenter_method_at(size_t i);
SOS_API const s3svm_segmenter_method *s3svm_segmenter_method_find(const char *name); /* NULL: unknown name */

/* The prepared model of a method, which the caller frees; *out is NULL for GrabCut.  SOS_ERR_ARGUMENT: unknown method. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_model(const char *method, s3svm_segment_model **out, sos_error *error);

/* ---- settings and results ---- */

/* Removal of small or unconnected parts of a mask.  Pixels of the background are connected along sides, those of the object
 * also along corners. */
typedef struct s3svm_tidying {
    bool connected; /* keep only parts of the object that are connected to an object mark, if there are any */
    size_t specks;  /* parts of object or background with fewer pixels are flipped, unless they contain a mark of their label;
                       0: a ten thousandth of the photograph's pixels; 1: none are flipped */
    uint64_t reserved[8]; /* 0 */
} s3svm_tidying;

typedef struct s3svm_segmentation_settings {
    s3svm_grabcut_settings grabcut; /* of GrabCut, also if a model uses it; its work is ignored in favour of the one below */
    size_t pixels;          /* larger photographs are solved at a reduced size; 0: depends on the method; SIZE_MAX: never */
    bool hard;              /* marked pixels keep their label; with GrabCut always.  false: marks are strong evidence only */
    bool rough;             /* labels found at a reduced size are scaled up without refining outlines at full size */
    s3svm_tidying tidying;  /* of the labels of every step */
    const s3svm_maps *maps; /* of the photograph, for models trained with maps (<s3svm/maps.h>), or as evidence for models that
                               have learned to see it (s3svm_segment_model_evidence); else NULL */
    sos_work work;
    uint64_t reserved[8]; /* 0 */
} s3svm_segmentation_settings;

/* GrabCut's defaults, hard, specks of a ten thousandth of the pixels, and pixels 2,000,000 for GrabCut, 500,000 for models
 * trained on dialogues, 1,000,000 for others.  Above half a megapixel, GrabCut's gamma grows with the sides. */
SOS_API s3svm_segmentation_settings s3svm_segmentation_defaults(void);

typedef struct s3svm_segmentation_result {
    bool background_assumed;   /* no background mark, GrabCut: unmarked pixels were the initial background */
    bool border_assumed;       /* no background mark, models: the border of the picture was taken as background */
    bool object_assumed;       /* no object mark: the middle was the initial object for GrabCut, whose result models use */
    size_t marks[S3SVM_MARKS]; /* number of pixels with each mark, of all steps together */
    size_t reduction;          /* factor by which the sides were divided; 1: full size */
    size_t band;               /* pixels near the outline that were refined at full size */
    size_t object;             /* pixels of the object */
    size_t tidied;             /* pixels that tidying changed */
    double seconds_look;       /* for what does not depend on marks */
    double seconds_solve, seconds_refine;
    double energy, bound; /* least energy of the model, before outlines are refined, and the lower bound that proves it; both 0
                             for GrabCut */
    uint64_t reserved[8]; /* 0 */
} s3svm_segmentation_result;

/* ---- one photograph, step by step ---- */

typedef struct s3svm_segmenter s3svm_segmenter;

/* Prepares a photograph of 3 channels for a model, or for GrabCut if model is NULL.  The model, the photograph and the maps of
 * the settings are borrowed and must not change until the segmenter is freed.  settings may be NULL.  Only one thread may use a
 * segmenter at a time; any number of segmenters may share a model. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_create(const s3svm_segment_model *model, const s3svm_image *photograph,
                                                       const s3svm_segmentation_settings *settings, s3svm_segmenter **out,
                                                       sos_error *error);
SOS_API void s3svm_segmenter_free(s3svm_segmenter *s); /* NULL is allowed */

/* Adds a step of count marks and computes the labels:
 *
 *     reduce    above settings.pixels, average colours, marks and maps over blocks of k by k pixels
 *     assume    what is missing: background along the border, or an object in the middle
 *     solve     minimise the model's energy with the features of the marks; or GrabCut
 *     release   a border that was only assumed: an object may extend beyond it
 *     grow      scale the labels to full size
 *     refine    the outline at full size, if labels were found at a reduced size
 *     keep      the marks, if they are hard
 *     tidy      the labels
 *
 * Models trained on dialogues see the labels of the previous step as found, before tidying.  On failure or cancellation the
 * step is not added. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_mark(s3svm_segmenter *s, size_t count, const s3svm_mark marks[],
                                                     sos_error *error);

/* With evidence: the labels before the first mark become what it proposes, object where log odds are positive, tidied.  That
 * does not change what later marks give.  SOS_ERR_ARGUMENT without evidence, for a model that does not see any, and after the
 * first step. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_propose(s3svm_segmenter *s, sos_error *error);

/* Adds the first steps of a dialogue on a photograph of this size (all if it has fewer).  On failure or cancellation none of
 * them is added. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_replay(s3svm_segmenter *s, const s3svm_dialogue *d, size_t steps,
                                                       sos_error *error);

/* Adds one step of a dialogue on a photograph of this size.  With s3svm_dialogue_common and s3svm_segmenter_cut the steps
 * become those of another dialogue, at the cost of those that differ.  SOS_ERR_ARGUMENT: it has no such step. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_step(s3svm_segmenter *s, const s3svm_dialogue *d, size_t step,
                                                     sos_error *error);

/* Keeps the first steps and takes back the others; changes nothing if there are no more than that. */
SOS_API void s3svm_segmenter_cut(s3svm_segmenter *s, size_t steps);

/* Changes the tidying, also for the labels of existing steps. */
SOS_API void s3svm_segmenter_tidy(s3svm_segmenter *s, const s3svm_tidying *tidying);

SOS_API size_t s3svm_segmenter_steps(const s3svm_segmenter *s);
SOS_API const s3svm_dialogue *s3svm_segmenter_dialogue(const s3svm_segmenter *s);

/* The labels of all pixels after the last step, without a step those that were proposed, or all 0; all marks together; and the
 * result, zeros without labels.
 * Pointers are valid until a step is added or taken back, or the tidying changes. */
SOS_API const uint8_t *s3svm_segmenter_labels(const s3svm_segmenter *s);
SOS_API const s3svm_image *s3svm_segmenter_marks(const s3svm_segmenter *s);
SOS_API s3svm_segmentation_result s3svm_segmenter_result(const s3svm_segmenter *s);

/* The unary costs after the last step: the cost of background minus that of object, so that positive numbers favour the object.
 * odds receives a number for every pixel of the photograph, interpolated linearly if it was reduced; zeros without labels.
 * SOS_ERR_ARGUMENT for GrabCut.  After steps were taken back, the last one is computed again. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_odds(s3svm_segmenter *s, float odds[], sos_error *error);

/* ---- how sure it is ---- */

/* Confidence goes from 0, where it makes no difference to the energy, to S3SVM_CONFIDENCE_MOST, which marked pixels have. */
#define S3SVM_CONFIDENCE_MOST 100.0

typedef struct s3svm_confidence {
    bool found;        /* there is a place: not if all is marked, or nothing */
    s3svm_point next;  /* where to look next: the middle of the piece that is turned over by the least rise; a pixel */
    uint8_t label;     /* what it is now */
    double confidence; /* of that piece */
    size_t pieces;     /* that the photograph was cut into */
    double doubt;      /* how far the rises of the energy may be from the exact ones, as in sos_marginals_result */
    double seconds;
    uint64_t reserved[8]; /* 0 */
} s3svm_confidence;

/* How sure the labels after the last step are, and where to look next.  The photograph, at the size at which it is solved, is
 * cut into about 200 superpixels, these where the labels of least energy change.  Of each piece the confidence is by how much
 * the least energy rises if all of the piece must take the other label, whatever the other pixels do then: exact, by one
 * minimum for each piece (<sos/marginals.h>).  It is per pixel, in units of what training demands for a wrong pixel, so that 1
 * is as sure as a model wants to be; for a single pixel of a piece the rise of the piece is an upper bound.
 *
 * confidence, if not NULL, receives a number for every pixel of the photograph, those of the pieces, interpolated linearly if
 * it was reduced.  It is about the energy alone, before outlines are decided again, or specks are removed.  Of a proposal the
 * confidence of a piece is the mean size of its log odds; where there is neither step nor proposal, it is zero, and there is no
 * place.  SOS_ERR_ARGUMENT for GrabCut.  After steps were taken back, the last one is computed again. */
SOS_MUST_USE SOS_API sos_status s3svm_segmenter_confidence(s3svm_segmenter *s, float confidence[], s3svm_confidence *out,
                                                           sos_error *error);

/* Confidence as a grey picture: 255 c / (1 + c), rounded, so that 1 is 128; marked pixels have 255.  out is to be freed. */
SOS_MUST_USE SOS_API sos_status s3svm_confidence_image(size_t width, size_t height, const float confidence[], s3svm_image *out,
                                                       sos_error *error);

/* ---- one photograph, in one call ---- */

/* The labels of a photograph of 3 channels for the marks of a dialogue, with a model, or NULL for GrabCut: the same as those of
 * a segmenter that replays the dialogue.  If the labels of earlier steps have no influence, as for GrabCut, only the last step
 * is computed.  Without steps the labels are 0 or, with evidence, what it proposes.  s3svm_dialogue_of_marks makes a dialogue
 * from a picture of marks.  settings and result may be NULL. */
SOS_MUST_USE SOS_API sos_status s3svm_photograph_segment(const s3svm_segment_model *model, const s3svm_image *photograph,
                                                         const s3svm_dialogue *d, const s3svm_segmentation_settings *settings,
                                                         uint8_t labels[], s3svm_segmentation_result *result, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif

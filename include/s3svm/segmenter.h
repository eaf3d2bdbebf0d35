/* segmenter.h - one photograph being marked, again and again.
 *
 *     sos_segmenter_create(model, &photograph, NULL, &s, &error);
 *     sos_segmenter_mark(s, 1, &(sos_mark){ .label = SOS_MARK_OBJECT, .radius = 5, .count = 1, .points = &(sos_point){ 120, 80
 * } }, &error); labels = sos_segmenter_labels(s); sos_segmenter_cut(s, sos_segmenter_steps(s) - 1);
 *
 * What does not depend on the marks is computed once, by sos_segmenter_create.  Each step of marks (<s3svm/dialogue.h>) gives
 * new labels; they depend on the photograph, the model, the settings and the list of marks alone.  Taking steps back gives the
 * labels that were there before: as if they had never been made.  One thread at a time. */
#ifndef S3SVM_SEGMENTER_H
#define S3SVM_SEGMENTER_H

#include <s3svm/cutout.h>
#include <s3svm/dialogue.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sos_segmenter sos_segmenter;

/* Looks at a photograph of 3 channels with a model, or NULL for GrabCut.  The model, the photograph and the maps of the
 * settings are borrowed: they must stay as they are until the segmenter is freed.  settings may be NULL. */
SOS_MUST_USE SOS_API sos_status sos_segmenter_create(const sos_segment_model *model, const sos_image *photograph,
                                                     const sos_cutout_settings *settings, sos_segmenter **out,
                                                     sos_error *error);
SOS_API void sos_segmenter_free(sos_segmenter *s); /* NULL is fine */

/* A further step of count marks, and the labels that follow.  When it fails or is stopped the step is not made. */
SOS_MUST_USE SOS_API sos_status sos_segmenter_mark(sos_segmenter *s, size_t count, const sos_mark marks[], sos_error *error);

/* Further steps: the first so many of a dialogue about a photograph of this size, or all if there are fewer.  When it fails or
 * is stopped none of them is made. */
SOS_MUST_USE SOS_API sos_status sos_segmenter_replay(sos_segmenter *s, const sos_dialogue *d, size_t steps, sos_error *error);

/* Keeps the first so many steps; a number that is not smaller than that of all steps changes nothing. */
SOS_API void sos_segmenter_cut(sos_segmenter *s, size_t steps);

SOS_API size_t sos_segmenter_steps(const sos_segmenter *s);
SOS_API const sos_dialogue *sos_segmenter_dialogue(const sos_segmenter *s);

/* What the last step gave: labels of all pixels, 0 where nothing is marked yet; all marks together; and how it went, zeros
 * without a step.  Good until the next step is made or taken back. */
SOS_API const uint8_t *sos_segmenter_labels(const sos_segmenter *s);
SOS_API const sos_image *sos_segmenter_marks(const sos_segmenter *s);
SOS_API sos_cutout_result sos_segmenter_result(const sos_segmenter *s);

/* What pixels say by themselves after the last step, before their neighbours are asked: how much more background costs than
 * object, so that object is above 0.  odds receives a number for every pixel of the photograph; where it was reduced they are
 * linear between the middles of blocks.  Zeros without a step.  SOS_ERR_ARGUMENT for GrabCut.  After steps were taken back the
 * last one is computed again. */
SOS_MUST_USE SOS_API sos_status sos_segmenter_odds(sos_segmenter *s, float odds[], sos_error *error);

#ifdef __cplusplus
}
#endif

#endif

/* dialogue_support.h - what the tests of models that learn from dialogues share: small pictures, and a model of them. */
#ifndef SOS_TESTS_DIALOGUE_SUPPORT_H
#define SOS_TESTS_DIALOGUE_SUPPORT_H

#include <s3svm/segmenter.h>

#include "support.h"

enum { ELLIPSE_WIDTH = 72, ELLIPSE_HEIGHT = 56 };

/* An ellipse of a noisy colour on a background of another; with a twin, which is not the object, colours alone do not tell. */
s3svm_marked ellipse_random(sos_random *r, bool twin);

/* A model that has learned from dialogues about such pictures, to free; and one that has learned what to make of their maps. */
sos_model *dialogue_model_of(size_t count, const s3svm_marked pictures[], int threads);
sos_model *evidence_model_of(size_t count, const s3svm_marked pictures[], int threads);

/* What a network might say that is right: log odds of about 3, with noise. */
s3svm_maps ellipse_odds(const s3svm_marked *p, sos_random *r);

/* All steps of a dialogue in another one, to free. */
s3svm_dialogue *dialogue_copy(const s3svm_dialogue *d);

/* A rectangle (x, y, width, height) around the object: where nothing is marked, background outside, inside perhaps object. */
void rectangle_mark(s3svm_image *marks, const size_t rectangle[4]);

/* Labels by a picture of marks: s3svm_photograph_segment with a dialogue of one step. */
SOS_MUST_USE sos_status picture_segment(const s3svm_segment_model *m, const s3svm_image *photograph, const s3svm_image *marks,
                                        const s3svm_segmentation_settings *settings, uint8_t labels[],
                                        s3svm_segmentation_result *result, sos_error *error);

/* The same on so many threads with marks that are evidence only and labels as they are found. */
SOS_MUST_USE sos_status soft_segment(const s3svm_segment_model *m, const s3svm_marked *p, int threads, uint8_t labels[],
                                     sos_error *error);

#endif

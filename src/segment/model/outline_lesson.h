/* outline_lesson.h - samples that the second look at outlines learns from: pixels of bands around labels that a model found
 * first. */
#ifndef S3SVM_SEGMENT_OUTLINE_LESSON_H
#define S3SVM_SEGMENT_OUTLINE_LESSON_H

#include "segment/model/model.h"
#include "segment/outlines/outlines.h"

/* Some pixels of every band. */
typedef struct s3svm_outline_lesson {
    size_t count, each, inputs; /* bands; pixels of each; features of a pixel */
    float *features;            /* those of each pixel side by side */
    s3svm_sample *samples;
    bool *taken; /* whether there is such a band */
} s3svm_outline_lesson;

/* How many features the pixels of a lesson have: as the network wants that is there, or as one that begins. */
size_t s3svm_outline_lesson_inputs(const s3svm_segment_model *p, const s3svm_outline_model *outline);

SOS_MUST_USE sos_status s3svm_outline_lesson_create(size_t count, size_t each, size_t inputs, s3svm_outline_lesson *l,
                                                    sos_error *error);
void s3svm_outline_lesson_free(s3svm_outline_lesson *l);

/* What a band looks around: a photograph with its truth, labels and responses of all its pixels. */
typedef struct s3svm_outline_found {
    const s3svm_marked *picture;
    const s3svm_outline_photo *photo;
    const uint8_t *labels, *marks;
    s3svm_outline_odds odds;
} s3svm_outline_found;

/* Takes pixels of the band around labels for band number `number`, from any thread; a band without pixels is not taken. weight:
 * what the band counts; 0: the share of the photograph's pixels that it has, as with the loss. */
SOS_MUST_USE sos_status s3svm_outline_lesson_band(const s3svm_outline_found *found, uint64_t seed, double weight, size_t number,
                                                  s3svm_outline_lesson *l, sos_error *error);

/* Trains the network of *out, from its numbers if it has some, on the bands that are chosen (NULL: all); nothing is changed
 * where none of these was taken. */
SOS_MUST_USE sos_status s3svm_outline_lesson_train(const s3svm_outline_lesson *l, const bool chosen[], const sos_work *work,
                                                   s3svm_outline_model *out, bool *trained, sos_error *error);

/* The colours and edges of a photograph, to free. */
SOS_MUST_USE sos_status s3svm_outline_lesson_photo(const s3svm_image *photograph, s3svm_outline_photo *out, sos_error *error);

#endif

/* response.h - how likely a pixel of a noisy drawing is ink, judged by its neighbourhood: two small networks in a row.
 *
 * The first sees the strokes (vision/strokes.h) of the noisy picture.  The second sees the strokes of what the first made of
 * it, and so twice as far, with most of the noise gone.  Responses are log odds: 0 is undecided, positive is ink. */
#ifndef S3SVM_DENOISE_RESPONSE_H
#define S3SVM_DENOISE_RESPONSE_H

#include <stddef.h>
#include <stdint.h>

#include <sos/work.h>

#include "vision/perceptron.h"
#include "vision/strokes.h"
#include <s3svm/plane.h>

enum { S3SVM_RESPONSE_STAGES = 2 };

typedef struct s3svm_response {
    s3svm_perceptron stages[S3SVM_RESPONSE_STAGES];
} s3svm_response;

typedef struct s3svm_response_settings {
    size_t samples; /* pixels to learn from, about: all within 3 pixels of ink if they are not more, and some of the others */
    uint64_t seed;
    sos_work work;
} s3svm_response_settings;

/* How many features a stage has: the strokes; from the second on also the response so far and the darkness itself. */
size_t s3svm_response_inputs(size_t stage);

/* Networks of zeros. */
SOS_MUST_USE sos_status s3svm_response_create(s3svm_response *out, sos_error *error);
void s3svm_response_free(s3svm_response *r); /* leaves it empty; an empty one is fine */

/* Learns from count pictures; truths hold a label per pixel, 1 for ink.  Pictures without any ink are fine, but not all. */
SOS_MUST_USE sos_status s3svm_response_train(size_t count, const s3svm_plane noisy[], const uint8_t *const truths[],
                                             const s3svm_response_settings *settings, s3svm_response *out, sos_error *error);

/* The responses of a picture, a new plane. */
SOS_MUST_USE sos_status s3svm_response_apply(const s3svm_response *r, const s3svm_plane *noisy, int threads, s3svm_plane *out,
                                             sos_error *error);

#endif

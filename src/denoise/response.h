/* response.h - how likely a pixel of a noisy drawing is ink, judged by its neighbourhood: two small networks in a row.
 *
 * The first sees the strokes (vision/strokes.h) of the noisy picture.  The second sees the strokes of what the first made of
 * it, and so twice as far, with most of the noise gone.  Responses are log odds: 0 is undecided, positive is ink. */
#ifndef SOS_DENOISE_RESPONSE_H
#define SOS_DENOISE_RESPONSE_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include "vision/perceptron.h"
#include "vision/strokes.h"
#include <s3svm/plane.h>

enum { SOS_RESPONSE_STAGES = 2 };

typedef struct sos_response {
    sos_perceptron stages[SOS_RESPONSE_STAGES];
} sos_response;

typedef struct sos_response_settings {
    size_t samples; /* pixels to learn from, about: all within 3 pixels of ink if they are not more, and some of the others */
    uint64_t seed;
    int threads;            /* 0: all cores; the result is the same */
    sos_progress *progress; /* or NULL */
    void *user;
} sos_response_settings;

/* How many features a stage has: the strokes; from the second on also the response so far and the darkness itself. */
size_t sos_response_inputs(size_t stage);

/* Networks of zeros. */
SOS_MUST_USE sos_status sos_response_create(sos_response *out, sos_error *error);
void sos_response_free(sos_response *r); /* leaves it empty; an empty one is fine */

/* Learns from count pictures; truths hold a label per pixel, 1 for ink.  Pictures without any ink are fine, but not all. */
SOS_MUST_USE sos_status sos_response_train(size_t count, const sos_plane noisy[], const uint8_t *const truths[],
                                           const sos_response_settings *settings, sos_response *out, sos_error *error);

/* The responses of a picture, a new plane. */
SOS_MUST_USE sos_status sos_response_apply(const sos_response *r, const sos_plane *noisy, int threads, sos_plane *out,
                                           sos_error *error);

#endif

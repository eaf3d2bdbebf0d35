/* perceptron.h - a small network with one hidden layer that turns many features of a pixel into one response:
 *
 *     response = c + sum_k v_k h(b_k + sum_f w_fk x_f),   h(a) = a for a > 0, a / 10 else,
 *
 * trained by logistic regression: 1 / (1 + exp(-response)) estimates how likely the label is 1.  All arithmetic is in a fixed
 * order, so that results are the same on every machine. */
#ifndef SOS_VISION_PERCEPTRON_H
#define SOS_VISION_PERCEPTRON_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

enum { SOS_PERCEPTRON_HIDDEN = 24, SOS_PERCEPTRON_INPUTS_MAX = 256 };

typedef struct sos_perceptron {
    size_t inputs;
    float *numbers; /* w, hidden fastest; b; v; c */
} sos_perceptron;

/* How many numbers a network has. */
static inline size_t sos_perceptron_numbers(size_t inputs) { return (inputs + 2) * SOS_PERCEPTRON_HIDDEN + 1; }

/* A network of zeros. */
SOS_MUST_USE sos_status sos_perceptron_create(size_t inputs, sos_perceptron *out, sos_error *error);
void sos_perceptron_free(sos_perceptron *p); /* leaves it empty; an empty one is fine */

/* The responses of n pixels; inputs[f * n + i] is feature f of pixel i. */
void sos_perceptron_apply(const sos_perceptron *p, size_t n, const float inputs[], float responses[]);

/* 1 / (1 + exp(-x)), the same on every machine. */
double sos_logistic(double x);

typedef struct sos_sample {
    uint32_t place; /* the caller's: where it comes from */
    float weight;   /* how much it counts */
    uint8_t label;  /* 0 or 1 */
} sos_sample;

typedef struct sos_samples {
    size_t count;
    const sos_sample *samples;
    float *features; /* count times inputs, those of a sample side by side; training changes them */
} sos_samples;

typedef struct sos_perceptron_settings {
    size_t epochs; /* how often every sample is seen */
    double rate;   /* of the first step; it falls to 0 in equal steps */
    double decay;  /* times half the square of the weights, but for the offsets b and c, is added to the loss */
    uint64_t seed;
    sos_progress *progress; /* or NULL */
    void *user;
} sos_perceptron_settings;

/* 3 epochs at rate 0.002, no decay, seed 1, no callback. */
sos_perceptron_settings sos_perceptron_defaults(void);

/* Fits a network by stochastic gradients (Kingma and Ba, "Adam: a method for stochastic optimization", 2015) in batches of
 * 256, on one thread: a batch is too little work to share.  On failure p is unchanged; features may have another scale. */
SOS_MUST_USE sos_status sos_perceptron_train(sos_perceptron *p, const sos_samples *samples,
                                             const sos_perceptron_settings *settings, sos_error *error);

#endif

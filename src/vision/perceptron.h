/* perceptron.h - a small network with one hidden layer that turns many features of a place into a few responses:
 *
 *     z_l = c_l + sum_k v_kl h(b_k + sum_f w_fk x_f),   h(a) = a for a > 0, a / 10 else.
 *
 * With one output, 1 / (1 + exp(-z)) estimates how likely the label is 1.  With more of them there are as many labels, and
 * p_l = exp(z_l) / sum_m exp(z_m) estimates how likely label l is.  Both are trained by (multinomial) logistic regression.  All
 * arithmetic is in a fixed order, so that results are the same on every machine. */
#ifndef S3SVM_VISION_PERCEPTRON_H
#define S3SVM_VISION_PERCEPTRON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include "base/random.h"

enum {
    S3SVM_PERCEPTRON_INPUTS_MAX = 256,
    S3SVM_PERCEPTRON_HIDDEN_MAX = 256,
    S3SVM_PERCEPTRON_OUTPUTS_MAX = 255,
    S3SVM_PERCEPTRON_HIDDEN_STEP = 8 /* the number of hidden units is a multiple of it */
};

typedef struct s3svm_perceptron {
    size_t inputs, hidden, outputs;
    float *numbers; /* w, hidden fastest; b; v, output fastest; c */
} s3svm_perceptron;

/* How many numbers a network has. */
static inline size_t s3svm_perceptron_numbers(const s3svm_perceptron *p)
{
    return (p->inputs + 1) * p->hidden + (p->hidden + 1) * p->outputs;
}

/* A network of zeros. */
SOS_MUST_USE sos_status s3svm_perceptron_create(size_t inputs, size_t hidden, size_t outputs, s3svm_perceptron *out,
                                                sos_error *error);
void s3svm_perceptron_free(s3svm_perceptron *p); /* leaves it empty; an empty one is fine */

/* The responses of n pixels, in planes: inputs[f * stride + i] is feature f of pixel i, responses[l * stride + i] its z_l. */
void s3svm_perceptron_apply(const s3svm_perceptron *p, size_t n, size_t stride, const float inputs[], float responses[]);

/* Adds log p_l of n places to out[i * outputs + l], for a network of several outputs.  The features of a place stand side by
 * side, as the logarithms do. */
void s3svm_perceptron_add_logs(const s3svm_perceptron *p, size_t n, const float features[], float out[]);

/* log sum_l exp(z_l). */
double s3svm_perceptron_log_sum(size_t outputs, const float z[]);

typedef struct s3svm_sample {
    uint32_t place; /* the caller's: where it comes from */
    float weight;   /* how much it counts */
    uint8_t label;  /* below the number of outputs; 0 or 1 for one output */
} s3svm_sample;

typedef struct s3svm_samples {
    size_t count;
    const s3svm_sample *samples;
    const float *features; /* count times inputs, those of a sample side by side */
} s3svm_samples;

/* Changes the features of a sample into others that it might as well have, by numbers drawn from r. */
typedef void s3svm_perceptron_vary(sos_random *r, float features[]);

typedef struct s3svm_perceptron_settings {
    size_t epochs; /* how often every sample is seen */
    double rate;   /* of the first step; it falls to 0 in equal steps */
    double decay;  /* times half the square of the weights, but for the offsets b and c, is added to the loss */
    double drop;   /* the chance of a hidden unit to be left out when a sample is seen; below 1 */
    /* Added to the variance of every feature before features are brought to variance 1: a feature that hardly differs among the
     * samples must not become large elsewhere. */
    double spread;
    s3svm_perceptron_vary *vary; /* or NULL: samples are seen as they are */
    uint64_t seed;
    sos_progress *progress; /* or NULL */
    void *user;
    bool go_on; /* from the numbers that the network has: decay then draws all of them there, not weights to 0 */
} s3svm_perceptron_settings;

/* 3 epochs at rate 0.002, no decay, no unit left out, no spread, nothing varied, seed 1, no callback, from the beginning. */
s3svm_perceptron_settings s3svm_perceptron_defaults(void);

/* Fits a network by stochastic gradients (Kingma and Ba, "Adam: a method for stochastic optimization", 2015) in batches of
 * 256, or of all samples if they are fewer, on one thread: a batch is too little work to share.  On failure p is unchanged. */
SOS_MUST_USE sos_status s3svm_perceptron_train(s3svm_perceptron *p, const s3svm_samples *samples,
                                               const s3svm_perceptron_settings *settings, sos_error *error);

#endif

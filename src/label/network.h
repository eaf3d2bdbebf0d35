/* label_network.h - a network with one hidden layer that tells from features of a place how likely each label is:
 *
 *     z_l = c_l + sum_k v_kl h(b_k + sum_f w_fk x_f),   h(a) = a for a > 0, a / 10 else,   p_l = exp(z_l) / sum_m exp(z_m),
 *
 * trained by multinomial logistic regression.  Features should vary by more than 1/2.  As perceptron.h, for more than two
 * labels.  All arithmetic is in a fixed order, so that results are the same on every machine. */
#ifndef SOS_LABEL_NETWORK_H
#define SOS_LABEL_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

#include "base/random.h"

enum { SOS_LABEL_HIDDEN = 96, SOS_LABEL_INPUTS_MAX = 128 };

typedef struct sos_label_network {
    size_t inputs, labels;
    float *numbers; /* w, hidden fastest; b; v, label fastest; c */
} sos_label_network;

static inline size_t sos_label_network_numbers(size_t inputs, size_t labels)
{
    return (inputs + 1) * SOS_LABEL_HIDDEN + (SOS_LABEL_HIDDEN + 1) * labels;
}

/* A network of zeros. */
SOS_MUST_USE sos_status sos_label_network_create(size_t inputs, size_t labels, sos_label_network *out, sos_error *error);
void sos_label_network_free(sos_label_network *p); /* leaves it empty; an empty one is fine */

/* Adds log p_l of n places to out[i * labels + l]; those of a place stand side by side in both. */
void sos_label_network_add(const sos_label_network *p, size_t n, const float features[], float out[]);

/* Changes the features of a sample as they might as well be, by numbers drawn from r, before they are learned from. */
typedef void sos_label_vary(sos_random *r, float features[]);

typedef struct sos_label_samples {
    size_t count;
    const float *features; /* count times inputs */
    const uint8_t *labels;
} sos_label_samples;

typedef struct sos_label_network_settings {
    size_t epochs;        /* how often every sample is seen */
    double rate;          /* of the first step; it falls to 0 in equal steps */
    double decay;         /* of the numbers: half of it times their squares is added to the loss */
    double drop;          /* the chance of a hidden unit to be left out when a sample is seen; below 1 */
    sos_label_vary *vary; /* or NULL: every time as they are */
    uint64_t seed;
    sos_progress *progress; /* or NULL */
    void *user;
} sos_label_network_settings;

/* 6 epochs at rate 0.002, decay 0.003, no unit left out, not varied, seed 1, no callback. */
sos_label_network_settings sos_label_network_defaults(void);

/* Fits a network by stochastic gradients (Kingma and Ba, "Adam: a method for stochastic optimization", 2015) on one thread.
 * On failure p is unchanged. */
SOS_MUST_USE sos_status sos_label_network_train(sos_label_network *p, const sos_label_samples *samples,
                                                const sos_label_network_settings *settings, sos_error *error);

#endif

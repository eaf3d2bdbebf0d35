/* perceptron_layers.h - the layers of a network (perceptron.h) at several places at once, a place in each lane.  A lane has the
 * sums of its place in the order of the formula, so that it does not matter which places share a vector. */
#ifndef SOS_VISION_PERCEPTRON_LAYERS_H
#define SOS_VISION_PERCEPTRON_LAYERS_H

#include "base/lanes.h"
#include "vision/perceptron.h"

enum {
    SOS_PLACES = 8,                        /* floats of a register of AVX2 */
    SOS_UNITS = SOS_PERCEPTRON_HIDDEN_STEP /* hidden units whose sums stay in registers together */
};
typedef float sos_places __attribute__((vector_size(SOS_PLACES * sizeof(float))));
typedef int32_t sos_place_flags __attribute__((vector_size(SOS_PLACES * sizeof(float))));

/* out = h(a): a for a > 0, a / 10 else. */
SOS_INLINE void sos_places_leaky(const sos_places *a, sos_places *out)
{
    const sos_place_flags positive = *a > 0;
    *out = (sos_places)((positive & (sos_place_flags)*a) | (~positive & (sos_place_flags)(*a * 0.1F)));
}

/* a_k = b_k + sum_f w_fk x_f. */
SOS_INLINE void sos_places_sums(const sos_perceptron *p, const sos_places x[], sos_places a[])
{
    const size_t hidden = p->hidden;
    for (size_t first = 0; first < hidden; first += SOS_UNITS) {
        const float *w = p->numbers + first, *b = w + p->inputs * hidden;
        sos_places sum[SOS_UNITS];
        for (size_t k = 0; k < SOS_UNITS; k++) sum[k] = (sos_places){ 0 } + b[k];
        for (size_t f = 0; f < p->inputs; f++)
            for (size_t k = 0; k < SOS_UNITS; k++) sum[k] += x[f] * w[f * hidden + k];
        for (size_t k = 0; k < SOS_UNITS; k++) a[first + k] = sum[k];
    }
}

/* z_l = c_l + sum_k v_kl h_k. */
SOS_INLINE void sos_places_outputs(const sos_perceptron *p, const sos_places h[], sos_places z[])
{
    const float *v = p->numbers + (p->inputs + 1) * p->hidden, *c = v + p->hidden * p->outputs;
    for (size_t l = 0; l < p->outputs; l++) {
        sos_places sum = (sos_places){ 0 } + c[l];
        for (size_t k = 0; k < p->hidden; k++) sum += h[k] * v[k * p->outputs + l];
        z[l] = sum;
    }
}

#endif

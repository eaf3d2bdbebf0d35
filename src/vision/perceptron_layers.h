/* perceptron_layers.h - the layers of a network (perceptron.h) at several places at once, a place in each lane.  A lane has the
 * sums of its place in the order of the formula, so that it does not matter which places share a vector. */
#ifndef S3SVM_VISION_PERCEPTRON_LAYERS_H
#define S3SVM_VISION_PERCEPTRON_LAYERS_H

#include "base/lanes.h"
#include "vision/perceptron.h"

enum {
    S3SVM_PLACES = 8,                          /* floats of a register of AVX2 */
    S3SVM_UNITS = S3SVM_PERCEPTRON_HIDDEN_STEP /* hidden units whose sums stay in registers together */
};
typedef float s3svm_places __attribute__((vector_size(S3SVM_PLACES * sizeof(float))));
typedef int32_t s3svm_place_flags __attribute__((vector_size(S3SVM_PLACES * sizeof(float))));
typedef s3svm_places s3svm_places_in_memory __attribute__((aligned(4), may_alias));

/* Eight floats anywhere, to read or write as a vector. */
SOS_INLINE const s3svm_places_in_memory *s3svm_places_at(const float *p) { return (const s3svm_places_in_memory *)p; }
SOS_INLINE s3svm_places_in_memory *s3svm_places_to(float *p) { return (s3svm_places_in_memory *)p; }

/* out = x where a > 0, x / 10 else: h(a) for x = a, and its slope times x. */
SOS_INLINE void s3svm_places_leaky(const s3svm_places *a, const s3svm_places *x, s3svm_places *out)
{
    const s3svm_place_flags positive = *a > 0;
    *out = (s3svm_places)((positive & (s3svm_place_flags)*x) | (~positive & (s3svm_place_flags)(*x * 0.1F)));
}

/* a_k = b_k + sum_f w_fk x_f. */
SOS_INLINE void s3svm_places_sums(const s3svm_perceptron *p, const s3svm_places x[], s3svm_places a[])
{
    const size_t hidden = p->hidden;
    for (size_t first = 0; first < hidden; first += S3SVM_UNITS) {
        const float *w = p->numbers + first, *b = w + p->inputs * hidden;
        s3svm_places sum[S3SVM_UNITS];
        for (size_t k = 0; k < S3SVM_UNITS; k++) sum[k] = (s3svm_places){ 0 } + b[k];
        for (size_t f = 0; f < p->inputs; f++)
            for (size_t k = 0; k < S3SVM_UNITS; k++) sum[k] += x[f] * w[f * hidden + k];
        for (size_t k = 0; k < S3SVM_UNITS; k++) a[first + k] = sum[k];
    }
}

/* z_l = c_l + sum_k v_kl h_k. */
SOS_INLINE void s3svm_places_outputs(const s3svm_perceptron *p, const s3svm_places h[], s3svm_places z[])
{
    const float *v = p->numbers + (p->inputs + 1) * p->hidden, *c = v + p->hidden * p->outputs;
    for (size_t l = 0; l < p->outputs; l++) {
        s3svm_places sum = (s3svm_places){ 0 } + c[l];
        for (size_t k = 0; k < p->hidden; k++) sum += h[k] * v[k * p->outputs + l];
        z[l] = sum;
    }
}

#endif

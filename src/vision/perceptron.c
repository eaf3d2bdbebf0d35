#include "vision/perceptron.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "vision/perceptron_layers.h"

static sos_status count_check(const char *what, size_t count, size_t most, sos_error *error)
{
    if (count && count <= most) return SOS_OK;
    return sos_fail(error, SOS_ERR_RANGE, "a network of %zu %s; 1 to %zu are possible", count, what, most);
}

sos_status s3svm_perceptron_create(size_t inputs, size_t hidden, size_t outputs, s3svm_perceptron *out, sos_error *error)
{
    s3svm_perceptron p = { .inputs = inputs, .hidden = hidden, .outputs = outputs };
    sos_status status = count_check("inputs", inputs, S3SVM_PERCEPTRON_INPUTS_MAX, error);
    if (!status) status = count_check("hidden units", hidden, S3SVM_PERCEPTRON_HIDDEN_MAX, error);
    if (!status) status = count_check("outputs", outputs, S3SVM_PERCEPTRON_OUTPUTS_MAX, error);
    if (status) return status;
    if (hidden % S3SVM_PERCEPTRON_HIDDEN_STEP)
        return sos_fail(error, SOS_ERR_ARGUMENT, "a network of %zu hidden units, which is no multiple of %d", hidden,
                        S3SVM_PERCEPTRON_HIDDEN_STEP);
    p.numbers = calloc(s3svm_perceptron_numbers(&p), sizeof *p.numbers);
    if (!p.numbers) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a network of %zu inputs", inputs);
    *out = p;
    return SOS_OK;
}

void s3svm_perceptron_free(s3svm_perceptron *p)
{
    free(p->numbers);
    *p = (s3svm_perceptron){ 0 };
}

double s3svm_perceptron_log_sum(size_t outputs, const float z[])
{
    double most = (double)z[0], sum = 0;
    for (size_t l = 1; l < outputs; l++) most = fmax(most, (double)z[l]);
    for (size_t l = 0; l < outputs; l++) sum += sos_exp((double)z[l] - most);
    return most + sos_log(sum);
}

/* ---------------------------------------------------------------- places */

/* Lane g has the features of the g-th place; lanes past count repeat the first.  inputs[f * feature + i * place] is feature f
 * of place i. */
SOS_INLINE void places_read(const s3svm_perceptron *p, size_t count, const float inputs[], size_t feature, size_t place,
                            s3svm_places x[])
{
    for (size_t f = 0; f < p->inputs; f++)
        for (size_t g = 0; g < S3SVM_PLACES; g++) x[f][g] = inputs[f * feature + (g < count ? g : 0) * place];
}

SOS_INLINE void places_respond(const s3svm_perceptron *p, const s3svm_places x[], s3svm_places z[])
{
    s3svm_places h[S3SVM_PERCEPTRON_HIDDEN_MAX];
    s3svm_places_sums(p, x, h);
    for (size_t k = 0; k < p->hidden; k++) s3svm_places_leaky(&h[k], &h[k], &h[k]);
    s3svm_places_outputs(p, h, z);
}

/* ---------------------------------------------------------------- planes of pixels */

SOS_INLINE void planes_apply(const s3svm_perceptron *p, size_t n, size_t stride, const float inputs[], float responses[])
{
    s3svm_places x[S3SVM_PERCEPTRON_INPUTS_MAX], z[S3SVM_PERCEPTRON_OUTPUTS_MAX];
    size_t i = 0;
    for (; i + S3SVM_PLACES <= n; i += S3SVM_PLACES) {
        for (size_t f = 0; f < p->inputs; f++) memcpy(&x[f], inputs + f * stride + i, sizeof x[f]);
        places_respond(p, x, z);
        for (size_t l = 0; l < p->outputs; l++) memcpy(responses + l * stride + i, &z[l], sizeof z[l]);
    }
    if (i == n) return;
    places_read(p, n - i, inputs + i, stride, 1, x);
    places_respond(p, x, z);
    for (size_t l = 0; l < p->outputs; l++) memcpy(responses + l * stride + i, &z[l], (n - i) * sizeof *responses);
}

static void planes_apply_plain(const s3svm_perceptron *p, size_t n, size_t stride, const float inputs[], float responses[])
{
    planes_apply(p, n, stride, inputs, responses);
}

SOS_TARGET_AVX2 static void planes_apply_avx2(const s3svm_perceptron *p, size_t n, size_t stride, const float inputs[],
                                              float responses[])
{
    planes_apply(p, n, stride, inputs, responses);
}

void s3svm_perceptron_apply(const s3svm_perceptron *p, size_t n, size_t stride, const float inputs[], float responses[])
{
    if (sos_has_avx2())
        planes_apply_avx2(p, n, stride, inputs, responses);
    else
        planes_apply_plain(p, n, stride, inputs, responses);
}

/* ---------------------------------------------------------------- places side by side */

SOS_INLINE void logs_add(const s3svm_perceptron *p, size_t n, const float features[], float out[])
{
    s3svm_places x[S3SVM_PERCEPTRON_INPUTS_MAX], z[S3SVM_PERCEPTRON_OUTPUTS_MAX];
    for (size_t i = 0; i < n; i += S3SVM_PLACES) {
        const size_t count = n - i < S3SVM_PLACES ? n - i : S3SVM_PLACES;
        places_read(p, count, features + i * p->inputs, 1, p->inputs, x);
        places_respond(p, x, z);
        for (size_t g = 0; g < count; g++) {
            float one[S3SVM_PERCEPTRON_OUTPUTS_MAX] = { z[0][g] };
            for (size_t l = 1; l < p->outputs; l++) one[l] = z[l][g];
            const double sum = s3svm_perceptron_log_sum(p->outputs, one);
            for (size_t l = 0; l < p->outputs; l++) out[(i + g) * p->outputs + l] += (float)((double)one[l] - sum);
        }
    }
}

static void logs_add_plain(const s3svm_perceptron *p, size_t n, const float features[], float out[])
{
    logs_add(p, n, features, out);
}

SOS_TARGET_AVX2 static void logs_add_avx2(const s3svm_perceptron *p, size_t n, const float features[], float out[])
{
    logs_add(p, n, features, out);
}

void s3svm_perceptron_add_logs(const s3svm_perceptron *p, size_t n, const float features[], float out[])
{
    if (sos_has_avx2())
        logs_add_avx2(p, n, features, out);
    else
        logs_add_plain(p, n, features, out);
}

#include "tasks/calibration.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"
#include "vision/maps_file.h"

static const double LEAST = 1e-4;          /* that a probability is away from 0 and 1 */
static const double WEAK = 1, STRONG = 10; /* where the median of |z| may lie */
enum { SAMPLES = 10000, PRIME = 7919 };    /* pixels of a map that its median is of, and their changing places */
static const double SLACK = 1e-3;          /* that probabilities may lie outside of 0 to 1, in whole units of theirs */

static const char *const NAMES[] = { "odds", "probabilities", "bytes" }; /* in the order of s3svm_maps_numbers */

const char *s3svm_maps_numbers_name(s3svm_maps_numbers numbers)
{
    return (unsigned)numbers <= S3SVM_NUMBERS_BYTES ? NAMES[numbers] : NULL;
}

static size_t size_of(const s3svm_maps *m) { return m->width * m->height; }

double s3svm_numbers_z(s3svm_maps_numbers numbers, double x)
{
    if (numbers == S3SVM_NUMBERS_ODDS) return x;
    if (numbers == S3SVM_NUMBERS_BYTES) return s3svm_maps_byte_odds(x);
    const double p = fmax(LEAST, fmin(x, 1 - LEAST));
    return sos_log(p / (1 - p));
}

sos_status s3svm_evidence_check(const s3svm_maps *m, size_t number, sos_error *error)
{
    char of[40] = "";
    if (number != SIZE_MAX) snprintf(of, sizeof of, " of picture %zu", number);
    if (!m->values) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no maps%s", of);
    if (m->channels != 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the maps%s have %zu channels; evidence has one", of, m->channels);
    for (size_t i = 0; i < size_of(m); i++)
        if (!isfinite(m->values[i])) return sos_fail(error, SOS_ERR_ARGUMENT, "pixel %zu of the maps%s is not finite", i, of);
    return SOS_OK;
}

/* ---------------------------------------------------------------- what can be told */

static bool all_within(const s3svm_maps *m, float most, bool whole)
{
    for (size_t i = 0; i < size_of(m); i++) {
        const float v = m->values[i];
        if (v < 0 || v > most || (whole && v != rintf(v))) return false;
    }
    return true;
}

static s3svm_maps_numbers numbers_find(size_t count, const s3svm_maps maps[])
{
    bool unit = true, bytes = true;
    for (size_t i = 0; i < count && (unit || bytes); i++) {
        unit = unit && all_within(&maps[i], 1, false);
        bytes = bytes && all_within(&maps[i], 255, true);
    }
    return unit ? S3SVM_NUMBERS_PROBABILITIES : bytes ? S3SVM_NUMBERS_BYTES : S3SVM_NUMBERS_ODDS;
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The median of |z| of a map of log odds; room for SAMPLES + 1 numbers. */
static float strength_of(const s3svm_maps *m, float room[])
{
    const size_t n = size_of(m), each = n / SAMPLES + 1;
    size_t taken = 0;
    for (size_t next = 0; next < n; next = taken * each + taken * PRIME % each) room[taken++] = fabsf(m->values[next]);
    qsort(room, taken, sizeof *room, by_size);
    return room[taken / 2];
}

/* The scale that brings the median of the maps' medians to where it may lie.  All zeros say nothing at any scale. */
static sos_status scale_find(size_t count, const s3svm_maps maps[], double *scale, sos_error *error)
{
    float *room = malloc((SAMPLES + 1) * sizeof *room), *medians = malloc(count * sizeof *medians);
    sos_status status = SOS_OK;
    if (room && medians) {
        for (size_t i = 0; i < count; i++) medians[i] = strength_of(&maps[i], room);
        qsort(medians, count, sizeof *medians, by_size);
        const double strength = fmax((double)medians[count / 2], (double)FLT_MIN);
        *scale = medians[count / 2] > 0 ? fmax(WEAK, fmin(strength, STRONG)) / strength : 1;
    } else
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for what can be told from %zu maps", count);
    free(room);
    free(medians);
    return status;
}

sos_status s3svm_maps_calibration_guess(size_t count, const s3svm_maps maps[], s3svm_maps_calibration *out, sos_error *error)
{
    if (!count) return sos_fail(error, SOS_ERR_ARGUMENT, "there are no maps");
    for (size_t i = 0; i < count; i++) {
        const sos_status status = s3svm_evidence_check(&maps[i], count > 1 ? i : SIZE_MAX, error);
        if (status) return status;
    }
    s3svm_maps_calibration c = { .numbers = numbers_find(count, maps), .scale = 1 };
    if (c.numbers == S3SVM_NUMBERS_ODDS) {
        const sos_status status = scale_find(count, maps, &c.scale, error);
        if (status) return status;
    }
    *out = c;
    return SOS_OK;
}

/* ---------------------------------------------------------------- using it */

/* Whether numbers are what they are said to be. */
static sos_status numbers_check(s3svm_maps_numbers numbers, const s3svm_maps *m, sos_error *error)
{
    const double most = numbers == S3SVM_NUMBERS_BYTES ? 255 : 1;
    if (numbers == S3SVM_NUMBERS_ODDS) return SOS_OK;
    for (size_t i = 0; i < size_of(m); i++) {
        const double v = (double)m->values[i];
        if (v < -SLACK * most || v > (1 + SLACK) * most)
            return sos_fail(error, SOS_ERR_ARGUMENT,
                            "column %zu, row %zu of the maps is %g; by the calibration they are %s, 0 to %g", i % m->width,
                            i / m->width, v, s3svm_maps_numbers_name(numbers), most);
    }
    return SOS_OK;
}

sos_status s3svm_maps_apply(const s3svm_maps_calibration *c, s3svm_maps *m, sos_error *error)
{
    s3svm_maps_calibration guessed;
    sos_status status = s3svm_evidence_check(m, SIZE_MAX, error);
    if (!status && !c) status = s3svm_maps_calibration_guess(1, m, &guessed, error);
    if (status) return status;
    const s3svm_maps_calibration *used = c ? c : &guessed;
    if (!s3svm_maps_numbers_name(used->numbers) || !isfinite(used->scale) || !isfinite(used->offset))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no calibration: numbers %d, scale %g, offset %g", (int)used->numbers,
                        used->scale, used->offset);
    status = sos_reserved_check("s3svm_maps_calibration", used, error);
    if (!status) status = numbers_check(used->numbers, m, error);
    if (status) return status;
    for (size_t i = 0; i < size_of(m); i++) {
        const double odds = used->scale * s3svm_numbers_z(used->numbers, (double)m->values[i]) + used->offset;
        m->values[i] = (float)fmax(-(double)FLT_MAX, fmin(odds, (double)FLT_MAX));
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- doubt */

sos_status s3svm_maps_doubt(const s3svm_maps *odds, const uint8_t labels[], double *doubt, sos_error *error)
{
    const sos_status status = s3svm_evidence_check(odds, SIZE_MAX, error);
    if (status) return status;
    double sum = 0;
    for (size_t i = 0; i < size_of(odds); i++) {
        const double t = (double)odds->values[i];
        sum += sos_logistic(labels[i] ? -t : t);
    }
    *doubt = sum / (double)size_of(odds);
    return SOS_OK;
}

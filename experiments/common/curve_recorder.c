#include "experiments/common/curve_recorder.h"

#include <math.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

/* Gaps fall about evenly by their logarithms. */
static double gap_part(double gap, double wanted)
{
    return gap > 0 && wanted > 0 ? fmax(0, fmin(1, log(1 / gap) / log(1 / wanted))) : 0;
}

/* Each C of a path takes about three times as long as the one before. */
static double path_part(size_t value, size_t values, double part)
{
    const double all = pow(3, (double)values) - 1, before = pow(3, (double)value) - 1;
    return (before + 2 * part * pow(3, (double)value)) / all;
}

static bool curve_add(s3svm_curve_recorder *f, const sos_train_round *r)
{
    s3svm_curve *c = f->curve;
    if (!c || !isfinite(r->primal)) return true;
    if (!sos_grow(&c->points, &c->room, c->count + 1)) return false;
    c->points[c->count++] = (s3svm_curve_point){ r->C, f->before + r->seconds, r->primal, r->dual };
    return true;
}

bool s3svm_curve_record(void *recorder, const sos_train_round *r)
{
    s3svm_curve_recorder *f = recorder;
    size_t value = 0;
    double part = gap_part(r->gap, f->gap);
    while (value + 1 < f->values && f->C[value] != r->C) value++;
    if (f->values) part = path_part(value, f->values, part);
    if (f->seconds) f->seconds[value] = sos_seconds();
    if (f->processor) f->processor[value] = sos_seconds_of_program();
    f->no_memory = !curve_add(f, r);
    return !f->no_memory && s3svm_progress_report(f->progress, part);
}

sos_status s3svm_curve_end(const s3svm_curve_recorder *f, sos_status status, sos_error *error)
{
    if (f->no_memory) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the curve of a training");
    if (!status && f->progress->stopped) return sos_fail(error, SOS_CANCELLED, "stopped");
    return status;
}

#include "experiments/common/progress.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

bool s3svm_progress_report(s3svm_progress *c, double part)
{
    bool go_on;
#pragma omp critical(s3svm_progress)
    {
        const double within = c->from + (c->to - c->from) * (part > 0 ? fmin(1, part) : 0);
        const double done = (c->done + c->step * within) / c->total;
        if (!c->stopped && c->progress && !c->progress(c->user, c->phase, done)) c->stopped = true;
        go_on = !c->stopped;
    }
    return go_on;
}

bool s3svm_progress_callback(void *progress, const char *phase, double part)
{
    (void)phase;
    return s3svm_progress_report(progress, part);
}

void s3svm_progress_begin(s3svm_progress *c, double worth, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(c->phase, sizeof c->phase, format, values);
    va_end(values);
    c->step = worth;
    s3svm_progress_stage(c, 0, 1);
    (void)s3svm_progress_report(c, 0);
}

void s3svm_progress_stage(s3svm_progress *c, double from, double to)
{
    c->from = from;
    c->to = to;
}

sos_status s3svm_progress_end(s3svm_progress *c, sos_error *error)
{
    c->done += c->step;
    c->step = 0;
    return s3svm_progress_report(c, 0) ? SOS_OK : sos_fail(error, SOS_CANCELLED, "stopped");
}

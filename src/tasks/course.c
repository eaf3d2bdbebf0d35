#include "tasks/course.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

bool sos_course_report(sos_course *c, double part)
{
    bool go_on;
#pragma omp critical(sos_course)
    {
        const double within = c->from + (c->to - c->from) * (part > 0 ? fmin(1, part) : 0);
        const double done = (c->done + c->step * within) / c->total;
        if (!c->stopped && c->progress && !c->progress(c->user, c->phase, done)) c->stopped = true;
        go_on = !c->stopped;
    }
    return go_on;
}

bool sos_course_progress(void *course, const char *phase, double part)
{
    (void)phase;
    return sos_course_report(course, part);
}

void sos_course_begin(sos_course *c, double worth, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(c->phase, sizeof c->phase, format, values);
    va_end(values);
    c->step = worth;
    sos_course_stage(c, 0, 1);
    (void)sos_course_report(c, 0);
}

void sos_course_stage(sos_course *c, double from, double to)
{
    c->from = from;
    c->to = to;
}

sos_status sos_course_end(sos_course *c, sos_error *error)
{
    c->done += c->step;
    c->step = 0;
    return sos_course_report(c, 0) ? SOS_OK : sos_fail(error, SOS_CANCELLED, "stopped");
}

#include "tasks/score.h"

#include <math.h>

sos_score sos_score_of(size_t n, const uint8_t labels[], const uint8_t truth[])
{
    sos_score s = { .pixels = n };
    for (size_t i = 0; i < n; i++) {
        s.missed += truth[i] && !labels[i];
        s.extra += !truth[i] && labels[i];
        s.found += truth[i] && labels[i];
    }
    return s;
}

double sos_score_error(const sos_score *s) { return s->pixels ? (double)(s->missed + s->extra) / (double)s->pixels : NAN; }

double sos_score_iou(const sos_score *s)
{
    const size_t either = s->found + s->missed + s->extra;
    return either ? (double)s->found / (double)either : 1;
}

double sos_mean(size_t count, const double x[])
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += x[i];
    return count ? sum / (double)count : NAN;
}

double sos_deviation(size_t count, const double x[])
{
    const double mean = sos_mean(count, x);
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += (x[i] - mean) * (x[i] - mean);
    return count > 1 ? sqrt(sum / (double)(count - 1)) : NAN;
}

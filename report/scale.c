#include "report/scale.h"

#include <math.h>

static const double MARGIN = 0.04;      /* of its range, that a scale leaves free on both sides */
static const double LEAST_RANGE = 1e-6; /* of the numbers' size: less, and marks would look alike */

bool s3svm_scale_has(double x, bool log) { return isfinite(x) && fabs(x) <= 1e300 && (!log || x >= 1e-300); }

void s3svm_scale_cover(s3svm_chart_scale *s, double x)
{
    if (!s3svm_scale_has(x, s->log)) return;
    s->low = s->any ? fmin(s->low, x) : x;
    s->high = s->any ? fmax(s->high, x) : x;
    s->any = true;
}

/* Leaves a little room on both sides, and never so little that numbers at the ends look alike. */
static void scale_widen_linear(s3svm_chart_scale *s, double share)
{
    const double size = fmax(fabs(s->low), fabs(s->high));
    if (size < 1e-290) {
        s->low = 0;
        s->high = 1;
        return;
    }
    const double width = s->high - s->low;
    const double room = width < LEAST_RANGE * size ? 0.1 * size : share * width;
    const bool positive = s->low >= 0, negative = s->high <= 0;
    s->low = positive ? fmax(0, s->low - room) : s->low - room;
    s->high = negative ? fmin(0, s->high + room) : s->high + room;
}

static void scale_widen_log(s3svm_chart_scale *s, double share)
{
    const double factor = s->high / s->low > 1 + LEAST_RANGE ? pow(s->high / s->low, share) : 2;
    s->low = fmax(s->low / factor, 1e-300);
    s->high = fmin(s->high * factor, 1e300);
}

void s3svm_scale_finish(s3svm_chart_scale *s, bool zero, size_t most, bool tight)
{
    if (!s->any) {
        s->low = s->log ? 1 : 0;
        s->high = s->log ? 10 : 1;
    }
    if (most < S3SVM_TICKS_LEAST) most = S3SVM_TICKS_LEAST;
    if (most > S3SVM_TICKS_MOST) most = S3SVM_TICKS_MOST;
    if (s->log) {
        if (s->any) scale_widen_log(s, MARGIN);
        s3svm_ticks_log(s->low, s->high, most, &s->ticks);
        return;
    }
    if (zero) {
        s->low = fmin(s->low, 0);
        s->high = fmax(s->high, 0);
    }
    if (s->any) scale_widen_linear(s, tight ? MARGIN : 0);
    if (tight)
        s3svm_ticks_linear(s->low, s->high, most, &s->ticks);
    else
        s3svm_ticks_around(&s->low, &s->high, most, &s->ticks);
}

double s3svm_scale_place(const s3svm_chart_scale *s, double x)
{
    const double share = s->log ? (x <= s->low ? 0 : log(x / s->low) / log(s->high / s->low))
                                : (x - s->low) / (s->high - s->low);
    return s->from + fmin(1, fmax(0, share)) * (s->to - s->from);
}

double s3svm_scale_tick(const s3svm_chart_scale *s, size_t i) { return s3svm_scale_place(s, s3svm_ticks_value(&s->ticks, i)); }

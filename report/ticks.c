#include "report/ticks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What division by a step may be off by, in steps. */
static const double slack = 1e-9;

static const int mantissas[] = { 1, 2, 5 };

typedef struct tick_step {
    int mantissa, exponent;
} tick_step;

static double step_size(tick_step s) { return s.mantissa * pow(10, s.exponent); }

static double step_first(tick_step s, double low) { return ceil(low / step_size(s) - slack); }
static double step_last(tick_step s, double high) { return floor(high / step_size(s) + slack); }

static tick_step step_choose(double low, double high, size_t most)
{
    /* A tenth of the least power of ten that could do has too many multiples. */
    const int exponent = (int)floor(log10((high - low) / (double)most)) - 1;
    for (int i = 0;; i++) {
        const tick_step s = { mantissas[i % 3], exponent + i / 3 };
        if (step_last(s, high) - step_first(s, low) + 1 <= (double)most) return s;
    }
}

static void ticks_fill(s3svm_ticks *t, tick_step s, double first, double last)
{
    t->count = 0;
    for (double i = first; i <= last && t->count < S3SVM_TICKS_MOST + 2; i++) {
        t->digits[t->count] = (long long)i * s.mantissa;
        t->exponent[t->count++] = s.exponent;
    }
}

void s3svm_ticks_linear(double low, double high, size_t most, s3svm_ticks *ticks)
{
    const tick_step s = step_choose(low, high, most);
    ticks_fill(ticks, s, step_first(s, low), step_last(s, high));
}

void s3svm_ticks_around(double *low, double *high, size_t most, s3svm_ticks *ticks)
{
    const tick_step s = step_choose(*low, *high, most);
    const double first = floor(*low / step_size(s) + slack), last = ceil(*high / step_size(s) - slack);
    ticks_fill(ticks, s, first, last);
    *low = first * step_size(s);
    *high = last * step_size(s);
}

static void add_within(s3svm_ticks *t, double low, double high, int mantissa, int exponent)
{
    const double x = mantissa * pow(10, exponent);
    if (x < low * (1 - slack) || x > high * (1 + slack)) return;
    if (t->count < S3SVM_TICKS_MOST + 2) {
        t->digits[t->count] = mantissa;
        t->exponent[t->count] = exponent;
    }
    t->count++;
}

void s3svm_ticks_log(double low, double high, size_t most, s3svm_ticks *ticks)
{
    const int from = (int)floor(log10(low)), to = (int)ceil(log10(high));
    ticks->count = 0;
    for (int e = from; e <= to; e++)
        for (int m = 0; m < 3; m++) add_within(ticks, low, high, mantissas[m], e);
    for (int every = 1, i = 0; ticks->count > most; i++, every = mantissas[i % 3] * (int)pow(10, i / 3)) {
        ticks->count = 0;
        for (int e = from; e <= to; e++)
            if (e % every == 0) add_within(ticks, low, high, 1, e);
    }
    if (ticks->count < 2) s3svm_ticks_linear(low, high, most, ticks);
}

double s3svm_ticks_value(const s3svm_ticks *ticks, size_t i) { return (double)ticks->digits[i] * pow(10, ticks->exponent[i]); }

const char *s3svm_ticks_text(const s3svm_ticks *ticks, size_t i, char text[S3SVM_NUMBER_TEXT])
{
    enum { DECIMALS_MOST = 6 };
    const long long digits = ticks->digits[i];
    const int exponent = ticks->exponent[i];
    const double x = s3svm_ticks_value(ticks, i);
    if (exponent >= 0 || exponent < -DECIMALS_MOST || fabs(x) >= 1e6) return s3svm_number_text(x, 15, text);
    long long unit = 1;
    for (int e = exponent; e < 0; e++) unit *= 10;
    const long long size = llabs(digits);
    snprintf(text, S3SVM_NUMBER_TEXT, "%s%lld.%0*lld", digits < 0 ? "−" : "", size / unit, -exponent, size % unit);
    return text;
}

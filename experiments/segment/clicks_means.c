/* clicks_means.c - means of dialogues over photographs. */
#include <math.h>

#include "experiments/segment/clicks.h"

double s3svm_clicks_needed(const s3svm_clicks_outcome *o, size_t goal) { return (double)o->needed[goal]; }
double s3svm_clicks_reached(const s3svm_clicks_outcome *o, size_t goal) { return o->reached[goal]; }
double s3svm_clicks_iou(const s3svm_clicks_outcome *o, size_t click) { return o->scores[click].iou; }
double s3svm_clicks_error(const s3svm_clicks_outcome *o, size_t click) { return o->scores[click].error; }

double s3svm_clicks_change(const s3svm_clicks_outcome *o, size_t click)
{
    return o->scores[click].iou - o->scores[click - 1].iou;
}

double s3svm_clicks_harm(const s3svm_clicks_outcome *o, size_t click) { return o->harms[click]; }

double s3svm_clicks_mean_harm(const s3svm_clicks_outcome *o, size_t unused)
{
    double sum = 0;
    size_t count = 0;
    (void)unused;
    for (size_t k = 0; k < o->made; k++) {
        if (isnan(o->harms[k])) continue;
        sum += o->harms[k];
        count++;
    }
    return count ? sum / (double)count : NAN;
}

double s3svm_clicks_look(const s3svm_clicks_outcome *o, size_t unused)
{
    (void)unused;
    return o->seconds_look;
}

double s3svm_clicks_seconds(const s3svm_clicks_outcome *o, size_t unused)
{
    (void)unused;
    return o->seconds;
}

/* ---------------------------------------------------------------- means */

/* Numbers being added up, and their squares around a first one, so that little is lost. */
typedef struct sums {
    size_t count;
    double first, sum, squares;
} sums;

static void sums_add(sums *s, double x)
{
    if (isnan(x)) return;
    if (!s->count++) s->first = x;
    s->sum += x - s->first;
    s->squares += (x - s->first) * (x - s->first);
}

static s3svm_clicks_mean sums_mean(const sums *s)
{
    const double n = (double)s->count;
    s3svm_clicks_mean m = { .pictures = s->count, .mean = NAN, .standard_error = NAN, .deviation = NAN };
    if (s->count) m.mean = s->first + s->sum / n;
    if (s->count > 1) m.deviation = sqrt(fmax(0, s->squares - s->sum * s->sum / n) / (n - 1));
    m.standard_error = m.deviation / sqrt(n);
    return m;
}

/* What a mean is of; with a baseline, of the differences from it. */
typedef struct asked {
    const s3svm_clicks_results *results;
    size_t method, baseline; /* the same: no baseline */
    s3svm_clicks_value *value;
    size_t which;
} asked;

/* The mean of the cases of the picture of case i; NaN where an earlier case has the same one, or there is not a number. */
static double picture_value(const asked *a, size_t i)
{
    const s3svm_clicks_results *r = a->results;
    sums s = { 0 };
    for (size_t j = 0; j < r->case_count; j++) {
        if (r->cases[j].picture != r->cases[i].picture) continue;
        if (j < i) return NAN;
        const double x = a->value(s3svm_clicks_outcome_at(r, j, a->method), a->which);
        const double y = a->baseline == a->method ? 0 : a->value(s3svm_clicks_outcome_at(r, j, a->baseline), a->which);
        sums_add(&s, x - y);
    }
    return sums_mean(&s).mean;
}

static s3svm_clicks_mean mean_of(const asked *a)
{
    sums s = { 0 };
    for (size_t i = 0; i < a->results->case_count; i++) sums_add(&s, picture_value(a, i));
    return sums_mean(&s);
}

s3svm_clicks_mean s3svm_clicks_average(const s3svm_clicks_results *r, size_t method, s3svm_clicks_value *value, size_t which)
{
    return mean_of(&(asked){ r, method, method, value, which });
}

s3svm_clicks_mean s3svm_clicks_difference(const s3svm_clicks_results *r, size_t method, size_t baseline,
                                          s3svm_clicks_value *value, size_t which)
{
    return mean_of(&(asked){ r, method, baseline, value, which });
}

size_t s3svm_clicks_worst(const s3svm_clicks_results *r, size_t method, s3svm_clicks_mean *change)
{
    size_t worst = 0;
    *change = (s3svm_clicks_mean){ .mean = NAN, .standard_error = NAN, .deviation = NAN };
    for (size_t k = 1; k < r->plan.clicks; k++) {
        const s3svm_clicks_mean m = s3svm_clicks_average(r, method, s3svm_clicks_change, k);
        if (worst && !(m.mean < change->mean)) continue;
        *change = m;
        worst = k + 1;
    }
    return worst;
}

/* clicks_means.c - what dialogues come to in the mean of the photographs. */
#include <math.h>

#include "segment/clicks.h"

double sos_clicks_needed(const sos_clicks_outcome *o, size_t goal) { return (double)o->needed[goal]; }
double sos_clicks_reached(const sos_clicks_outcome *o, size_t goal) { return o->reached[goal]; }
double sos_clicks_iou(const sos_clicks_outcome *o, size_t click) { return o->scores[click].iou; }
double sos_clicks_error(const sos_clicks_outcome *o, size_t click) { return o->scores[click].error; }

double sos_clicks_change(const sos_clicks_outcome *o, size_t click) { return o->scores[click].iou - o->scores[click - 1].iou; }

double sos_clicks_harm(const sos_clicks_outcome *o, size_t click) { return o->harms[click]; }

double sos_clicks_mean_harm(const sos_clicks_outcome *o, size_t unused)
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

double sos_clicks_look(const sos_clicks_outcome *o, size_t unused)
{
    (void)unused;
    return o->seconds_look;
}

double sos_clicks_seconds(const sos_clicks_outcome *o, size_t unused)
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

static sos_clicks_mean sums_mean(const sums *s)
{
    const double n = (double)s->count;
    sos_clicks_mean m = { .pictures = s->count, .mean = NAN, .standard_error = NAN, .deviation = NAN };
    if (s->count) m.mean = s->first + s->sum / n;
    if (s->count > 1) m.deviation = sqrt(fmax(0, s->squares - s->sum * s->sum / n) / (n - 1));
    m.standard_error = m.deviation / sqrt(n);
    return m;
}

/* What a mean is of; with a baseline, of the differences from it. */
typedef struct asked {
    const sos_clicks_results *results;
    size_t method, baseline; /* the same: no baseline */
    sos_clicks_value *value;
    size_t which;
} asked;

/* The mean of the cases of the picture of case i; NaN where an earlier case has the same one, or there is no number. */
static double picture_value(const asked *a, size_t i)
{
    const sos_clicks_results *r = a->results;
    sums s = { 0 };
    for (size_t j = 0; j < r->case_count; j++) {
        if (r->cases[j].picture != r->cases[i].picture) continue;
        if (j < i) return NAN;
        const double x = a->value(sos_clicks_outcome_at(r, j, a->method), a->which);
        const double y = a->baseline == a->method ? 0 : a->value(sos_clicks_outcome_at(r, j, a->baseline), a->which);
        sums_add(&s, x - y);
    }
    return sums_mean(&s).mean;
}

static sos_clicks_mean mean_of(const asked *a)
{
    sums s = { 0 };
    for (size_t i = 0; i < a->results->case_count; i++) sums_add(&s, picture_value(a, i));
    return sums_mean(&s);
}

sos_clicks_mean sos_clicks_average(const sos_clicks_results *r, size_t method, sos_clicks_value *value, size_t which)
{
    return mean_of(&(asked){ r, method, method, value, which });
}

sos_clicks_mean sos_clicks_difference(const sos_clicks_results *r, size_t method, size_t baseline, sos_clicks_value *value,
                                      size_t which)
{
    return mean_of(&(asked){ r, method, baseline, value, which });
}

size_t sos_clicks_worst(const sos_clicks_results *r, size_t method, sos_clicks_mean *change)
{
    size_t worst = 0;
    *change = (sos_clicks_mean){ .mean = NAN, .standard_error = NAN, .deviation = NAN };
    for (size_t k = 1; k < r->plan.clicks; k++) {
        const sos_clicks_mean m = sos_clicks_average(r, method, sos_clicks_change, k);
        if (worst && !(m.mean < change->mean)) continue;
        *change = m;
        worst = k + 1;
    }
    return worst;
}

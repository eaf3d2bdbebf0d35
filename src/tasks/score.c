#include "tasks/score.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

sos_score sos_score_of(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[])
{
    sos_score s = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (care && !care[i]) continue;
        s.pixels++;
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

sos_status sos_score_sizes(const sos_image *labels, const sos_image *truth, const char *path, sos_error *error)
{
    if (labels->width == truth->width && labels->height == truth->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its result %zu by %zu", path, truth->width,
                    truth->height, labels->width, labels->height);
}

/* The share of pixels off the diagonal. */
static double error_of(const sos_confusion *c)
{
    const double wrong = c->counts[1] + c->counts[2], all = c->counts[0] + c->counts[3] + wrong;
    return all > 0 ? wrong / all : 0;
}

sos_status sos_score_judge(size_t n, const uint8_t labels[], const uint8_t truth[], const uint8_t care[], sos_confusion *counts,
                           sos_task_score *score, sos_error *error)
{
    const sos_status status = sos_confusion_create(2, counts, error);
    if (status) return status;
    const sos_score all = sos_score_of(n, labels, truth, NULL);
    sos_confusion_add(counts, n, labels, truth, care);
    *score = (sos_task_score){ .error = sos_score_error(&all),
                               .iou = sos_score_iou(&all),
                               .extra = care ? error_of(counts) : NAN };
    return SOS_OK;
}

sos_spread sos_spread_of(size_t count, sos_value_of *value, const void *data)
{
    sos_spread s = { NAN, NAN };
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) sum += value(data, i);
    if (count) s.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double x = value(data, i) - s.mean;
        squares += x * x;
    }
    if (count > 1) s.deviation = sqrt(squares / (double)(count - 1));
    return s;
}

typedef struct members {
    const char *first;
    size_t stride;
} members;

static double member(const void *data, size_t i)
{
    const members *m = data;
    double x;
    memcpy(&x, m->first + i * m->stride, sizeof x);
    return x;
}

sos_spread sos_spread_of_members(size_t count, const void *first, size_t stride)
{
    return sos_spread_of(count, member, &(members){ first, stride });
}

double sos_mean(size_t count, const double x[]) { return sos_spread_of_members(count, x, sizeof *x).mean; }
double sos_deviation(size_t count, const double x[]) { return sos_spread_of_members(count, x, sizeof *x).deviation; }

const char *sos_spread_text(sos_spread s, char text[SOS_SPREAD_TEXT])
{
    snprintf(text, SOS_SPREAD_TEXT, isfinite(s.deviation) ? "%.2f +- %.2f" : "%.2f", 100 * s.mean, 100 * s.deviation);
    return text;
}

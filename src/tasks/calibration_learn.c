/* calibration_learn.c - a scale and an offset for what a network says, from labelled pictures. */
#include <math.h>
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/threads.h"
#include "tasks/calibration.h"

enum {
    PIXELS = 2000, /* of a picture, at most */
    PRIME = 7919,
    PARTS = 20, /* of more pictures, so many parts are left out in turn */
    STEPS = 100,
    HALVINGS = 60,
    CELLS = 10 /* of the probabilities, for how far they are astray */
};
static const double PRIOR = 0.05;
static const double SMALL = 1e-13; /* a gain that is none */

/* Pixels of a picture: z divided by its unit, so that the scale to begin with is 1, and true labels. */
typedef struct sample {
    size_t count, number; /* number: of the picture */
    double *z;
    uint8_t *label;
    double guess_scale; /* of its own map, in the same unit */
} sample;

typedef struct samples {
    size_t count;
    sample *list;
} samples;

/* scale * z + offset. */
typedef struct line {
    double scale, offset;
} line;

static void samples_free(samples *s)
{
    for (size_t i = 0; s->list && i < s->count; i++) {
        free(s->list[i].z);
        free(s->list[i].label);
    }
    free(s->list);
}

/* ---------------------------------------------------------------- the objective */

/* Of log odds t of label 1: its probability, and -log p of the true label. */
typedef struct said {
    double p, loss;
} said;

static said said_of(double t, bool label)
{
    const double e = sos_exp(-fmin(fabs(t), 700)), wrong = label ? -t : t;
    return (said){ .p = (t >= 0 ? 1 : e) / (1 + e), .loss = fmax(0, wrong) + sos_log(1 + e) };
}

/* The objective, with its gradient and Hessian by scale and offset. */
typedef struct slope {
    double value, by_scale, by_offset, scale_scale, scale_offset, offset_offset;
} slope;

static void sample_add(const sample *x, line at, slope *s)
{
    const double unit = 1 / (double)x->count;
    for (size_t i = 0; i < x->count; i++) {
        const double z = x->z[i];
        const said at_z = said_of(at.scale * z + at.offset, x->label[i]);
        const double wrong = unit * (at_z.p - x->label[i]), bend = unit * at_z.p * (1 - at_z.p);
        s->value += unit * at_z.loss;
        s->by_scale += wrong * z;
        s->by_offset += wrong;
        s->scale_scale += bend * z * z;
        s->scale_offset += bend * z;
        s->offset_offset += bend;
    }
}

/* Of the pictures whose part is not the one left out. */
static slope slope_at(const samples *s, size_t parts, size_t left_out, line at)
{
    const double away = at.scale - 1;
    slope sum = { .value = PRIOR * (away * away + at.offset * at.offset),
                  .by_scale = 2 * PRIOR * away,
                  .by_offset = 2 * PRIOR * at.offset,
                  .scale_scale = 2 * PRIOR,
                  .offset_offset = 2 * PRIOR };
    for (size_t i = 0; i < s->count; i++)
        if (i % parts != left_out) sample_add(&s->list[i], at, &sum);
    return sum;
}

/* Newton's method with halved steps: the objective is strictly convex.  It ends where a step would gain next to nothing. */
static line line_fit(const samples *s, size_t parts, size_t left_out, line at)
{
    slope here = slope_at(s, parts, left_out, at);
    for (int step = 0; step < STEPS; step++) {
        const double det = here.scale_scale * here.offset_offset - here.scale_offset * here.scale_offset;
        const double ds = (here.offset_offset * here.by_scale - here.scale_offset * here.by_offset) / det;
        const double db = (here.scale_scale * here.by_offset - here.scale_offset * here.by_scale) / det;
        if (ds * here.by_scale + db * here.by_offset < SMALL * (1 + here.value)) break;
        double share = 1;
        slope there = here;
        line next = at;
        for (int i = 0; i < HALVINGS; i++, share /= 2) {
            next = (line){ at.scale - share * ds, at.offset - share * db };
            there = slope_at(s, parts, left_out, next);
            if (there.value < here.value) break;
        }
        if (!(there.value < here.value)) break;
        at = next;
        here = there;
    }
    return at;
}

/* ---------------------------------------------------------------- scores */

/* The line for each picture; count: of pictures. */
static s3svm_maps_score score_of(const samples *s, const line lines[])
{
    double loss = 0, away[CELLS] = { 0 };
    for (size_t i = 0; i < s->count; i++) {
        const sample *x = &s->list[i];
        const double unit = 1 / (double)x->count / (double)s->count;
        for (size_t k = 0; k < x->count; k++) {
            const said at_z = said_of(lines[i].scale * x->z[k] + lines[i].offset, x->label[k]);
            const size_t cell = at_z.p < 1 ? (size_t)(at_z.p * CELLS) : CELLS - 1;
            loss += unit * at_z.loss;
            away[cell] += unit * (at_z.p - x->label[k]);
        }
    }
    s3svm_maps_score score = { .loss = loss };
    for (size_t c = 0; c < CELLS; c++) score.astray += fabs(away[c]);
    return score;
}

static s3svm_maps_score score_before(const samples *s, line lines[])
{
    for (size_t i = 0; i < s->count; i++) lines[i] = (line){ s->list[i].guess_scale, 0 };
    return score_of(s, lines);
}

static s3svm_maps_score score_after(const samples *s, line fitted, line lines[])
{
    for (size_t i = 0; i < s->count; i++) lines[i] = fitted;
    return score_of(s, lines);
}

/* The others' lines are close to that of all. */
static s3svm_maps_score score_others(const samples *s, line all, int threads, line lines[])
{
    const int team = sos_thread_team(threads);
    (void)team;
    if (s->count < 2) return (s3svm_maps_score){ NAN, NAN };
    const size_t parts = s->count < PARTS ? s->count : PARTS;
#pragma omp parallel for num_threads(team) schedule(dynamic, 1)
    for (size_t part = 0; part < parts; part++) {
        const line fitted = line_fit(s, parts, part, all);
        for (size_t i = part; i < s->count; i += parts) lines[i] = fitted;
    }
    return score_of(s, lines);
}

/* ---------------------------------------------------------------- pixels */

static sos_status picture_check(size_t i, const s3svm_maps *m, const s3svm_truth *t, sos_error *error)
{
    const sos_status status = s3svm_evidence_check(m, i, error);
    if (status) return status;
    if (m->width == t->width && m->height == t->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "the maps of picture %zu have %zu by %zu pixels, its labels %zu by %zu", i,
                    m->width, m->height, t->width, t->height);
}

/* One from every so many of the pixels that are sure, at changing places. */
static sos_status sample_take(const s3svm_maps *m, const s3svm_truth *t, s3svm_maps_numbers numbers, double unit, sample *x,
                              sos_error *error)
{
    const size_t n = m->width * m->height;
    size_t sure = 0;
    for (size_t i = 0; i < n; i++) sure += t->care[i] != 0;
    const size_t each = sure / PIXELS + 1;
    x->z = malloc((sure / each + 1) * sizeof *x->z);
    x->label = malloc(sure / each + 1);
    if (!x->z || !x->label) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pixels", sure / each + 1);
    for (size_t i = 0, at = 0, next = 0; i < n; i++) {
        if (!t->care[i] || at++ != next) continue;
        x->z[x->count] = s3svm_numbers_z(numbers, (double)m->values[i]) * unit;
        x->label[x->count++] = t->labels[i] != 0;
        next = x->count * each + x->count * PRIME % each;
    }
    return SOS_OK;
}

static sos_status guess_take(const s3svm_maps *m, const s3svm_maps_calibration *all, sample *x, sos_error *error)
{
    s3svm_maps_calibration own;
    const sos_status status = s3svm_maps_calibration_guess(1, m, &own, error);
    x->guess_scale = status || all->numbers != S3SVM_NUMBERS_ODDS ? 1 : own.scale / all->scale;
    return status;
}

static sos_status samples_take(size_t count, const s3svm_maps maps[], const s3svm_truth truths[],
                               const s3svm_maps_calibration *guess, samples *s, sos_error *error)
{
    s->list = calloc(count, sizeof *s->list);
    if (!s->list) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the pixels of %zu pictures", count);
    for (size_t i = 0; i < count; i++) {
        sample *x = &s->list[s->count];
        x->number = i;
        sos_status status = guess_take(&maps[i], guess, x, error);
        s->count++; /* to be freed */
        if (!status) status = sample_take(&maps[i], &truths[i], guess->numbers, guess->scale, x, error);
        if (status) return status;
        if (x->count) continue;
        s->count--;
        free(x->z);
        free(x->label);
        *x = (sample){ 0 };
    }
    return SOS_OK;
}

static sos_status labels_check(const samples *s, sos_error *error)
{
    bool seen[2] = { false, false };
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < s->list[i].count; k++) seen[s->list[i].label[k]] = true;
    if (seen[0] && seen[1]) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "there is nothing to learn from: %s",
                    s->count ? seen[1] ? "all pixels are object" : "all pixels are background"
                             : "no pixel has a label that is sure");
}

/* ---------------------------------------------------------------- all */

static sos_status samples_learn(const samples *s, const s3svm_maps_calibration *guess, int threads, s3svm_maps_calibration *out,
                                s3svm_maps_calibration_report *report, sos_error *error)
{
    line *lines = malloc(s->count * sizeof *lines);
    if (!lines) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", s->count);
    const line fitted = line_fit(s, 1, 1, (line){ 1, 0 }); /* nothing is left out */
    *out = (s3svm_maps_calibration){ .numbers = guess->numbers, .scale = fitted.scale * guess->scale, .offset = fitted.offset };
    if (report)
        *report = (s3svm_maps_calibration_report){ .pictures = s->count,
                                                   .before = score_before(s, lines),
                                                   .after = score_after(s, fitted, lines),
                                                   .others = score_others(s, fitted, threads, lines) };
    free(lines);
    return SOS_OK;
}

sos_status s3svm_maps_calibrate(size_t count, const s3svm_maps maps[], const s3svm_truth truths[], const sos_work *work,
                                s3svm_maps_calibration *out, s3svm_maps_calibration_report *report, sos_error *error)
{
    s3svm_maps_calibration guess;
    samples s = { 0 };
    sos_status status = SOS_OK;
    for (size_t i = 0; i < count && !status; i++) status = picture_check(i, &maps[i], &truths[i], error);
    if (!status) status = s3svm_maps_calibration_guess(count, maps, &guess, error);
    if (!status) status = samples_take(count, maps, truths, &guess, &s, error);
    if (!status) status = labels_check(&s, error);
    if (!status) status = samples_learn(&s, &guess, work ? work->threads : 0, out, report, error);
    samples_free(&s);
    return status;
}

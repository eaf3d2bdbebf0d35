#include "experiments/denoise/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/minimize.h>

#include "base/elementary.h"
#include "base/error.h"
#include "base/threads.h"
#include "vision/filter.h"

enum {
    GREYS = 256,
    RADIUS_MAX = 6,
    STRENGTHS_MAX = 32 /* tried in one go */
};

const char *s3svm_baseline_name(s3svm_baseline_kind kind)
{
    static const char *const names[S3SVM_BASELINES] = {
        "threshold", "median", "potts4", "potts8", "generic-cuts", "potts4-offset", "generic-cuts-offset"
    };
    return (unsigned)kind < S3SVM_BASELINES ? names[kind] : "unknown";
}

static bool is_energy(s3svm_baseline_kind kind) { return kind >= S3SVM_BASELINE_POTTS4; }
static bool has_offset(s3svm_baseline_kind kind) { return kind >= S3SVM_BASELINE_POTTS4_OFFSET; }
static bool has_patches(s3svm_baseline_kind kind)
{
    return kind == S3SVM_BASELINE_GENERIC_CUTS || kind == S3SVM_BASELINE_GENERIC_CUTS_OFFSET;
}

/* ---------------------------------------------------------------- energies */

/* An energy with its strength still open. */
typedef struct prior {
    s3svm_baseline_kind kind;
    sos_energy *e;
    uint32_t tables[2];
    size_t table_count;
} prior;

/* What a pair costs whose labels differ, times strength. */
static sos_status pair_add(prior *p, sos_error *error)
{
    const double zero[4] = { 0 };
    return sos_energy_add_table(p->e, 2, zero, &p->tables[p->table_count++], error);
}

static sos_status patches_add(prior *p, const s3svm_plane *noisy, sos_error *error)
{
    const double zero[16] = { 0 };
    const sos_status status = sos_energy_add_table(p->e, 4, zero, &p->tables[p->table_count++], error);
    return status ? status : sos_energy_add_patches(p->e, p->tables[0], noisy->width, noisy->height, 2, 2, NULL, error);
}

/* Pairs across a corner, down to the right and down to the left. */
static sos_status diagonals_add(prior *p, const s3svm_plane *noisy, sos_error *error)
{
    const size_t w = noisy->width, h = noisy->height, count = 2 * (w - 1) * (h - 1);
    if (!count) return SOS_OK;
    uint32_t *pairs = malloc(2 * count * sizeof *pairs);
    if (!pairs) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the pairs of %zu by %zu pixels", w, h);
    size_t n = 0;
    for (size_t y = 0; y + 1 < h; y++)
        for (size_t x = 0; x + 1 < w; x++) {
            const uint32_t i = (uint32_t)(y * w + x);
            pairs[n++] = i;
            pairs[n++] = (uint32_t)(i + w + 1);
            pairs[n++] = i + 1;
            pairs[n++] = (uint32_t)(i + w);
        }
    const sos_status status = sos_energy_add_cliques(p->e, p->tables[1], count, pairs, NULL, error);
    free(pairs);
    return status;
}

static sos_status baseline_pairs_add(prior *p, const s3svm_plane *noisy, sos_error *error)
{
    sos_status status = pair_add(p, error);
    if (!status) status = sos_energy_add_patches(p->e, p->tables[0], noisy->width, noisy->height, 2, 1, NULL, error);
    if (!status) status = sos_energy_add_patches(p->e, p->tables[0], noisy->width, noisy->height, 1, 2, NULL, error);
    if (status || p->kind != S3SVM_BASELINE_POTTS8) return status;
    status = pair_add(p, error);
    return status ? status : diagonals_add(p, noisy, error);
}

/* |x - grey(y)|: label 0 is paper, grey 1.  Ink costs an offset more. */
static sos_status unaries_set(sos_energy *e, const s3svm_plane *noisy, double offset, sos_error *error)
{
    sos_status status = SOS_OK;
    for (size_t i = 0; i < s3svm_plane_size(noisy) && !status; i++) {
        const double x = (double)noisy->values[i];
        status = sos_energy_set_unary(e, i, fabs(1 - x), fabs(x) + offset, error);
    }
    return status;
}

static void prior_free(prior *p) { sos_energy_free(p->e); }

static sos_status prior_create(s3svm_baseline_kind kind, double offset, const s3svm_plane *noisy, prior *p, sos_error *error)
{
    *p = (prior){ .kind = kind };
    sos_status status = sos_energy_create(s3svm_plane_size(noisy), &p->e, error);
    if (status) return status;
    status = unaries_set(p->e, noisy, offset, error);
    if (!status) status = has_patches(kind) ? patches_add(p, noisy, error) : baseline_pairs_add(p, noisy, error);
    if (status) prior_free(p);
    return status;
}

/* Edges of a 2x2 patch (0 1 / 2 3) whose ends have different labels. */
static int edges_differing(unsigned S)
{
    static const unsigned edges[4][2] = { { 0, 1 }, { 2, 3 }, { 0, 2 }, { 1, 3 } };
    int count = 0;
    for (size_t e = 0; e < 4; e++) count += (S >> edges[e][0] & 1) != (S >> edges[e][1] & 1);
    return count;
}

static sos_status strength_set(prior *p, double strength, sos_error *error)
{
    if (has_patches(p->kind)) {
        double f[16];
        for (unsigned S = 0; S < 16; S++) f[S] = strength * sqrt(edges_differing(S));
        return sos_energy_set_table(p->e, p->tables[0], f, error);
    }
    const double straight[4] = { 0, strength, strength, 0 };
    const sos_status status = sos_energy_set_table(p->e, p->tables[0], straight, error);
    if (status || p->table_count < 2) return status;
    const double across[4] = { 0, strength * sqrt(0.5), strength * sqrt(0.5), 0 };
    return sos_energy_set_table(p->e, p->tables[1], across, error);
}

/* 28 bits of a cost are more than a grey value has. */
static sos_minimize_settings settings_of(sos_start start)
{
    sos_minimize_settings s = sos_minimize_defaults();
    s.bits = 32;
    s.start = start;
    return s;
}

static sos_status energy_predict(const s3svm_baseline *b, const s3svm_plane *noisy, uint8_t labels[], sos_error *error)
{
    prior p;
    sos_status status = prior_create(b->kind, b->offset, noisy, &p, error);
    if (status) return status;
    const sos_minimize_settings settings = settings_of(SOS_START_COLD);
    status = strength_set(&p, b->parameter, error);
    if (!status) status = sos_minimize(p.e, &settings, labels, NULL, error);
    prior_free(&p);
    return status;
}

/* ---------------------------------------------------------------- thresholds */

static void threshold(const s3svm_plane *p, double parameter, uint8_t labels[])
{
    for (size_t i = 0; i < s3svm_plane_size(p); i++) labels[i] = (double)p->values[i] < parameter;
}

static sos_status median_predict(const s3svm_baseline *b, const s3svm_plane *noisy, uint8_t labels[], sos_error *error)
{
    s3svm_plane median;
    sos_status status = s3svm_plane_create(noisy->width, noisy->height, &median, error);
    if (status) return status;
    status = s3svm_filter_median(noisy, b->radius, &median, error);
    if (!status) threshold(&median, b->parameter, labels);
    s3svm_plane_free(&median);
    return status;
}

sos_status s3svm_baseline_predict(const s3svm_baseline *b, const s3svm_plane *noisy, uint8_t labels[], sos_error *error)
{
    if ((unsigned)b->kind >= S3SVM_BASELINES || !isfinite(b->parameter) || !isfinite(b->offset) ||
        (is_energy(b->kind) && b->parameter < 0))
        return sos_fail(error, SOS_ERR_ARGUMENT, "a baseline of kind %d with parameter %g", (int)b->kind, b->parameter);
    if (is_energy(b->kind)) return energy_predict(b, noisy, labels, error);
    if (b->kind == S3SVM_BASELINE_MEDIAN) return median_predict(b, noisy, labels, error);
    threshold(noisy, b->parameter, labels);
    return SOS_OK;
}

/* ---------------------------------------------------------------- tuning */

/* Candidate parameters and the fraction of wrong pixels that each gives in each picture. */
typedef struct trial {
    s3svm_baseline_kind kind;
    size_t radius; /* of the median */
    double offset;
    size_t values;
    double value[GREYS + 1];
    size_t count; /* pictures */
    const s3svm_plane *noisy;
    const uint8_t *const *truths;
    double *wrong; /* count times values, those of a picture side by side */
} trial;

static double fraction_wrong(size_t n, const uint8_t truth[], const uint8_t labels[])
{
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++) wrong += (truth[i] != 0) != (labels[i] != 0);
    return (double)wrong / (double)n;
}

/* For one picture: one energy, its strength growing, each cut starting from the flow of the one before. */
static sos_status energies_try(const trial *t, size_t picture, double wrong[], sos_error *error)
{
    const s3svm_plane *noisy = &t->noisy[picture];
    const size_t n = s3svm_plane_size(noisy);
    uint8_t *labels = malloc(n);
    if (!labels) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu labels", n);
    prior p = { 0 };
    sos_minimizer *m = NULL;
    const sos_minimize_settings settings = settings_of(SOS_START_FLOW);
    sos_status status = prior_create(t->kind, t->offset, noisy, &p, error);
    if (!status) status = sos_minimizer_create(&m, error);
    for (size_t v = 0; v < t->values && !status; v++) {
        status = strength_set(&p, t->value[v], error);
        if (!status) status = sos_minimizer_run(m, p.e, &settings, labels, NULL, error);
        if (!status) wrong[v] = fraction_wrong(n, t->truths[picture], labels);
    }
    sos_minimizer_free(m);
    if (p.e) prior_free(&p);
    free(labels);
    return status;
}

/* How many pixels of paper and of ink fall below each of the thresholds, in one pass: a pixel is counted at the first threshold
 * above it, and the counts are summed up. */
static void thresholds_count(const trial *t, const s3svm_plane *p, const uint8_t truth[], double wrong[])
{
    size_t paper[GREYS + 2] = { 0 }, ink[GREYS + 2] = { 0 }, ink_all = 0;
    const size_t n = s3svm_plane_size(p);
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = t->values; /* the first v with x < value[v] */
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if ((double)p->values[i] < t->value[middle])
                high = middle;
            else
                low = middle + 1;
        }
        (truth[i] ? ink : paper)[low]++;
        ink_all += truth[i] != 0;
    }
    size_t false_ink = 0, true_ink = 0;
    for (size_t v = 0; v < t->values; v++) {
        false_ink += paper[v];
        true_ink += ink[v];
        wrong[v] = (double)(false_ink + ink_all - true_ink) / (double)n;
    }
}

static sos_status thresholds_try(const trial *t, size_t picture, double wrong[], sos_error *error)
{
    const s3svm_plane *noisy = &t->noisy[picture];
    if (t->kind == S3SVM_BASELINE_THRESHOLD) {
        thresholds_count(t, noisy, t->truths[picture], wrong);
        return SOS_OK;
    }
    s3svm_plane median;
    sos_status status = s3svm_plane_create(noisy->width, noisy->height, &median, error);
    if (status) return status;
    status = s3svm_filter_median(noisy, t->radius, &median, error);
    if (!status) thresholds_count(t, &median, t->truths[picture], wrong);
    s3svm_plane_free(&median);
    return status;
}

/* Tries all candidates on all pictures and keeps the best in *best if it is better than *least.  Of equals the first wins. */
static sos_status trial_run(trial *t, int threads, s3svm_baseline *best, double *least, sos_error *error)
{
    sos_failure failure = { 0 };
    const int used = sos_thread_count(threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < t->count; i++) {
        sos_error why;
        double *wrong = t->wrong + i * t->values;
        const sos_status status = is_energy(t->kind) ? energies_try(t, i, wrong, &why) : thresholds_try(t, i, wrong, &why);
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    if (failure.error.status) return sos_failure_status(&failure, "picture", error);
    for (size_t v = 0; v < t->values; v++) {
        double sum = 0;
        for (size_t i = 0; i < t->count; i++) sum += t->wrong[i * t->values + v];
        const double mean = sum / (double)t->count;
        if (mean >= *least) continue;
        *least = mean;
        *best = (s3svm_baseline){ .kind = t->kind, .parameter = t->value[v], .radius = t->radius, .offset = t->offset };
    }
    return SOS_OK;
}

static const double LOG_2 = 0x1.62e42fefa39efp-1;

/* Strengths 2^(from + i step), i = 0 ... steps. */
static sos_status strengths_run(trial *t, double from, double step, size_t steps, int threads, s3svm_baseline *best,
                                double *least, sos_error *error)
{
    t->values = steps + 1;
    for (size_t i = 0; i <= steps; i++) t->value[i] = sos_exp((from + step * (double)i) * LOG_2);
    return trial_run(t, threads, best, least, error);
}

static sos_status strength_tune(trial *t, int threads, s3svm_baseline *best, double *least, sos_error *error)
{
    sos_status status = strengths_run(t, -6, 0.5, 20, threads, best, least, error);
    for (double step = 0.125; step > 0.02 && !status; step /= 4)
        status = strengths_run(t, sos_log(best->parameter) / LOG_2 - 3 * step, step, 6, threads, best, least, error);
    return status;
}

/* Offsets around a middle, each with a few strengths around the best or, at first, with strengths far apart. */
static sos_status offsets_run(trial *t, double middle, double step, int steps, bool first, int threads, s3svm_baseline *best,
                              double *least, sos_error *error)
{
    const double strength = first ? 0 : sos_log(best->parameter) / LOG_2;
    sos_status status = SOS_OK;
    for (int i = -steps; i <= steps && !status; i++) {
        t->offset = middle + i * step;
        status = first ? strengths_run(t, -4, 1, 6, threads, best, least, error)
                       : strengths_run(t, strength - 0.125, 0.125, 2, threads, best, least, error);
    }
    return status;
}

static sos_status offset_tune(trial *t, int threads, s3svm_baseline *best, double *least, sos_error *error)
{
    sos_status status = offsets_run(t, 0, 0.15, 6, true, threads, best, least, error);
    for (double step = 0.05; step > 0.01 && !status; step /= 4) {
        t->offset = best->offset;
        status = strengths_run(t, sos_log(best->parameter) / LOG_2 - 6 * step, 3 * step, 4, threads, best, least, error);
        if (!status) status = offsets_run(t, best->offset, step, 2, false, threads, best, least, error);
    }
    return status;
}

/* Thresholds halfway between the grey values of 8 bits; the first and the last make everything paper or ink. */
static sos_status grey_tune(trial *t, int threads, s3svm_baseline *best, double *least, sos_error *error)
{
    t->values = GREYS + 1;
    for (size_t i = 0; i <= GREYS; i++) t->value[i] = ((double)i - 0.5) / 255;
    return trial_run(t, threads, best, least, error);
}

sos_status s3svm_baseline_tune(s3svm_baseline_kind kind, size_t count, const s3svm_plane noisy[], const uint8_t *const truths[],
                               int threads, s3svm_baseline *out, double *training_error, sos_error *error)
{
    if ((unsigned)kind >= S3SVM_BASELINES) return sos_fail(error, SOS_ERR_ARGUMENT, "a baseline of kind %d", (int)kind);
    if (!count) return sos_fail(error, SOS_ERR_ARGUMENT, "no pictures to tune %s on", s3svm_baseline_name(kind));
    trial t = { .kind = kind, .count = count, .noisy = noisy, .truths = truths };
    t.wrong = calloc(count, sizeof *t.wrong * (GREYS + 1));
    if (!t.wrong)
        return sos_fail(error, SOS_ERR_MEMORY, "no memory to tune %s on %zu pictures", s3svm_baseline_name(kind), count);
    s3svm_baseline best = { 0 };
    double least = INFINITY;
    sos_status status = SOS_OK;
    if (is_energy(kind)) {
        status = has_offset(kind) ? offset_tune(&t, threads, &best, &least, error)
                                  : strength_tune(&t, threads, &best, &least, error);
    } else if (kind == S3SVM_BASELINE_MEDIAN) {
        for (t.radius = 1; t.radius <= RADIUS_MAX && !status; t.radius++) status = grey_tune(&t, threads, &best, &least, error);
    } else {
        status = grey_tune(&t, threads, &best, &least, error);
    }
    free(t.wrong);
    if (status) return status;
    *out = best;
    if (training_error) *training_error = least;
    return SOS_OK;
}

/* maps_cuts.c - GrabCut whose variables are superpixels, with mixtures of Lab colours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "segment/features/mapping.h"
#include "vision/grabcut_turns.h"

enum {
    SAMPLE = 16000, /* pixels that mixtures are learned from, about: 18 of a superpixel */
    TURNS = 8       /* labels stay after 2 to 4; once in 26 cuts of 13 photographs it took all 8 */
};

/* What a pair of 4-neighbours of one colour costs: GrabCut's 50, and as much again for the diagonal ones that are not
 * counted. */
static const double PAIRS = 100;

typedef struct cuts {
    s3svm_grabcut_job job;
    float *colours;     /* of the sample */
    uint32_t *variable; /* their superpixels */
    uint8_t *labels;
    sos_energy *energy;
} cuts;

static void cuts_free(cuts *c)
{
    sos_energy_free(c->energy);
    free(c->colours);
    free(c->variable);
    free(c->labels);
}

/* Every so many pixels stand for all. */
static sos_status sample_take(const s3svm_mapping *m, cuts *c, sos_error *error)
{
    const s3svm_superpixel_graph *g = &m->features->small;
    const size_t every = m->n / SAMPLE + 1, room = m->n / every + 1;
    size_t count = 0;
    c->colours = malloc(3 * room * sizeof *c->colours);
    c->variable = malloc(room * sizeof *c->variable);
    c->labels = malloc(g->count);
    if (!c->colours || !c->variable || !c->labels)
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a sample of %zu pixels", room);
    for (size_t i = 0; i < m->n; i += every, count++) {
        memcpy(c->colours + 3 * count, m->features->lab + 3 * i, 3 * sizeof *c->colours);
        c->variable[count] = g->piece[i];
    }
    c->job.points = count;
    c->job.share = (double)m->n / (double)count;
    return SOS_OK;
}

/* A cost that no superpixel exceeds, and that outweighs its pairs: both together.  Logarithms of densities are below 0, since
 * the ridge keeps densities below 1. */
static sos_status most_find(const s3svm_superpixel_graph *g, cuts *c, sos_error *error)
{
    double *costs = calloc(g->count, sizeof *costs);
    if (!costs) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", g->count);
    for (size_t i = 0; i < c->job.points; i++) costs[c->variable[i]] -= c->job.share * S3SVM_SEGMENT_LOG_LEAST;
    for (size_t k = 0; k < g->count * g->count; k++) costs[k / g->count] += PAIRS * (double)g->alike[k];
    for (size_t a = 0; a < g->count; a++) c->job.most = fmax(c->job.most, costs[a]);
    c->job.unit = s3svm_grabcut_unit(2 * c->job.most);
    free(costs);
    return SOS_OK;
}

static sos_status cut_pairs_add(const s3svm_superpixel_graph *g, cuts *c, sos_error *error)
{
    static const double DIFFER[4] = { 0, 1, 1, 0 };
    uint32_t table;
    sos_status status = sos_energy_create(g->count, &c->energy, error);
    if (!status) status = sos_energy_add_table(c->energy, 2, DIFFER, &table, error);
    for (size_t a = 0; a < g->count && !status; a++)
        for (size_t b = 0; b < a && !status; b++) {
            const double strength = rint((double)g->alike[a * g->count + b] * PAIRS / c->job.unit);
            const uint32_t members[2] = { (uint32_t)a, (uint32_t)b };
            if (strength > 0) status = sos_energy_add_cliques(c->energy, table, 1, members, &strength, error);
        }
    return status;
}

static sos_status cuts_create(const s3svm_mapping *m, const uint8_t marks[], cuts *c, sos_error *error)
{
    const s3svm_superpixel_graph *g = &m->features->small;
    *c = (cuts){ .job = { .variables = g->count,
                          .marks = marks,
                          .log_least = S3SVM_SEGMENT_LOG_LEAST,
                          .components = S3SVM_MAPPING_COMPONENTS,
                          .ridge = S3SVM_MAPPING_RIDGE,
                          .seeds = { S3SVM_MAPPING_SEED, S3SVM_MAPPING_SEED },
                          .iterations = TURNS,
                          .cut_first = true,
                          .labels_settle = true,
                          .work = { .threads = m->threads } } };
    sos_status status = sample_take(m, c, error);
    if (!status) status = most_find(g, c, error);
    if (!status) status = cut_pairs_add(g, c, error);
    c->job.colours = c->colours;
    c->job.variable = c->variable;
    c->job.energy = c->energy;
    return status;
}

/* From what is marked, and from which superpixels the start says are object; ratio and label receive the outcome, and so does
 * mixtures. */
static sos_status cut_map(const s3svm_mapping *m, cuts *c, const float start[], s3svm_segment_map ratio,
                          s3svm_segment_map label, s3svm_mixture mixtures[2], sos_error *error)
{
    const s3svm_superpixel_graph *g = &m->features->small;
    const double most = S3SVM_MAPPING_RATIO_MOST;
    float *ratios = s3svm_mapping_map(m, ratio), *labels = s3svm_mapping_map(m, label);
    double *logs = malloc(m->n * sizeof *logs);
    s3svm_grabcut_result result;
    if (!logs) return sos_fail(error, SOS_ERR_MEMORY, "no memory for colours of %zu pixels", m->n);
    for (size_t p = 0; p < g->count; p++) {
        const uint8_t mark = c->job.marks[p];
        c->labels[p] = s3svm_mark_is_sure(mark) ? mark == S3SVM_MARK_OBJECT : start && start[p] > 0.5F;
    }
    const sos_status status = s3svm_grabcut_turns(&c->job, c->labels, mixtures, &result, error);
    for (size_t k = 0; k < S3SVM_SEGMENT_LABELS && !status; k++) {
        s3svm_mixture_evaluate(&mixtures[k], m->n, m->features->lab, logs, NULL, m->threads);
        for (size_t i = 0; i < m->n; i++)
            ratios[i] += (float)((k == S3SVM_SEGMENT_OBJECT ? 1 : -1) * fmax(logs[i], S3SVM_SEGMENT_LOG_LEAST));
    }
    for (size_t i = 0; i < m->n && !status; i++) {
        ratios[i] = (float)fmax(-most, fmin(most, (double)ratios[i]));
        labels[i] = c->labels[g->piece[i]];
    }
    free(logs);
    return status;
}

sos_status s3svm_mapping_refine(s3svm_mapping *m, sos_error *error)
{
    cuts c;
    sos_status status = cuts_create(m, s3svm_mapping_piece_marks(m), &c, error);
    if (!status) status = cut_map(m, &c, NULL, S3SVM_MAP_REFINED_RATIO, S3SVM_MAP_GRABCUT, m->view->refined, error);
    cuts_free(&c);
    return status;
}

sos_status s3svm_mapping_second(s3svm_mapping *m, sos_error *error)
{
    s3svm_mixture mixtures[2] = { { 0 }, { 0 } };
    cuts c;
    sos_status status = cuts_create(m, s3svm_mapping_piece_marks(m), &c, error);
    if (!status) status = cut_map(m, &c, s3svm_mapping_piece_far(m), S3SVM_MAP_SECOND_RATIO, S3SVM_MAP_SECOND, mixtures, error);
    s3svm_mixture_free(&mixtures[0]);
    s3svm_mixture_free(&mixtures[1]);
    cuts_free(&c);
    return status;
}

/* Superpixels by what most of their pixels are. */
static void votes_count(const s3svm_superpixel_graph *g, const uint8_t values[], uint8_t value, float shares[])
{
    for (size_t p = 0; p < g->count; p++) shares[p] = 0;
    for (size_t i = 0; i < g->n; i++) shares[g->piece[i]] += values[i] == value;
    for (size_t p = 0; p < g->count; p++) shares[p] /= (float)g->pieces[p].pixels;
}

static sos_status propose(const s3svm_mapping *m, const uint8_t marks[], const float start[], uint8_t found[], sos_error *error)
{
    const s3svm_superpixel_graph *g = &m->features->small;
    s3svm_mixture mixtures[2] = { { 0 }, { 0 } };
    s3svm_grabcut_result result;
    cuts c;
    sos_status status = cuts_create(m, marks, &c, error);
    for (size_t p = 0; p < g->count && !status; p++) c.labels[p] = marks[p] == S3SVM_MARK_NONE && start[p] > 0.5F;
    if (!status) status = s3svm_grabcut_turns(&c.job, c.labels, mixtures, &result, error);
    for (size_t i = 0; i < m->n && !status; i++) found[i] = c.labels[g->piece[i]];
    s3svm_mixture_free(&mixtures[0]);
    s3svm_mixture_free(&mixtures[1]);
    cuts_free(&c);
    return status;
}

sos_status s3svm_mapping_propose(const s3svm_photo_features *features, const s3svm_image *marks, int threads, uint8_t found[],
                                 sos_error *error)
{
    const s3svm_superpixel_graph *g = &features->small;
    const s3svm_mapping m = { .features = features, .n = features->n, .threads = threads };
    uint8_t *certain = malloc(g->count);
    float *background = malloc(g->count * sizeof *background), *start = malloc(g->count * sizeof *start);
    sos_status status = certain && background && start
                            ? SOS_OK
                            : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", g->count);
    if (!status) {
        votes_count(g, marks->pixels, S3SVM_MARK_BACKGROUND, background);
        votes_count(g, found, 1, start);
        for (size_t p = 0; p < g->count; p++) certain[p] = background[p] > 0.5F ? S3SVM_MARK_BACKGROUND : S3SVM_MARK_NONE;
        status = propose(&m, certain, start, found, error);
    }
    free(certain);
    free(background);
    free(start);
    return status;
}

/* maps_superpixels.c - means over superpixels, and what those that are marked say of others: walks, and the nearest. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "segment/features/mapping.h"
#include "vision/perceptron.h"

/* What the colours of a superpixel weigh against its steps, which come to about 2: in a walk that hardly knows them, one that
 * does, and one with steps far away.  Marks outweigh everything. */
static const float MARK_WEIGHT = 1e4F;
#define WALK_PRIOR   0.001F
#define COLOUR_PRIOR 0.1F
#define FAR_PRIOR    0.05F

/* Rounds of walks.  With priors no value is then more than 0.002, and with steps far away 0.06, from where it would end, on 13
 * photographs.  Without one it can be 0.3, far from all marks; networks have learned from what these rounds give. */
enum { WALK_ROUNDS = 200, PRIOR_ROUNDS = 60 };

/* A place one side away is worth 30 units of Lab.  Distances below 1 unit are not told apart. */
static const double PLACE = 30 * 30, NEAREST_LEAST = 1;

/* Walks, the prior of each, and how long they are. */
typedef struct walk {
    bool far;
    float prior;
    size_t rounds;
    s3svm_segment_map map;
} walk;
enum { NEAR_WALK, COLOUR_WALK, FAR_WALK, WALKS };
static const walk WALK[WALKS] = { [NEAR_WALK] = { false, WALK_PRIOR, WALK_ROUNDS, S3SVM_MAP_WALK },
                                  [COLOUR_WALK] = { false, COLOUR_PRIOR, PRIOR_ROUNDS, S3SVM_MAP_WALK_PRIOR },
                                  [FAR_WALK] = { true, FAR_PRIOR, PRIOR_ROUNDS, S3SVM_MAP_WALK_FAR } };

/* Small superpixels with their marks. */
typedef struct s3svm_marked_pieces {
    const s3svm_superpixel_graph *graph;
    double *pixels[S3SVM_SEGMENT_LABELS];  /* that are marked */
    double *ratio;                         /* means of the ratio of colours */
    uint8_t *marks;                        /* what most of its marked pixels say */
    float *tied, *weight, *walked;         /* of all walks; of each walk */
    float *values;                         /* room, of the nearest */
    uint8_t *set;                          /* of one kind of marks */
    double *squares[S3SVM_SEGMENT_LABELS]; /* distances from either kind */
} marked;

static void marked_free(marked *s)
{
    if (!s) return;
    for (size_t k = 0; k < S3SVM_SEGMENT_LABELS; k++) {
        free(s->pixels[k]);
        free(s->squares[k]);
    }
    free(s->ratio);
    free(s->marks);
    free(s->tied);
    free(s->weight);
    free(s->walked);
    free(s->values);
    free(s->set);
    free(s);
}

static bool marked_allocate(marked *s)
{
    const size_t count = s->graph->count;
    bool taken = true;
    for (size_t k = 0; k < S3SVM_SEGMENT_LABELS; k++) {
        s->pixels[k] = calloc(count, sizeof *s->pixels[k]);
        s->squares[k] = malloc(count * sizeof *s->squares[k]);
        taken = taken && s->pixels[k] && s->squares[k];
    }
    s->ratio = calloc(count, sizeof *s->ratio);
    s->marks = malloc(count);
    s->tied = malloc(count * sizeof *s->tied);
    s->weight = malloc(WALKS * count * sizeof *s->weight);
    s->walked = malloc(WALKS * count * sizeof *s->walked);
    s->values = malloc(count * sizeof *s->values);
    s->set = malloc(count);
    return taken && s->ratio && s->marks && s->tied && s->weight && s->walked && s->values && s->set;
}

static uint8_t mark_of(double object, double background)
{
    if (object + background <= 0) return S3SVM_MARK_NONE;
    return object >= background ? S3SVM_MARK_OBJECT : S3SVM_MARK_BACKGROUND;
}

static void marked_fill(const s3svm_mapping *m, marked *s)
{
    const float *ratio = s3svm_mapping_map(m, S3SVM_MAP_LAB_RATIO);
    for (size_t i = 0; i < m->n; i++) {
        const uint32_t p = s->graph->piece[i];
        for (size_t k = 0; k < S3SVM_SEGMENT_LABELS; k++) s->pixels[k][p] += m->mask[k][i];
        s->ratio[p] += (double)ratio[i];
    }
    for (size_t p = 0; p < s->graph->count; p++) {
        s->ratio[p] /= s->graph->pieces[p].pixels;
        s->marks[p] = mark_of(s->pixels[S3SVM_SEGMENT_OBJECT][p], s->pixels[S3SVM_SEGMENT_BACKGROUND][p]);
    }
}

/* ---------------------------------------------------------------- walks */

static double marks_of(const marked *s, size_t p)
{
    return s->pixels[S3SVM_SEGMENT_OBJECT][p] + s->pixels[S3SVM_SEGMENT_BACKGROUND][p];
}

/* Marks tie superpixels to the share of object among them, colours to the chance that they give, with the weight of the prior.
 */
static void walk_map(const s3svm_mapping *m, const marked *s, size_t k)
{
    const walk *w = &WALK[k];
    float *weight = s->weight + k * s->graph->count, *values = s->walked + k * s->graph->count;
    for (size_t p = 0; p < s->graph->count; p++) weight[p] = marks_of(s, p) > 0 ? MARK_WEIGHT : w->prior;
    s3svm_walk_run(w->far ? &m->features->far_walk : &m->features->near_walk, s->tied, weight, w->rounds, values);
    s3svm_superpixel_graph_paint(s->graph, values, s3svm_mapping_map(m, w->map));
}

static void ties_find(const marked *s)
{
    for (size_t p = 0; p < s->graph->count; p++) {
        const double marks = marks_of(s, p);
        s->tied[p] = (float)(marks > 0 ? s->pixels[S3SVM_SEGMENT_OBJECT][p] / marks : sos_logistic(s->ratio[p]));
    }
}

sos_status s3svm_mapping_walk(s3svm_mapping *m, sos_error *error)
{
    (void)error;
    walk_map(m, m->pieces, NEAR_WALK);
    return SOS_OK;
}

sos_status s3svm_mapping_walk_colours(s3svm_mapping *m, sos_error *error)
{
    (void)error;
    walk_map(m, m->pieces, COLOUR_WALK);
    return SOS_OK;
}

sos_status s3svm_mapping_walk_far(s3svm_mapping *m, sos_error *error)
{
    (void)error;
    walk_map(m, m->pieces, FAR_WALK);
    return SOS_OK;
}

sos_status s3svm_mapping_nearest(s3svm_mapping *m, sos_error *error)
{
    marked *s = m->pieces;
    (void)error;
    for (size_t k = 0; k < S3SVM_SEGMENT_LABELS; k++) {
        for (size_t p = 0; p < s->graph->count; p++) s->set[p] = s->pixels[k][p] > 0;
        s3svm_superpixel_graph_nearest(s->graph, s->set, PLACE, s->squares[k]);
    }
    for (size_t p = 0; p < s->graph->count; p++) {
        const double o = sqrt(s->squares[S3SVM_SEGMENT_OBJECT][p]) + NEAREST_LEAST;
        const double b = sqrt(s->squares[S3SVM_SEGMENT_BACKGROUND][p]) + NEAREST_LEAST;
        s->values[p] = isfinite(o) && isfinite(b) ? (float)(o / (o + b)) : 0.5F;
    }
    s3svm_superpixel_graph_paint(s->graph, s->values, s3svm_mapping_map(m, S3SVM_MAP_NEAREST));
    return SOS_OK;
}

/* ---------------------------------------------------------------- all */

/* One map as the means of another over superpixels. */
static sos_status mean_map(const s3svm_mapping *m, const s3svm_superpixel_graph *g, s3svm_segment_map from,
                           s3svm_segment_map to, sos_error *error)
{
    float *means = malloc(g->count * sizeof *means);
    if (!means) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", g->count);
    s3svm_superpixel_graph_pool(g, s3svm_mapping_map(m, from), means);
    s3svm_superpixel_graph_paint(g, means, s3svm_mapping_map(m, to));
    free(means);
    return SOS_OK;
}

sos_status s3svm_mapping_refined_means(s3svm_mapping *m, sos_error *error)
{
    const sos_status status = mean_map(m, &m->features->small, S3SVM_MAP_REFINED_RATIO, S3SVM_MAP_SMALL_REFINED, error);
    return status ? status : mean_map(m, &m->features->large, S3SVM_MAP_REFINED_RATIO, S3SVM_MAP_LARGE_REFINED, error);
}

sos_status s3svm_mapping_second_means(s3svm_mapping *m, sos_error *error)
{
    return mean_map(m, &m->features->small, S3SVM_MAP_SECOND_RATIO, S3SVM_MAP_SMALL_SECOND, error);
}

sos_status s3svm_mapping_large_means(s3svm_mapping *m, sos_error *error)
{
    const sos_status status = mean_map(m, &m->features->large, S3SVM_MAP_LAB_RATIO, S3SVM_MAP_LARGE_RATIO, error);
    return status ? status : mean_map(m, &m->features->large, S3SVM_MAP_WALK_FAR, S3SVM_MAP_LARGE_WALK, error);
}

sos_status s3svm_mapping_evidence_means(s3svm_mapping *m, sos_error *error)
{
    return mean_map(m, &m->features->small, S3SVM_MAP_EVIDENCE, S3SVM_MAP_EVIDENCE_SMALL, error);
}

sos_status s3svm_mapping_pieces_create(s3svm_mapping *m, sos_error *error)
{
    if (!s3svm_mapping_has_both(m)) return SOS_OK;
    m->pieces = calloc(1, sizeof *m->pieces);
    if (m->pieces) m->pieces->graph = &m->features->small;
    if (!m->pieces || !marked_allocate(m->pieces))
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", m->features->small.count);
    marked_fill(m, m->pieces);
    ties_find(m->pieces);
    return mean_map(m, m->pieces->graph, S3SVM_MAP_LAB_RATIO, S3SVM_MAP_SMALL_RATIO, error);
}

void s3svm_mapping_pieces_free(s3svm_mapping *m)
{
    marked_free(m->pieces);
    m->pieces = NULL;
}

const uint8_t *s3svm_mapping_piece_marks(const s3svm_mapping *m) { return m->pieces->marks; }
const float *s3svm_mapping_piece_far(const s3svm_mapping *m) { return m->pieces->walked + FAR_WALK * m->pieces->graph->count; }

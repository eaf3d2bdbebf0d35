/* segment_pieces.c - maps from superpixels: means over them, random walks from one to another, and GrabCut, whose pixels they
 * are.
 *
 * There are so few of them that every pair can be looked at. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/minimize.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/canvas.h"
#include "vision/contrast.h"
#include "vision/superpixel.h"

/* Superpixels, and the least size that they should have. */
enum { SMALL = 900, SMALL_PIXELS = 40, LARGE = 120, LARGE_PIXELS = 300 };
enum { SAMPLE = 16000, TURNS = 8, START_ITERATIONS = 10 };
static const double PAIRS = 100; /* of GrabCut: 50, and as much again for diagonal neighbours */

typedef struct piece {
    double pixels, lab[3], x, y;
    double marked[SOS_SEGMENT_LABELS];
    double ratio;
} piece;

static sos_status pieces_find(sos_canvas *c, size_t wanted, size_t pixels, piece **out, size_t *count, sos_error *error)
{
    sos_superpixel_settings s = sos_superpixel_defaults();
    s.count = c->n / pixels + 1 < wanted ? c->n / pixels + 1 : wanted;
    s.threads = c->in->threads;
    sos_status status = sos_superpixels(c->in->photograph, &s, c->pieces, count, error);
    if (status) return status;
    piece *pieces = calloc(*count, sizeof *pieces);
    if (!pieces) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", *count);
    for (size_t i = 0; i < c->n; i++) {
        piece *p = &pieces[c->pieces[i]];
        p->pixels++;
        for (size_t k = 0; k < 3; k++) p->lab[k] += (double)c->lab[3 * i + k];
        for (size_t k = 0; k < SOS_SEGMENT_LABELS; k++) p->marked[k] += c->mask[k][i];
        p->x += (double)(i % c->width), p->y += (double)(i / c->width);
        p->ratio += (double)sos_canvas_map(c, SOS_MAP_LAB_RATIO)[i];
    }
    for (piece *p = pieces; p < pieces + *count; p++) {
        for (size_t k = 0; k < 3; k++) p->lab[k] /= p->pixels;
        p->x /= p->pixels * c->side, p->y /= p->pixels * c->side;
        p->ratio /= p->pixels;
    }
    *out = pieces;
    return SOS_OK;
}

/* Means of a map over the pieces. */
static void pieces_pool(const sos_canvas *c, size_t count, const piece pieces[], sos_segment_map from, float means[])
{
    memset(means, 0, count * sizeof *means);
    for (size_t i = 0; i < c->n; i++) means[c->pieces[i]] += sos_canvas_map(c, from)[i];
    for (size_t p = 0; p < count; p++) means[p] /= (float)pieces[p].pixels;
}

static void pieces_paint(const sos_canvas *c, const float values[], sos_segment_map map)
{
    float *out = sos_canvas_map(c, map);
    for (size_t i = 0; i < c->n; i++) out[i] = values[c->pieces[i]];
}

static double colours_apart(const piece *a, const piece *b)
{
    double sum = 0;
    for (size_t k = 0; k < 3; k++) sum += (a->lab[k] - b->lab[k]) * (a->lab[k] - b->lab[k]);
    return sum;
}

static double places_apart(const piece *a, const piece *b)
{
    return (a->x - b->x) * (a->x - b->x) + (a->y - b->y) * (a->y - b->y);
}

/* links[a * count + b] = the length of the outline that both share; soft: pixels of it count less the more colours differ. */
static void links_count(const sos_canvas *c, size_t count, float links[], float soft[])
{
    const double beta = sos_contrast_beta(c->in->photograph, 4);
    const uint8_t *pixels = c->in->photograph->pixels;
    memset(links, 0, count * count * sizeof *links);
    memset(soft, 0, count * count * sizeof *soft);
    for (size_t i = 0; i < c->n; i++) {
        const uint32_t a = c->pieces[i];
        const size_t neighbours[2] = { i % c->width + 1 < c->width ? i + 1 : i, i + c->width < c->n ? i + c->width : i };
        for (size_t k = 0; k < 2; k++) {
            const uint32_t b = c->pieces[neighbours[k]];
            if (a == b) continue;
            const float like = (float)sos_exp(-beta * sos_contrast_square(pixels + 3 * i, pixels + 3 * neighbours[k]));
            links[a * count + b]++, links[b * count + a]++;
            soft[a * count + b] += like, soft[b * count + a] += like;
        }
    }
}

/* Harmonic functions on a graph whose edges have these strengths, tied to values by weights; Gauss-Seidel. */
typedef struct walk {
    size_t count, edges;
    size_t *start;
    uint32_t *to;
    float *strength;
    float *tied, *weight, *value;
} walk;

static void walk_run(walk *w, size_t rounds)
{
    for (size_t i = 0; i < w->count; i++) w->value[i] = w->tied[i];
    for (size_t r = 0; r < rounds; r++)
        for (size_t k = 0; k < w->count; k++) {
            const size_t i = r % 2 ? w->count - 1 - k : k;
            float sum = w->weight[i] * w->tied[i], mass = w->weight[i];
            for (size_t e = w->start[i]; e < w->start[i + 1]; e++) {
                sum += w->strength[e] * w->value[w->to[e]];
                mass += w->strength[e];
            }
            if (mass > 0) w->value[i] = sum / mass;
        }
}

static void walk_tie(walk *w, const piece pieces[], float prior)
{
    for (size_t i = 0; i < w->count; i++) {
        const piece *p = &pieces[i];
        const double marks = p->marked[SOS_SEGMENT_OBJECT] + p->marked[SOS_SEGMENT_BACKGROUND];
        w->weight[i] = marks > 0 ? 1e4F : prior;
        w->tied[i] = (float)(marks > 0 ? p->marked[SOS_SEGMENT_OBJECT] / marks : sos_logistic(p->ratio));
    }
}

static void walk_edges(walk *w, const piece pieces[], const float links[], bool far)
{
    w->edges = 0;
    for (size_t i = 0; i < w->count; i++) {
        w->start[i] = w->edges;
        for (size_t j = 0; j < w->count; j++) {
            const double colour = colours_apart(&pieces[i], &pieces[j]);
            double strength = 0;
            if (i == j) continue;
            if (links[i * w->count + j] > 0) strength += (double)links[i * w->count + j] * 0.1 * sos_exp(-colour / 72);
            if (far && colour < 100) strength += 0.1 * sos_exp(-colour / 18 - places_apart(&pieces[i], &pieces[j]) / 0.08);
            if (strength < 1e-5) continue;
            w->to[w->edges] = (uint32_t)j;
            w->strength[w->edges++] = (float)strength;
        }
    }
    w->start[w->count] = w->edges;
}

static void nearest_find(size_t count, const piece pieces[], float out[])
{
    for (size_t i = 0; i < count; i++) {
        double least[SOS_SEGMENT_LABELS] = { INFINITY, INFINITY };
        for (size_t j = 0; j < count; j++)
            for (size_t k = 0; k < SOS_SEGMENT_LABELS; k++)
                if (pieces[j].marked[k] > 0)
                    least[k] = fmin(least[k],
                                    colours_apart(&pieces[i], &pieces[j]) + 900 * places_apart(&pieces[i], &pieces[j]));
        const double o = sqrt(least[SOS_SEGMENT_OBJECT]) + 1, b = sqrt(least[SOS_SEGMENT_BACKGROUND]) + 1;
        out[i] = isfinite(o) && isfinite(b) ? (float)(o / (o + b)) : 0.5F;
    }
}

static void walks_run(sos_canvas *c, walk *w, const piece pieces[], const float links[])
{
    pieces_pool(c, w->count, pieces, SOS_MAP_LAB_RATIO, w->value);
    pieces_paint(c, w->value, SOS_MAP_SMALL_RATIO);
    nearest_find(w->count, pieces, w->value);
    pieces_paint(c, w->value, SOS_MAP_NEAREST);
    walk_edges(w, pieces, links, false);
    walk_tie(w, pieces, 0.001F);
    walk_run(w, 200);
    pieces_paint(c, w->value, SOS_MAP_WALK);
    walk_tie(w, pieces, 0.1F);
    walk_run(w, 60);
    pieces_paint(c, w->value, SOS_MAP_WALK_PRIOR);
    walk_edges(w, pieces, links, true);
    walk_tie(w, pieces, 0.05F);
    walk_run(w, 60);
    pieces_paint(c, w->value, SOS_MAP_WALK_FAR);
}

/* ---------------------------------------------------------------- GrabCut on superpixels */

/* Some pixels stand for all. */
typedef struct sample {
    size_t count;
    float *colours; /* 3 each */
    uint32_t *piece;
    float *side_colours; /* scratch: those of one side */
    uint32_t *component; /* scratch */
    uint8_t *best;       /* scratch */
    double *logs;        /* scratch */
} sample;

static void sample_free(sample *s)
{
    free(s->colours);
    free(s->piece);
    free(s->side_colours);
    free(s->component);
    free(s->best);
    free(s->logs);
    *s = (sample){ 0 };
}

static sos_status sample_create(const sos_canvas *c, sample *s, sos_error *error)
{
    const size_t every = c->n / SAMPLE + 1, room = c->n / every + 1;
    *s = (sample){ .colours = malloc(3 * room * sizeof *s->colours),
                   .piece = malloc(room * sizeof *s->piece),
                   .side_colours = malloc(3 * room * sizeof *s->side_colours),
                   .component = malloc(room * sizeof *s->component),
                   .best = malloc(room),
                   .logs = malloc(room * sizeof *s->logs) };
    if (!s->colours || !s->piece || !s->side_colours || !s->component || !s->best || !s->logs) {
        sample_free(s);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for a sample of %zu pixels", room);
    }
    for (size_t i = 0; i < c->n; i += every, s->count++) {
        memcpy(s->colours + 3 * s->count, c->lab + 3 * i, 3 * sizeof *s->colours);
        s->piece[s->count] = c->pieces[i];
    }
    return SOS_OK;
}

/* Learns the mixture of one side from the sample. */
static sos_status side_learn(const sos_canvas *c, sample *s, const uint8_t labels[], uint8_t side, bool first, sos_mixture *m,
                             sos_error *error)
{
    const sos_mixture_ridge ridge = SOS_CANVAS_RIDGE;
    size_t n = 0;
    for (size_t i = 0; i < s->count; i++)
        if (labels[s->piece[i]] == side) memcpy(s->side_colours + 3 * n++, s->colours + 3 * i, 3 * sizeof *s->colours);
    if (!n) return SOS_OK;
    if (first)
        return sos_mixture_start(m, n, s->side_colours, START_ITERATIONS, SOS_CANVAS_SEED, &ridge, c->in->threads, error);
    sos_mixture_evaluate(m, n, s->side_colours, NULL, s->best, c->in->threads);
    for (size_t i = 0; i < n; i++) s->component[i] = s->best[i];
    return sos_mixture_learn(m, n, s->side_colours, s->component, &ridge, error);
}

typedef struct cutting {
    size_t count;
    const piece *pieces;
    const float *soft;
    sample sample;
    sos_mixture mixtures[2]; /* of labels 0 and 1 */
    double *costs[2];        /* of pieces, scratch */
    uint8_t *labels, *next;
} cutting;

static int fixed_label(const piece *p)
{
    if (p->marked[SOS_SEGMENT_OBJECT] + p->marked[SOS_SEGMENT_BACKGROUND] <= 0) return SOS_FREE;
    return p->marked[SOS_SEGMENT_OBJECT] >= p->marked[SOS_SEGMENT_BACKGROUND];
}

static sos_status pairs_add(const cutting *t, sos_energy *e, sos_error *error)
{
    static const double potts[4] = { 0, 1, 1, 0 };
    uint32_t table;
    sos_status status = sos_energy_add_table(e, 2, potts, &table, error);
    for (size_t a = 0; a < t->count && !status; a++)
        for (size_t b = 0; b < a && !status; b++) {
            const double strength = (double)t->soft[a * t->count + b] * PAIRS;
            const uint32_t members[2] = { (uint32_t)a, (uint32_t)b };
            if (strength > 0) status = sos_energy_add_cliques(e, table, 1, members, &strength, error);
        }
    return status;
}

/* The means of -log p over each piece, times its pixels. */
static void costs_find(const sos_canvas *c, cutting *t)
{
    for (size_t k = 0; k < 2; k++) {
        memset(t->costs[k], 0, t->count * sizeof **t->costs);
        sos_mixture_evaluate(&t->mixtures[k], t->sample.count, t->sample.colours, t->sample.logs, NULL, c->in->threads);
        for (size_t i = 0; i < t->sample.count; i++)
            t->costs[k][t->sample.piece[i]] -= fmax(t->sample.logs[i], SOS_CANVAS_LOG_LEAST);
    }
    const double share = (double)c->n / (double)t->sample.count;
    for (size_t p = 0; p < t->count; p++)
        for (size_t k = 0; k < 2; k++) t->costs[k][p] *= share;
}

/* One turn: mixtures, then a cut.  *changed: the labels are others than before. */
static sos_status cutting_turn(const sos_canvas *c, cutting *t, sos_energy *e, bool first, bool *changed, sos_error *error)
{
    sos_status status = SOS_OK;
    for (uint8_t k = 0; k < 2 && !status; k++) status = side_learn(c, &t->sample, t->labels, k, first, &t->mixtures[k], error);
    if (status) return status;
    costs_find(c, t);
    status = sos_energy_set_unaries(e, t->costs[0], t->costs[1], error);
    if (!status) status = sos_minimize(e, NULL, t->next, NULL, error);
    if (status) return status;
    *changed = memcmp(t->next, t->labels, t->count) != 0;
    memcpy(t->labels, t->next, t->count);
    return SOS_OK;
}

static sos_status cutting_run(const sos_canvas *c, cutting *t, sos_error *error)
{
    sos_energy *e;
    sos_status status = sos_energy_create(t->count, &e, error);
    if (status) return status;
    status = pairs_add(t, e, error);
    for (size_t p = 0; p < t->count && !status; p++) status = sos_energy_fix(e, p, fixed_label(&t->pieces[p]), error);
    bool changed = true;
    for (size_t turn = 0; turn < TURNS && changed && !status; turn++)
        status = cutting_turn(c, t, e, turn == 0, &changed, error);
    sos_energy_free(e);
    return status;
}

/* From what the map says pieces are, above one half; ratio and labels receive the outcome. */
static sos_status cut_map(sos_canvas *c, cutting *t, const float start[], sos_segment_map ratio, sos_segment_map label,
                          sos_error *error)
{
    for (size_t p = 0; p < t->count; p++) {
        const int fixed = fixed_label(&t->pieces[p]);
        t->labels[p] = fixed == SOS_FREE ? start && start[p] > 0.5F : (uint8_t)fixed;
    }
    sos_status status = cutting_run(c, t, error);
    for (size_t k = 0; k < 2 && !status; k++) {
        sos_mixture_evaluate(&t->mixtures[k], c->n, c->lab, c->logs, NULL, c->in->threads);
        for (size_t i = 0; i < c->n; i++)
            sos_canvas_map(c, ratio)[i] += (float)((k ? 1 : -1) * fmax(c->logs[i], SOS_CANVAS_LOG_LEAST));
    }
    for (size_t i = 0; i < c->n && !status; i++) {
        sos_canvas_map(c, ratio)[i] = (float)fmax(-20, fmin(20, (double)sos_canvas_map(c, ratio)[i]));
        sos_canvas_map(c, label)[i] = t->labels[c->pieces[i]];
    }
    return status;
}

static sos_status cuts_map(sos_canvas *c, size_t count, const piece pieces[], const float soft[], const float start[],
                           sos_error *error)
{
    cutting t = { .count = count, .pieces = pieces, .soft = soft };
    sos_status status = sample_create(c, &t.sample, error);
    for (size_t k = 0; k < 2 && !status; k++) {
        t.costs[k] = malloc(count * sizeof *t.costs[k]);
        status = sos_mixture_create(SOS_CANVAS_COMPONENTS, 3, &t.mixtures[k], error);
    }
    t.labels = malloc(count);
    t.next = malloc(count);
    if (!status && (!t.costs[0] || !t.costs[1] || !t.labels || !t.next))
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", count);
    if (!status) status = cut_map(c, &t, NULL, SOS_MAP_REFINED_RATIO, SOS_MAP_GRABCUT, error);
    for (size_t k = 0; k < 2 && !status; k++) status = sos_mixture_copy(&t.mixtures[k], &c->view->refined[k], error);
    if (!status) status = cut_map(c, &t, start, SOS_MAP_SECOND_RATIO, SOS_MAP_SECOND, error);
    sample_free(&t.sample);
    for (size_t k = 0; k < 2; k++) {
        sos_mixture_free(&t.mixtures[k]);
        free(t.costs[k]);
    }
    free(t.labels);
    free(t.next);
    return status;
}

static sos_status walks_map(sos_canvas *c, const piece pieces[], size_t count, sos_error *error)
{
    walk w = { .count = count,
               .start = malloc((count + 1) * sizeof *w.start),
               .to = malloc(count * count * sizeof *w.to),
               .strength = malloc(count * count * sizeof *w.strength),
               .tied = malloc(count * sizeof *w.tied),
               .weight = malloc(count * sizeof *w.weight),
               .value = malloc(count * sizeof *w.value) };
    float *links = malloc(count * count * sizeof *links), *soft = malloc(count * count * sizeof *soft);
    sos_status status = SOS_OK;
    if (w.start && w.to && w.strength && w.tied && w.weight && w.value && links && soft) {
        links_count(c, count, links, soft);
        walks_run(c, &w, pieces, links);
        status = cuts_map(c, count, pieces, soft, w.value, error);
        pieces_pool(c, count, pieces, SOS_MAP_REFINED_RATIO, w.value);
        pieces_paint(c, w.value, SOS_MAP_SMALL_REFINED);
        pieces_pool(c, count, pieces, SOS_MAP_SECOND_RATIO, w.value);
        pieces_paint(c, w.value, SOS_MAP_SMALL_SECOND);
    } else
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a graph of %zu superpixels", count);
    free(w.start);
    free(w.to);
    free(w.strength);
    free(w.tied);
    free(w.weight);
    free(w.value);
    free(links);
    free(soft);
    return status;
}

static sos_status pieces_map(sos_canvas *c, sos_error *error)
{
    if (!sos_canvas_both(c)) return SOS_OK;
    piece *pieces = NULL;
    size_t count = 0;
    sos_status status = pieces_find(c, SMALL, SMALL_PIXELS, &pieces, &count, error);
    if (!status) status = walks_map(c, pieces, count, error);
    free(pieces);
    return status;
}

static sos_status large_map(sos_canvas *c, sos_error *error)
{
    if (!sos_canvas_both(c)) return SOS_OK;
    piece *pieces = NULL;
    size_t count = 0;
    sos_status status = pieces_find(c, LARGE, LARGE_PIXELS, &pieces, &count, error);
    float *means = status ? NULL : malloc(count * sizeof *means);
    if (!status && !means) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu superpixels", count);
    if (!status) {
        pieces_pool(c, count, pieces, SOS_MAP_LAB_RATIO, means);
        pieces_paint(c, means, SOS_MAP_LARGE_RATIO);
        pieces_pool(c, count, pieces, SOS_MAP_REFINED_RATIO, means);
        pieces_paint(c, means, SOS_MAP_LARGE_REFINED);
        pieces_pool(c, count, pieces, SOS_MAP_WALK_FAR, means);
        pieces_paint(c, means, SOS_MAP_LARGE_WALK);
    }
    free(means);
    free(pieces);
    return status;
}

sos_status sos_canvas_superpixels(sos_canvas *c, sos_error *error)
{
    const sos_status status = pieces_map(c, error);
    return status ? status : large_map(c, error);
}

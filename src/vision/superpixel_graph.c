#include "vision/superpixel_graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/error.h"
#include "vision/contrast.h"

void s3svm_superpixel_graph_free(s3svm_superpixel_graph *g)
{
    free(g->piece);
    free(g->pieces);
    free(g->outline);
    free(g->alike);
    *g = (s3svm_superpixel_graph){ 0 };
}

static void pieces_measure(const s3svm_superpixel_graph *g, size_t width, const float lab[])
{
    const double side = sqrt((double)g->n);
    for (size_t i = 0; i < g->n; i++) {
        s3svm_superpixel *p = &g->pieces[g->piece[i]];
        p->pixels++;
        for (size_t k = 0; k < 3; k++) p->lab[k] += (double)lab[3 * i + k];
        p->x += (double)(i % width), p->y += (double)(i / width);
    }
    for (s3svm_superpixel *p = g->pieces; p < g->pieces + g->count; p++) {
        for (size_t k = 0; k < 3; k++) p->lab[k] /= p->pixels;
        p->x /= p->pixels * side, p->y /= p->pixels * side;
    }
}

/* A pair of neighbouring pixels, if they are of different superpixels. */
static void pair_add(const s3svm_superpixel_graph *g, const s3svm_image *picture, double beta, size_t i, size_t j)
{
    const size_t a = g->piece[i], b = g->piece[j], count = g->count;
    if (a == b) return;
    const float alike = (float)sos_exp(-beta * s3svm_contrast_square(picture->pixels + 3 * i, picture->pixels + 3 * j));
    g->outline[a * count + b]++, g->outline[b * count + a]++;
    g->alike[a * count + b] += alike, g->alike[b * count + a] += alike;
}

static void outlines_measure(const s3svm_superpixel_graph *g, const s3svm_image *picture)
{
    const double beta = s3svm_contrast_beta(picture, 4);
    const size_t width = picture->width;
    for (size_t y = 0; y < picture->height; y++)
        for (size_t x = 0; x < width; x++) {
            const size_t i = y * width + x;
            if (x + 1 < width) pair_add(g, picture, beta, i, i + 1);
            if (y + 1 < picture->height) pair_add(g, picture, beta, i, i + width);
        }
}

sos_status s3svm_superpixel_graph_create(const s3svm_image *picture, const float lab[],
                                         const s3svm_superpixel_settings *settings, s3svm_superpixel_graph *out,
                                         sos_error *error)
{
    s3svm_superpixel_graph g = { .n = s3svm_image_size(picture), .piece = malloc(s3svm_image_size(picture) * sizeof *g.piece) };
    if (!g.piece) return sos_fail(error, SOS_ERR_MEMORY, "no memory for superpixels of %zu pixels", g.n);
    sos_status status = s3svm_superpixels(picture, settings, g.piece, &g.count, error);
    if (!status) {
        g.pieces = calloc(g.count, sizeof *g.pieces);
        g.outline = calloc(g.count * g.count, sizeof *g.outline);
        g.alike = calloc(g.count * g.count, sizeof *g.alike);
        if (!g.pieces || !g.outline || !g.alike)
            status = sos_fail(error, SOS_ERR_MEMORY, "no memory for a graph of %zu superpixels", g.count);
    }
    if (status) {
        s3svm_superpixel_graph_free(&g);
        return status;
    }
    pieces_measure(&g, picture->width, lab);
    outlines_measure(&g, picture);
    *out = g;
    return SOS_OK;
}

double s3svm_superpixel_colours_apart(const s3svm_superpixel *a, const s3svm_superpixel *b)
{
    double sum = 0;
    for (size_t k = 0; k < 3; k++) sum += (a->lab[k] - b->lab[k]) * (a->lab[k] - b->lab[k]);
    return sum;
}

double s3svm_superpixel_places_apart(const s3svm_superpixel *a, const s3svm_superpixel *b)
{
    return (a->x - b->x) * (a->x - b->x) + (a->y - b->y) * (a->y - b->y);
}

void s3svm_superpixel_graph_pool(const s3svm_superpixel_graph *g, const float values[], float means[])
{
    memset(means, 0, g->count * sizeof *means);
    for (size_t i = 0; i < g->n; i++) means[g->piece[i]] += values[i];
    for (size_t p = 0; p < g->count; p++) means[p] /= (float)g->pieces[p].pixels;
}

void s3svm_superpixel_graph_paint(const s3svm_superpixel_graph *g, const float values[], float out[])
{
    for (size_t i = 0; i < g->n; i++) out[i] = values[g->piece[i]];
}

void s3svm_superpixel_graph_nearest(const s3svm_superpixel_graph *g, const uint8_t set[], double place, double squares[])
{
    for (size_t a = 0; a < g->count; a++) {
        squares[a] = INFINITY;
        for (size_t b = 0; b < g->count; b++) {
            const s3svm_superpixel *p = &g->pieces[a], *q = &g->pieces[b];
            if (!set[b]) continue;
            squares[a] = fmin(squares[a], s3svm_superpixel_colours_apart(p, q) + place * s3svm_superpixel_places_apart(p, q));
        }
    }
}

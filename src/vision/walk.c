#include "vision/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

void s3svm_walk_graph_free(s3svm_walk_graph *g)
{
    free(g->start);
    free(g->to);
    free(g->strength);
    *g = (s3svm_walk_graph){ 0 };
}

typedef struct building {
    s3svm_walk_graph graph;
    size_t edges, to_room, strength_room;
} building;

static bool edge_add(building *b, size_t to, double strength)
{
    s3svm_walk_graph *g = &b->graph;
    if (!sos_grow(&g->to, &b->to_room, b->edges + 1) || !sos_grow(&g->strength, &b->strength_room, b->edges + 1)) return false;
    g->to[b->edges] = (uint32_t)to;
    g->strength[b->edges++] = (float)strength;
    return true;
}

static bool edges_list(building *b, s3svm_walk_strength *strength, const void *data)
{
    const size_t count = b->graph.count;
    for (size_t i = 0; i < count; i++) {
        b->graph.start[i] = b->edges;
        for (size_t j = 0; j < count; j++) {
            const double s = i == j ? 0 : strength(data, i, j);
            if (s > 0 && !edge_add(b, j, s)) return false;
        }
    }
    b->graph.start[count] = b->edges;
    return true;
}

sos_status s3svm_walk_graph_create(size_t count, s3svm_walk_strength *strength, const void *data, s3svm_walk_graph *out,
                                   sos_error *error)
{
    building b = { .graph = { .count = count, .start = malloc((count + 1) * sizeof *b.graph.start) } };
    if (!b.graph.start || !edges_list(&b, strength, data)) {
        s3svm_walk_graph_free(&b.graph);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for walks between %zu nodes", count);
    }
    *out = b.graph;
    return SOS_OK;
}

void s3svm_walk_run(const s3svm_walk_graph *g, const float tied[], const float weight[], size_t rounds, float values[])
{
    memcpy(values, tied, g->count * sizeof *values);
    for (size_t r = 0; r < rounds; r++)
        for (size_t k = 0; k < g->count; k++) {
            const size_t i = r % 2 ? g->count - 1 - k : k;
            float sum = weight[i] * tied[i], mass = weight[i];
            for (size_t e = g->start[i]; e < g->start[i + 1]; e++) {
                sum += g->strength[e] * values[g->to[e]];
                mass += g->strength[e];
            }
            if (mass > 0) values[i] = sum / mass;
        }
}

// maxflow.cpp - libmaxflow (Boykov and Kolmogorov) on the pairs of 4 neighbours of a picture, for bench/python/compare.py.
#define MAXFLOW_INCLUDE_TEMPLATE_IMPLEMENTATION
#include <maxflow.h>

#include <cstdint>

using graph = maxflow::Graph<double, double, double>;

extern "C" double solve_grid(int height, int width, const double *cost0, const double *cost1, double pair, uint8_t *labels)
{
    const int n = height * width;
    graph g(n, 2 * n);
    g.add_node(n);
    for (int i = 0; i < n; i++) g.add_tweights(i, cost0[i], cost1[i]); // label 1 is the side of the source
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            if (x + 1 < width) g.add_edge(y * width + x, y * width + x + 1, pair, pair);
            if (y + 1 < height) g.add_edge(y * width + x, (y + 1) * width + x, pair, pair);
        }
    const double flow = g.maxflow();
    for (int i = 0; i < n; i++) labels[i] = g.what_segment(i) == graph::SOURCE;
    return flow;
}

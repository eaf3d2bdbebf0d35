// maxflow_peer.cpp - libmaxflow behind a C function.  The templates are compiled here, with the flags that suit them best,
// instead of taken from the installed library, which has no instance for these types.
#define MAXFLOW_INCLUDE_TEMPLATE_IMPLEMENTATION
#include <maxflow.h>

#include "maxflow_peer.h"

long long maxflow_peer_solve(const maxflow_problem *p)
{
    using graph = maxflow::Graph<int, int, long long>;
    graph g(p->nodes, p->edges);
    g.add_node(p->nodes);
    // A node on the source's side has label 1, so that label 0 cuts the edge from the source.
    for (int i = 0; i < p->nodes; i++) g.add_tweights(i, p->cost0[i], p->cost1[i]);
    for (int k = 0; k < p->edges; k++) g.add_edge(p->ends[2 * k], p->ends[2 * k + 1], p->forward, p->backward);
    return g.maxflow();
}

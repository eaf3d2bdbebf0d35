/* maxflow_peer.h - what the benchmark compares with: libmaxflow (Boykov and Kolmogorov) on energies of pairs. */
#ifndef BENCH_MAXFLOW_PEER_H
#define BENCH_MAXFLOW_PEER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything in the types the peer works with, so that its time holds no conversion. */
typedef struct maxflow_problem {
    int nodes, edges;
    const int *cost0, *cost1; /* of a node's label 0 and 1 */
    const int *ends;          /* 2 per edge */
    int forward, backward;    /* cost of an edge whose first end alone has label 1, and whose second end alone has it */
} maxflow_problem;

#if defined(SOS_HAVE_MAXFLOW)
/* Builds the graph, finds the maximum flow, frees the graph; returns the flow, which is the minimum of the energy. */
long long maxflow_peer_solve(const maxflow_problem *p);
static inline bool maxflow_peer_exists(void) { return true; }
#else
static inline long long maxflow_peer_solve(const maxflow_problem *p) { return (void)p, -1; }
static inline bool maxflow_peer_exists(void) { return false; }
#endif

#ifdef __cplusplus
}
#endif

#endif

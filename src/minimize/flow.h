/* flow.h - maximum submodular flow by incremental breadth-first search (paper, section 3; math.md, 3 to 5). */
#ifndef SOS_MINIMIZE_FLOW_H
#define SOS_MINIMIZE_FLOW_H

#include <stdatomic.h>

#include <sos/minimize.h>

#include "minimize/network.h"
#include "minimize/regions.h"

typedef enum sos_flow_start {
    SOS_FLOW_COLD,
    SOS_FLOW_KEEP,  /* the flow that the block holds is that of this network, with other costs */
    SOS_FLOW_LABELS /* as the labelling says */
} sos_flow_start;

/* One run: what goes in, then what comes out. */
typedef struct sos_flow_job {
    const sos_energy *energy;
    const sos_network *network;
    void *block; /* of the size that bytes() told */
    sos_flow_start start;
    bool same_cliques;    /* with SOS_FLOW_KEEP: only unaries can have changed since, and nothing was settled then */
    sos_regions *regions; /* into which the network is cut, or NULL */
    int threads;
    const sos_minimize_settings *settings;
    uint8_t *labels; /* in for SOS_FLOW_LABELS, out */

    sos_minimize_result *result; /* counters and seconds are filled */
    sos_sum bound;               /* what the flow proves beyond the base energy, as a cost, and how far that is off */
    double rounding;             /* of unaries and pairs, in integer units */
    bool settled;                /* some nodes took no part in the flow */
    bool deep; /* most pushes were along paths of several arcs: such a flow is worth keeping when tables change */
    atomic_bool cancelled;
} sos_flow_job;

/* The same algorithm compiled for 32- and 64-bit integers, for one size of cliques or any, and for several instruction sets:
 * the results are the same. */
typedef struct sos_flow_ops {
    size_t (*bytes)(const sos_network *net, const sos_energy *e); /* 0: does not fit the address space */
    void (*run)(sos_flow_job *job);
} sos_flow_ops;

/* The right one for a network that has been scaled, on this machine. */
const sos_flow_ops *sos_flow_choose(const sos_network *net);

#endif

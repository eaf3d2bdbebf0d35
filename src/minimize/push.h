/* push.h - maximum flow by pushes along distances, for pairs and functions of a count whose cliques are large (math.md, 7.3).
 */
#ifndef SOS_MINIMIZE_PUSH_H
#define SOS_MINIMIZE_PUSH_H

#include "minimize/flow.h"

/* For networks that keep their concave cliques as lists (sos_network, lists). */
extern const sos_flow_ops sos_push_ops;

/* The flow that a block holds, in a sixth of its memory, where it waits rounded; and back into a block, from which a run with
 * SOS_FLOW_KEEP starts, but not with same_cliques.  sos_push_packed: bytes; 0: does not fit the address space. */
size_t sos_push_packed(const sos_network *net, const sos_energy *e);
void sos_push_pack(const sos_network *net, const sos_energy *e, void *block, void *room);
void sos_push_unpack(const sos_network *net, const sos_energy *e, void *block, void *room);

#endif

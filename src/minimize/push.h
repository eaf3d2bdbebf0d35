/* push.h - maximum flow by pushes along distances, for pairs and functions of a count whose cliques are large (math.md, 7.3).
 */
#ifndef SOS_MINIMIZE_PUSH_H
#define SOS_MINIMIZE_PUSH_H

#include "minimize/flow.h"

/* For networks that keep their concave cliques as lists (sos_network, lists). */
extern const sos_flow_ops sos_push_ops;

#endif

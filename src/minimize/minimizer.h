/* minimizer.h - what tests and min-marginals ask of a minimizer beyond <sos/minimize.h>. */
#ifndef SOS_MINIMIZE_MINIMIZER_H
#define SOS_MINIMIZE_MINIMIZER_H

#include <sos/minimize.h>

/* Cuts networks of any size into regions of so many nodes, whatever that is worth; 0: as the minimizer thinks best. */
void sos_minimizer_cut(sos_minimizer *m, size_t nodes);

/* Lays concave cliques out as pairs whatever that is worth (math.md, 7), or as lists where these serve (7.3).  Before the first
 * run. */
void sos_minimizer_pair(sos_minimizer *m, bool pairs);

/* Costs of single variables count as no less than this where the scale of integers is chosen, so that it stays the same, and
 * the flow of use, while some of them change up to there.  Before the first run. */
void sos_minimizer_clamp(sos_minimizer *m, double clamp);

/* Keeps the flow of the last run, of this energy, in a sixth of its memory where that can be done: the next run starts from it
 * as from a flow, but takes new memory first.  Returns the bytes that the minimizer holds. */
size_t sos_minimizer_pack(sos_minimizer *m, const sos_energy *e);

#endif

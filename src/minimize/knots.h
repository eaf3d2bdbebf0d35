/* knots.h - cliques with many linear pieces, in the network by few of them: those of a lower bound that is exact where it
 * counts (math.md, 7.2). */
#ifndef SOS_MINIMIZE_KNOTS_H
#define SOS_MINIMIZE_KNOTS_H

#include "minimize/network.h"

/* Is this concave clique one of them?  Few pieces cost less than solving twice. */
bool sos_knots_are_chosen(const sos_concave_clique *c);

/* Chooses the first knots of all such cliques of an energy that the network does not know yet. */
sos_status sos_knots_begin(sos_network *net, const sos_energy *e, sos_error *error);

/* Before another run on an energy that the network knows: what earlier ones left stays, unless it has become too much. */
sos_status sos_knots_resume(sos_network *net, const sos_energy *e, sos_error *error);

/* How many nodes a clique has, at its knots. */
size_t sos_knots_nodes(const sos_knots *x);

/* Whether number n of the network's lists of chosen knots is there, and is that of the energy's concave clique. */
static inline bool sos_knots_are_of(const sos_network *net, size_t n, size_t clique)
{
    return n < net->knots_count && net->knots[n].clique == clique;
}

/* Fills the integers of their nodes, of which the network has been laid out and scaled. */
void sos_knots_scale(sos_network *net, const sos_energy *e);

/* Looks at the amounts that the labels give: where the bound is less than the clique's cost, there is a knot from now on, and
 * *exact is false; the network must be built again. */
sos_status sos_knots_refine(sos_network *net, const sos_energy *e, const uint8_t labels[], bool *exact, sos_error *error);

/* The bytes they take beside the network's. */
size_t sos_knots_bytes(const sos_network *net);
void sos_knots_free(sos_network *net);

#endif

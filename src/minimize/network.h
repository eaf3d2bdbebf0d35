/* network.h - an energy as a submodular flow network with integer costs: what the flow works on.
 *
 * Nodes are the variables, then one auxiliary node per linear piece of a concave clique (math.md, 7).  A clique's members sit
 * in consecutive slots; a node knows the places (clique, position) it sits at.  The pairs of auxiliary nodes are cliques as
 * well, or, where concave cliques are large and all other cliques are pairs, there are lists instead (push.h). */
#ifndef SOS_MINIMIZE_NETWORK_H
#define SOS_MINIMIZE_NETWORK_H

#include "base/exact.h"
#include "energy/energy.h"

/* A place is a clique and a position in it in one number. */
enum { SOS_POSITION_BITS = 4, SOS_POSITION_MASK = (1 << SOS_POSITION_BITS) - 1 };
_Static_assert(SOS_TABLE_MEMBERS_MAX <= 1 << SOS_POSITION_BITS, "a position must fit its bits");

/* One linear piece of a concave clique, without its weight: beta * min(A, place), A the amount that is labelled 1. */
typedef struct sos_piece {
    double beta, place;
    int64_t integer; /* that stands for weight * beta, where knots are chosen (knots.h), or SOS_BY_BETA: round it */
    uint32_t clique; /* of the concave ones */
    uint32_t first;  /* of its pairs, in the order of the clique's members */
} sos_piece;
enum { SOS_BY_BETA = -1 };

/* The knots of a clique with many pieces that are in the network (knots.h). */
typedef struct sos_knots {
    uint32_t clique, node; /* of the concave ones; its first node */
    uint32_t count;        /* of knots: amounts 0 = at[0] < ... < at[count-1] = all */
    uint32_t anchor;       /* the knot where the bound surely is the cost */
    bool every;            /* it is at every knot, for which there are nodes inside the pieces */
    bool turned;           /* the anchor has moved between knots that were there */
    uint32_t *at;
    int64_t *cost;  /* at the knots, less that of nothing */
    int64_t *bound; /* likewise */
    int64_t slope;  /* of the last piece of the bound */
    size_t at_room, cost_room, bound_room;
} sos_knots;

/* Where a variable is in a list: the concave clique, and which of its members. */
typedef struct sos_list_place {
    uint32_t clique, member;
} sos_list_place;
enum { SOS_LIST_PIECES_MAX = 32 }; /* of a clique that has a list: bits of a word */

/* An integer stands for cost * 2^exponent, rounded.  Where cliques of 3 and more members have weights, the integer of a
 * weighted cost is the product of the integers of weight and table, at exponents that add up to exponent. */
typedef struct sos_scaling {
    int bits; /* 32 or 64 */
    int exponent, weight_exponent;
} sos_scaling;

/* From so many nodes on sums of what rounding did are taken in parts, which threads share; below, one by one. */
enum { SOS_NETWORK_LARGE = 1 << 19 };

typedef struct sos_network {
    int threads;  /* that lay it out and scale it; less than 2: one */
    bool pairs;   /* concave cliques become pairs, whatever that is worth */
    double clamp; /* costs of single variables count as no less for the scale */
    uint32_t variables, nodes, cliques, slots;
    uint32_t table_cliques;   /* the first cliques, with tables; the rest are the pairs of auxiliary nodes */
    unsigned k;               /* members of every clique, or 0: mixed */
    const uint32_t *member;   /* [slots]; borrowed from the energy unless mixed */
    const uint32_t *start;    /* [cliques + 1] first slot of a clique, only if mixed */
    const uint32_t *table_of; /* [table_cliques]; borrowed from the energy unless mixed */
    uint32_t *first;          /* [nodes + 1] into places */
    uint32_t *places;         /* [slots] grouped by node, in the order of the cliques */
    uint32_t most_places;     /* of a variable */
    sos_piece *pieces;        /* [nodes - variables] */
    bool lists;               /* concave cliques have no pairs: their members know where they are */
    uint32_t members;         /* of all concave cliques, if so */
    uint32_t *list_first;     /* [variables + 1] into list_places */
    sos_list_place *list_places;
    sos_knots *knots; /* of concave cliques with many pieces, in their order */
    size_t knots_count, knots_room;
    uint64_t knots_of; /* identity of the energy that they are of */

    sos_scaling scaling;
    sos_scale scale; /* 2^exponent */
    int64_t *table;  /* integers of all tables, laid out like the energy's costs, each less its entry 0 */
    int32_t *weight; /* [table_cliques], or NULL while all are 1 */
    double rounding; /* bound on what rounding tables and weights does to any labelling, in integer units */
    double lost;     /* the same for what doubles lost before there were integers: differences, products, and slopes
                        of concave cliques taken for equal; as a cost */

    uint64_t identity;  /* of the energy this was laid out for */
    void *block;        /* that holds all arrays that are not borrowed */
    size_t bytes, used; /* of the block: there, and laid out */
    size_t table_room;
} sos_network;

/* Lays out the network of e, or, if it is there already, takes the pointers that e may have moved.  limit: bytes, 0 none. */
sos_status sos_network_build(sos_network *net, const sos_energy *e, size_t limit, sos_error *error);

/* Chooses the scaling, by the costs alone, and turns tables and weights into integers.  bits: as in the settings. */
sos_status sos_network_scale(sos_network *net, const sos_energy *e, int bits, size_t limit, sos_error *error);

/* All that sos_network_scale and sos_network_unaries ask for, without the places of the nodes: of an energy whose cliques all
 * have one size, and no variable more than so many places. */
void sos_network_sketch(sos_network *net, const sos_energy *e, uint32_t most_places);

void sos_network_free(sos_network *net);

static inline uint32_t sos_network_start(const sos_network *net, uint32_t c) { return net->k ? c * net->k : net->start[c]; }
static inline unsigned sos_network_size(const sos_network *net, uint32_t c)
{
    return net->k ? net->k : (unsigned)(net->start[c + 1] - net->start[c]);
}

/* Threads for a loop over n items. */
static inline int sos_network_threads(const sos_network *net, size_t n)
{
    return n < SOS_NETWORK_LARGE || net->threads < 2 ? 1 : net->threads;
}

/* Of the costs of label 1 less those of label 0: the largest, without its sign; are all whole; and what rounding did to them,
 * added up. */
typedef struct sos_unary_facts {
    double largest;
    bool whole;
    double off;
} sos_unary_facts;
sos_unary_facts sos_network_unary_facts(const sos_network *net, const sos_energy *e);

/* Their integers, without what cliques of one member and pieces add (sos_network_unaries); adds to *rounding. */
void sos_network_round_unaries(const sos_network *net, const sos_energy *e, int64_t unary[], double *rounding);

/* The integer of a cost; adds to *rounding what that moved it by, in integer units. */
int64_t sos_network_integer(const sos_network *net, double cost, double *rounding);

/* F({0}), F({1}) and F({0,1}) less F({}) of clique c of two members, made submodular if rounding made it not. */
typedef struct sos_pair {
    int64_t one, two, both;
} sos_pair;
sos_pair sos_network_pair(const sos_network *net, const sos_energy *e, uint32_t c, double *rounding);

/* The integer that an amount of 1 can carry to or from the node of a piece of a clique with whole amounts; adds to *rounding
 * what that moved it by. */
int64_t sos_network_unit(const sos_network *net, const sos_energy *e, const sos_piece *p, double *rounding);

/* Fills the cost of label 1 less that of label 0 of all nodes, from unaries, cliques of one member and pieces. */
void sos_network_unaries(const sos_network *net, const sos_energy *e, int64_t unary[], double *rounding);

#endif

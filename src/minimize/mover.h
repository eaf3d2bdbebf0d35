/* mover.h - expansion moves in parts: who may move, tables of a move, its energy (math.md, 13).
 *
 * A move for label a is an energy with two labels over the variables that may take a.  Before it is built, variables that
 * surely keep their label are left out (13.4): what is left is often small.  Cliques keep their size; members that take no
 * part are there as variables that no cost depends on, so that the flow meets cliques of one size. */
#ifndef SOS_MINIMIZE_MOVER_H
#define SOS_MINIMIZE_MOVER_H

#include <sos/expand.h>

#include "energy/multi_energy.h"

/* What the binary table of a clique depends on: its set, the labels of its members, which of them may move.  The label of a
 * member that may not move matters only if it is the move's own or that of one that may; else it is SOS_MOVE_OTHER. */
enum { SOS_MOVE_OTHER = 255 };
typedef struct sos_move_key {
    uint8_t y[SOS_TABLE_MEMBERS_MAX];
    uint32_t set;
    uint16_t free, part;
} sos_move_key;

/* Of a clique of more than four members with several labels there would be too many different tables.  It is taken apart into
 * what the label of the move pays and what each of the others does, over the members that may move and matter. */
enum { SOS_PART_ALL, SOS_PART_TAKEN, SOS_PART_KEPT, SOS_WHOLE_MEMBERS = 4 };

typedef struct sos_move_entry {
    sos_move_key key;
    uint32_t table;
    double lift; /* by how much any cost of it was raised to keep it submodular */
} sos_move_entry;

typedef struct sos_move_cache {
    sos_move_entry *entries;
    size_t count, room;
    uint32_t *slots; /* entry + 1, or 0: empty */
    size_t slot_count;
} sos_move_cache;

/* Cliques of one size of the move, as sos_energy_add_listed takes them. */
typedef struct sos_move_list {
    uint32_t *variables, *tables;
    double *weights;
    size_t count, variables_room, tables_room, weights_room;
    bool weighted;
} sos_move_list;

/* What moves hold; kept by an expander from one run to the next. */
typedef struct sos_mover {
    const sos_multi_energy *e;
    const sos_expand_settings *settings;
    size_t n;
    uint8_t label; /* of the move */

    void *block; /* of the arrays below */
    size_t block_bytes;
    uint8_t *y;       /* [n] labels so far */
    uint8_t *may;     /* [n] 1: may take the label of the move */
    uint8_t *used;    /* [n] is a variable of the move's energy */
    double *kept;     /* [n] what the label so far costs by itself */
    double *bound;    /* [n] what taking the label costs at least, without the cliques with tables */
    double *relief;   /* [n] what these can take off that, whatever the labels */
    double *margin;   /* [n] what rounding may do to it */
    uint32_t *active; /* [cliques with tables] those with a member that may move, by size, then in their order */
    uint32_t *number; /* [n] in the move's energy */
    double *low;      /* [sets * members] least marginal of a member over all labels and states */
    double *uniform;  /* [sets * labels * members] marginals in uniform cliques */
    double *share;    /* [sets] for the lower bound */

    size_t active_first[SOS_TABLE_MEMBERS_MAX + 1], active_count[SOS_TABLE_MEMBERS_MAX + 1];
    sos_move_cache cache;
    sos_move_list lists[SOS_TABLE_MEMBERS_MAX + 1];
    uint8_t *answer, *before; /* labels of the move; labels before it, of its variables */
    size_t answer_room, before_room;
    uint32_t *members; /* of parts of a count clique */
    double *costs;     /* or the values of a part in pieces, at these places */
    double *amounts, *places;
    size_t members_room, costs_room, amounts_room, places_room;
    sos_minimizer *minimizer;
    sos_energy *energy; /* of the move */
    double lifted;      /* by how much any labelling's energy was raised to keep tables submodular */
} sos_mover;

/* Loops over cliques of one size are much faster where the compiler knows it: these are the common ones. */
#define SOS_FOR_MOVED_SIZE(k, call) ((k) == 2 ? call(2) : (k) == 4 ? call(4) : call(k))

/* mover.c: makes room for moves of an energy, reusing what is there; settings and e must stay.  The bytes held, without the
 * minimizer's. */
sos_status sos_mover_begin(sos_mover *m, const sos_multi_energy *e, const sos_expand_settings *settings, sos_error *error);
size_t sos_mover_bytes(const sos_mover *m);
void sos_mover_free(sos_mover *m); /* all of it: then m is as new */

/* move_reduce.c: what bounds need to know of the whole energy, once; then for each move which variables may take the label:
 * all that have another one, or, with reduce, those that costs and bounds leave.  Returns how many may. */
sos_status sos_mover_survey(sos_mover *m, sos_error *error);
size_t sos_mover_choose(sos_mover *m);

/* move_tables.c: the binary table of a clique that looks like key, in the move's energy. */
sos_status sos_move_table(sos_mover *m, size_t k, const sos_move_key *key, const sos_move_entry **found, sos_error *error);
void sos_move_tables_clear(sos_mover *m);

/* move_counts.c: adds what a clique that counts costs to the energy of the move. */
sos_status sos_move_count_clique(sos_mover *m, const sos_count_clique *c, sos_error *error);

/* move_energy.c: builds the energy of the move. */
sos_status sos_mover_build(sos_mover *m, sos_error *error);

/* expand_factor.c: the factor of sos_expand_result (13.6). */
double sos_expand_factor(const sos_multi_energy *e);

#endif

/* problem_reader.h - reading a problem file: what has been read so far, and the parts of the reader. */
#ifndef SOS_LEARN_PROBLEM_READER_H
#define SOS_LEARN_PROBLEM_READER_H

#include <sos/problem.h>

#include "base/scan.h"

enum {
    SOS_PROBLEM_NAME_MAX = 100,   /* bytes of the name of a group */
    SOS_PROBLEM_GROUPS_MAX = 4096 /* adding a group copies those before it */
};

typedef struct sos_problem_feature {
    uint32_t variable, index;
    double value;
} sos_problem_feature;

/* Pairs of one group, or cliques of one size, that wait to be added. */
typedef struct sos_problem_batch {
    size_t count, size; /* size: members of a clique; phi of a pair, or 0: none were given, all are 1 */
    uint32_t *variables, *groups;
    double *phi;
    size_t variables_room, groups_room, phi_room;
} sos_problem_batch;

typedef struct sos_problem_reader {
    sos_scanner *s;
    sos_model *own;     /* what the file declares */
    const sos_model *m; /* what the examples are for */
    uint32_t group;     /* the last one named */

    /* Memory that the file may ask for beyond what its bytes pay for: numbers of weights, and of what examples hold. */
    size_t weights_left, numbers_left;

    sos_example **examples;
    size_t count, room;
    bool within;   /* an example: */
    size_t number; /* this one */
    size_t n;
    bool truth, loss, scale;
    uint8_t *seen; /* [groups]: has been used in this example */

    sos_problem_batch pairs, cliques;
    sos_problem_feature *features;
    size_t *start;
    uint32_t *index;
    uint8_t *labels; /* and n more that say which count */
    double *numbers;
    size_t features_room, start_room, index_room, labels_room, numbers_room;
} sos_problem_reader;

/* ---- what the parts share (problem_read.c) ---- */

sos_status sos_problem_no_memory(const sos_problem_reader *r);

/* Takes the amount from what is left, so that a file of some bytes cannot ask for gigabytes. */
sos_status sos_problem_allow(const sos_problem_reader *r, const char *what, size_t amount, size_t *left);

/* Is the next token a number?  It is not taken. */
bool sos_problem_number_follows(const sos_problem_reader *r);

/* Takes the next token if it is this word, and says whether. */
bool sos_problem_take_word(sos_problem_reader *r, const char *word);

/* How many strengths a clique or pair of the group has; also for writing. */
static inline size_t sos_problem_strengths(const sos_group *g) { return g->strengths ? g->strengths : 1; }

/* ---- groups (problem_header.c) ---- */

sos_status sos_problem_read_name(sos_problem_reader *r, char name[SOS_PROBLEM_NAME_MAX + 1]);

/* Leaves the first token behind the groups as the last one taken. */
sos_status sos_problem_read_header(sos_problem_reader *r);

/* Has the file the groups that are expected? */
sos_status sos_problem_compare_groups(const sos_problem_reader *r, const sos_model *expected);

/* ---- an example (problem_items.c) ---- */

/* The item whose first word is the last token, and that is no 'example'. */
sos_status sos_problem_read_item(sos_problem_reader *r);

/* Adds what waits to be added. */
sos_status sos_problem_flush(sos_problem_reader *r);

#endif

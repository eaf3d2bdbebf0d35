/* example_recall.h - what an example's last answers know of other weights (math.md, 12.6).
 *
 * Where two labellings of an example differ, they differ in pieces that have nothing to do with each other: no clique has
 * members of two.  Each can be changed, or not, by itself, so that a few answers make many more labellings than they are.
 * What a change adds to the plane is known for each piece, so that to find the most violated of all these labellings under new
 * weights takes a few products. */
#ifndef SOS_LEARN_EXAMPLE_RECALL_H
#define SOS_LEARN_EXAMPLE_RECALL_H

#include "learn/example.h"
#include "learn/sparse.h"

/* Answers that are kept; the newest, and what the others and the truth would change in it.  Measured with up to seven: more
 * spare hardly any minimisation. */
enum { SOS_RECALL_ANSWERS = 3 };

/* Variables that are changed together, to the labels of another labelling. */
typedef struct sos_piece {
    uint32_t island; /* pieces of different ones can be changed together, whichever labellings they are of */
    uint32_t source; /* which labelling */
    size_t begin;    /* its entries, up to those of the next piece: what changes in the plane */
    double loss;     /* and in its loss */
} sos_piece;

/* Of one example with two labels. */
typedef struct sos_recall {
    uint8_t *bits;  /* [n] bit k: label in the k-th newest answer; bit SOS_RECALL_ANSWERS: the true one.  NULL: no answer yet */
    size_t answers; /* so far, SOS_RECALL_ANSWERS at most */
    double *a, b;   /* [d] the plane of the newest */

    sos_piece *pieces;
    size_t count, room, islands;
    sos_sparse entries;
} sos_recall;

void sos_recall_free(sos_recall *r);

/* Can answers of the example be taken apart?  Not with more labels, nor where cliques of any size join all of it. */
bool sos_recall_serves(const sos_example *x);

/* Notes an answer: its labels and its plane. */
sos_status sos_recall_note(sos_recall *r, const sos_example *x, const uint8_t labels[], const double difference[], double loss,
                           sos_error *error);

/* The plane of a labelling that is put together from the answers and the truth, and violates its constraint under w no less
 * than the newest answer.  *known is false, and nothing else set, where there is no answer yet. */
sos_status sos_recall_answer(const sos_recall *r, size_t d, const double w[], double difference[], double *loss, bool *known,
                             sos_error *error);

#endif

/* ties.h - which entries of a table, or knots of a function of the count, share a weight, and what lifts functions so tied into
 * their cone (math.md, 9.3 and 10.2). */
#ifndef SOS_LEARN_TIES_H
#define SOS_LEARN_TIES_H

#include <stdatomic.h>

#include <sos/model.h>

/* An entry without a weight: its cost is 0. */
#define SOS_ANCHOR UINT32_MAX

/* Shared by all groups that are tied alike and by all copies of their layouts, counted, never changed. */
typedef struct sos_ties {
    atomic_size_t references;
    size_t entries, classes;
    uint32_t *class_of; /* [entries] or SOS_ANCHOR */

    /* Tables. */
    int32_t *lift; /* [classes] what lifts every inequality by `gain` */
    int32_t gain;

    /* Counts; else NULL. */
    double *share;  /* [entries] of the knots */
    int32_t *place; /* [entries] the same in integers without a common divisor, from 0 */
} sos_ties;

/* SOS_ERR_ARGUMENT: the shares of a count group do not increase from 0 to 1.  The calls below take what has passed this. */
sos_status sos_ties_check(const sos_group *g, sos_error *error);

/* SOS_ERR_ARGUMENT: the caller's classes are not dense, or leave no room for a lift. */
sos_status sos_ties_create(const sos_group *g, sos_ties **out, sos_error *error);
sos_ties *sos_ties_share(sos_ties *t);
void sos_ties_release(sos_ties *t); /* NULL is fine */

/* The greatest; that of 0 and b is b. */
int32_t sos_common_divisor(int32_t a, int32_t b);

/* Would groups so described have the same ties? */
bool sos_ties_are_alike(const sos_group *a, const sos_group *b);

#endif

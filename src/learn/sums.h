/* sums.h - sums over the examples of all processes that are the same to the last bit however the examples lie on them (math.md,
 * 12.9).
 *
 * A term x of a sum whose largest term is below 2^E is cut to 96 bits below 2^E, and added as three integers of 32 bits: their
 * sums are exact, for up to 2^31 terms, so that no order matters.  What is cut off is below 2^-43 of the last place of the
 * largest term. */
#ifndef SOS_LEARN_SUMS_H
#define SOS_LEARN_SUMS_H

#include "base/share.h"

typedef struct sos_sums {
    size_t count;
    bool adding;       /* else exponents are being found */
    int64_t *exponent; /* [count] E */
    double *scale;     /* [count] 2^-E, in two factors: see sums.c */
    double *shift;     /* [count] */
    int64_t *digits;   /* [3 * count] */
} sos_sums;

/* Notes x as a term of sum j. */
void sos_sums_term(sos_sums *s, size_t j, double x);
void sos_sums_terms(sos_sums *s, size_t j, size_t count, const double x[]); /* of sums j, j + 1, ... */

/* Names all terms that this process has: called twice. */
typedef void sos_sums_list(const void *from, sos_sums *s);

/* out[j], on all processes: the sum of all terms of j.  A term that is not finite is an error, on all processes alike. */
sos_status sos_sums_take(sos_share *c, size_t count, sos_sums_list *list, const void *from, double out[], sos_error *error);

#endif

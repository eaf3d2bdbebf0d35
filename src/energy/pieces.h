/* pieces.h - a concave function F of an amount, linear between knots. */
#ifndef SOS_ENERGY_PIECES_H
#define SOS_ENERGY_PIECES_H

#include <math.h>
#include <stddef.h>

#include "base/error.h"

/* value[j] at place[j], 0 = place[0] < place[1] < ...; the last piece goes on.  At least two knots. */
typedef struct sos_count_function {
    size_t knots;
    const double *place; /* or NULL: 0, 1, 2, ... */
    const double *value;
} sos_count_function;

static inline double sos_count_place(const sos_count_function *f, size_t j) { return f->place ? f->place[j] : (double)j; }

/* How long piece j is, that before knot j; its slope. */
static inline double sos_count_length(const sos_count_function *f, size_t j)
{
    return f->place ? f->place[j] - f->place[j - 1] : 1;
}

static inline double sos_count_slope(const sos_count_function *f, size_t j)
{
    return (f->value[j] - f->value[j - 1]) / sos_count_length(f, j);
}

/* The shorter of the pieces that meet at knot j: a change of slope there times this is about what the function can miss. */
static inline double sos_count_gap(const sos_count_function *f, size_t j)
{
    return fmin(sos_count_length(f, j), sos_count_length(f, j + 1));
}

/* F(amount); amounts beyond the last place lie on the last piece. */
double sos_count_value(const sos_count_function *f, double amount);

/* SOS_OK, or the reason why this is no function of that total amount: places that do not increase from 0 to the total, values
 * that are not finite or too large, or not concave.  exactly: the last place must be the total. */
sos_status sos_count_places_check(const sos_count_function *f, double total, bool exactly, sos_error *error);
sos_status sos_count_values_check(const sos_count_function *f, sos_error *error);

/* A bound on how far the slope of piece j is from the true quotient. */
double sos_count_slope_off(const sos_count_function *f, size_t j);

/* Adds a knot behind the *knots that place and value hold, and takes away those that are then below the chord of their
 * neighbours: what is left is concave.  Returns by how much the function was raised, at most. */
double sos_count_hull_add(size_t *knots, double place[], double value[], double at, double cost);

#endif

/* submodular.h - checks whether a set function is submodular */
#ifndef SOS_ENERGY_SUBMODULAR_H
#define SOS_ENERGY_SUBMODULAR_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The square of the cube that violates submodularity most. */
typedef struct sos_violation {
    double amount; /* f(S+i+j) + f(S) - f(S+i) - f(S+j); positive: not submodular */
    uint32_t S;
    unsigned i, j;
} sos_violation;

sos_violation sos_worst_violation(size_t k, const double f[]);

/* Violations up to this are taken for rounding of the arithmetic that made costs up to largest. */
double sos_violation_tolerance(double largest);

/* Are count costs finite, and not so large that sums of four overflow?  what names them in messages. */
sos_status sos_costs_check(size_t count, const double f[], const char *what, double *largest, sos_error *error);

/* SOS_OK, or the reason why the 2^k costs f are no table: not finite, too large, or not submodular. */
sos_status sos_table_check(size_t k, const double f[], sos_error *error);

/* The same for a function g of the number of ones among k members: k + 1 finite costs, concave. */
sos_status sos_concave_check(size_t k, const double g[], sos_error *error);

#endif

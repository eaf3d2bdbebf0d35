/* dense.h - the little dense linear algebra that training needs, with the same bits on every machine: sums are taken in four
 * lanes whatever the processor, and threads share out whole results.  Matrices are rows one after another. */
#ifndef SOS_LEARN_DENSE_H
#define SOS_LEARN_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* Zeros, to free; NULL: no memory. */
double *sos_numbers(size_t count);

double sos_dot(size_t n, const double a[], const double b[]);

/* y += s x. */
void sos_axpy(size_t n, double s, const double x[], double y[]);

/* Lower triangle of G += A A^T, A having rows of n numbers, stride apart. */
void sos_gram_add(size_t rows, size_t n, const double A[], size_t stride, double G[], int threads);

/* A = L L^T from the lower triangle, in place.  A pivot that is not positive is taken for one of a direction that does not
 * matter and made so large that it is left out. */
void sos_cholesky(size_t n, double A[]);

/* x := L^-1 x and x := L^-T x. */
void sos_solve_lower(size_t n, const double L[], double x[]);
void sos_solve_lower_rows(size_t n, const double L[], size_t rows, double X[], size_t stride); /* of each row of X */
void sos_solve_upper(size_t n, const double L[], double x[]);

#endif

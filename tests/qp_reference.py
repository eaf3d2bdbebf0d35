#!/usr/bin/env python3
"""Solves the quadratic programs in a file with CVXOPT and prints the minimum of each, one per line; test_train.c writes them.

A program: the numbers of variables n, of squared variables and of rows, then the n costs, then for each row its right side
and its n coefficients.  Minimise 1/2 (x_0^2 + ... + x_{squared-1}^2) + cost . x over rows . x >= right.
Returns 77 where CVXOPT is missing.
"""
import sys

try:
    from cvxopt import matrix, solvers, spmatrix
except ImportError:
    sys.exit(77)


def main():
    solvers.options.update(show_progress=False, abstol=1e-12, reltol=1e-10, feastol=1e-10, maxiters=200)
    with open(sys.argv[1]) as file:
        numbers = iter(file.read().split())
    for first in numbers:
        n, squared, rows = int(first), int(next(numbers)), int(next(numbers))
        cost = matrix([float(next(numbers)) for _ in range(n)])
        right, left = [], []
        for _ in range(rows):
            right.append(-float(next(numbers)))
            left.append([-float(next(numbers)) for _ in range(n)])
        squares = spmatrix(1.0, range(squared), range(squared), (n, n))
        solution = solvers.qp(squares, cost, matrix(left).T, matrix(right))
        value = solution["primal objective"]
        if solution["status"] != "optimal" and not solution["gap"] <= 1e-7 * max(1e-3, abs(value)):
            sys.exit("no optimum: " + solution["status"])
        print("%.15g" % value)


main()

#!/usr/bin/env python3
"""Solves the quadratic programs in a file with CVXOPT and prints the minimum of each, one per line; test_train.c writes them.

A program: the numbers of variables n, of squared variables and of rows, then the n costs, then for each row its right side
and its n coefficients.  Minimise 1/2 (x_0^2 + ... + x_{squared-1}^2) + cost . x over rows . x >= right.
Returns 77 where CVXOPT is missing.
"""
import itertools
import sys

try:
    from cvxopt import matrix, solvers, spmatrix
except ImportError:
    sys.exit(77)


def solve(squares, cost, left, right):
    """The minimum, to as many digits as the solver can reach."""
    for digits, system in itertools.product((10, 8, 7), (None, "ldl")):
        tolerance = 10.0**-digits
        solvers.options.update(show_progress=False, maxiters=200, abstol=tolerance / 100, reltol=tolerance, feastol=tolerance)
        try:
            solution = solvers.qp(squares, cost, left, right, kktsolver=system)
        except ArithmeticError:
            continue
        if solution["status"] == "optimal":
            return solution["primal objective"]
    sys.exit("no optimum")


def main():
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
        print("%.15g" % solve(squares, cost, matrix(left).T, matrix(right)))


main()

#!/usr/bin/env python3
"""hypergraph.py SEED - prints a learning problem (docs/formats.md): 12 examples of 40 people in 10 clubs.

Everybody has an opinion, 0 or 1, that is to be found from an unreliable answer (features 1 and the answer).  A club is a
clique of four; most clubs are of one opinion, the more so the older they are: phi is a function of the age.
"""
import random
import sys

PEOPLE, CLUBS, EXAMPLES = 40, 10, 12

r = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
print("sosproblem 1\nlabels 2\ngroup answer free 2\ngroup club table 4 anchored swap")
for _ in range(EXAMPLES):
    order = r.sample(range(PEOPLE), PEOPLE)
    clubs = [order[4 * c:4 * c + 4] for c in range(CLUBS)]
    ages = [r.randint(1, 10) for _ in clubs]
    truth = [0] * PEOPLE
    for members, age in zip(clubs, ages):
        opinion = r.randint(0, 1)
        for person in members:
            truth[person] = opinion if r.random() < 0.8 + 0.02 * age else 1 - opinion
    print("example", PEOPLE)
    # One in twenty did not tell: their label is a guess, and errors there cost nothing.
    print("truth", *(f"{t}?" if r.random() < 0.05 else t for t in truth))
    print("features answer")
    for person in range(PEOPLE):
        print("feature", person, "0 1 1", round(truth[person] + r.gauss(0, 0.7), 3))
    for members, age in zip(clubs, ages):
        print("clique club", age / 10, *members)
print("end")

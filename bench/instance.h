/* instance.h - the energies of the benchmark as arrays: from files with known optima where they are, else generated. */
#ifndef BENCH_INSTANCE_H
#define BENCH_INSTANCE_H

#include <stddef.h>
#include <stdint.h>

#include <sos/sos.h>

#include "base/random.h"

/* Strokes of a round pen along lines and arcs, and blots, until this part of the paper is inked: 1 in ink, which is all 0
 * before.  Shapes do not grow with the paper: a larger one has more of them. */
void draw(size_t width, size_t height, double part, sos_random *r, uint8_t ink[]);

/* Fills the 2^k costs of one table. */
typedef void prior(sos_random *r, size_t k, double strength, double f[]);

prior prior_potts;       /* strength where the two differ */
prior prior_square_root; /* 2x2: strength times the square root of the number of differing edges (Generic Cuts) */
prior prior_count;       /* strength times sqrt(m (k - m)), scaled to 1 at m = k / 2: concave in the number m of ones */
prior prior_hard;        /* 3x3: strength times min(m, 9 - m, 3), plus pairs of neighbours folded into the table */
prior prior_random;      /* up to about strength: half of it by count, half random pairs, and what submodularity allows */

/* Adds random pairs and costs of single members, about size in all, to the integers f: close by, integer, and submodular
 * if f was. */
void table_nudge(sos_random *r, size_t k, double size, double f[]);

/* An image and a prior; the name is that of the file. */
typedef struct recipe {
    const char *name;
    size_t width, height;
    double ink;   /* part of the drawing that is 1, the rest is 0; NOISE_ONLY: no drawing at all */
    double sigma; /* of the Gaussian noise on it */
    size_t side;  /* of the patches; 1: pairs of neighbours */
    prior *prior;
    double strength;
    size_t tables;
    double limit;       /* at most so many times libmaxflow's time on the first recipe; NAN: none was set */
    double bytes_limit; /* per pixel; NAN: none */
} recipe;

#define NOISE_ONLY (-1.0)

typedef struct instance {
    const char *name;
    const char *source; /* "file" or "generated" */
    size_t width, height, n, k, tables, cliques;
    double *cost0, *cost1; /* n */
    double *f;             /* tables * 2^k */
    uint32_t *variables;   /* cliques * k */
    uint32_t *table_of;    /* cliques */
    double optimum;        /* NAN: not known */
} instance;

/* The file $SOS_SHARED_DIR/instances/NAME.sos, or a generated energy of the same kind. */
instance instance_get(const recipe *r);
instance instance_generate(const recipe *r, uint64_t seed);
void instance_free(instance *p);

/* The same energy in the library, added the way a user would who has these arrays. */
sos_energy *instance_build(const instance *p);
/* Sets the costs of an energy built from p back to those of p. */
void instance_restore(const instance *p, sos_energy *e);

static inline const double *instance_table(const instance *p, size_t t) { return p->f + (t << p->k); }

#endif

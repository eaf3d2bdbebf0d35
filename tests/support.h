/* support.h - what the tests share: seeds, random energies kept apart from the library, an exhaustive minimiser, and the
 * checks of an answer.
 *
 * A random test runs cases numbered by seed: SOS_TEST_SEED, SOS_TEST_SEED + 1, ...  A failing check prints the seed of its
 * case, and SOS_TEST_SEED set to that seed makes it the first one.  SOS_TEST_SCALE multiplies the number of cases. */
#ifndef SOS_TESTS_SUPPORT_H
#define SOS_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sos/sos.h>

#include "base/random.h"

/* Whether a sanitizer looks on, which makes everything slow. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if !defined(SANITIZED) && (defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__))
#define SANITIZED 1
#endif
#if !defined(SANITIZED)
#define SANITIZED 0
#endif

/* How many cases to run where a release build runs count: fewer under sanitizers. */
uint64_t test_cases(uint64_t count);

/* The generator of case number c of a test; remembers the seed for messages. */
sos_random test_case_begin(uint64_t c);

/* Prints and fails the test, naming the seed of the case. */
void test_fail(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A program of others that a test compares with is not there: says so, and fails the test where all must be there
 * (SOS_PEERS_REQUIRED, by the build's SOS_TESTS_REQUIRED). */
void test_peer_missing(const char *name);

#define check(condition)         ((condition) ? (void)0 : test_fail(__FILE__, __LINE__, "does not hold: %s", #condition))
#define check_ok(status, error)  check_status(__FILE__, __LINE__, (status), SOS_OK, &(error))
#define check_is(status, wanted) check_status(__FILE__, __LINE__, (status), (wanted), NULL)
void check_status(const char *file, int line, sos_status status, sos_status wanted, const sos_error *error);

/* The status, and that the message holds every one of the words that follow, up to NULL. */
#define check_error(status, wanted, error, ...)                                                                                \
    (check_is((status), (wanted)), check_words(__FILE__, __LINE__, (wanted), &(error), __VA_ARGS__, (const char *)NULL))
void check_words(const char *file, int line, sos_status wanted, const sos_error *error, ...);

/* malloc, calloc and realloc that fail the test. */
void *test_room(void *old, size_t count, size_t size);

/* The kinds of costs. */
typedef enum costs {
    COSTS_SMALL,    /* integers 0 ... 3: many ties */
    COSTS_INTEGERS, /* up to 1000 */
    COSTS_LARGE,    /* integers up to 1e12 */
    COSTS_DYADIC,   /* multiples of 1/64 up to 4: ties among reals */
    COSTS_REALS,    /* below 1 */
    COSTS_HUGE,     /* below 1e300 */
    COSTS_TINY,     /* below 1e-300 */
    COSTS_MIXED,    /* of many magnitudes in one energy */
    COSTS_KINDS
} costs;

/* A random cost >= 0, and one of either sign. */
double cost_random(sos_random *r, costs kind);
double cost_signed(sos_random *r, costs kind);

/* A random submodular table of k members; f has 2^k entries. */
void table_random(sos_random *r, size_t k, costs kind, double f[]);
/* A random concave function of the count; g has k + 1 entries. */
void concave_random(sos_random *r, size_t k, costs kind, double g[]);
/* k different variables below n, in any order. */
void members_random(sos_random *r, size_t n, size_t k, uint32_t variables[]);

/* An energy as plain data, evaluated by the definition. */
typedef struct problem_table {
    size_t k;
    double *f;
} problem_table;

typedef struct problem_clique {
    uint32_t table;
    uint32_t variables[SOS_TABLE_MEMBERS_MAX];
    double weight;
} problem_clique;

typedef struct problem_concave {
    size_t k;
    uint32_t *variables;
    double *g;
    double weight;
} problem_concave;

typedef struct problem {
    size_t n;
    double constant;
    double *cost0, *cost1;
    uint8_t *fixed;
    problem_table *tables;
    size_t table_count;
    problem_clique *cliques;
    size_t clique_count;
    problem_concave *concaves;
    size_t concave_count;
} problem;

typedef struct recipe {
    costs kind;
    size_t n, cliques, members, concaves; /* at most; n itself is drawn from 0 ... n */
    bool weights, fixed;
} recipe;

problem problem_create(size_t n);
problem problem_random(sos_random *r, const recipe *wanted);
void problem_free(problem *p);
uint32_t problem_add_table(problem *p, size_t k, const double f[]);
void problem_add_clique(problem *p, uint32_t table, const uint32_t variables[], double weight);
void problem_add_concave(problem *p, size_t k, const uint32_t variables[], const double g[], double weight);

/* One random clique more: a new table or an old one, new members or those of another clique. */
void problem_add_random_clique(sos_random *r, problem *p, size_t members, costs kind, bool weights);
void problem_add_random_concave(sos_random *r, problem *p, size_t members, costs kind, bool weights);

/* A grid of width x height pixels: random unaries and all patches of patch_width x patch_height pixels with one table. */
problem problem_grid(sos_random *r, size_t width, size_t height, costs kind);
void problem_add_patches(problem *p, uint32_t table, size_t width, size_t height, size_t patch_width, size_t patch_height);

/* The same energy in the library; and the part of it after the first cliques and concaves, added to e. */
sos_energy *problem_build(const problem *p);
void problem_build_rest(const problem *p, sos_energy *e, size_t tables, size_t cliques, size_t concaves);

long double problem_value(const problem *p, const uint8_t labels[]);
/* A bound on |E| of every labelling, and on all partial sums. */
long double problem_magnitude(const problem *p);
/* All costs and weights are multiples of unit, and so few that doubles add them without rounding. */
bool problem_is_multiple_of(const problem *p, double unit);

/* Everything that can be read of one energy is the same in the other, to the bit. */
void check_same_energy(const sos_energy *a, const sos_energy *b);
bool same_bits(double x, double y);

/* The minimum over all labellings that keep the fixed labels, by trying each; the intersection and the union of all
 * minimisers. */
enum { EXHAUSTIVE_MAX = 20 };

typedef struct oracle {
    long double minimum;
    uint8_t minimal[EXHAUSTIVE_MAX], maximal[EXHAUSTIVE_MAX];
} oracle;

oracle problem_solve_exhaustively(const problem *p);

/* One clique of k variables alone: the least over counts m of the m least costs of label 1 and g(m), with its labels; of all
 * such counts the smallest or the largest. */
long double test_best_count(size_t k, const double cost[], const double g[], bool maximal, uint8_t labels[]);

/* What must hold of every answer to p, of whatever size: labels in range, fixed ones kept, energy recomputed, the lower bound
 * and the energy as close as the rounding allows. */
void check_certificate(const problem *p, const uint8_t labels[], const sos_minimize_result *result);
/* That, and the minimum, and for costs that add exactly the very minimiser asked for. */
void check_answer(const problem *p, const oracle *o, bool maximal, const uint8_t labels[], const sos_minimize_result *result);

#endif

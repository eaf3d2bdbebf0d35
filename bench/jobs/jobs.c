/* jobs.c - fixed work whose instructions are counted (scripts/performance): ten energies and two trainings.
 *
 *     jobs          names them, a line each; the first says what this was compiled by
 *     jobs NAME     does it, and prints what it came to
 *
 * What is counted happens in jobs_counted; what is before it only makes the input.  The same work must be done for years, or
 * its history says nothing: a job that changes gets a new name. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sos/sos.h>

#include "base/random.h"
#include "instance.h"
#include "measure.h"
#include "squares.h"
#include "task.h"

/* Generated, never from files. */
static const recipe ENERGIES[] = {
    { "pairs", 400, 200, 0.19, 0.5, 1, prior_potts, 5000, 1, 0, 0 },
    { "patches", 400, 200, 0.19, 0.5, 2, prior_square_root, 5000, 1, 0, 0 },
    { "patches-strong", 300, 150, 0.19, 0.8, 2, prior_square_root, 12000, 1, 0, 0 },
    { "patches-noise", 300, 150, NOISE_ONLY, 0.3, 2, prior_square_root, 2000, 1, 0, 0 },
    { "patches-easy", 400, 200, 0.19, 0.2, 2, prior_square_root, 1000, 1, 0, 0 },
    { "tables", 300, 150, 0.19, 0.5, 2, prior_random, 6000, 50, 0, 0 },
    { "squares-count", 200, 100, 0.19, 0.5, 3, prior_count, 2000, 1, 0, 0 },
    { "squares-hard", 200, 100, 0.08, 1.0, 3, prior_hard, 2000, 1, 0, 0 },
};
enum { ENERGIES_END = sizeof ENERGIES / sizeof *ENERGIES };

static const regions_case REGIONS = { "regions", 160, 120, 400, 4, false, false };

static const char LABELS_NAME[] = "labels";

static const task TRAININGS[] = { { "train-drawings", 120, 60, 4, 1, 0, { 0 } }, { "train-images", 96, 72, 6, 5, 27, { 0 } } };
enum { TRAININGS_END = sizeof TRAININGS / sizeof *TRAININGS };

/* What is to be done; one of them is there. */
typedef struct job {
    const char *name;
    const instance *arrays; /* an energy of two labels that is yet to be built */
    const sos_energy *energy;
    const sos_multi_energy *multi;
    const lesson *lesson;
} job;

static double energy_minimise(const sos_energy *e)
{
    sos_minimize_settings s = sos_minimize_defaults();
    sos_minimize_result r;
    sos_error error;
    uint8_t *labels = room(sos_energy_variables(e), 1);
    s.work.threads = 1;
    must(sos_minimize(e, &s, labels, &r, &error), &error);
    if (r.energy - r.lower_bound > r.rounding) must(SOS_ERR_ARGUMENT, &(sos_error){ .message = "the minimum is not proven" });
    free(labels);
    return r.energy;
}

static double multi_expand(const sos_multi_energy *e)
{
    sos_expand_settings s = sos_expand_defaults();
    sos_expand_result r;
    sos_error error;
    uint8_t *labels = room(sos_multi_energy_variables(e), 1);
    s.work.threads = 1;
    must(sos_expand(e, &s, labels, &r, &error), &error);
    free(labels);
    return r.energy;
}

static double lesson_learn(const lesson *l)
{
    sos_train_settings s = sos_train_defaults();
    sos_train_result r;
    sos_error error;
    s.C = 100;
    s.gap = 1e-3;
    s.work.threads = 1;
    must(sos_train(l->model, l->count, l->examples, &s, &r, &error), &error);
    return r.last.primal;
}

/* All that is counted, under a name that the tool is told. */
__attribute__((noinline)) double jobs_counted(const job *j);
double jobs_counted(const job *j)
{
    if (j->lesson) return lesson_learn(j->lesson);
    if (j->multi) return multi_expand(j->multi);
    if (j->energy) return energy_minimise(j->energy);
    sos_energy *e = instance_build(j->arrays);
    const double found = energy_minimise(e);
    sos_energy_free(e);
    return found;
}

/* Five labels in noise, and Potts pairs. */
static sos_multi_energy *labels_build(void)
{
    enum { WIDTH = 120, HEIGHT = 90, LABELS = 5 };
    sos_multi_energy *e;
    sos_error error;
    sos_random r = sos_random_seeded(1);
    double *cost = room((size_t)WIDTH * HEIGHT * LABELS, sizeof *cost);
    uint32_t *pairs = room((size_t)4 * WIDTH * HEIGHT, sizeof *pairs);
    double *weight = room((size_t)2 * WIDTH * HEIGHT, sizeof *weight);
    size_t count = 0;
    for (size_t i = 0; i < (size_t)WIDTH * HEIGHT; i++) {
        const size_t x = i % WIDTH, y = i / WIDTH, label = (x / 24 + y / 30) % LABELS;
        for (size_t l = 0; l < LABELS; l++) cost[LABELS * i + l] = (double)sos_random_below(&r, 2000) + (l == label ? 0 : 400);
        for (size_t down = 0; down < 2; down++) {
            if (down ? y + 1 == HEIGHT : x + 1 == WIDTH) continue;
            pairs[2 * count] = (uint32_t)i;
            pairs[2 * count + 1] = (uint32_t)(i + (down ? WIDTH : 1));
            weight[count++] = 300 + (double)sos_random_below(&r, 100);
        }
    }
    must(sos_multi_energy_create((size_t)WIDTH * HEIGHT, LABELS, &e, &error), &error);
    must(sos_multi_energy_set_unaries(e, cost, &error), &error);
    must(sos_multi_energy_add_potts(e, count, pairs, weight, &error), &error);
    free(cost);
    free(pairs);
    free(weight);
    return e;
}

static void job_do(const job *j) { printf("%s: %.17g\n", j->name, jobs_counted(j)); }

static void instance_do(const recipe *r)
{
    instance p = instance_generate(r, 1);
    job_do(&(job){ .name = r->name, .arrays = &p });
    instance_free(&p);
}

static void training_do(const task *t)
{
    lesson l = lesson_generate(t, 1);
    job_do(&(job){ .name = t->name, .lesson = &l });
    lesson_free(&l);
}

static void regions_do(void)
{
    sos_energy *e = regions_build(&REGIONS);
    job_do(&(job){ .name = REGIONS.name, .energy = e });
    sos_energy_free(e);
}

static void labels_do(void)
{
    sos_multi_energy *e = labels_build();
    job_do(&(job){ .name = LABELS_NAME, .multi = e });
    sos_multi_energy_free(e);
}

static void names_print(void)
{
    printf("%s, %d-bit\n", __VERSION__, (int)(8 * sizeof(void *)));
    for (size_t i = 0; i < ENERGIES_END; i++) printf("%s\n", ENERGIES[i].name);
    printf("%s\n%s\n", REGIONS.name, LABELS_NAME);
    for (size_t i = 0; i < TRAININGS_END; i++) printf("%s\n", TRAININGS[i].name);
}

/* False: there is no such job. */
static bool job_named(const char *name)
{
    for (size_t i = 0; i < ENERGIES_END; i++)
        if (!strcmp(name, ENERGIES[i].name)) {
            instance_do(&ENERGIES[i]);
            return true;
        }
    for (size_t i = 0; i < TRAININGS_END; i++)
        if (!strcmp(name, TRAININGS[i].name)) {
            training_do(&TRAININGS[i]);
            return true;
        }
    if (!strcmp(name, REGIONS.name))
        regions_do();
    else if (!strcmp(name, LABELS_NAME))
        labels_do();
    else
        return false;
    return true;
}

int main(int argc, char *argv[])
{
    if (argc < 2)
        names_print();
    else if (!job_named(argv[1])) {
        fprintf(stderr, "jobs: there is no '%s'\n", argv[1]);
        return 2;
    }
    return 0;
}

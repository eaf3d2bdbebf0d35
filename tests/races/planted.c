/* planted.c - planted KIND: threads of OpenMP that race as named, or, with `none`, wait for each other as those of the
 * libraries do.  What planted.sh asks the thread sanitizer about. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, MANY = 1000 };

static int shared, all[MANY];
static atomic_int counted;

/* Everybody writes, and nobody waits. */
static void sum(void)
{
#pragma omp parallel for num_threads(THREADS)
    for (int i = 0; i < MANY; i++) shared += i;
}

/* Half of the threads do not wait for what the others have written. */
static void early(void)
{
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < MANY; i++) all[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < MANY; i++)
            if (all[MANY - 1 - i] < 0) atomic_fetch_add(&counted, 1);
    }
}

static void none(void)
{
    int total = 0, *own = calloc(MANY, sizeof *own);
    if (!own) exit(1);
#pragma omp parallel num_threads(THREADS) reduction(+ : total)
    {
#pragma omp for schedule(dynamic, 1)
        for (int i = 0; i < MANY; i++) all[i] = i;
#pragma omp single
        shared = all[MANY - 1];
#pragma omp for schedule(static)
        for (int i = 0; i < MANY; i++) total += all[MANY - 1 - i] + shared;
#pragma omp critical(alone)
        own[0]++;
#pragma omp barrier
#pragma omp master
        own[1] = own[0];
    }
    for (int round = 0; round < 20; round++)
#pragma omp parallel for num_threads(THREADS) schedule(dynamic, 1)
        for (int i = 0; i < MANY; i++) {
            own[i] += round;
            atomic_fetch_add(&counted, 1);
        }
    printf("%d %d %d\n", total, own[1], atomic_load(&counted));
    free(own);
}

int main(int argc, char *argv[])
{
    const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = { { "sum", sum }, { "early", early }, { "none", none } };
    for (size_t i = 0; argc == 2 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(argv[1], kinds[i].name)) {
            kinds[i].run();
            return 0;
        }
    return 2;
}

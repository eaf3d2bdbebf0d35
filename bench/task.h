/* task.h - generated problems to learn from: drawings in noise, whose ink is to be found again. */
#ifndef BENCH_TASK_H
#define BENCH_TASK_H

#include <stddef.h>

#include <sos/sos.h>

enum { TASK_PATH = 6 };

/* Images of a size, and the model to learn: tables of 2x2 patches, and features of pixels. */
typedef struct task {
    const char *name;
    size_t width, height, images;
    size_t tables;     /* 1, or many: a patch's contrast says which it has */
    size_t indicators; /* features that are 0 or 1, in three lots: grey value, 3x3 mean, place; 0: one feature, 1 - 2 grey */
    double path[TASK_PATH]; /* values of C, rising */
} task;

typedef struct lesson {
    sos_model *model;
    size_t count;
    sos_example **examples;
} lesson;

lesson lesson_generate(const task *t, uint64_t seed);
void lesson_free(lesson *l);

#endif

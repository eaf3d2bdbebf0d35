/* processor.h - how much of the machine's processors other programs take. */
#ifndef S3SVM_SERVE_PROCESSOR_H
#define S3SVM_SERVE_PROCESSOR_H

#include <stdbool.h>

/* Seconds of all processors together since some time in the past. */
typedef struct processor_use {
    double all, idle, own; /* own: of this program */
} processor_use;

/* false: the system does not tell. */
bool processor_look(processor_use *out);

/* The share of all processors, 0 to 1, that was neither idle nor this program's between two looks. */
double processor_others(const processor_use *before, const processor_use *after);

#endif

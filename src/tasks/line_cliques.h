/* line_cliques.h - cliques by the directions of lines (vision/direction.h): pairs of neighbours, and lines through pixels whose
 * strength is above thresholds.  Tasks whose energies follow strokes and thin structures share them. */
#ifndef S3SVM_TASKS_LINE_CLIQUES_H
#define S3SVM_TASKS_LINE_CLIQUES_H

#include <sos/model.h>

#include "vision/lines.h"

/* Classes of strengths: class 0 is below the first threshold, the last one above all. */
typedef struct s3svm_line_classes {
    size_t thresholds;
    const float *threshold; /* increasing; borrowed */
} s3svm_line_classes;

/* How many thresholds a strength reaches. */
size_t s3svm_line_class(const s3svm_line_classes *c, float strength);

/* Which cliques there are, by what is known of their pixels: those that have a pixel for which matters is not 0 (NULL: all). */
bool s3svm_line_matters(const uint8_t matters[], size_t count, const uint32_t members[]);

/* Pairs of 8 neighbours.  The clearer pixel of a pair is its first member, and says of which group it is: first + class *
 * (steps / 2 + 1) + turn, where the turn from 0, along its line, to steps / 2, across, is that of the pair against its
 * direction. steps is a multiple of 4. */
SOS_MUST_USE sos_status s3svm_keyed_pairs_add(const s3svm_line_classes *c, const s3svm_directions *d, uint32_t first,
                                              const uint8_t matters[], sos_example *x, sos_error *error);

/* Lines of so many pixels, so many steps apart, through all pixels of a class and above whose x + y is a multiple of every. */
typedef struct s3svm_line_shape {
    size_t length, stride, every;
    size_t first_class;
} s3svm_line_shape;

SOS_MUST_USE sos_status s3svm_shaped_lines_find(const s3svm_line_classes *c, const s3svm_line_shape *shape,
                                                const s3svm_directions *d, s3svm_lines *out, sos_error *error);

/* Each line as a clique of the group first + class - first_class, by the class of its middle's strength. */
SOS_MUST_USE sos_status s3svm_line_tables_add(const s3svm_line_classes *c, const s3svm_line_shape *shape,
                                              const float strength[], const s3svm_lines *lines, uint32_t first,
                                              const uint8_t matters[], sos_example *x, sos_error *error);

/* All pairs of the pixels of each line, of the group first + (class - first_class) * (length - 1) + distance - 1. */
SOS_MUST_USE sos_status s3svm_line_pairs_add(const s3svm_line_classes *c, const s3svm_line_shape *shape, const float strength[],
                                             const s3svm_lines *lines, uint32_t first, const uint8_t matters[], sos_example *x,
                                             sos_error *error);

#endif

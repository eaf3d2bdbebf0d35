/* segment_unsure.h - the list of photographs by how unsure their labels are, the least sure first. */
#ifndef S3SVM_SEGMENT_UNSURE_H
#define S3SVM_SEGMENT_UNSURE_H

#include "segment.h"

typedef struct unsure_row {
    const char *name;
    double doubt, object; /* shares of the pixels */
} unsure_row;

void unsure_sort(size_t count, unsure_row rows[]);

/* As a table, CSV. */
SOS_MUST_USE sos_status unsure_write(const char *path, size_t count, const unsure_row rows[], sos_error *error);

/* Of a photograph whose pictures are there already: its size, object and doubt, by the mask and the maps. */
SOS_MUST_USE sos_status unsure_recall(const cutter *c, cutting *k, sos_error *error);

#endif

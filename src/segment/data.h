/* data.h - marked photographs and their true labels, in memory. */
#ifndef SOS_SEGMENT_DATA_H
#define SOS_SEGMENT_DATA_H

#include <s3svm/dataset.h>
#include <s3svm/marks.h>

/* Labels. */
enum { SOS_SEGMENT_BACKGROUND, SOS_SEGMENT_OBJECT, SOS_SEGMENT_LABELS };

/* Grey values in files of true labels; the unsure band along the outline is neither. */
enum { SOS_TRUTH_FILE_BACKGROUND = 0, SOS_TRUTH_FILE_UNSURE = 128, SOS_TRUTH_FILE_OBJECT = 255 };

/* A photograph of 3 channels, and what was marked in it. */
typedef struct sos_marked {
    sos_image photograph, marks;
    uint8_t *truth; /* 1 object, 0 background, which the unsure band counts as; or NULL */
    uint8_t *care;  /* 0 in the unsure band, else 1; NULL where truth is */
} sos_marked;

/* What features are computed from.  Marks are SOS_MARK_NONE, _OBJECT and _BACKGROUND. */
typedef struct sos_segment_input {
    const sos_image *photograph, *marks;
    int threads;       /* 0: all cores; the results are the same */
    const char *cache; /* a folder (cache.h) where features are kept and found again, or NULL */
} sos_segment_input;

/* A marked photograph as an input; one thread, no cache. */
static inline sos_segment_input sos_marked_input(const sos_marked *m)
{
    return (sos_segment_input){ .photograph = &m->photograph, .marks = &m->marks, .threads = 1 };
}

/* A file of true labels: 1 channel of SOS_TRUTH_FILE_ values, and nothing else. */
SOS_MUST_USE sos_status sos_truth_read(const char *path, sos_image *out, sos_error *error);

/* Reads image and scribbles of an item, and its labels if asked for. */
SOS_MUST_USE sos_status sos_marked_read(const sos_item *item, bool truth, sos_marked *out, sos_error *error);
void sos_marked_free(sos_marked *m); /* leaves it empty; an empty one is fine */

/* Reduces it, with its truth, to a pixel for each block of factor by factor pixels (resample.h). */
SOS_MUST_USE sos_status sos_marked_shrink(sos_marked *m, size_t factor, sos_error *error);

#endif

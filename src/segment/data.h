/* segment_data.h - photographs with scribbles and true labels, in memory. */
#ifndef SOS_SEGMENT_DATA_H
#define SOS_SEGMENT_DATA_H

#include <s3svm/dataset.h>
#include <s3svm/image.h>

/* What a scribble says of a pixel. */
enum { SOS_SCRIBBLE_NONE, SOS_SCRIBBLE_OBJECT, SOS_SCRIBBLE_BACKGROUND };

/* Grey values of true labels; the unsure band along the outline is neither. */
enum { SOS_TRUTH_BACKGROUND = 0, SOS_TRUTH_UNSURE = 128, SOS_TRUTH_OBJECT = 255 };

/* A photograph to segment: 3 channels, and what was scribbled on each pixel. */
typedef struct sos_scribbled {
    sos_image picture;
    uint8_t *scribbles;
    uint8_t *truth; /* 1 object, 0 background, which the unsure band counts as; or NULL */
    uint8_t *care;  /* 0 in the unsure band, else 1; NULL where truth is */
} sos_scribbled;

/* What features are computed from: a photograph of 3 channels, and a SOS_SCRIBBLE_ number for each pixel. */
typedef struct sos_segment_input {
    const sos_image *picture;
    const uint8_t *scribbles;
    int threads;       /* 0: all cores; the results are the same */
    const char *cache; /* a folder (cache.h) where features are kept and found again, or NULL */
} sos_segment_input;

/* Of a scribbled photograph; one thread, no cache. */
static inline sos_segment_input sos_scribbled_input(const sos_scribbled *s)
{
    return (sos_segment_input){ .picture = &s->picture, .scribbles = s->scribbles, .threads = 1 };
}

/* True labels of a photograph: 1 channel of SOS_TRUTH_ values, and nothing else. */
SOS_MUST_USE sos_status sos_truth_read(const char *path, sos_image *out, sos_error *error);

/* Reads image and scribbles of an item, and its labels if asked for. */
SOS_MUST_USE sos_status sos_scribbled_read(const sos_item *item, bool truth, sos_scribbled *out, sos_error *error);
void sos_scribbled_free(sos_scribbled *s); /* leaves it empty; an empty one is fine */

#endif

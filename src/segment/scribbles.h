/* scribbles.h - a file of scribbles being read: what scribbles.c and scribbles_strokes.c share. */
#ifndef SOS_SEGMENT_SCRIBBLES_H
#define SOS_SEGMENT_SCRIBBLES_H

#include <s3svm/marks.h>

typedef struct sos_scribbles_reading {
    const char *path;
    const sos_image *photograph;
    sos_scribbles_settings settings;
    bool palette;     /* the file is a PNG with a palette */
    sos_image labels; /* numbers as stored; empty where the file has none */
    sos_image colour; /* read when it is needed */
    size_t histogram[256];
    sos_image marks;
    sos_scribbles_found found;
    sos_error *error;
} sos_scribbles_reading;

/* The stroke that has this colour; SOS_STROKE_UNCLEAR: none has. */
enum { SOS_STROKE_UNCLEAR = SOS_STROKE_BLACK + 1 };
int sos_stroke_of(const uint8_t colour[3]);

/* Whether two colours differ by no more than a lossy file makes them. */
bool sos_scribbles_are_near(const uint8_t a[3], const uint8_t b[3]);

/* Whether a file of strokes over the photograph has changed all of the photograph a little, as JPEG does. */
bool sos_scribbles_is_lossy(const sos_scribbles_reading *r);

/* Of the pixels that have a class 1 ... last, in a lossy file over the photograph: those that were not drawn become paper, and
 * own[class] counts them. */
SOS_MUST_USE sos_status sos_scribbles_own(const sos_scribbles_reading *r, uint8_t paper, uint8_t last, uint8_t classes[],
                                          size_t own[]);

/* Marks from strokes in colour; colour has been read. */
SOS_MUST_USE sos_status sos_scribbles_strokes(sos_scribbles_reading *r);

#endif

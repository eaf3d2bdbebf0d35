/* scribbles.h - a file of scribbles being read: what scribbles.c and scribbles_strokes.c share. */
#ifndef S3SVM_SEGMENT_SCRIBBLES_H
#define S3SVM_SEGMENT_SCRIBBLES_H

#include <s3svm/marks.h>

typedef struct s3svm_scribbles_reading {
    const char *path;
    const s3svm_image *photograph;
    s3svm_scribbles_settings settings;
    bool palette;       /* the file is a PNG with a palette */
    s3svm_image labels; /* numbers as stored; empty where the file has none */
    s3svm_image colour; /* read when it is needed */
    size_t histogram[256];
    s3svm_image marks;
    s3svm_scribbles_found found;
    sos_error *error;
} s3svm_scribbles_reading;

/* The stroke that has this colour; S3SVM_STROKE_UNCLEAR: none has. */
enum { S3SVM_STROKE_UNCLEAR = S3SVM_STROKE_BLACK + 1 };
int s3svm_stroke_of(const uint8_t colour[3]);

/* Whether two colours differ by no more than a lossy file makes them. */
bool s3svm_scribbles_are_near(const uint8_t a[3], const uint8_t b[3]);

/* Whether a file of strokes over the photograph has changed all of the photograph a little, as JPEG does. */
bool s3svm_scribbles_is_lossy(const s3svm_scribbles_reading *r);

/* Of the pixels that have a class 1 ... last, in a lossy file over the photograph: those that were not drawn become paper, and
 * own[class] counts them. */
SOS_MUST_USE sos_status s3svm_scribbles_own(const s3svm_scribbles_reading *r, uint8_t paper, uint8_t last, uint8_t classes[],
                                            size_t own[]);

/* Marks from strokes in colour; colour has been read. */
SOS_MUST_USE sos_status s3svm_scribbles_strokes(s3svm_scribbles_reading *r);

#endif

/* views.h - pictures of what was found, and why. */
#ifndef S3SVM_SERVE_VIEWS_H
#define S3SVM_SERVE_VIEWS_H

#include <s3svm/segmenter.h>

#include "store.h"

/* A mask of 0 and 255 as PNG. */
SOS_MUST_USE sos_status mask_encode(size_t width, size_t height, const uint8_t labels[], uint8_t **bytes, size_t *length,
                                    sos_error *error);

typedef enum view { VIEW_CUTOUT, VIEW_OVERLAY, VIEW_MASK, VIEW_MARKS, VIEW_UNARIES, VIEW_PRIOR, VIEW_CONFIDENCE, VIEWS } view;

/* The view of a name; VIEWS: there is none. */
view view_find(const char *name);

/* A PNG of the photograph's size. */
SOS_MUST_USE sos_status view_encode(view v, s3svm_segmenter *s, const picture *photograph, int threads, uint8_t **bytes,
                                    size_t *length, sos_error *error);

/* The cut-out of a photograph by labels 0 and 1: a PNG with its depth, its colour profile, and opacity that is at most its own.
 */
SOS_MUST_USE sos_status cutout_encode(const picture *photograph, const uint8_t labels[], int threads, uint8_t **bytes,
                                      size_t *length, sos_error *error);

#endif

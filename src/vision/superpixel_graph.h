/* superpixel_graph.h - superpixels with what is measured on them: mean colours, places, and the outlines that they share.
 *
 * It is for some hundred of them, so few that every pair can be looked at. */
#ifndef S3SVM_VISION_SUPERPIXEL_GRAPH_H
#define S3SVM_VISION_SUPERPIXEL_GRAPH_H

#include "vision/superpixel.h"

typedef struct s3svm_superpixel {
    double pixels;
    double lab[3]; /* mean colour */
    double x, y;   /* mean place, in sides of a square of as many pixels as the picture has */
} s3svm_superpixel;

typedef struct s3svm_superpixel_graph {
    size_t n;        /* pixels */
    uint32_t *piece; /* n: the superpixel of each */
    size_t count;    /* superpixels */
    s3svm_superpixel *pieces;
    float *outline; /* outline[a * count + b]: how many pairs of 4-neighbours a and b have in common */
    float *alike;   /* the same, pairs counting by their contrast (contrast.h) */
} s3svm_superpixel_graph;

/* lab: the colours of the picture (colour.h).  settings may be NULL. */
SOS_MUST_USE sos_status s3svm_superpixel_graph_create(const s3svm_image *picture, const float lab[],
                                                      const s3svm_superpixel_settings *settings, s3svm_superpixel_graph *out,
                                                      sos_error *error);
void s3svm_superpixel_graph_free(s3svm_superpixel_graph *g); /* leaves it empty; an empty one is fine */

/* Squared distances of two superpixels in colour, and in place. */
double s3svm_superpixel_colours_apart(const s3svm_superpixel *a, const s3svm_superpixel *b);
double s3svm_superpixel_places_apart(const s3svm_superpixel *a, const s3svm_superpixel *b);

/* Means of values of pixels over superpixels; and values of superpixels for their pixels. */
void s3svm_superpixel_graph_pool(const s3svm_superpixel_graph *g, const float values[], float means[]);
void s3svm_superpixel_graph_paint(const s3svm_superpixel_graph *g, const float values[], float out[]);

/* How far every superpixel is from the nearest of those that are in the set: squares of distances in colour, and `place` times
 * those of place.  Infinite where the set is empty. */
void s3svm_superpixel_graph_nearest(const s3svm_superpixel_graph *g, const uint8_t set[], double place, double squares[]);

#endif

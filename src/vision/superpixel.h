/* superpixel.h - an image in connected pieces of nearly one colour and size (Achanta and others, "SLIC superpixels", 2012):
 * k-means in colour and place, every pixel choosing among the centres of the nine cells of a grid around it, then pieces that
 * are not connected are taken apart and small ones joined to the neighbour nearest in colour.  Linear time. */
#ifndef S3SVM_VISION_SUPERPIXEL_H
#define S3SVM_VISION_SUPERPIXEL_H

#include <s3svm/image.h>

typedef struct s3svm_superpixel_settings {
    size_t count;       /* about so many; 0: by size */
    double size;        /* pixels in each, about */
    double compactness; /* how many units of Lab one cell's width is worth: more makes pieces rounder */
    size_t iterations;
    int threads; /* 0: all cores; the result is the same */
} s3svm_superpixel_settings;

/* 200 pixels, compactness 10, 8 iterations, all cores. */
s3svm_superpixel_settings s3svm_superpixel_defaults(void);

/* labels receives the number of every pixel's piece, 0 ... *count - 1 in the order of their first pixels.  All pixels of a
 * piece are connected by steps to the 4 neighbours.  The image has 1 or 3 channels.  settings may be NULL. */
SOS_MUST_USE sos_status s3svm_superpixels(const s3svm_image *image, const s3svm_superpixel_settings *settings,
                                          uint32_t labels[], size_t *count, sos_error *error);

/* Pieces as lists of their pixels: those of piece p are members[start[p]] to members[start[p + 1]], in increasing order.
 * labels of n pixels, as above; start has count + 1 numbers, members n. */
void s3svm_superpixel_lists(size_t n, const uint32_t labels[], size_t count, size_t start[], uint32_t members[]);

#endif

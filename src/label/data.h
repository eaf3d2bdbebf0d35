/* label_data.h - photographs whose pixels have one of several labels, in memory; names and colours of labels. */
#ifndef SOS_LABEL_DATA_H
#define SOS_LABEL_DATA_H

#include <sos/multi_energy.h>

#include <s3svm/confusion.h>
#include <s3svm/dataset.h>
#include <s3svm/image.h>

enum { SOS_LABEL_NAME = 64, SOS_LABEL_VOID = 255 };

/* Labels as people know them. */
typedef struct sos_label_names {
    size_t count; /* 2 or more */
    char name[SOS_LABELS_MAX][SOS_LABEL_NAME];
    uint32_t colour[SOS_LABELS_MAX]; /* 0xRRGGBB */
    int unknown;                     /* the number in pictures that stands for no label; -1: none does */
} sos_label_names;

/* "label 0" and so on, in colours that are easy to tell apart. */
SOS_MUST_USE sos_status sos_label_names_default(size_t count, sos_label_names *out, sos_error *error);

/* Names from a text such as "sky=8080ff,grass,water=#0000ff"; those without a colour get one. */
SOS_MUST_USE sos_status sos_label_names_parse(const char *text, sos_label_names *out, sos_error *error);

/* A photograph, 3 channels, and its true labels. */
typedef struct sos_labelled {
    sos_image picture;
    uint8_t *truth; /* 0 where care is; or NULL */
    uint8_t *care;  /* 0: not known; NULL: all are */
} sos_labelled;

/* The true labels of an item as numbers in a picture: grey values or palette indices, each below count or the one that is
 * unknown. */
SOS_MUST_USE sos_status sos_label_truth_read(const sos_item *item, size_t count, int unknown, sos_image *out, sos_error *error);

/* Reads an item, with its labels. */
SOS_MUST_USE sos_status sos_labelled_read(const sos_item *item, size_t count, int unknown, sos_labelled *out, sos_error *error);
void sos_labelled_free(sos_labelled *p); /* leaves it empty; an empty one is fine */

/* How many labels the pictures of a folder have: 1 + the greatest number that is not the unknown one. */
SOS_MUST_USE sos_status sos_label_count(const sos_dataset *d, int unknown, size_t *count, sos_error *error);

/* Labels as colours. */
SOS_MUST_USE sos_status sos_label_picture(const sos_label_names *names, size_t width, size_t height, const uint8_t labels[],
                                          const uint8_t care[], sos_image *out, sos_error *error);

#endif

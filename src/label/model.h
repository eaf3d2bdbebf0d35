/* model.h - inside a prepared model for labels, and how it makes an energy of a picture. */
#ifndef S3SVM_LABEL_MODEL_H
#define S3SVM_LABEL_MODEL_H

#include "label/features.h"
#include "tasks/own_maps.h"

struct s3svm_label_model {
    s3svm_label_design design;
    s3svm_label_names names;
    s3svm_label_features *features;
    s3svm_own_maps maps; /* of users */
    sos_model *model;    /* groups and weights of the model, without its facts */
};

/* A picture to make an example of, borrowed. */
typedef struct s3svm_label_look {
    const s3svm_image *picture;
    size_t fold;            /* whose network to ask, or S3SVM_LABEL_NEW */
    const uint8_t *truth;   /* a label per pixel, or NULL */
    const uint8_t *care;    /* 0: no label is known; NULL: all are */
    const double *weights;  /* of labels; NULL: all 1 */
    const s3svm_maps *maps; /* or NULL */
} s3svm_label_look;

SOS_MUST_USE sos_status s3svm_label_example_make(const s3svm_label_model *p, const s3svm_label_look *look, sos_example **out,
                                                 sos_error *error);

/* Adds what the design has besides unaries to an example. */
SOS_MUST_USE sos_status s3svm_label_cliques_add(const s3svm_label_model *p, const s3svm_image *picture,
                                                const s3svm_label_view *view, sos_example *x, sos_error *error);

#endif

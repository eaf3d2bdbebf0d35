/* model.h - inside a prepared model for labels, and how it makes an energy of a picture. */
#ifndef SOS_LABEL_MODEL_H
#define SOS_LABEL_MODEL_H

#include "label/features.h"
#include "tasks/own_maps.h"

struct sos_label_model {
    sos_label_design design;
    sos_label_names names;
    sos_label_features *features;
    sos_own_maps maps; /* of users */
    sos_model *model;  /* groups and weights of the model, without its facts */
};

/* A picture to make an example of, borrowed. */
typedef struct sos_label_look {
    const sos_image *picture;
    size_t fold;           /* whose network to ask, or SOS_LABEL_NEW */
    const uint8_t *truth;  /* a label per pixel, or NULL */
    const uint8_t *care;   /* 0: no label is known; NULL: all are */
    const double *weights; /* of labels; NULL: all 1 */
    const sos_maps *maps;  /* or NULL */
} sos_label_look;

SOS_MUST_USE sos_status sos_label_example_make(const sos_label_model *p, const sos_label_look *look, sos_example **out,
                                               sos_error *error);

/* Adds what the design has besides unaries to an example. */
SOS_MUST_USE sos_status sos_label_cliques_add(const sos_label_model *p, const sos_image *picture, const sos_label_view *view,
                                              sos_example *x, sos_error *error);

#endif

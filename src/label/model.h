/* model.h - inside a prepared model for labels. */
#ifndef SOS_LABEL_MODEL_H
#define SOS_LABEL_MODEL_H

#include "label/features.h"
#include "label/label.h"

struct sos_label_model {
    sos_label_design design;
    sos_label_names names;
    sos_label_features *features;
    sos_model *model; /* groups and weights of the model, without its facts */
};

/* ---- cliques.c: what is added to an example besides the unaries ---- */

SOS_MUST_USE sos_status sos_label_cliques_add(const sos_label_model *p, const sos_image *picture, const sos_label_view *view,
                                              sos_example *x, sos_error *error);

#endif

/* label.h - models that give every pixel of a photograph one of several labels (paper, section 4.4).
 *
 *     E(y) = sum_i u(x_i, y_i)                                                     unary
 *          + sum of [y_i != y_j] (w_1 + w_2 contrast_ij) over neighbours           pairwise
 *          + sum of contrast_C g_{c, l}({pixels of C labelled l}) over labels and  tables: instead of pairs; c is the
 *            2x2 patches C of neighbours, and of pixels further apart              patch's kind and its cluster of edges
 *          + robust P^n over superpixels                                           full: besides the tables
 *
 * u is a learned function of what networks say of each label (label_features.h), of the cluster of texture and of the place.
 *
 *     sos_label_features_learn(&lesson, NULL, &features, &error);
 *     sos_label_create(kind, &features, &names, &model, &error);
 *     for (i...) sos_label_example(model, &picture[i], truth[i], care[i], i, &examples[i], &error);
 *     settings = sos_label_training();
 *     sos_train(model, count, examples, &settings, &result, &error);
 *     sos_label_predict(model, &other, labels, &error); */
#ifndef SOS_LABEL_LABEL_H
#define SOS_LABEL_LABEL_H

#include <sos/learn.h>
#include <sos/model.h>

#include "label/data.h"
#include "label/features.h"

typedef enum sos_label_kind { SOS_LABEL_UNARY, SOS_LABEL_PAIRWISE, SOS_LABEL_TABLES, SOS_LABEL_FULL } sos_label_kind;
enum { SOS_LABEL_KINDS_COUNT = 4 };

/* Their names on the command line and in models, in the order of sos_label_kind. */
#define SOS_LABEL_KINDS "unary|pairwise|tables|full"
const char *sos_label_kind_name(sos_label_kind kind);

/* A model with its groups, weights 0, and its facts: "task", "labels" and "features", all that is needed to label a new
 * picture. Features and names have the same number of labels. */
SOS_MUST_USE sos_status sos_label_create(sos_label_kind kind, const sos_label_features *features, const sos_label_names *names,
                                         sos_model **out, sos_error *error);

/* Which kind a model is, and how its labels are called: SOS_ERR_FORMAT if it is no model for labels, with the reason. */
SOS_MUST_USE sos_status sos_label_kind_of(const sos_model *m, sos_label_kind *kind, sos_error *error);
SOS_MUST_USE sos_status sos_label_names_of(const sos_model *m, sos_label_names *names, sos_error *error);

enum { SOS_LABEL_UNSEEN = -1 };

/* A picture of 3 channels as an example of the model; truth and care, a number per pixel, or NULL.  seen: its number among the
 * pictures that the features were learned from, or SOS_LABEL_UNSEEN. */
SOS_MUST_USE sos_status sos_label_example(const sos_model *m, const sos_image *picture, const uint8_t truth[],
                                          const uint8_t care[], int seen, sos_example **out, sos_error *error);

/* All pictures of a lesson as examples, on so many threads (0: all cores).  seen: the features were learned from them. examples
 * receives one each, to free; on failure there are none. */
SOS_MUST_USE sos_status sos_label_examples(const sos_model *m, const sos_label_lesson *lesson, bool seen, int threads,
                                           sos_example *examples[], sos_error *error);

/* The settings of sos_train that serve all kinds best. */
sos_train_settings sos_label_training(void);

/* The labels that a trained model gives a picture. */
SOS_MUST_USE sos_status sos_label_predict(const sos_model *m, const sos_image *picture, uint8_t labels[], sos_error *error);

/* What was called what, against the true labels of an item; *out is to free. */
SOS_MUST_USE sos_status sos_label_judge(const sos_model *m, const sos_item *item, const sos_image *labels, sos_confusion *out,
                                        sos_error *error);

/* Writes labels as a picture whose palette is the model's colours. */
SOS_MUST_USE sos_status sos_label_show(const sos_model *m, const sos_image *labels, const char *path, sos_error *error);

#endif

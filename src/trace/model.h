/* model.h - inside a prepared model of thin structures. */
#ifndef S3SVM_TRACE_MODEL_H
#define S3SVM_TRACE_MODEL_H

#include "trace/features.h"

struct s3svm_trace_model {
    s3svm_trace_features features;
    sos_model *model;
};

/* The loss that serves training best. */
extern const s3svm_trace_loss s3svm_trace_usual_loss;

/* One example.  response may be NULL: it is computed. */
SOS_MUST_USE sos_status s3svm_trace_look_example(const s3svm_trace_model *p, const s3svm_trace_look *look,
                                                 const s3svm_plane *response, sos_example **out, sos_error *error);

/* s3svm_trace_model_examples; mine, if not NULL, says which to make: the others are not looked at, and NULL.  seen: the model's
 * networks have learned from the pictures, in this order. */
SOS_MUST_USE sos_status s3svm_trace_examples_make(const s3svm_trace_model *p, const s3svm_trace_pictures *pictures,
                                                  const s3svm_trace_loss *loss, bool seen, const bool mine[],
                                                  const sos_work *work, sos_example *examples[], sos_error *error);

/* Chooses how easily a model whose weights are learned calls pixels a structure; examples: of the pictures, in their order, by
 * networks that have not seen them; those that are NULL are passed over.  *out, if not NULL: what was added to the cost of
 * label 1 at every pixel.  On failure the weights are as they were. */
SOS_MUST_USE sos_status s3svm_trace_bias_learn(sos_model *m, size_t count, sos_example *const examples[],
                                               const s3svm_trace_pictures *pictures, const sos_work *work, double *out,
                                               sos_error *error);

/* Adds a number to what label 1 costs at every pixel, as that does. */
SOS_MUST_USE sos_status s3svm_trace_bias_add(sos_model *m, double bias, sos_error *error);

/* Thresholds of strengths, at given shares of the pixels of all pictures, by what the evidence says of them; and the log odds
 * with the best mean F1. */
SOS_MUST_USE sos_status s3svm_trace_thresholds_learn(s3svm_trace_features *f, const s3svm_trace_pictures *pictures, int threads,
                                                     sos_error *error);

#endif

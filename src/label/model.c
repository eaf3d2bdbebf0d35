/* model.c - models for labels: created, and prepared for use. */
#include "label/model.h"

#include <stdlib.h>

#include "base/error.h"
#include "label/design.h"
#include "label/facts.h"
#include "label/groups.h"
#include "tasks/facts.h"

/* ---------------------------------------------------------------- made */

static sos_status groups_model(const s3svm_label_design *d, const s3svm_label_features *f, sos_model **out, sos_error *error)
{
    s3svm_label_groups g;
    sos_status status = s3svm_label_groups_create(d, f, &g, error);
    if (status) return status;
    status = s3svm_label_groups_model(&g, f->labels, out, error);
    s3svm_label_groups_free(&g);
    return status;
}

sos_status s3svm_label_create(const s3svm_label_design *design, const s3svm_label_features *features,
                              const s3svm_label_names *names, sos_model **out, sos_error *error)
{
    sos_model *m;
    sos_status status = s3svm_label_design_check(design, error);
    if (status) return status;
    if (features->labels != names->count)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the features are for %zu labels, but there are %zu names", features->labels,
                        names->count);
    status = groups_model(design, features, &m, error);
    if (status) return status;
    status = s3svm_label_facts_set(m, design, features, names, error);
    if (status)
        sos_model_free(m);
    else
        *out = m;
    return status;
}

sos_train_settings s3svm_label_training(void)
{
    sos_train_settings s = sos_train_defaults();
    s.C = 1000; /* of 10, 100 and 1000 the best on pictures not learned from (docs/notes/labeling.md) */
    s.gap = 3e-2;
    return s;
}

/* ---------------------------------------------------------------- prepared */

void s3svm_label_model_free(s3svm_label_model *p)
{
    if (!p) return;
    s3svm_label_features_free(p->features);
    s3svm_own_maps_free(&p->maps);
    sos_model_free(p->model);
    free(p);
}

static sos_status groups_check(const sos_model *m, const s3svm_label_model *p, sos_error *error)
{
    s3svm_label_groups g;
    const sos_status status = s3svm_label_groups_create(&p->design, p->features, &g, error);
    if (status) return status;
    const bool same = sos_model_labels(m) == p->features->labels && s3svm_facts_groups(m, g.count, g.groups);
    s3svm_label_groups_free(&g);
    if (same) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "the model's groups are not those of the %s model of labels",
                    s3svm_label_kind_name(p->design.kind));
}

static sos_status label_model_prepare(const sos_model *m, s3svm_label_model *p, sos_error *error)
{
    sos_status status = s3svm_label_features_read(m, &p->design, &p->features, error);
    if (!status) status = groups_check(m, p, error);
    if (!status) status = s3svm_label_names_read(m, &p->names, error);
    if (!status) status = s3svm_own_maps_read(m, &p->maps, error);
    if (!status) status = groups_model(&p->design, p->features, &p->model, error);
    if (!status) status = s3svm_own_maps_group_add(&p->maps, p->model, error);
    if (!status) status = sos_model_set_weights(p->model, sos_model_weights(m), error);
    return status;
}

sos_status s3svm_label_model_create(const sos_model *m, s3svm_label_model **out, sos_error *error)
{
    s3svm_label_model *p = calloc(1, sizeof *p);
    if (!p) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a model of labels");
    const sos_status status = label_model_prepare(m, p, error);
    if (status)
        s3svm_label_model_free(p);
    else
        *out = p;
    return status;
}

const s3svm_label_design *s3svm_label_model_design(const s3svm_label_model *p) { return &p->design; }
const s3svm_label_names *s3svm_label_model_names(const s3svm_label_model *p) { return &p->names; }

sos_status s3svm_label_model_predict(const s3svm_label_model *p, const s3svm_image *picture, uint8_t labels[], sos_error *error)
{
    const s3svm_label_input in = { .picture = picture };
    return s3svm_label_model_predict_input(p, &in, labels, error);
}

sos_status s3svm_label_model_predict_input(const s3svm_label_model *p, const s3svm_label_input *in, uint8_t labels[],
                                           sos_error *error)
{
    const s3svm_label_look look = { .picture = in->picture, .fold = S3SVM_LABEL_NEW, .maps = in->maps };
    sos_example *x;
    sos_status status = sos_reserved_check("s3svm_label_input", in, error);
    if (!status) status = s3svm_label_example_make(p, &look, &x, error);
    if (status) return status;
    status = sos_model_predict(p->model, x, NULL, labels, NULL, error);
    sos_example_free(x);
    return status;
}

#include <s3svm/embedded.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tasks/embedded.h"

const char *s3svm_embedded_name(size_t i)
{
    size_t count = 0;
    while (s3svm_embedded_models[count].name) count++;
    return i < count ? s3svm_embedded_models[i].name : NULL;
}

sos_status s3svm_embedded_model(const char *name, sos_model **out, sos_error *error)
{
    char title[64];
    const s3svm_embedded *e = s3svm_embedded_models;
    while (e->name && strcmp(e->name, name) != 0) e++;
    if (!e->name) return sos_fail(error, SOS_ERR_ARGUMENT, "there is no built-in model '%.60s'", name);
    snprintf(title, sizeof title, "the model '%.40s' inside", name);
    return sos_model_parse((const char *)e->text, e->length, title, out, error);
}

#include <s3svm/embedded.h>

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tasks/embedded.h"

const char *sos_embedded_name(size_t i)
{
    size_t count = 0;
    while (sos_embedded_models[count].name) count++;
    return i < count ? sos_embedded_models[i].name : NULL;
}

sos_status sos_embedded_model(const char *name, sos_model **out, sos_error *error)
{
    char title[64];
    const sos_embedded *e = sos_embedded_models;
    while (e->name && strcmp(e->name, name) != 0) e++;
    if (!e->name) return sos_fail(error, SOS_ERR_ARGUMENT, "this program carries no model '%.60s'", name);
    snprintf(title, sizeof title, "the model '%.40s' inside", name);
    return sos_model_parse((const char *)e->text, e->length, title, out, error);
}

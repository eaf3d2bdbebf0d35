#include "tasks/share.h"

#include <stdlib.h>

#include "base/error.h"

sos_status s3svm_share_model(sos_share *c, sos_status status, sos_model **m, sos_error *error)
{
    char *text = NULL;
    size_t length = 0;
    const bool first = sos_share_is_first(c);
    status = sos_share_agree(c, status, error);
    if (status || sos_share_processes(c) == 1) return status;
    if (first) status = sos_model_write_memory(*m, &text, &length, error);
    status = sos_share_agree(c, status, error);
    if (!status) status = sos_share_text(c, "a model", &text, &length, error);
    if (!status && !first) status = sos_model_parse(text, length, "the model of the first process", m, error);
    free(text);
    return sos_share_agree(c, status, error);
}

#include "tasks/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static sos_status text_share(sos_ranks *c, char **text, size_t *length, sos_error *error)
{
    int64_t size = (int64_t)*length;
    sos_status status = sos_ranks_broadcast(c, sizeof size, &size, error);
    if (status) return status;
    if (sos_ranks_rank(c)) *text = malloc((size_t)size + 1);
    *length = (size_t)size;
    status = *text ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a model of %zu bytes", *length);
    status = sos_ranks_agree(c, sos_ranks_rank(c), status, error);
    return status ? status : sos_ranks_broadcast(c, *length, *text, error);
}

sos_status s3svm_share_model(sos_ranks *c, sos_status status, sos_model **m, sos_error *error)
{
    char *text = NULL;
    size_t length = 0;
    const size_t rank = sos_ranks_rank(c);
    status = sos_ranks_agree(c, rank, status, error);
    if (status || sos_ranks_size(c) == 1) return status;
    if (!rank) status = sos_model_write_memory(*m, &text, &length, error);
    status = sos_ranks_agree(c, rank, status, error);
    if (!status) status = text_share(c, &text, &length, error);
    if (!status && rank) status = sos_model_parse(text, length, "the model of rank 0", m, error);
    free(text);
    return sos_ranks_agree(c, rank, status, error);
}

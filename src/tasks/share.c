#include "tasks/share.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sos_status sos_share_pictures(const sos_crew *c, const sos_dataset *d, size_t times, bool **mine, sos_error *error)
{
    const size_t count = d->count * times;
    *mine = NULL;
    if (sos_crew_size(c) == 1) return SOS_OK;
    double *cost = malloc(count * sizeof *cost);
    if (!cost) return sos_fail(error, SOS_ERR_MEMORY, "no memory to deal out %zu examples", count);
    for (size_t i = 0; i < count; i++) cost[i] = (double)d->items[i % d->count].width * (double)d->items[i % d->count].height;
    const sos_status status = sos_crew_deal(c, count, cost, mine, error);
    free(cost);
    return status;
}

static sos_status text_share(sos_crew *c, char **text, size_t *length, sos_error *error)
{
    int64_t size = (int64_t)*length;
    sos_status status = sos_crew_broadcast(c, sizeof size, &size, error);
    if (status) return status;
    if (sos_crew_rank(c)) *text = malloc((size_t)size + 1);
    *length = (size_t)size;
    status = *text ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a model of %zu bytes", *length);
    status = sos_crew_agree(c, sos_crew_rank(c), status, error);
    return status ? status : sos_crew_broadcast(c, *length, *text, error);
}

sos_status sos_share_model(sos_crew *c, sos_status status, sos_model **m, sos_error *error)
{
    char *text = NULL;
    size_t length = 0;
    const size_t rank = sos_crew_rank(c);
    status = sos_crew_agree(c, rank, status, error);
    if (status || sos_crew_size(c) == 1) return status;
    if (!rank) status = sos_model_write_memory(*m, &text, &length, error);
    status = sos_crew_agree(c, rank, status, error);
    if (!status) status = text_share(c, &text, &length, error);
    if (!status && rank) status = sos_model_parse(text, length, "the model of rank 0", m, error);
    free(text);
    return sos_crew_agree(c, rank, status, error);
}

#include "tasks/stream.h"

#include <stdlib.h>

void sos_stream_free(sos_stream *s)
{
    sos_dataset_free(&s->data);
    free(s->mine);
    *s = (sos_stream){ 0 };
}

sos_status sos_stream_open(sos_stream *s, const sos_crew *c, sos_dataset *d, size_t times, uint64_t *hash, sos_error *error)
{
    *s = (sos_stream){ .data = *d, .times = times };
    *d = (sos_dataset){ 0 };
    const sos_status status = hash && !sos_crew_rank(c) ? sos_dataset_hash(&s->data, hash, error) : SOS_OK;
    return status ? status : sos_share_pictures(c, &s->data, times, &s->mine, error);
}

sos_dataset sos_stream_first(const sos_stream *s)
{
    sos_dataset few = s->data;
    if (few.count > SOS_STREAM_LEARN) few.count = SOS_STREAM_LEARN;
    return few;
}

static bool stream_has(void *rest, size_t i)
{
    const sos_stream *s = rest;
    return sos_share_has(s->mine, i);
}

sos_status sos_stream_leave(sos_stream *s, sos_crew *c, sos_status status, sos_stream_make *make, void (*rest_free)(void *rest),
                            sos_lesson *l, sos_error *error)
{
    status = sos_crew_agree(c, sos_crew_rank(c), status, error);
    if (!status) status = sos_crew_broadcast(c, sizeof l->fingerprint, &l->fingerprint, error);
    if (status) return status;
    l->count = s->data.count * s->times;
    s->source = (sos_example_source){
        .count = l->count, .user = s, .make = make, .has = stream_has, .identity = l->fingerprint
    };
    l->source = &s->source;
    l->rest = s;
    l->rest_free = rest_free;
    return SOS_OK;
}

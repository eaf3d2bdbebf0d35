/* stream.h - the pictures of a folder as a source of examples, which are made when they are asked for and not kept. */
#ifndef SOS_TASKS_STREAM_H
#define SOS_TASKS_STREAM_H

#include "tasks/share.h"

/* The first member of what a task makes examples from. */
typedef struct sos_stream {
    sos_dataset data;
    size_t times; /* examples of each picture: example i is of picture i % data.count */
    bool *mine;   /* NULL: all */
    sos_example_source source;
} sos_stream;

void sos_stream_free(sos_stream *s); /* leaves it empty; an empty one is fine */

/* Takes the data set over, whether it fails or not, and deals its examples out.  hash, if not NULL, receives that of its files,
 * on rank 0. */
SOS_MUST_USE sos_status sos_stream_open(sos_stream *s, const sos_crew *c, sos_dataset *d, size_t times, uint64_t *hash,
                                        sos_error *error);

/* The first pictures, which features are learned from.  They are the stream's. */
sos_dataset sos_stream_first(const sos_stream *s);

/* Gives a stream to a lesson, with all that begins with it, which make is called with and rest_free frees in the end.  status:
 * whether this rank is ready to make examples; where one is not, all fail, and the stream stays the caller's. */
typedef sos_status sos_stream_make(void *rest, size_t i, sos_example **out, sos_error *error);
SOS_MUST_USE sos_status sos_stream_leave(sos_stream *s, sos_crew *c, sos_status status, sos_stream_make *make,
                                         void (*rest_free)(void *rest), sos_lesson *l, sos_error *error);

#endif

/* server.h - all that a server has, and what its parts ask of it. */
#ifndef S3SVM_SERVE_SERVER_H
#define S3SVM_SERVE_SERVER_H

#include <stdatomic.h>

#include "guard.h"
#include "methods.h"
#include "pool.h"
#include "route.h"
#include "store.h"
#include "tracers.h"

enum {
    UPLOAD_MAX = 256 << 20,       /* bytes of a picture */
    JSON_MAX = 8 << 20,           /* bytes of other requests */
    INFLIGHT_MAX = 512 << 20,     /* bytes of all requests that are being read or answered */
    PIXELS_LEAST = 40000000,      /* of a picture: so many are always taken ... */
    PIXELS_MAX = 150000000,       /* ... and no more, wherever there is memory for them */
    PIXEL_BYTES = 16,             /* what a pixel takes with a segmenter (session.c) and its mask */
    DRAWING_PIXELS_MAX = 4000000, /* of a drawing: restoring cannot be stopped, and takes seconds for as many */
    TRACE_PIXELS_MAX = 4000000,   /* likewise, of a picture in which thin structures are found */
    PICTURES_MAX = 64,            /* that are open */
    FILE_WORKERS = 2,
    WAITING_MAX = 256 /* requests that wait for a worker */
};

typedef struct server {
    guard guard;
    store store;
    methods methods;
    tracers tracers;
    pool *pools[POOLS];      /* NULL of POOL_NONE */
    int threads;             /* of one computation; 0: all cores */
    double seconds;          /* that one request may compute */
    struct folder *folder;   /* NULL: there is none */
    struct learner *learner; /* likewise */
    atomic_bool ending;
    atomic_uint_fast64_t number; /* of requests */
} server;

static inline bool server_is_ending(server *s) { return atomic_load(&s->ending); }

extern const route server_routes[];

/* Does the route's work; for the workers. */
void server_work(exchange *x);

#endif

/* seat.h - segmenters of the pictures that are open: one for each picture, method and size, made when it is first asked for.
 *
 * A seat works on one request at a time; others wait for it.  Of requests for labels, and of those for one view, only the
 * newest matters: an older one is stopped, or never begun. */
#ifndef S3SVM_SERVE_SEAT_H
#define S3SVM_SERVE_SEAT_H

#include <stdatomic.h>

#include <s3svm/segmenter.h>

#include "body.h"
#include "methods.h"
#include "store.h"

enum { LANE_LABELS, LANE_DONE, LANE_VIEW, LANES = LANE_VIEW + 8 }; /* from LANE_VIEW on one for each view */

/* A request for something that labels are needed for. */
typedef struct ask {
    exchange *x;
    body body;
    picture *picture;
    size_t method, lane;
    bool quick;
    atomic_bool stopped;
    void (*answer)(struct ask *k, struct seat *s, sos_segmenter *segmenter); /* when the labels are there */
    size_t detail;                                                           /* for it */
    struct ask *next;
} ask;

typedef struct seat {
    size_t method;
    bool quick;
    struct server *server;
    shared_model *model;
    sos_segmenter *segmenter; /* NULL: none yet, or it was let go */
    size_t bytes;             /* that were counted for it */
    uint64_t used;
    ask *running, *waiting;
    uint64_t newest[LANES]; /* numbers of requests */
    double share;           /* how far it is; below 0: nobody knows */
    char phase[60];
    struct seat *next;
} seat;

/* Does what is asked, now or when the seat is free.  It answers all that it takes. */
void ask_run(ask *k);

/* For store.c, under its lock: frees the seats of a picture that nobody uses; lets go the segmenter that was used least
 * recently, false: all are at work; stops what is running. */
void seats_free(picture *p);
bool seat_drop_oldest(store *s);
void seats_stop(picture *p);

/* How the work on a picture goes on, as members of an object. */
void seats_print(struct server *from, picture *p, sos_json *j);

#endif

/* session.h - segmenters of the pictures that are open: one for each picture, method and size, made when it is first asked for.
 *
 * A session works on one request at a time; others wait for it.  Of requests for labels, and of those for one view, only the
 * newest matters: an older one is stopped, or never begun. */
#ifndef S3SVM_SERVE_SESSION_H
#define S3SVM_SERVE_SESSION_H

#include <stdatomic.h>

#include <s3svm/segmenter.h>

#include "body.h"
#include "methods.h"
#include "store.h"

enum { JOB_LABELS, JOB_DONE, JOB_VIEW, JOB_NEXT = JOB_VIEW + 8, JOB_KINDS }; /* from JOB_VIEW on one for each view */

/* A request for something that labels are needed for. */
typedef struct job {
    exchange *x;
    body body;
    picture *picture;
    size_t method, kind;
    bool quick;
    atomic_bool stopped;
    void (*answer)(struct job *k, struct session *s, s3svm_segmenter *segmenter); /* when the labels are there */
    size_t detail;                                                                /* for it */
    struct job *next;
} job;

typedef struct session {
    size_t method;
    bool quick;
    struct server *server;
    shared_model *model;
    s3svm_segmenter *segmenter; /* NULL: none yet, or it was let go */
    bool connected;             /* how its labels are tidied now */
    bool proposed;              /* they are what maps say, without a mark */
    size_t bytes;               /* that were counted for it */
    uint64_t used;
    job *running, *waiting;
    uint64_t newest[JOB_KINDS]; /* numbers of requests */
    double share;               /* how far it is; below 0: nobody knows */
    char phase[60];
    double deadline; /* of the request that is running, by sos_seconds */
    struct session *next;
} session;

/* Does what is asked, now or when the session is free.  It answers all that it takes. */
void job_run(job *k);

/* What a session's work failed with: it was stopped at the end of the server, of its time, or by a newer request, or refused.
 */
void session_failure(const session *s, sos_status status, const sos_error *error, response *a);

/* For store.c, under its lock: frees the sessions of a picture that nobody uses; lets go the segmenter that was used least
 * recently, false: all are at work; stops what is running. */
void sessions_free(picture *p);
bool session_drop_oldest(store *s);
void sessions_stop(picture *p);

/* How the work on a picture goes on, as members of an object. */
void sessions_print(struct server *from, picture *p, sos_json *j);

#endif

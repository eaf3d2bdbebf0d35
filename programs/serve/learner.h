/* learner.h - learning from the photographs of a folder that are done, in the background, at lower priority.
 *
 * What is learned survives the server: folds that are done are kept in .s3svm/cache, how far it is in .s3svm/learning.json, and
 * models in models/.  A server that was killed while it learned finds the state "stopped", and can go on. */
#ifndef S3SVM_SERVE_LEARNER_H
#define S3SVM_SERVE_LEARNER_H

#include <pthread.h>

#include <s3svm/adapt.h>

#include "model_index.h"
#include "processor.h"
#include "server.h"

typedef enum learning { LEARNING_IDLE, LEARNING_RUNNING, LEARNING_STOPPED, LEARNING_DONE, LEARNING_FAILED, LEARNINGS } learning;

enum { ROUNDS_MAX = 3000, FOLDS_MAX = 32 };

typedef struct learned_round {
    size_t fold, round;
    double objective, bound, gap;
} learned_round;

typedef struct learned_fold {
    size_t fold;
    s3svm_adapt_score before, after;
} learned_fold;

typedef struct learner {
    server *server;
    pthread_mutex_t lock; /* of everything; taken before the folder's */
    pthread_t thread;
    bool started; /* there is a thread to join */
    bool stop;
    learning state;
    char message[300], phase[24];
    double share, began, seconds; /* seconds: of runs before this one */
    size_t photographs, folds;
    learned_round *rounds;
    size_t round_count;
    learned_fold judged[FOLDS_MAX];
    size_t judged_count;
    bool has_result, used;
    s3svm_adapt_result result;
    sos_model *pending;        /* learned, but it could not be written: the result is of it.  NULL: there is none */
    double others;             /* the share of the processor that other programs have had of late; below 0: nobody knows */
    double looked;             /* when that was, */
    processor_use use;         /* and what was seen */
    double paced, paced_share; /* when, and at what share, this run began to compute: what was kept before takes no time */
    model_index models;
    char *cache;  /* a path */
    double saved; /* when the state was written last */
} learner;

/* For the server's folder. */
SOS_MUST_USE sos_status learner_begin(server *s, learner **out, sos_error *error);
void learner_end(learner *l); /* stops and keeps what is running; NULL is fine */

/* Whether it can be started, or gone on with; NULL: yes, else why not.  Under the lock. */
const char *learner_obstacle(learner *l);

/* With resume a run that was stopped, or failed, goes on. */
SOS_MUST_USE sos_status learner_start(learner *l, bool resume, sos_error *error);
void learner_stop(learner *l);
SOS_MUST_USE sos_status learner_use(learner *l, const char *name, sos_error *error);

/* Looks every few seconds whether other programs keep it from learning.  Under the lock. */
void learner_look(learner *l);

/* .s3svm/learning.json: what a server that starts anew must know.  Under the lock. */
void learner_save(learner *l);
void learner_restore(learner *l);
const char *learning_name(learning s);

#endif

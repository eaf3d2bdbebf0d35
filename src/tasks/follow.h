/* follow.h - follows a training: its curve, the progress of the work that it is part of, and the wish to stop. */
#ifndef SOS_TASKS_FOLLOW_H
#define SOS_TASKS_FOLLOW_H

#include <sos/learn.h>

#include "tasks/course.h"
#include "tasks/curve.h"

/* Starts with what is known beforehand, the rest 0. */
typedef struct sos_follower {
    sos_course *course;
    double gap;        /* that is wanted */
    size_t values;     /* of C, along a path; 0: there is one C */
    const double *C;   /* these, which rise */
    sos_curve *curve;  /* NULL: not kept */
    double before;     /* seconds spent before training, for the curve */
    double *seconds;   /* when each C of a path was done, by the clock; or NULL */
    double *processor; /* the same, in processor time of the program; or NULL */
    bool no_memory;    /* for the curve */
} sos_follower;

/* A settings' progress, whose user is the follower: the stage of the course is the training. */
bool sos_follow(void *follower, const sos_train_round *r);

/* What training comes to that returned status. */
SOS_MUST_USE sos_status sos_follow_end(const sos_follower *f, sos_status status, sos_error *error);

#endif

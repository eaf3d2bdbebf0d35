/* course.h - how far a long piece of work has come: steps one after the other, each worth about what it takes; within a step,
 * stages; and the wish to stop. */
#ifndef SOS_TASKS_COURSE_H
#define SOS_TASKS_COURSE_H

#include <stdbool.h>

#include <sos/status.h>

/* Starts with progress, user and total, the rest 0. */
typedef struct sos_course {
    sos_progress *progress; /* or NULL */
    void *user;
    double total;      /* what all steps are worth */
    double done, step; /* what the steps before are worth, and the present one */
    double from, to;   /* the present stage, as parts of the step */
    char phase[160];
    bool stopped; /* progress has said so */
} sos_course;

/* Begins a step, which is one stage; the format says what it is. */
void sos_course_begin(sos_course *c, double worth, const char *format, ...) __attribute__((format(printf, 3, 4)));
SOS_MUST_USE sos_status sos_course_end(sos_course *c, sos_error *error); /* SOS_CANCELLED: stop */

/* From now on parts are parts of this stage of the step. */
void sos_course_stage(sos_course *c, double from, double to);

/* How far the stage has come, from 0 to 1; false: stop.  From any thread, one at a time. */
bool sos_course_report(sos_course *c, double part);

/* The same as a sos_progress, whose user is the course. */
bool sos_course_progress(void *course, const char *phase, double part);

#endif

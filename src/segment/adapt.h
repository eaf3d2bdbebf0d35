/* adapt.h - what the files adapt*.c share. */
#ifndef SOS_SEGMENT_ADAPT_H
#define SOS_SEGMENT_ADAPT_H

#include <s3svm/adapt.h>

/* One of the models that are learned: who is told of it. */
typedef struct sos_adapt_course {
    const sos_adapt_settings *settings;
    size_t fold, folds;
    double from, to; /* the part of everything that it is */
    sos_adapt_phase phase;
    bool stopped;
} sos_adapt_course;

/* How far its phase has come, from 0 to 1; false: stop.  From any thread. */
bool sos_adapt_tell(sos_adapt_course *c, double done, const sos_train_round *round);

/* A model that has learned from these photographs, too. */
SOS_MUST_USE sos_status sos_adapt_learn(const sos_model *from, size_t count, const sos_marked *const photographs[],
                                        sos_adapt_course *course, sos_model **out, sos_error *error);

#endif

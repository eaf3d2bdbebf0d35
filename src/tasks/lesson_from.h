/* lesson_from.h - lessons of models that learn away from another one, whose groups and features they keep: what settings may
 * still say. */
#ifndef S3SVM_TASKS_LESSON_FROM_H
#define S3SVM_TASKS_LESSON_FROM_H

#include "tasks/own_maps.h"

/* Takes maps of one's own as the model needs them; options that say otherwise are refused. */
SOS_MUST_USE sos_status s3svm_lesson_from_maps(const sos_model *from, s3svm_maps_options *maps, sos_error *error);

/* Whether an option that was given (NULL: it was not) is what the model says. */
SOS_MUST_USE sos_status s3svm_lesson_from_agrees(const char *option, const char *given, const char *has, sos_error *error);

#endif

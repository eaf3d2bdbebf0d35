/* share.h - lessons on several ranks: what rank 0 learns for all. */
#ifndef S3SVM_TASKS_SHARE_H
#define S3SVM_TASKS_SHARE_H

#include <sos/model.h>

#include "base/ranks.h"

/* Ends a step that each rank takes for itself: where one failed all fail.  Then the model goes from rank 0 to the others. */
SOS_MUST_USE sos_status s3svm_share_model(sos_ranks *c, sos_status status, sos_model **m, sos_error *error);

#endif

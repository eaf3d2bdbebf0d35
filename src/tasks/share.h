/* share.h - lessons of several processes: what the first learns for all. */
#ifndef S3SVM_TASKS_SHARE_H
#define S3SVM_TASKS_SHARE_H

#include <sos/model.h>

#include "base/share.h"

/* Ends a step that each process takes for itself: where one failed all fail.  Then the model goes from the first to the others.
 */
SOS_MUST_USE sos_status s3svm_share_model(sos_share *c, sos_status status, sos_model **m, sos_error *error);

#endif

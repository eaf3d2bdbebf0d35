/* embedded.h - the models that are built into the library: the files models/NAME.json of the project. */
#ifndef S3SVM_EMBEDDED_H
#define S3SVM_EMBEDDED_H

#include <stddef.h>

#include <sos/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Their names, for i = 0, 1, ...; NULL after the last. */
SOS_API const char *s3svm_embedded_name(size_t i);

/* The model of a name, which the caller frees.  SOS_ERR_ARGUMENT: unknown name. */
SOS_MUST_USE SOS_API sos_status s3svm_embedded_model(const char *name, sos_model **out, sos_error *error);

#ifdef __cplusplus
}
#endif

#endif

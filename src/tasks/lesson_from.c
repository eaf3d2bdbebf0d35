#include "tasks/lesson_from.h"

#include <string.h>

#include "base/error.h"

sos_status s3svm_lesson_from_agrees(const char *option, const char *given, const char *has, sos_error *error)
{
    if (!given || !strcmp(given, has)) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "%s %s: the model given by --from has %s", option, given, has);
}

sos_status s3svm_lesson_from_maps(const sos_model *from, s3svm_maps_options *maps, sos_error *error)
{
    s3svm_own_maps own;
    sos_status status = s3svm_own_maps_read(from, &own, error);
    if (status) return status;
    if (maps->alone)
        status = sos_fail(error, SOS_ERR_ARGUMENT,
                          "--maps-alone cannot be combined with --from: the model has its own features");
    if (!status && maps->kind != S3SVM_MAPS_NONE)
        status = s3svm_lesson_from_agrees("--maps", s3svm_maps_kind_name((s3svm_maps_kind)maps->kind),
                                          s3svm_maps_kind_name(own.kind), error);
    maps->kind = (int)own.kind;
    s3svm_own_maps_free(&own);
    return status;
}

#include "tasks/split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sos_status s3svm_splits_check(size_t splits, sos_error *error)
{
    if (splits && splits <= S3SVM_SPLITS_MAX) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "%zu splits; 1 to %d are possible", splits, S3SVM_SPLITS_MAX);
}

sos_status s3svm_parts_find(size_t images, size_t train, size_t validation, s3svm_parts *out, sos_error *error)
{
    if (!train) return sos_fail(error, SOS_ERR_ARGUMENT, "%zu pictures, but none for training", images);
    if (train < images && validation < images - train) {
        *out = (s3svm_parts){ .train = train, .validation = validation, .test = images - train - validation };
        return SOS_OK;
    }
    char chosen[60] = "";
    if (validation) snprintf(chosen, sizeof chosen, " and %zu for validation", validation);
    return sos_fail(error, SOS_ERR_ARGUMENT, "%zu pictures: %zu for training%s leave none for testing", images, train, chosen);
}

sos_status s3svm_parts_usual(size_t images, size_t train, size_t validation, s3svm_parts *out, sos_error *error)
{
    return s3svm_parts_find(images, train ? train : images / 2, validation ? validation : (images + 2) / 4, out, error);
}

void *s3svm_items_picked(const void *items, size_t size, size_t count, const size_t order[])
{
    char *picked = calloc(count ? count : 1, size);
    for (size_t i = 0; picked && i < count; i++) memcpy(picked + i * size, (const char *)items + order[i] * size, size);
    return picked;
}

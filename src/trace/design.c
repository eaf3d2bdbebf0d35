#include "trace/design.h"

#include <string.h>

static const s3svm_trace_design DESIGNS[S3SVM_TRACE_KIND_COUNT] = {
    [S3SVM_TRACE_EVIDENCE] = { "evidence", 0 },
    [S3SVM_TRACE_PAIRS] = { "pairs", S3SVM_TRACE_NEIGHBOURS },
    [S3SVM_TRACE_LINE_PAIR] = { "line-pairs", S3SVM_TRACE_KEYED | S3SVM_TRACE_LINE_PAIRS },
    [S3SVM_TRACE_LINES] = { "lines", S3SVM_TRACE_KEYED | S3SVM_TRACE_LINE_TABLES },
};

const s3svm_trace_design *s3svm_trace_design_of(s3svm_trace_kind kind) { return &DESIGNS[kind]; }

const s3svm_trace_design *s3svm_trace_design_find(const char *name)
{
    for (size_t kind = 0; kind < S3SVM_TRACE_KIND_COUNT; kind++)
        if (!strcmp(DESIGNS[kind].name, name)) return &DESIGNS[kind];
    return NULL;
}

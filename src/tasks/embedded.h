/* embedded.h - the texts of the models that are compiled in, as cmake/embed.cmake writes them. */
#ifndef S3SVM_TASKS_EMBEDDED_H
#define S3SVM_TASKS_EMBEDDED_H

#include <stddef.h>

typedef struct s3svm_embedded {
    const char *name; /* NULL ends the list */
    const unsigned char *text;
    size_t length;
} s3svm_embedded;

extern const s3svm_embedded s3svm_embedded_models[];

#endif

/* body.h - what the JSON of requests says: strictly, and within bounds. */
#ifndef S3SVM_SERVE_BODY_H
#define S3SVM_SERVE_BODY_H

#include <s3svm/dialogue.h>

#include "request.h"

enum {
    BODY_WORD = 64,        /* characters of a name */
    BODY_STEPS_MAX = 1000, /* of marks: each keeps a bit for every pixel, and is computed again by a server that starts anew */
    BODY_BRACKETS_MAX = 20000, /* lists and objects; one takes about 250 bytes of memory */
    BODY_VALUES_MAX = 1 << 20  /* commas; a number takes about 50 bytes.  A picture of marks rarely has so many runs */
};

typedef struct body {
    char method[BODY_WORD + 1], view[BODY_WORD + 1], example[BODY_WORD + 1], action[BODY_WORD + 1], model[BODY_WORD + 1],
        revision[BODY_WORD + 1];
    bool quick, connected;
    s3svm_dialogue *marks; /* NULL: none were sent */
    uint64_t hash;         /* of their text, and of what else labels depend on */
} body;

/* Reads an object whose members are of this list, which ends with NULL; those of another kind, too long or unknown are refused
 * with 400, marks that make no sense with 422.  false: a says why, and there is nothing to free. */
/* A zero byte stands behind the body. */
bool body_read(const request *q, const char *const known[], body *out, response *a);
void body_free(body *b);

/* Whether there are marks, for a picture of this size; false: a says why. */
bool body_marks_fit(const body *b, size_t width, size_t height, response *a);

/* A whole number of a query, at most so large; otherwise, or where there is none, what stands for a missing one. */
size_t number_read(const char *text, size_t most, size_t missing);

#endif

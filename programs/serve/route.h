/* route.h - which paths there are. */
#ifndef S3SVM_SERVE_ROUTE_H
#define S3SVM_SERVE_ROUTE_H

#include "request.h"

enum { ID_LENGTH = 32, KEY_LENGTH = 16, WORD_MAX = 64 };

/* Whether a path is one of a pattern, in which ID stands for 32 digits of base 16, KEY for 16, and NAME for 1 to 64 letters,
 * digits, points, hyphens and underscores that do not begin with a point.  word receives that part, "" where there is none. */
bool path_matches(const char *pattern, const char *path, char word[72]);

/* What a request brings with it. */
typedef enum content {
    CONTENT_NONE,
    CONTENT_JSON,
    CONTENT_PICTURE,
    CONTENT_EITHER /* a picture, or JSON that names one */
} content;

/* The content that a Content-Type says; CONTENT_NONE: neither, or NULL. */
content content_of(const char *type);

/* Who answers: the thread that reads all connections, where it takes no time; workers for what reads and writes files; or those
 * for what computes, so that saving never waits for a computation. */
typedef enum pool_kind { POOL_NONE, POOL_FILES, POOL_COMPUTE, POOLS } pool_kind;

typedef struct route {
    const char *pattern; /* NULL ends the list */
    verb verb;
    content content;
    bool changes; /* something, so that the request must say X-S3SVM: 1 */
    pool_kind pool;

    /* Answers x->response and returns true; or returns false, and calls x->done later. */
    bool (*handle)(exchange *x);
} route;

/* The route of a request, with its word; NULL: there is none, and the answer says why. */
const route *route_find(const route routes[], request *q, response *a);

const char *verb_name(verb v);
verb verb_find(const char *name);

#endif

/* request.h - what was asked, what is answered, and the way between them.  Nothing here knows the HTTP library. */
#ifndef S3SVM_SERVE_REQUEST_H
#define S3SVM_SERVE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

typedef enum verb { VERB_GET, VERB_POST, VERB_PUT, VERB_DELETE, VERB_OTHER } verb;

/* Texts are the connection's, good until it is answered; those that were not sent are NULL. */
typedef struct request {
    verb verb;                                           /* of HEAD: VERB_GET */
    const char *path;                                    /* without what follows a question mark */
    const char *host, *origin, *site, *mark;             /* Host, Origin, Sec-Fetch-Site, X-S3SVM */
    const char *authorization, *cookie, *type, *matches; /* Authorization, Cookie, Content-Type, If-None-Match */
    const char *token, *from, *count;                    /* after the question mark */
    const char *twice;                                   /* a header of those above, but Cookie, that stands twice */
    char word[72];                                       /* the part of the path that differs: an id, a key or a name */
    char *body;
    size_t length;
    uint64_t number; /* in the order in which requests came */
} request;

/* An answer.  Status 0: there is none yet. */
typedef struct response {
    int status;
    const char *type;
    const void *bytes;
    size_t length;
    bool borrowed; /* the bytes stay; else they were allocated, and go with the answer */
    bool lasting;  /* it may be kept by whoever asked, and compared by its tag */
    char tag[40];  /* ETag without quotes; "": none */
    char allow[40];
    char cookie[160];
    const char *location;
    bool again; /* later: the same request may then succeed */
} response;

/* One request on its way.  Whoever has it answers it once; then it is no longer theirs. */
typedef struct exchange {
    request request;
    response response;
    struct server *server;
    void (*done)(struct exchange *x);
} exchange;

/* ---- answers; each replaces what was there ---- */

void response_free(response *a);

/* {"error": {"code": ..., "message": ...}} */
void response_fail(response *a, int status, const char *code, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What a call of the library failed with. */
void response_failure(response *a, sos_status status, const sos_error *error);

void response_bytes(response *a, int status, const char *type, void *bytes, size_t length); /* takes the bytes */
void response_static(response *a, const char *type, const void *bytes, size_t length);
void response_memory(response *a); /* there was none to answer with */

#endif

/* guard.h - who may ask.  The server is for the person who started it: pages of others, also those that make a name of theirs
 * lead to this machine, are refused before anything is done. */
#ifndef S3SVM_SERVE_GUARD_H
#define S3SVM_SERVE_GUARD_H

#include "request.h"

enum { TOKEN_LENGTH = 32 };

typedef struct guard {
    bool open;        /* other machines may ask, with the token */
    char address[80]; /* that was asked for, and the name of this machine: what Host may say then */
    char machine[80];
    char token[TOKEN_LENGTH + 1];
    char cookie[24]; /* its name */
} guard;

/* Whether Host is one of this server's: loopback by any port; for others any number of an address, and its names.  A name that
 * somebody else chose is none. */
bool host_is_ours(const guard *g, const char *host);

/* Whether the token is in the cookies, or in Authorization: Bearer. */
bool token_is_right(const guard *g, const char *token);
bool token_is_sent(const guard *g, const char *cookies, const char *authorization);

/* Refuses what must be refused; changes: the request is one that changes something.  The answer's status is 0 where it may go
 * on.  A first visit with the right token is answered with the cookie. */
void guard_check(const guard *g, const request *q, bool changes, response *a);

/* Digits of base 16 that nobody can guess; false: the system has none. */
bool digits_random(size_t count, char digits[]);

#endif

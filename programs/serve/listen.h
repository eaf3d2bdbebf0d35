/* listen.h - the address that a server is reached at. */
#ifndef S3SVM_SERVE_LISTEN_H
#define S3SVM_SERVE_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include <sos/status.h>

typedef struct listening {
    int socket, port;
    bool loopback; /* nobody else reaches it */
    char host[80]; /* as a link has it */
} listening;

/* host NULL: 127.0.0.1.  port 0: any that is free. */
SOS_MUST_USE sos_status listen_begin(const char *host, int port, listening *out, sos_error *error);

/* http://HOST:PORT/, and the token unless it is NULL. */
void listening_address(const listening *l, const char *token, size_t room, char text[]);

#endif

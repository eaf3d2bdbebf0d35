/* http.h - the server's side of HTTP, over libmicrohttpd: one thread reads and writes all connections, and waits for nothing;
 * what takes time is done by workers, while the connection sleeps. */
#ifndef S3SVM_SERVE_HTTP_H
#define S3SVM_SERVE_HTTP_H

#include "server.h"

typedef struct http http;

/* Listens on a socket, which is taken in any case. */
SOS_MUST_USE sos_status http_begin(server *s, int socket, http **out, sos_error *error);

/* No new connections; what workers have is waited for by the caller, before http_end. */
void http_quiet(http *h);
void http_end(http *h);

#endif

/* serve.h - a server, from its start to its end. */
#ifndef S3SVM_SERVE_SERVE_H
#define S3SVM_SERVE_SERVE_H

#include <stdbool.h>
#include <stdint.h>

/* What the command line says. */
typedef struct serve_options {
    const char *data, *host, *model, *trace;
    int64_t port, threads;
    double seconds;
    bool open, json;
} serve_options;

/* Serves until it is told to stop; returns the exit code. */
int serve(const serve_options *r);

#endif

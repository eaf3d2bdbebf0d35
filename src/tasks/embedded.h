/* embedded.h - the texts of the models that are compiled in, as cmake/embed.cmake writes them. */
#ifndef SOS_TASKS_EMBEDDED_H
#define SOS_TASKS_EMBEDDED_H

#include <stddef.h>

typedef struct sos_embedded {
    const char *name; /* NULL ends the list */
    const unsigned char *text;
    size_t length;
} sos_embedded;

extern const sos_embedded sos_embedded_models[];

#endif

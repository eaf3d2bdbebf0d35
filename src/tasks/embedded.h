/* embedded.h - the models that the program carries inside: the files models/NAME.json of the project. */
#ifndef SOS_TASKS_EMBEDDED_H
#define SOS_TASKS_EMBEDDED_H

#include <sos/model.h>

typedef struct sos_embedded {
    const char *name; /* NULL ends the list */
    const unsigned char *text;
    size_t length;
} sos_embedded;

extern const sos_embedded sos_embedded_models[]; /* written by cmake/embed.cmake */

/* SOS_ERR_ARGUMENT: there is none of that name. */
SOS_MUST_USE sos_status sos_embedded_model(const char *name, sos_model **out, sos_error *error);

#endif

/* learning_routes.h - requests about learning. */
#ifndef S3SVM_SERVE_LEARNING_ROUTES_H
#define S3SVM_SERVE_LEARNING_ROUTES_H

#include "base/json.h"
#include "request.h"

bool learning_show(exchange *x);   /* GET /api/learning */
bool learning_change(exchange *x); /* POST /api/learning */
bool learning_use(exchange *x);    /* POST /api/learning/use */

/* The member "learning" of the state: whether there is any. */
void learning_print(struct server *s, sos_json *j);

#endif

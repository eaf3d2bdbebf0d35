/* json_response.h - an answer that is a JSON object.  Where memory is missing the answer says that instead. */
#ifndef S3SVM_SERVE_JSON_RESPONSE_H
#define S3SVM_SERVE_JSON_RESPONSE_H

#include "base/json.h"
#include "base/output.h"
#include "request.h"

typedef struct json_response {
    sos_output out;
    sos_json json; /* members go here */
    bool failed;   /* they go nowhere */
    sos_error error;
} json_response;

/* Once, before threads begin; false: it cannot be. */
bool json_response_prepare(void);

void json_response_begin(json_response *w); /* it must stay where it is until its end */
void json_response_end(json_response *w, response *a, int status);

#endif

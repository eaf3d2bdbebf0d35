/* writing.h - an answer that is a JSON object.  Where memory is missing the answer says that instead. */
#ifndef S3SVM_SERVE_WRITING_H
#define S3SVM_SERVE_WRITING_H

#include "base/json.h"
#include "base/output.h"
#include "request.h"

typedef struct writing {
    sos_output out;
    sos_json json; /* members go here */
    bool failed;   /* they go nowhere */
    sos_error error;
} writing;

/* Once, before threads begin; false: it cannot be. */
bool writing_prepare(void);

void writing_begin(writing *w); /* it must stay where it is until its end */
void writing_end(writing *w, reply *a, int status);

#endif

/* upload.h - pictures that were sent, or that lie in a folder, as pictures of the store. */
#ifndef S3SVM_SERVE_UPLOAD_H
#define S3SVM_SERVE_UPLOAD_H

#include "store.h"

/* Decodes a file; a drawing becomes grey.  Its size is looked at before.  false: a says why.  name is for people. */
bool upload_read(const void *bytes, size_t length, const char *name, bool drawing, picture *out, response *a);
void upload_free(picture *p);

#endif

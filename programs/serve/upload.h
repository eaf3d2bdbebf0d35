/* upload.h - pictures that were sent, or that lie in a folder, as pictures of the store. */
#ifndef S3SVM_SERVE_UPLOAD_H
#define S3SVM_SERVE_UPLOAD_H

#include "store.h"

/* Decodes a file; a drawing becomes grey.  Its size is looked at before.  false: a says why.  name is for people.  With read
 * the picture can be sent back as the file that it was. */
bool upload_decode(const void *bytes, size_t length, const char *name, bool drawing, picture *out, response *a);
bool upload_read(const void *bytes, size_t length, const char *name, bool drawing, picture *out, response *a);
void upload_free(picture *p);

/* How many pixels a picture may have; by the memory that there is for pictures, which upload_prepare is told first. */
void upload_prepare(size_t bytes_most);
size_t upload_pixels_most(void);

#endif

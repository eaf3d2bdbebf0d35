/* thumbnails.h - small pictures of photographs, the latest of which are kept. */
#ifndef S3SVM_SERVE_THUMBNAILS_H
#define S3SVM_SERVE_THUMBNAILS_H

#include "request.h"

/* Answers with the thumbnail of a photograph by the hash of its name and stamp; false: it is not kept. */
bool thumbnail_find(uint64_t hash, response *a);

/* Makes it of the bytes of a file, answers with it and keeps it. */
void thumbnail_make(const char *bytes, size_t length, const char *name, uint64_t hash, response *a);

#endif

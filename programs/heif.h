/* heif.h - HEIC, HEIF and AVIF, as telephones write them, by way of libheif: for the command alone. */
#ifndef S3SVM_HEIF_H
#define S3SVM_HEIF_H

#include <s3svm/image.h>

bool heif_is_there(void); /* was the program built with libheif? */

/* Whether a regular file begins as such files do. */
bool heif_recognise(const char *path);

/* The main picture of a file in memory, turned as it is to be seen; name is for messages.  As s3svm_picture_parse. */
SOS_MUST_USE sos_status heif_parse(const void *bytes, size_t length, const char *name, s3svm_picture *out, sos_error *error);

#endif

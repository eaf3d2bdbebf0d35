/* decoder.h - pictures that anybody may have sent, decoded in processes that do nothing else.
 *
 * One process is forked before the server has threads, files or pictures; it forks one more for each picture.  Their bounds
 * are of memory, time and files, so that a picture that is made to break a decoder costs an answer, and nothing else. */
#ifndef S3SVM_SERVE_DECODER_H
#define S3SVM_SERVE_DECODER_H

#include <s3svm/image.h>

/* Before any thread begins; pixels_most: of a picture that is not refused. */
SOS_MUST_USE sos_status decoder_begin(size_t pixels_most, sos_error *error);
void decoder_end(void);

/* As s3svm_picture_parse and s3svm_image_parse; more pixels than pixels_most are SOS_ERR_RANGE.  *strips receives whether the
 * file, a JPEG, shows the same without its notes (jpeg_strip.h); NULL: nobody asks. */
SOS_MUST_USE sos_status decoder_picture(const void *bytes, size_t length, const char *name, size_t pixels_most,
                                        s3svm_picture *out, bool *strips, sos_error *error);
SOS_MUST_USE sos_status decoder_image(const void *bytes, size_t length, const char *name, size_t pixels_most,
                                      s3svm_image_kind kind, s3svm_image *out, sos_error *error);

#endif

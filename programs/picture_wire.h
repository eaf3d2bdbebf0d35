/* picture_wire.h - decoders in processes of their own: what such a process may take, and how it says what it has decoded.
 *
 * Libraries that decode pictures are large, and what they read may have been made to break them.  A process that does nothing
 * else may be broken: whoever asked it takes what it says for bytes that anybody could have sent. */
#ifndef S3SVM_PICTURE_WIRE_H
#define S3SVM_PICTURE_WIRE_H

#include <s3svm/image.h>

/* All bytes to or from a pipe or a socket; false: the other side has gone. */
bool wire_write(int to, const void *from, size_t length);
bool wire_read(int from, void *to, size_t length);

/* For the rest of this process: bytes of memory (not with a sanitizer, which takes more than there is), seconds of a
 * processor, no core, nothing written to files. */
void wire_limits(size_t memory, unsigned seconds);

/* Nor any file opened; those that are open stay so. */
void wire_forbid_files(void);

/* Ends this process, as _exit does. */
_Noreturn void wire_end(int code);

/* The picture, or what is in error; note is a word besides. */
bool wire_tell(int to, const s3svm_picture *p, bool note, const sos_error *error);

/* What the other side has told, of at most so many pixels.  library names who fails where it ends without a word.  The caller
 * frees out. */
SOS_MUST_USE sos_status wire_hear(int from, const char *name, const char *library, size_t pixels_most, s3svm_picture *out,
                                  bool *note, sos_error *error);

#endif

/* jpeg_strip.h - JPEG files without notes. */
#ifndef S3SVM_SERVE_JPEG_STRIP_H
#define S3SVM_SERVE_JPEG_STRIP_H

#include <stddef.h>
#include <stdint.h>

/* A JPEG without what could make others show it otherwise, or know more of it than the picture: turns, profiles, places, notes.
 * out has room for length bytes; returns how many there are, 0: it is no such file. */
size_t jpeg_strip(const uint8_t bytes[], size_t length, uint8_t out[]);

#endif

/* bytes.h - files that tests put together byte by byte. */
#ifndef SOS_TEST_BYTES_H
#define SOS_TEST_BYTES_H

#include <stddef.h>
#include <stdint.h>

typedef struct bytes {
    uint8_t *data;
    size_t length, room;
} bytes;

void put(bytes *b, const void *data, size_t length);
void put_number(bytes *b, uint32_t number, int count); /* its low bytes, the highest first */
void put_text(bytes *b, const char *text);

/* Of PNG: the checksum of a chunk, a chunk, and data that are deflated without being made smaller. */
uint32_t checksum(const uint8_t *p, size_t length);
void put_chunk(bytes *b, const char *name, const bytes *body);
void put_zlib(bytes *b, const bytes *raw);

#endif

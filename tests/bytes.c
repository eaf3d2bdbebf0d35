/* bytes.c - files that tests put together byte by byte. */
#include "bytes.h"

#include <string.h>

#include "support.h"

void put(bytes *b, const void *data, size_t length)
{
    if (b->length + length > b->room) {
        b->room = 2 * (b->length + length) + 64;
        b->data = test_room(b->data, b->room, 1);
    }
    if (length) memcpy(b->data + b->length, data, length);
    b->length += length;
}

/* The low bytes of a number, the highest first. */
void put_number(bytes *b, uint32_t number, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        const uint8_t byte = (uint8_t)(number >> 8 * i);
        put(b, &byte, 1);
    }
}

void put_text(bytes *b, const char *text) { put(b, text, strlen(text)); }

uint32_t checksum(const uint8_t *p, size_t length)
{
    uint32_t c = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        c ^= p[i];
        for (int bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? 0xedb88320U : 0);
    }
    return ~c;
}

void put_chunk(bytes *b, const char *name, const bytes *body)
{
    put_number(b, (uint32_t)body->length, 4);
    const size_t start = b->length;
    put_text(b, name);
    put(b, body->data, body->length);
    put_number(b, checksum(b->data + start, b->length - start), 4);
}

void put_zlib(bytes *b, const bytes *raw)
{
    put_number(b, 0x7801, 2);
    size_t at = 0;
    do {
        const size_t left = raw->length - at, block = left < 65535 ? left : 65535;
        const uint8_t head[5] = { left == block, (uint8_t)block, (uint8_t)(block >> 8), (uint8_t)~block,
                                  (uint8_t)(~block >> 8) };
        put(b, head, 5);
        put(b, raw->data + at, block);
        at += block;
    } while (at < raw->length);
    uint32_t low = 1, high = 0;
    for (size_t i = 0; i < raw->length; i++) {
        low = (low + raw->data[i]) % 65521;
        high = (high + low) % 65521;
    }
    put_number(b, high << 16 | low, 4);
}

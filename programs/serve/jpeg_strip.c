#include "jpeg_strip.h"

#include <stdbool.h>
#include <string.h>

enum { MARK = 0xff, BEGIN = 0xd8, SCAN = 0xda, APPLICATION = 0xe0, PROFILE = 0xe2, ADOBE = 0xee, COMMENT = 0xfe };

/* JFIF's and Adobe's segments and profiles say what colours are; all others of applications only say more. */
static bool segment_is_kept(uint8_t kind, const uint8_t content[], size_t length)
{
    static const char NAME[] = "ICC_PROFILE";
    const bool application = kind >= APPLICATION && kind <= APPLICATION + 15;
    if (kind == PROFILE) return length >= sizeof NAME && !memcmp(content, NAME, sizeof NAME);
    return kind != COMMENT && (!application || kind == APPLICATION || kind == ADOBE);
}

size_t jpeg_strip(const uint8_t bytes[], size_t length, uint8_t out[])
{
    size_t at = 2, used = 2;
    if (length < 4 || bytes[0] != MARK || bytes[1] != BEGIN) return 0;
    memcpy(out, bytes, 2);
    while (at + 4 <= length && bytes[at] == MARK) {
        const uint8_t kind = bytes[at + 1];
        const size_t size = 2 + ((size_t)bytes[at + 2] << 8 | bytes[at + 3]);
        if (kind == SCAN) {
            memcpy(out + used, bytes + at, length - at);
            return used + length - at;
        }
        if (kind < 0xc0 || size < 4 || size > length - at) return 0;
        if (segment_is_kept(kind, bytes + at + 4, size - 4)) {
            memcpy(out + used, bytes + at, size);
            used += size;
        }
        at += size;
    }
    return 0;
}

#define _POSIX_C_SOURCE 200809L
#include "fuzz.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/random.h"

size_t fuzz_accepted;

void fuzz_fail(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
    abort();
}

void *fuzz_copy(const void *data, size_t size)
{
    void *copy = malloc(size ? size : 1);
    fuzz_check(copy != NULL);
    if (size) memcpy(copy, data, size);
    return copy;
}

fuzz_bytes fuzz_input(uint8_t choice, const void *data, size_t size)
{
    fuzz_bytes b = { .data = malloc(size + 1), .size = size + 1 };
    fuzz_check(b.data != NULL);
    b.data[0] = choice;
    if (size) memcpy(b.data + 1, data, size);
    return b;
}

unsigned fuzz_byte(fuzz_source *s) { return s->at < s->end ? *s->at++ : 0; }
size_t fuzz_below(fuzz_source *s, size_t n) { return fuzz_byte(s) % n; }

fuzz_bytes fuzz_noise(size_t i, size_t size)
{
    const fuzz_bytes b = { .data = malloc(size), .size = size };
    sos_random r = sos_random_seeded(i);
    fuzz_check(b.data != NULL);
    for (size_t k = 0; k < size; k++) b.data[k] = (uint8_t)sos_random_below(&r, 256);
    return b;
}

fuzz_bytes fuzz_text(uint8_t choice, const char *text) { return fuzz_input(choice, text, strlen(text)); }

const char *fuzz_path(const char *ending)
{
    static char path[300];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.200s/sos-fuzz-%ld%s", folder && *folder ? folder : "/tmp", (long)getpid(), ending);
    return path;
}

void fuzz_file_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    fuzz_check(file && fwrite(data, 1, size, file) == size);
    fuzz_check(!fclose(file));
}

fuzz_bytes fuzz_file_read(const char *path)
{
    char *bytes = NULL;
    size_t length = 0;
    if (sos_file_read(path, SOS_CONTENT_BYTES, &bytes, &length, NULL)) return (fuzz_bytes){ NULL, 0 };
    return (fuzz_bytes){ (uint8_t *)bytes, length };
}

static uint32_t checksum(const uint8_t *p, size_t length)
{
    uint32_t c = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        c ^= p[i];
        for (int bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? 0xedb88320U : 0);
    }
    return ~c;
}

void fuzz_png_repair(uint8_t *p, size_t size)
{
    if (size <= 8 || memcmp(p, "\x89PNG", 4) != 0) return;
    for (size_t at = 8; size >= 12 && at <= size - 12;) {
        const size_t body = (size_t)p[at] << 24 | (size_t)p[at + 1] << 16 | (size_t)p[at + 2] << 8 | p[at + 3];
        if (body > size - 12 - at) return;
        const uint32_t sum = checksum(p + at + 4, body + 4);
        for (int i = 0; i < 4; i++) p[at + 8 + body + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += body + 12;
    }
}

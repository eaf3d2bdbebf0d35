/* fuzz_image.c - any bytes as a picture: read or refused, never more.
 *
 * The first byte chooses the kind, the rest is the file.  The checksums of a PNG are put right first, since no chance would.
 * Build and run, with some small pictures in corpus/, each with a byte in front:
 *
 *     clang -std=c17 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -DSOS_HAVE_PNG=1 -DSOS_HAVE_JPEG=1 \
 *         -Iinclude -Isrc fuzz/fuzz_image.c src/vision/image*.c src/vision/plane.c src/base/error.c \
 *         src/base/memory.c src/energy/format_scan.c src/energy/format_output.c -lpng -ljpeg -lm -o fuzz_image
 *     ./fuzz_image -max_len=4096 -timeout=20 -rss_limit_mb=2500 corpus
 */
#include <stdlib.h>
#include <string.h>

#include <s3svm/image.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t checksum(const uint8_t *p, size_t length)
{
    uint32_t c = UINT32_MAX;
    for (size_t i = 0; i < length; i++) {
        c ^= p[i];
        for (int bit = 0; bit < 8; bit++) c = c >> 1 ^ (c & 1 ? 0xedb88320U : 0);
    }
    return ~c;
}

static void checksums_repair(uint8_t *p, size_t length)
{
    for (size_t at = 8; length >= 12 && at <= length - 12;) {
        const size_t body = (size_t)p[at] << 24 | (size_t)p[at + 1] << 16 | (size_t)p[at + 2] << 8 | p[at + 3];
        if (body > length - 12 - at) return;
        const uint32_t sum = checksum(p + at + 4, body + 4);
        for (int i = 0; i < 4; i++) p[at + 8 + body + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += body + 12;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    const size_t length = size - 1;
    uint8_t *copy = malloc(length ? length : 1); /* of its own, so that reading past the end is seen */
    if (!copy) return 0;
    memcpy(copy, data + 1, length);
    if (length > 8 && !memcmp(copy, "\x89PNG", 4)) checksums_repair(copy, length);
    sos_image image = { 0 };
    sos_error error;
    if (!sos_image_parse(copy, length, "input", (sos_image_kind)(data[0] % 3), &image, &error)) {
        unsigned sum = 0; /* memory that was not set, or is not there, is seen by the sanitizers */
        for (size_t i = 0; i < sos_image_size(&image) * image.channels; i++) sum += image.pixels[i];
        if (!image.width || !image.height || sum == UINT32_MAX) abort();
    } else if (!strstr(error.message, "input") || image.pixels) {
        abort();
    }
    sos_image_free(&image);
    free(copy);
    return 0;
}

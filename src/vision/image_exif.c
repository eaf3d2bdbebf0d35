/* image_exif.c - how a camera was held, as its file notes it: tag 0x112 of the first directory of a TIFF file in Exif data. */
#include <string.h>

#include "vision/image_codec.h"

static unsigned get16(const uint8_t *p, bool big) { return big ? p[0] * 256U + p[1] : p[1] * 256U + p[0]; }
static uint32_t get32(const uint8_t *p, bool big)
{
    return big ? (uint32_t)get16(p, big) << 16 | get16(p + 2, big) : (uint32_t)get16(p + 2, big) << 16 | get16(p, big);
}

unsigned s3svm_image_exif_orientation(const uint8_t *p, size_t length)
{
    if (length >= 6 && !memcmp(p, "Exif\0", 6)) { /* as JPEG has it, and some WebP */
        p += 6;
        length -= 6;
    }
    if (length < 8) return 1;
    const bool big = p[0] == 'M';
    if (memcmp(p, big ? "MM\0*" : "II*\0", 4)) return 1;
    const size_t directory = get32(p + 4, big);
    if (directory > length - 2) return 1;
    const size_t entries = get16(p + directory, big), fit = (length - directory - 2) / 12;
    for (size_t i = 0; i < entries && i < fit; i++) {
        const uint8_t *entry = p + directory + 2 + 12 * i;
        if (get16(entry, big) != 0x112) continue;
        const unsigned value = get16(entry + 8, big);
        return get16(entry + 2, big) == 3 && value >= 1 && value <= 8 ? value : 1;
    }
    return 1;
}

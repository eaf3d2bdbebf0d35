/* fuzz_image.c - any bytes as a picture: read or refused, never more.  The first byte chooses the kind, the rest is the file.
 */
#include <stdio.h>
#include <string.h>

#include <s3svm/image.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    uint8_t *copy = fuzz_copy(data + 1, size - 1);
    fuzz_png_repair(copy, size - 1);
    sos_image image = { 0 };
    sos_error error;
    if (!sos_image_parse(copy, size - 1, "input", (sos_image_kind)(data[0] % 3), &image, &error)) {
        fuzz_accepted++;
        unsigned sum = 0; /* memory that was not set, or is not there, is seen by the sanitizers */
        for (size_t i = 0; i < sos_image_size(&image) * image.channels; i++) sum += image.pixels[i];
        fuzz_check(image.width && image.height && sum < UINT32_MAX);
    } else {
        fuzz_check(strstr(error.message, "input") && !image.pixels);
    }
    sos_image_free(&image);
    free(copy);
    return 0;
}

/* A small picture, written in one of the formats; without data where this build has not the format. */
static fuzz_bytes picture(const char *ending, size_t channels, bool palette)
{
    static const uint32_t colours[4] = { 0x000000, 0xff0000, 0x00ff00, 0x0000ff };
    uint8_t pixels[7 * 5 * 3];
    const sos_image image = { 7, 5, channels, pixels };
    const char *path = fuzz_path(ending);
    for (size_t i = 0; i < sizeof pixels; i++) pixels[i] = (uint8_t)(palette ? i % 4 : 37 * i);
    const sos_status status = palette ? sos_image_write_palette(&image, 4, colours, path, NULL)
                                      : sos_image_write(&image, path, NULL);
    const fuzz_bytes bytes = status ? (fuzz_bytes){ NULL, 0 } : fuzz_file_read(path);
    remove(path);
    return bytes;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    static const struct {
        const char *ending;
        size_t channels;
        bool palette;
        uint8_t kind;
    } pictures[] = {
        { ".pgm", 1, false, SOS_IMAGE_GREY },   { ".ppm", 3, false, SOS_IMAGE_COLOUR }, { ".png", 1, false, SOS_IMAGE_LABELS },
        { ".png", 3, false, SOS_IMAGE_COLOUR }, { ".png", 1, true, SOS_IMAGE_LABELS },  { ".png", 1, true, SOS_IMAGE_GREY },
        { ".jpg", 1, false, SOS_IMAGE_GREY },   { ".jpg", 3, false, SOS_IMAGE_COLOUR },
    };
    if (i == sizeof pictures / sizeof *pictures) return false;
    const fuzz_bytes bytes = picture(pictures[i].ending, pictures[i].channels, pictures[i].palette);
    *out = fuzz_input(pictures[i].kind, bytes.data, bytes.size);
    free(bytes.data);
    return true;
}

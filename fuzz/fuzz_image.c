/* fuzz_image.c - any bytes as a picture: read or refused, never more.  The first byte chooses the kind, the rest is the file.
 */
#include <stdio.h>
#include <string.h>

#include <s3svm/image.h>

#include "fuzz.h"

enum { WHOLE = S3SVM_IMAGE_LABELS + 1, KINDS }; /* besides the kinds of pictures: with all that the file says */

/* Memory that was not set, or is not there, is seen by the sanitizers. */
static void picture_check(const s3svm_image *image, const uint16_t *deep)
{
    unsigned sum = 0;
    for (size_t i = 0; i < s3svm_image_size(image) * image->channels; i++) sum += image->pixels[i] + (deep ? deep[i] & 1U : 0);
    fuzz_check(image->width && image->height && sum < UINT32_MAX);
}

static void image_try(const uint8_t *bytes, size_t length, s3svm_image_kind kind)
{
    s3svm_image image = { 0 };
    sos_error error;
    if (!s3svm_image_parse(bytes, length, "input", kind, &image, &error)) {
        fuzz_accepted++;
        picture_check(&image, NULL);
    } else {
        fuzz_check(strstr(error.message, "input") && !image.pixels);
    }
    s3svm_image_free(&image);
}

/* With all that the file says; its size is known without reading it. */
static void whole_try(const uint8_t *bytes, size_t length)
{
    s3svm_picture p = { 0 };
    sos_error error;
    size_t width = 0, height = 0;
    if (!s3svm_picture_parse(bytes, length, "input", &p, &error)) {
        fuzz_accepted++;
        picture_check(&p.image, p.deep);
        fuzz_check(p.image.channels == 3 || p.image.channels == 4);
        fuzz_check(!s3svm_image_measure(bytes, length, "input", &width, &height, &error));
        fuzz_check(width == p.image.width && height == p.image.height);
    } else {
        fuzz_check(strstr(error.message, "input") && !p.image.pixels && !p.deep && !p.profile);
    }
    s3svm_picture_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    uint8_t *copy = fuzz_copy(data + 1, size - 1);
    fuzz_png_repair(copy, size - 1);
    if (data[0] % KINDS == WHOLE)
        whole_try(copy, size - 1);
    else
        image_try(copy, size - 1, (s3svm_image_kind)(data[0] % KINDS));
    free(copy);
    return 0;
}

/* A small picture, written in one of the formats; without data where this build has not the format. */
static fuzz_bytes picture(const char *ending, size_t channels, bool palette, bool deep)
{
    static const uint32_t colours[4] = { 0x000000, 0xff0000, 0x00ff00, 0x0000ff };
    uint8_t pixels[7 * 5 * 4];
    uint16_t samples[7 * 5 * 4];
    const s3svm_picture p = { .image = { 7, 5, channels, pixels }, .deep = deep ? samples : NULL };
    const char *path = fuzz_path(ending);
    for (size_t i = 0; i < sizeof pixels; i++) {
        pixels[i] = (uint8_t)(palette ? i % 4 : 37 * i);
        samples[i] = (uint16_t)(9473 * i);
    }
    const sos_status status = palette ? s3svm_image_write_palette(&p.image, 4, colours, path, NULL)
                                      : s3svm_picture_write(&p, path, NULL);
    const fuzz_bytes bytes = status ? (fuzz_bytes){ NULL, 0 } : fuzz_file_read(path);
    remove(path);
    return bytes;
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    static const struct {
        const char *ending;
        size_t channels;
        bool palette, deep;
        uint8_t kind;
    } pictures[] = {
        { ".pgm", 1, false, false, S3SVM_IMAGE_GREY },
        { ".ppm", 3, false, false, S3SVM_IMAGE_COLOUR },
        { ".png", 1, false, false, S3SVM_IMAGE_LABELS },
        { ".png", 3, false, false, S3SVM_IMAGE_COLOUR },
        { ".png", 1, true, false, S3SVM_IMAGE_LABELS },
        { ".png", 1, true, false, S3SVM_IMAGE_GREY },
        { ".jpg", 1, false, false, S3SVM_IMAGE_GREY },
        { ".jpg", 3, false, false, S3SVM_IMAGE_COLOUR },
        { ".webp", 3, false, false, S3SVM_IMAGE_GREY },
        { ".webp", 4, false, false, WHOLE },
        { ".tif", 1, false, false, S3SVM_IMAGE_LABELS },
        { ".tif", 3, false, true, S3SVM_IMAGE_COLOUR },
        { ".tif", 4, false, true, WHOLE },
        { ".png", 4, false, true, WHOLE },
        { ".ppm", 3, false, true, WHOLE },
        { ".jpg", 3, false, false, WHOLE },
    };
    if (i == sizeof pictures / sizeof *pictures) return false;
    const fuzz_bytes bytes = picture(pictures[i].ending, pictures[i].channels, pictures[i].palette, pictures[i].deep);
    *out = fuzz_input(pictures[i].kind, bytes.data, bytes.size);
    free(bytes.data);
    return true;
}

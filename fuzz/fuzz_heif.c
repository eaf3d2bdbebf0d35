/* fuzz_heif.c - any bytes as a HEIC picture, which the command reads: read or refused, never more. */
#include <string.h>

#include <libheif/heif.h>

#include "fuzz.h"
#include "heif.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    uint8_t *copy = fuzz_copy(data, size);
    s3svm_picture p = { 0 };
    sos_error error;
    if (!heif_parse(copy, size, "input", &p, &error)) {
        fuzz_accepted++;
        unsigned sum = 0; /* memory that was not set, or is not there, is seen by the sanitizers */
        for (size_t i = 0; i < s3svm_image_size(&p.image) * p.image.channels; i++) sum += p.image.pixels[i];
        fuzz_check(p.image.width && p.image.height && sum < UINT32_MAX);
    } else {
        fuzz_check(strstr(error.message, "input") && !p.image.pixels);
    }
    s3svm_picture_free(&p);
    free(copy);
    return 0;
}

static struct heif_error bytes_append(struct heif_context *context, const void *data, size_t size, void *user)
{
    fuzz_bytes *b = user;
    (void)context;
    uint8_t *larger = realloc(b->data, b->size + size);
    if (!larger) abort();
    memcpy(larger + b->size, data, size);
    *b = (fuzz_bytes){ larger, b->size + size };
    return (struct heif_error){ heif_error_Ok, heif_suberror_Unspecified, "" };
}

/* A picture of one colour, with opacity or without; no bytes where this libheif cannot write. */
static void picture_write(bool opacity, fuzz_bytes *out)
{
    enum { SIDE = 16 };
    struct heif_context *context = heif_context_alloc();
    struct heif_encoder *encoder = NULL;
    struct heif_image *image = NULL;
    int stride = 0;
    const struct heif_writer none = { .writer_api_version = 1, .write = bytes_append };
    struct heif_writer writer = none;
    const bool there = !heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder).code &&
                       !heif_image_create(SIDE, SIDE, heif_colorspace_RGB,
                                          opacity ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB, &image)
                            .code &&
                       !heif_image_add_plane(image, heif_channel_interleaved, SIDE, SIDE, 8).code;
    uint8_t *plane = there ? heif_image_get_plane(image, heif_channel_interleaved, &stride) : NULL;
    if (plane) memset(plane, 90, (size_t)stride * SIDE);
    if (plane && !heif_context_encode_image(context, image, encoder, NULL, NULL).code)
        fuzz_check(!heif_context_write(context, &writer, out).code);
    heif_image_release(image);
    heif_encoder_release(encoder);
    heif_context_free(context);
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    if (i == 2) return false;
    *out = (fuzz_bytes){ NULL, 0 };
    picture_write(i, out);
    return true;
}

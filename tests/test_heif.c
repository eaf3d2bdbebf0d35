/* test_heif.c - HEIC pictures, written here by libheif: what is read is what was written, turned as it is to be seen, with its
 * opacity, depth and profile; what is damaged is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <libheif/heif.h>

#include "bytes.h"
#include "heif.h"
#include "support.h"

enum { WIDTH = 48, HEIGHT = 32 };

/* Smooth, so that what is lost in writing is little: channel k of a pixel, 0 ... 1. */
static double shade(size_t x, size_t y, size_t k)
{
    if (k == 3) return x < 24 ? 0.5 : 1;
    return 0.2 + 0.6 * (k == 0 ? (double)x / WIDTH : k == 1 ? (double)y / HEIGHT : 0.5);
}

static struct heif_error bytes_append(struct heif_context *context, const void *data, size_t size, void *user)
{
    (void)context;
    put(user, data, size);
    return (struct heif_error){ heif_error_Ok, heif_suberror_Unspecified, "" };
}

typedef struct wanted {
    bool opacity;
    int bits;
    enum heif_orientation orientation;
    bool profile;
} wanted;

static const char PROFILE[200] = "0123456789abcdefRGB and so on";

static struct heif_image *image_make(const wanted *w)
{
    struct heif_image *image;
    int stride;
    const bool deep = w->bits > 8;
    const size_t channels = w->opacity ? 4 : 3;
    const enum heif_chroma chroma = deep
                                        ? (w->opacity ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RRGGBB_LE)
                                        : (w->opacity ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB);
    check(!heif_image_create(WIDTH, HEIGHT, heif_colorspace_RGB, chroma, &image).code);
    check(!heif_image_add_plane(image, heif_channel_interleaved, WIDTH, HEIGHT, w->bits).code);
    uint8_t *plane = heif_image_get_plane(image, heif_channel_interleaved, &stride);
    for (size_t i = 0; i < WIDTH * HEIGHT * channels; i++) {
        const size_t pixel = i / channels, x = pixel % WIDTH, y = pixel / WIDTH, k = i % channels;
        const unsigned value = (unsigned)(shade(x, y, k) * ((1 << w->bits) - 1));
        uint8_t *to = plane + y * (size_t)stride + (x * channels + k) * (deep ? 2 : 1);
        to[0] = (uint8_t)value;
        if (deep) to[1] = (uint8_t)(value >> 8);
    }
    if (w->profile) check(!heif_image_set_raw_color_profile(image, "prof", PROFILE, sizeof PROFILE).code);
    return image;
}

/* false: this libheif cannot write. */
static bool file_make(const wanted *w, bytes *file)
{
    struct heif_context *context = heif_context_alloc();
    struct heif_encoder *encoder = NULL;
    const bool there = !heif_context_get_encoder_for_format(context, heif_compression_HEVC, &encoder).code ||
                       !heif_context_get_encoder_for_format(context, heif_compression_AV1, &encoder).code;
    if (there) {
        struct heif_image *image = image_make(w);
        struct heif_encoding_options *options = heif_encoding_options_alloc();
        options->image_orientation = w->orientation;
        check(!heif_encoder_set_lossy_quality(encoder, 95).code);
        check(!heif_context_encode_image(context, image, encoder, options, NULL).code);
        struct heif_writer writer = { .writer_api_version = 1, .write = bytes_append };
        check(!heif_context_write(context, &writer, file).code);
        heif_encoding_options_free(options);
        heif_image_release(image);
        heif_encoder_release(encoder);
    }
    heif_context_free(context);
    return there;
}

static void check_read(const wanted *w, const bytes *file)
{
    s3svm_picture p = { 0 };
    sos_error error;
    check_ok(heif_parse(file->data, file->length, "photo.heic", &p, &error), error);
    const bool lying = w->orientation >= 5;
    check(p.image.width == (lying ? HEIGHT : WIDTH) && p.image.height == (lying ? WIDTH : HEIGHT));
    check(p.image.channels == (w->opacity ? 4 : 3) && (p.deep != NULL) == (w->bits > 8));
    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        const size_t x = i % WIDTH, y = i / WIDTH; /* rotated by 90 degrees: row 0 is at the right */
        const size_t at = lying ? x * HEIGHT + (HEIGHT - 1 - y) : i;
        for (size_t k = 0; k < p.image.channels; k++) {
            const double found = p.image.pixels[at * p.image.channels + k] / 255.0;
            if (k == 3 && x > 19 && x < 28) continue; /* at the step */
            check(fabs(found - shade(x, y, k)) < 0.04);
            if (p.deep) check(fabs(p.deep[at * p.image.channels + k] / 65535.0 - shade(x, y, k)) < 0.04);
        }
    }
    assert_int_equal(p.profile_length, w->profile ? sizeof PROFILE : 0);
    if (w->profile) assert_memory_equal(p.profile, PROFILE, sizeof PROFILE);
    s3svm_picture_free(&p);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    const wanted cases[] = { { false, 8, heif_orientation_normal, false },
                             { true, 8, heif_orientation_normal, true },
                             { false, 10, heif_orientation_normal, true },
                             { false, 8, heif_orientation_rotate_90_cw, false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes file = { 0 };
        if (!file_make(&cases[i], &file)) skip();
        check_read(&cases[i], &file);
        free(file.data);
    }
}

static void what_is_damaged_is_read_or_refused(void **state)
{
    (void)state;
    bytes whole = { 0 };
    if (!file_make(&(wanted){ true, 8, heif_orientation_normal, true }, &whole)) skip();
    for (uint64_t c = 0; c < test_cases(300); c++) {
        sos_random r = test_case_begin(c);
        bytes b = { 0 };
        put(&b, whole.data, c % 3 ? whole.length : sos_random_below(&r, whole.length));
        for (uint64_t k = sos_random_below(&r, 5); k && b.length; k--)
            b.data[sos_random_below(&r, b.length)] = (uint8_t)sos_random_below(&r, 256);
        s3svm_picture p = { 0 };
        sos_error error = { 0 };
        if (b.length && heif_parse(b.data, b.length, "photo.heic", &p, &error))
            check(strstr(error.message, "photo.heic: ") && !p.image.pixels);
        s3svm_picture_free(&p);
        free(b.data);
    }
    free(whole.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_is_damaged_is_read_or_refused),
    };
    return cmocka_run_group_tests_name("heif", tests, NULL, NULL);
}

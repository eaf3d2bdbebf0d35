/* test_picture.c - pictures with opacity, 16 bits, colour profiles and notes of the camera: what files put together here byte
 * by byte say is kept, what is written reads back, and what is damaged is refused. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/image.h>

#include "base/file.h"
#include "bytes.h"
#include "scratch.h"
#include "support.h"

/* ---- pictures of the tests' own ---- */

/* Samples of 16 bits, of 1 to 4 channels: grey or colours, with opacity or without. */
typedef struct raster {
    size_t width, height, channels;
    uint16_t *samples;
} raster;

static raster raster_random(sos_random *r, size_t channels, bool deep)
{
    raster p = { 1 + sos_random_below(r, 12), 1 + sos_random_below(r, 12), channels, NULL };
    p.samples = test_room(NULL, p.width * p.height * channels, sizeof *p.samples);
    for (size_t i = 0; i < p.width * p.height * channels; i++)
        p.samples[i] = (uint16_t)(deep ? sos_random_below(r, 65536) : 257 * sos_random_below(r, 256));
    return p;
}

static bool has_opacity(const raster *p) { return p->channels % 2 == 0; }

/* Red, green, blue and opacity of a pixel. */
static void pixel_get(const raster *p, size_t x, size_t y, unsigned to[4])
{
    const uint16_t *from = p->samples + (y * p->width + x) * p->channels;
    for (size_t k = 0; k < 3; k++) to[k] = from[p->channels >= 3 ? k : 0];
    to[3] = has_opacity(p) ? from[p->channels - 1] : 65535;
}

/* Where a pixel of a file is seen, by the words of the standard: row 0 and column 0 of the file are these sides of what is
 * seen. */
static void place(unsigned orientation, const raster *p, size_t x, size_t y, size_t *seen_x, size_t *seen_y)
{
    const size_t right = p->width - 1 - x, bottom = p->height - 1 - y;
    switch (orientation) {
    case 1: *seen_x = x, *seen_y = y; break;          /* top, left */
    case 2: *seen_x = right, *seen_y = y; break;      /* top, right */
    case 3: *seen_x = right, *seen_y = bottom; break; /* bottom, right */
    case 4: *seen_x = x, *seen_y = bottom; break;     /* bottom, left */
    case 5: *seen_x = y, *seen_y = x; break;          /* left, top */
    case 6: *seen_x = bottom, *seen_y = x; break;     /* right, top */
    case 7: *seen_x = bottom, *seen_y = right; break; /* right, bottom */
    default: *seen_x = y, *seen_y = right; break;     /* left, bottom */
    }
}

static unsigned byte_of(unsigned sample) { return (sample * 2 + 257) / 514; }

/* Parses a copy of just that length, for the sanitizers. */
static sos_status parse(const bytes *b, s3svm_picture *out, sos_error *error)
{
    uint8_t *copy = test_room(NULL, b->length + !b->length, 1);
    memcpy(copy, b->data, b->length);
    const sos_status status = s3svm_picture_parse(copy, b->length, "photo.x", out, error);
    free(copy);
    return status;
}

/* What is seen is what other readers get, and the size is known before. */
static void check_seen(const s3svm_picture *p, const bytes *file)
{
    s3svm_image seen, read;
    sos_error error;
    size_t width, height;
    check_ok(s3svm_picture_seen(p, &seen, &error), error);
    check_ok(s3svm_image_parse(file->data, file->length, "photo.x", S3SVM_IMAGE_COLOUR, &read, &error), error);
    check(seen.width == read.width && seen.height == read.height && read.channels == 3);
    assert_memory_equal(seen.pixels, read.pixels, 3 * s3svm_image_size(&seen));
    check_ok(s3svm_image_measure(file->data, file->length, "photo.x", &width, &height, &error), error);
    check(seen.width == width && seen.height == height);
    s3svm_image_free(&seen);
    s3svm_image_free(&read);
}

static void check_kept(const raster *p, bool deep, unsigned orientation, const bytes *file)
{
    s3svm_picture got = { 0 };
    sos_error error;
    check_ok(parse(file, &got, &error), error);
    const bool lying = orientation >= 5;
    check(got.image.width == (lying ? p->height : p->width) && got.image.height == (lying ? p->width : p->height));
    check((got.deep != NULL) == deep && got.image.channels == (has_opacity(p) ? 4 : 3));
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++) {
            size_t seen_x, seen_y;
            unsigned wanted[4];
            place(orientation, p, x, y, &seen_x, &seen_y);
            pixel_get(p, x, y, wanted);
            const size_t at = (seen_y * got.image.width + seen_x) * got.image.channels;
            for (size_t k = 0; k < got.image.channels; k++) {
                assert_int_equal(got.image.pixels[at + k], byte_of(wanted[k]));
                if (deep) assert_int_equal(got.deep[at + k], wanted[k]);
            }
        }
    check_seen(&got, file);
    s3svm_picture_free(&got);
}

/* Exif data with an orientation and something before it. */
static bytes exif_make(bool big, unsigned orientation)
{
    bytes b = { 0 };
    const uint8_t little[] = { 'I',
                               'I',
                               '*',
                               0,
                               8,
                               0,
                               0,
                               0,
                               2,
                               0,
                               0x0f,
                               1,
                               2,
                               0,
                               2,
                               0,
                               0,
                               0,
                               'c',
                               0,
                               0,
                               0,
                               0x12,
                               1,
                               3,
                               0,
                               1,
                               0,
                               0,
                               0,
                               (uint8_t)orientation,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0,
                               0 };
    const uint8_t other[] = { 'M', 'M', 0, '*', 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, (uint8_t)orientation,
                              0,   0,   0, 0,   0, 0 };
    if (big)
        put(&b, other, sizeof other);
    else
        put(&b, little, sizeof little);
    return b;
}

/* A profile with nothing in it but what its readers look for, and so many bytes. */
static bytes profile_make(const char *space, size_t length)
{
    bytes b = { 0 };
    put_number(&b, (uint32_t)length, 4);
    put_number(&b, 0, 4);
    put_number(&b, 0x02100000, 4);
    put_text(&b, "mntr");
    put_text(&b, space);
    put_text(&b, "XYZ ");
    for (int i = 0; i < 12; i++) put_number(&b, 1, 1);
    put_text(&b, "acsp");
    while (b.length < 68) put_number(&b, 0, 1);
    put_number(&b, 0xf6d6, 4);
    put_number(&b, 0x10000, 4);
    put_number(&b, 0xd32d, 4);
    while (b.length < 128) put_number(&b, 0, 1);
    put_number(&b, 0, 4);
    for (uint32_t i = 0; b.length < length; i++) put_number(&b, i * i, 1);
    return b;
}

/* ---- PNG ---- */

typedef struct notes {
    const bytes *profile, *exif;
    bool late; /* the notes of the camera stand behind the pixels */
} notes;

static bytes png_file(const raster *p, bool deep, const notes *n)
{
    static const uint32_t types[] = { 0, 0, 4, 2, 6 };
    bytes b = { 0 }, raw = { 0 }, body = { 0 };
    put(&b, "\x89PNG\r\n\x1a\n", 8);
    put_number(&body, (uint32_t)p->width, 4);
    put_number(&body, (uint32_t)p->height, 4);
    put_number(&body, (deep ? 16U : 8U) << 24 | types[p->channels] << 16, 4);
    put_number(&body, 0, 1);
    put_chunk(&b, "IHDR", &body);
    body.length = 0;
    if (n->profile) {
        put(&body, "a name\0\0", 8);
        put_zlib(&body, n->profile);
        put_chunk(&b, "iCCP", &body);
    }
    if (n->exif && !n->late) put_chunk(&b, "eXIf", n->exif);
    for (size_t y = 0; y < p->height; y++) {
        put_number(&raw, 0, 1);
        for (size_t i = 0; i < p->width * p->channels; i++)
            put_number(&raw,
                       deep ? p->samples[y * p->width * p->channels + i] : p->samples[y * p->width * p->channels + i] >> 8,
                       deep ? 2 : 1);
    }
    body.length = 0;
    put_zlib(&body, &raw);
    put_chunk(&b, "IDAT", &body);
    if (n->exif && n->late) put_chunk(&b, "eXIf", n->exif);
    body.length = 0;
    put_chunk(&b, "IEND", &body);
    free(raw.data);
    free(body.data);
    return b;
}

static void a_png_keeps_opacity_depth_and_the_way_it_was_held(void **state)
{
    (void)state;
    if (!s3svm_image_has_png()) skip();
    for (uint64_t c = 0; c < test_cases(64); c++) {
        sos_random r = test_case_begin(c);
        const bool deep = c % 2;
        const unsigned orientation = 1 + (unsigned)(c / 2 % 8);
        const raster p = raster_random(&r, 1 + c / 16 % 4, deep);
        bytes exif = exif_make(c & 1, orientation);
        const notes n = { .exif = &exif, .late = sos_random_below(&r, 2) };
        const bytes file = png_file(&p, deep, &n);
        check_kept(&p, deep, orientation, &file);
        free(p.samples);
        free(file.data);
        free(exif.data);
    }
}

/* An opacity that says nothing is no opacity. */
static void opaque_pictures_have_three_channels(void **state)
{
    (void)state;
    if (!s3svm_image_has_png()) skip();
    for (uint64_t c = 0; c < test_cases(8); c++) {
        sos_random r = test_case_begin(c);
        raster p = raster_random(&r, 2 + 2 * (c % 2), c & 2);
        for (size_t i = 0; i < p.width * p.height; i++) p.samples[(i + 1) * p.channels - 1] = 65535;
        const bytes file = png_file(&p, c & 2, &(notes){ 0 });
        s3svm_picture got;
        sos_error error;
        check_ok(parse(&file, &got, &error), error);
        assert_int_equal(got.image.channels, 3);
        for (size_t i = 0; i < p.width * p.height; i++) {
            unsigned wanted[4];
            pixel_get(&p, i % p.width, i / p.width, wanted);
            for (size_t k = 0; k < 3; k++) assert_int_equal(got.image.pixels[3 * i + k], byte_of(wanted[k]));
            for (size_t k = 0; k < 3 && got.deep; k++) assert_int_equal(got.deep[3 * i + k], wanted[k]);
        }
        s3svm_picture_free(&got);
        free(p.samples);
        free(file.data);
    }
}

static void check_profile(const bytes *file, const bytes *profile)
{
    s3svm_picture got;
    sos_error error;
    check_ok(parse(file, &got, &error), error);
    assert_int_equal(got.profile_length, profile ? profile->length : 0);
    if (profile) assert_memory_equal(got.profile, profile->data, profile->length);
    s3svm_picture_free(&got);
}

static void profiles_of_colours_are_read_and_others_are_none(void **state)
{
    (void)state;
    if (!s3svm_image_has_png()) skip();
    sos_random r = test_case_begin(0);
    const raster p = raster_random(&r, 3, false);
    bytes colours = profile_make("RGB ", 500), greys = profile_make("GRAY", 500), damaged = profile_make("RGB ", 500);
    damaged.data[37] = 'x';
    const bytes *const profiles[] = { &colours, &greys, &damaged };
    for (int i = 0; i < 3; i++) {
        const bytes file = png_file(&p, false, &(notes){ .profile = profiles[i] });
        check_profile(&file, i ? NULL : &colours);
        free(file.data);
        free(profiles[i]->data);
    }
    free(p.samples);
}

/* ---- TIFF ---- */

typedef struct tiff {
    raster raster;
    bool big, deep, white, separate, multiplied, palette;
    unsigned orientation;
    uint32_t tile; /* side, a multiple of 16; 0: strips */
    const bytes *profile;
} tiff;

static void put_word(bytes *b, const tiff *t, uint32_t number, int count)
{
    for (int i = 0; i < count; i++) put_number(b, number >> 8 * (t->big ? count - 1 - i : i), 1);
}

static void put_field(bytes *b, const tiff *t, uint32_t tag, uint32_t type, uint32_t count, uint32_t value)
{
    put_word(b, t, tag, 2);
    put_word(b, t, type, 2);
    put_word(b, t, count, 4);
    put_word(b, t, value, type == 3 && count == 1 ? 2 : 4);
    if (type == 3 && count == 1) put_word(b, t, 0, 2);
}

static uint32_t stored(const tiff *t, size_t x, size_t y, size_t k)
{
    const raster *p = &t->raster;
    if (x >= p->width || y >= p->height) return 0; /* beyond the last tile */
    const uint16_t *pixel = p->samples + (y * p->width + x) * p->channels;
    const bool opacity = has_opacity(p) && k == p->channels - 1;
    uint32_t value = pixel[k];
    if (t->white && !opacity) value = 65535 - value;
    return t->deep ? value : value >> 8;
}

/* The samples of a part of the picture: of all channels, or of one plane. */
static void put_part(bytes *b, const tiff *t, size_t x0, size_t y0, size_t columns, size_t rows, size_t plane)
{
    for (size_t y = y0; y < y0 + rows; y++)
        for (size_t x = x0; x < x0 + columns; x++)
            for (size_t k = 0; k < t->raster.channels; k++)
                if (!t->separate || k == plane) put_word(b, t, stored(t, x, y, k), t->deep ? 2 : 1);
}

/* Pixels first, then what follows them, then the directory. */
static bytes tiff_file(const tiff *t)
{
    const raster *p = &t->raster;
    bytes b = { 0 }, offsets = { 0 }, counts = { 0 }, bits = { 0 };
    uint32_t parts = 0;
    const uint32_t columns = t->tile ? t->tile : (uint32_t)p->width, rows = t->tile ? t->tile : 3;
    put_text(&b, t->big ? "MM" : "II");
    put_word(&b, t, 42, 2);
    put_word(&b, t, 0, 4);
    for (size_t plane = 0; plane < (t->separate ? p->channels : 1); plane++)
        for (uint32_t y = 0; y < p->height; y += rows)
            for (uint32_t x = 0; x < p->width; x += columns, parts++) {
                const uint32_t start = (uint32_t)b.length,
                               fit = (uint32_t)p->height - y < rows ? (uint32_t)p->height - y : rows;
                put_part(&b, t, x, y, columns, t->tile ? rows : fit, plane);
                put_word(&offsets, t, start, 4);
                put_word(&counts, t, (uint32_t)b.length - start, 4);
            }
    const uint32_t at_offsets = (uint32_t)b.length;
    put(&b, offsets.data, offsets.length);
    const uint32_t at_counts = (uint32_t)b.length;
    put(&b, counts.data, counts.length);
    const uint32_t at_profile = (uint32_t)b.length;
    if (t->profile) put(&b, t->profile->data, t->profile->length);
    const uint32_t at_bits = (uint32_t)b.length;
    for (size_t k = 0; k < p->channels; k++) put_word(&bits, t, t->deep ? 16 : 8, 2);
    put(&b, bits.data, bits.length);
    const uint32_t at_colours = (uint32_t)b.length;
    for (uint32_t i = 0; i < 768 && t->palette; i++) put_word(&b, t, (i * 7 & 255) << 8, 2);
    bytes head = { 0 };
    put_word(&head, t, (uint32_t)b.length, 4);
    memcpy(b.data + 4, head.data, 4);
    const uint32_t channels = (uint32_t)p->channels, wide = parts == 1 ? 0 : 1;
    const uint32_t first = 8, all = (uint32_t)(at_offsets - 8);
    put_word(&b, t, (uint32_t)(11 + (t->tile > 0) + has_opacity(p) + (t->profile != NULL) + t->palette), 2);
    put_field(&b, t, 256, 4, 1, (uint32_t)p->width);
    put_field(&b, t, 257, 4, 1, (uint32_t)p->height);
    put_field(&b, t, 258, 3, channels, channels == 1 ? (t->deep ? 16 : 8) : at_bits);
    if (channels == 2) { /* two shorts stand in the field itself */
        b.length -= 4;
        put(&b, bits.data, 4);
    }
    put_field(&b, t, 259, 3, 1, 1);
    put_field(&b, t, 262, 3, 1, t->palette ? 3 : channels >= 3 ? 2 : t->white ? 0 : 1);
    if (!t->tile) put_field(&b, t, 273, 4, parts, wide ? at_offsets : first);
    put_field(&b, t, 274, 3, 1, t->orientation);
    put_field(&b, t, 277, 3, 1, channels);
    if (!t->tile) put_field(&b, t, 278, 4, 1, rows);
    if (!t->tile) put_field(&b, t, 279, 4, parts, wide ? at_counts : all);
    put_field(&b, t, 284, 3, 1, t->separate ? 2 : 1);
    if (t->palette) put_field(&b, t, 320, 3, 768, at_colours);
    if (t->tile) {
        put_field(&b, t, 322, 4, 1, t->tile);
        put_field(&b, t, 323, 4, 1, t->tile);
        put_field(&b, t, 324, 4, parts, wide ? at_offsets : first);
        put_field(&b, t, 325, 4, parts, wide ? at_counts : all);
    }
    if (has_opacity(p)) put_field(&b, t, 338, 3, 1, t->multiplied ? 1 : 2);
    if (t->profile) put_field(&b, t, 34675, 7, (uint32_t)t->profile->length, at_profile);
    put_word(&b, t, 0, 4);
    free(offsets.data);
    free(counts.data);
    free(bits.data);
    free(head.data);
    return b;
}

static tiff tiff_random(sos_random *r, uint64_t c)
{
    tiff t = { .big = c % 2, .deep = c / 2 % 2, .orientation = 1 + (unsigned)(c / 4 % 8), .separate = sos_random_below(r, 2) };
    t.raster = raster_random(r, 1 + c / 3 % 4, t.deep);
    t.white = t.raster.channels < 3 && sos_random_below(r, 2);
    t.tile = sos_random_below(r, 2) ? 16 : 0;
    return t;
}

static void a_tiff_is_what_was_stored(void **state)
{
    (void)state;
    if (!s3svm_image_has_tiff()) skip();
    for (uint64_t c = 0; c < test_cases(192); c++) {
        sos_random r = test_case_begin(c);
        const tiff t = tiff_random(&r, c);
        const bytes file = tiff_file(&t);
        check_kept(&t.raster, t.deep, t.orientation, &file);
        free(file.data);
        free(t.raster.samples);
    }
}

/* Colours that are stored multiplied by their opacity come back as far as its digits allow. */
static void opacity_is_divided_out_of_a_tiff(void **state)
{
    (void)state;
    if (!s3svm_image_has_tiff()) skip();
    for (uint64_t c = 0; c < test_cases(8); c++) {
        sos_random r = test_case_begin(c);
        tiff t = { .deep = c % 2, .orientation = 1, .multiplied = true, .raster = raster_random(&r, 4, c % 2) };
        const double most = t.deep ? 65535 : 255;
        raster *p = &t.raster;
        const raster pure = *p;
        p->samples = test_room(NULL, p->width * p->height * 4, sizeof *p->samples);
        for (size_t i = 0; i < p->width * p->height * 4; i++) {
            const double unit = t.deep ? 1 : 257, value = pure.samples[i] / unit, opacity = pure.samples[i / 4 * 4 + 3] / unit;
            p->samples[i] = (uint16_t)(unit * (i % 4 == 3 ? value : (double)(long)(value * opacity / most + 0.5)));
        }
        const bytes file = tiff_file(&t);
        s3svm_picture got;
        sos_error error;
        check_ok(parse(&file, &got, &error), error);
        for (size_t i = 0; i < p->width * p->height * 4; i++) {
            const unsigned opacity = pure.samples[i / 4 * 4 + 3];
            const double error_most = opacity ? 0.51 * 65535 / opacity + 0.5 : 256;
            if (i % 4 == 3 || !opacity) continue;
            const double found = got.deep ? got.deep[i] : got.image.pixels[i], wanted = pure.samples[i] / (t.deep ? 1 : 257.0);
            check(found - wanted <= error_most + 0.51 && wanted - found <= error_most + 0.51);
        }
        s3svm_picture_free(&got);
        free(file.data);
        free(p->samples);
        free(pure.samples);
    }
}

static void tiffs_have_palettes_and_labels(void **state)
{
    (void)state;
    if (!s3svm_image_has_tiff()) skip();
    for (uint64_t c = 0; c < test_cases(8); c++) {
        sos_random r = test_case_begin(c);
        const tiff t = { .big = c & 1, .palette = c & 2, .orientation = 1, .raster = raster_random(&r, 1, false) };
        const bytes file = tiff_file(&t);
        s3svm_image labels, colours;
        sos_error error;
        check_ok(s3svm_image_parse(file.data, file.length, "x", S3SVM_IMAGE_LABELS, &labels, &error), error);
        check_ok(s3svm_image_parse(file.data, file.length, "x", S3SVM_IMAGE_COLOUR, &colours, &error), error);
        for (size_t i = 0; i < t.raster.width * t.raster.height; i++) {
            const unsigned number = t.raster.samples[i] >> 8;
            assert_int_equal(labels.pixels[i], number);
            for (unsigned k = 0; k < 3; k++)
                assert_int_equal(colours.pixels[3 * i + k], t.palette ? (k * 256 + number) * 7 & 255 : number);
        }
        s3svm_image_free(&labels);
        s3svm_image_free(&colours);
        free(file.data);
        free(t.raster.samples);
    }
    sos_random r = test_case_begin(0);
    const tiff t = { .orientation = 1, .raster = raster_random(&r, 3, false) };
    const bytes file = tiff_file(&t);
    s3svm_image labels;
    sos_error error;
    check_error(s3svm_image_parse(file.data, file.length, "x", S3SVM_IMAGE_LABELS, &labels, &error), SOS_ERR_FORMAT, error,
                "x: a label picture is grey or has a palette");
    free(file.data);
    free(t.raster.samples);
}

/* ---- writing ---- */

static s3svm_picture picture_random(sos_random *r, size_t channels, bool deep)
{
    s3svm_picture p = {
        .image = { .width = 1 + sos_random_below(r, 20), .height = 1 + sos_random_below(r, 20), .channels = channels }
    };
    const size_t samples = p.image.width * p.image.height * channels;
    p.image.pixels = test_room(NULL, samples, 1);
    if (deep) p.deep = test_room(NULL, samples, sizeof *p.deep);
    for (size_t i = 0; i < samples; i++) {
        const unsigned value = (unsigned)sos_random_below(r, 65536);
        p.image.pixels[i] = (uint8_t)byte_of(value);
        if (deep) p.deep[i] = (uint16_t)value;
    }
    if (channels == 4) p.image.pixels[3] = 7; /* not all of it is opaque */
    if (channels == 4 && deep) p.deep[3] = 7 * 257;
    return p;
}

/* What is read of it again: where loss is said, colours may differ by it. */
static void check_round_trip(const s3svm_picture *p, const char *name, bool keeps_depth, bool keeps_profile, int loss)
{
    s3svm_picture got;
    sos_error error;
    check_ok(s3svm_picture_write(p, scratch(name), &error), error);
    check_ok(s3svm_picture_read(scratch(name), &got, &error), error);
    check(got.image.width == p->image.width && got.image.height == p->image.height);
    check(got.image.channels == (p->image.channels == 4 ? 4 : 3) && (got.deep != NULL) == (p->deep && keeps_depth));
    for (size_t i = 0; i < s3svm_image_size(&got.image) * got.image.channels; i++) {
        const size_t from = p->image.channels == 1 ? i / 3 : i;
        check(abs(got.image.pixels[i] - p->image.pixels[from]) <= loss);
        if (got.deep) assert_int_equal(got.deep[i], p->deep[from]);
    }
    const bool profile = p->profile && keeps_profile && p->image.channels >= 3;
    assert_int_equal(got.profile_length, profile ? p->profile_length : 0);
    if (profile) assert_memory_equal(got.profile, p->profile, p->profile_length);
    s3svm_picture_free(&got);
    remove(scratch(name));
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(24); c++) {
        sos_random r = test_case_begin(c);
        static const size_t channels[] = { 1, 3, 4 };
        s3svm_picture p = picture_random(&r, channels[c % 3], c & 1);
        bytes profile = profile_make("RGB ", c & 2 ? 500 : 200000);
        if (c & 4) {
            p.profile = profile.data;
            p.profile_length = profile.length;
        } else
            free(profile.data);
        if (s3svm_image_has_png()) check_round_trip(&p, "a.png", true, true, 0);
        if (s3svm_image_has_tiff()) check_round_trip(&p, "a.tif", true, true, 0);
        if (s3svm_image_has_tiff()) check_round_trip(&p, "a.TIFF", true, true, 0);
        if (s3svm_image_has_webp()) check_round_trip(&p, "a.webp", false, true, 0);
        if (p.image.channels < 4) check_round_trip(&p, "a.ppm", true, false, 0);
        if (p.image.channels < 3) check_round_trip(&p, "a.pgm", true, false, 0);
        if (p.image.channels < 4 && s3svm_image_has_jpeg()) check_round_trip(&p, "a.jpg", false, true, 255);
        s3svm_picture_free(&p);
    }
}

/* The notes of a camera in a WebP: a chunk behind the picture, which the header announces. */
static void a_webp_is_turned_as_the_camera_was_held(void **state)
{
    (void)state;
    if (!s3svm_image_has_webp()) skip();
    for (unsigned orientation = 1; orientation <= 8; orientation++) {
        sos_random r = test_case_begin(orientation);
        const raster p = raster_random(&r, 3, false);
        s3svm_picture plain = { .image = { .width = p.width, .height = p.height, .channels = 3 } };
        plain.image.pixels = test_room(NULL, p.width * p.height, 3);
        for (size_t i = 0; i < 3 * p.width * p.height; i++) plain.image.pixels[i] = (uint8_t)(p.samples[i] >> 8);
        sos_error error;
        char *written;
        size_t length;
        check_ok(s3svm_picture_write(&plain, scratch("a.webp"), &error), error);
        check_ok(sos_file_read(scratch("a.webp"), SOS_CONTENT_BYTES, &written, &length, &error), error);
        bytes exif = exif_make(false, orientation), file = { 0 };
        const uint8_t head[] = {
            'V', 'P', '8', 'X', 10, 0, 0, 0, 8, 0, 0, 0, (uint8_t)(p.width - 1), 0, 0, (uint8_t)(p.height - 1), 0, 0
        };
        const uint32_t size = (uint32_t)(4 + sizeof head + length - 12 + 8 + exif.length);
        const uint8_t sizes[] = { (uint8_t)size, (uint8_t)(size >> 8), 0, 0, (uint8_t)exif.length, 0, 0, 0 };
        put_text(&file, "RIFF");
        put(&file, sizes, 4);
        put_text(&file, "WEBP");
        put(&file, head, sizeof head);
        put(&file, written + 12, length - 12);
        put_text(&file, "EXIF");
        put(&file, sizes + 4, 4);
        put(&file, exif.data, exif.length);
        check_kept(&p, false, orientation, &file);
        remove(scratch("a.webp"));
        free(written);
        free(file.data);
        free(exif.data);
        free(p.samples);
        s3svm_picture_free(&plain);
    }
}

/* ---- what is wrong ---- */

static bytes sample_file(sos_random *r, uint64_t c)
{
    bytes b = { 0 };
    if (c % 2 == 0 && s3svm_image_has_tiff()) {
        const tiff t = tiff_random(r, c / 2);
        b = tiff_file(&t);
        free(t.raster.samples);
    } else if (c % 2 && s3svm_image_has_webp()) {
        s3svm_picture p = picture_random(r, 3 + c / 2 % 2, false);
        sos_error error;
        char *written;
        check_ok(s3svm_picture_write(&p, scratch("a.webp"), &error), error);
        check_ok(sos_file_read(scratch("a.webp"), SOS_CONTENT_BYTES, &written, &b.length, &error), error);
        b.data = (uint8_t *)written;
        remove(scratch("a.webp"));
        s3svm_picture_free(&p);
    }
    return b;
}

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(16); c++) {
        sos_random r = test_case_begin(c);
        const bytes whole = sample_file(&r, c);
        for (bytes b = { whole.data, 0, 0 }; b.length + 4 < whole.length;
             b.length++) { /* the last bytes say that none follow */
            s3svm_picture got = { .profile_length = 7 };
            sos_error error = { 0 };
            check(parse(&b, &got, &error) && strstr(error.message, "photo.x") && got.profile_length == 7);
        }
        free(whole.data);
    }
}

static void damaged_files_are_read_or_refused(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(2000); c++) {
        sos_random r = test_case_begin(c);
        const bytes b = sample_file(&r, c);
        if (!b.length) continue;
        for (uint64_t k = sos_random_below(&r, 4) + 1; k; k--)
            b.data[sos_random_below(&r, b.length)] = (uint8_t)sos_random_below(&r, 256);
        s3svm_picture got = { 0 };
        sos_error error = { 0 };
        if (parse(&b, &got, &error)) check(strstr(error.message, "photo.x") && !got.image.pixels);
        s3svm_picture_free(&got);
        free(b.data);
    }
}

/* A few bytes that say they are a picture as large as memory. */
static void sizes_that_nobody_believes_are_refused(void **state)
{
    (void)state;
    if (!s3svm_image_has_tiff()) skip();
    sos_random r = test_case_begin(0);
    tiff t = { .orientation = 1, .big = true, .raster = raster_random(&r, 3, false) };
    t.raster.width = t.raster.height = 1;
    const bytes file = tiff_file(&t);
    uint8_t *directory = file.data + (file.data[6] << 8 | file.data[7]);
    for (int k = 0; k < 2; k++) memcpy(directory + 2 + 12 * k + 8, "\0\0\x40\0", 4);
    s3svm_picture got;
    sos_error error;
    check_error(parse(&file, &got, &error), SOS_ERR_FORMAT, error, "photo.x: 16384 by 16384 pixels in a file of");
    for (int k = 0; k < 2; k++) memcpy(directory + 2 + 12 * k + 8, "\0\4\0\0", 4);
    check_error(parse(&file, &got, &error), SOS_ERR_RANGE, error, "photo.x: 262144 by 262144 pixels are too many");
    free(file.data);
    free(t.raster.samples);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    s3svm_picture p = { 0 };
    s3svm_image image;
    sos_error error;
    check_error(s3svm_picture_read(NULL, &p, &error), SOS_ERR_ARGUMENT, error, "no path");
    check_error(s3svm_picture_read("x", NULL, &error), SOS_ERR_ARGUMENT, error, "no path");
    check_error(s3svm_picture_parse(NULL, 0, "x", &p, &error), SOS_ERR_ARGUMENT, error, "no bytes");
    check_error(s3svm_picture_write(NULL, "x.png", &error), SOS_ERR_ARGUMENT, error, "no picture");
    check_error(s3svm_picture_write(&p, "x.png", &error), SOS_ERR_ARGUMENT, error, "no picture");
    check_error(s3svm_picture_seen(&p, &image, &error), SOS_ERR_ARGUMENT, error, "no picture");
    check_error(s3svm_picture_read(scratch("none.png"), &p, &error), SOS_ERR_IO, error, "cannot open", "none.png");
    s3svm_picture_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_png_keeps_opacity_depth_and_the_way_it_was_held),
        cmocka_unit_test(opaque_pictures_have_three_channels),
        cmocka_unit_test(profiles_of_colours_are_read_and_others_are_none),
        cmocka_unit_test(a_tiff_is_what_was_stored),
        cmocka_unit_test(opacity_is_divided_out_of_a_tiff),
        cmocka_unit_test(tiffs_have_palettes_and_labels),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(a_webp_is_turned_as_the_camera_was_held),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(damaged_files_are_read_or_refused),
        cmocka_unit_test(sizes_that_nobody_believes_are_refused),
        cmocka_unit_test(arguments_are_checked),
    };
    return cmocka_run_group_tests_name("picture", tests, scratch_make, scratch_remove_empty);
}

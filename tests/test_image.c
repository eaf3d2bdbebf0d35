/* test_image.c - pictures in files: what is decoded is what was stored, by files put together here byte by byte; what is
 * damaged, cut, too large or of another format is refused with its name; what is written reads back. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "bytes.h"
#include "scratch.h"
#include "support.h"
#include <s3svm/image.h>

static const char *file_make(const char *name, const bytes *b)
{
    FILE *file = fopen(scratch(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(b->data, 1, b->length, file), b->length);
    fclose(file);
    return scratch(name);
}

/* ---- what the pixels must be, in real numbers ---- */

/* The nearest integer; halves go up, also where a sum of decimals falls short of one. */
static int nearest(double x) { return (int)floor(x + 0.5 + 1e-9); }

typedef struct colour {
    double r, g, b, a; /* 0 ... 255 */
} colour;

/* The pixel of a picture that is stored as this colour; 3 channels or 1. */
static void expect_colour(colour c, bool is_grey, size_t channels, int expected[3])
{
    const double opacity = c.a / 255;
    const int r = nearest(c.r * opacity + 255 * (1 - opacity)), g = nearest(c.g * opacity + 255 * (1 - opacity)),
              b = nearest(c.b * opacity + 255 * (1 - opacity));
    expected[0] = channels == 3 || is_grey ? r : nearest(0.299 * r + 0.587 * g + 0.114 * b);
    expected[1] = g;
    expected[2] = b;
}

static void check_pixel(const s3svm_image *image, size_t x, size_t y, const int expected[3], int tolerance)
{
    for (size_t c = 0; c < image->channels; c++) {
        const int found = image->pixels[(y * image->width + x) * image->channels + c];
        if (abs(found - expected[c]) > tolerance)
            test_fail(__FILE__, __LINE__, "pixel (%zu, %zu), channel %zu of %zu, is %d and not %d", x, y, c, image->channels,
                      found, expected[c]);
    }
}

/* Reads from a copy of just that length, so that a sanitizer sees what reads past its end. */
static sos_status parse(const uint8_t *data, size_t length, s3svm_image_kind kind, s3svm_image *out, sos_error *error)
{
    uint8_t *copy = malloc(length);
    assert_true(copy || !length);
    if (length) memcpy(copy, data, length);
    const sos_status status = s3svm_image_parse(copy ? copy : data, length, "photo.x", kind, out, error);
    free(copy);
    return status;
}

static s3svm_image parse_ok(const bytes *b, s3svm_image_kind kind)
{
    s3svm_image image = { 0 };
    sos_error error = { 0 };
    check_ok(parse(b->data, b->length, kind, &image, &error), error);
    check(image.pixels && image.channels == (kind == S3SVM_IMAGE_COLOUR ? 3 : 1));
    return image;
}

/* Refused with these words and the file's name, and what was there before is still there. */
#define check_refused(b, kind, wanted, ...)                                                                                    \
    do {                                                                                                                       \
        s3svm_image before = { .width = 7 };                                                                                   \
        sos_error error = { SOS_OK, "" };                                                                                      \
        check_error(parse((b)->data, (b)->length, (kind), &before, &error), (wanted), error, "photo.x: ", __VA_ARGS__);        \
        check(before.width == 7 && !before.pixels);                                                                            \
    } while (0)

static bool is_built_with(const char *start, size_t length, const char *library)
{
    s3svm_image image;
    sos_error error = { 0 };
    check(s3svm_image_parse(start, length, "x", S3SVM_IMAGE_GREY, &image, &error));
    if (!strstr(error.message, library)) return true;
    print_message("%s\n", library);
    return false;
}

/* What is read as grey is the luma of what is read in colour. */
static void luma_is_that_of_grey_files(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < test_cases(200); c++) {
        sos_random r = test_case_begin(c);
        uint8_t file[11 + 3 * 20] = "P6 5 4 255\n";
        for (size_t i = 11; i < sizeof file; i++) file[i] = (uint8_t)sos_random_below(&r, 256);
        const bytes b = { .data = file, .length = sizeof file };
        s3svm_image coloured = parse_ok(&b, S3SVM_IMAGE_COLOUR), grey = parse_ok(&b, S3SVM_IMAGE_GREY), luma;
        sos_error error;
        check_ok(s3svm_image_grey(&coloured, &luma, &error), error);
        check(luma.width == 5 && luma.height == 4 && luma.channels == 1 && !memcmp(luma.pixels, grey.pixels, 20));
        check_is(s3svm_image_grey(&grey, &luma, &error), SOS_ERR_ARGUMENT);
        s3svm_image_free(&coloured);
        s3svm_image_free(&grey);
        s3svm_image_free(&luma);
    }
}

static bool has_png(void) { return is_built_with("\x89PNG", 4, "built without libpng"); }
static bool has_jpeg(void) { return is_built_with("\xff\xd8\xff", 3, "built without libjpeg"); }

#define need(library)                                                                                                          \
    do {                                                                                                                       \
        (void)state;                                                                                                           \
        if (!has_##library()) skip();                                                                                          \
    } while (0)

/* ---- PNG files by hand: stored, not deflated ---- */

enum { GREY = 0, RGB = 2, PALETTE = 3, GREY_ALPHA = 4, RGBA = 6 };

typedef struct png {
    uint32_t width, height;
    uint32_t depth, type;
    bool interlaced;
    size_t channels, colours;
    uint16_t *samples; /* as stored */
    uint8_t palette[256][3], opacity[256];
    size_t opacities; /* how many of them a palette has */
    bool has_key;     /* this colour is transparent */
    uint16_t key[3];
} png;

/* Pixels x0, x0 + dx, ... of row y, after the byte that says they are not filtered. */
static void put_scanline(bytes *raw, const png *p, uint32_t y, uint32_t x0, uint32_t dx)
{
    put_number(raw, 0, 1);
    uint32_t held = 0, bits = 0;
    for (uint32_t x = x0; x < p->width; x += dx)
        for (size_t c = 0; c < p->channels; c++) {
            const uint32_t sample = p->samples[(y * p->width + x) * p->channels + c];
            held = held << p->depth | sample;
            bits += p->depth;
            if (bits < 8) continue;
            put_number(raw, held, (int)bits / 8);
            held = bits = 0;
        }
    if (bits) put_number(raw, held << (8 - bits), 1);
}

static void put_raster(bytes *raw, const png *p)
{
    static const uint32_t adam7[7][4] = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 },
                                          { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 } };
    static const uint32_t plain[1][4] = { { 0, 0, 1, 1 } };
    for (int pass = 0; pass < (p->interlaced ? 7 : 1); pass++) {
        const uint32_t *q = p->interlaced ? adam7[pass] : plain[pass];
        if (q[0] >= p->width) continue;
        for (uint32_t y = q[1]; y < p->height; y += q[3]) put_scanline(raw, p, y, q[0], q[2]);
    }
}

static void put_header(bytes *b, uint32_t width, uint32_t height, uint32_t depth, uint32_t type, bool interlaced)
{
    bytes body = { 0 };
    put_number(&body, width, 4);
    put_number(&body, height, 4);
    put_number(&body, depth << 24 | type << 16, 4);
    put_number(&body, interlaced, 1);
    put(b, "\x89PNG\r\n\x1a\n", 8);
    put_chunk(b, "IHDR", &body);
    free(body.data);
}

static void put_colours(bytes *b, const png *p)
{
    bytes body = { 0 };
    if (p->type == PALETTE) {
        put(&body, p->palette, 3 * p->colours);
        put_chunk(b, "PLTE", &body);
        body.length = 0;
        put(&body, p->opacity, p->opacities);
    } else if (p->has_key) {
        for (size_t c = 0; c < p->channels; c++) put_number(&body, p->key[c], 2);
    }
    if (body.length) put_chunk(b, "tRNS", &body);
    free(body.data);
}

static bytes png_file(const png *p)
{
    bytes b = { 0 }, raw = { 0 }, body = { 0 };
    put_header(&b, p->width, p->height, p->depth, p->type, p->interlaced);
    put_colours(&b, p);
    put_raster(&raw, p);
    put_zlib(&body, &raw);
    put_chunk(&b, "IDAT", &body);
    body.length = 0;
    put_chunk(&b, "IEND", &body);
    free(raw.data);
    free(body.data);
    return b;
}

static png png_random(sos_random *r, uint32_t type, uint32_t depth, uint32_t side_max)
{
    static const size_t channels[] = { 1, 0, 3, 1, 2, 0, 4 };
    png p = { .type = type, .depth = depth, .channels = channels[type] };
    p.width = 1 + (uint32_t)sos_random_below(r, side_max);
    p.height = 1 + (uint32_t)sos_random_below(r, side_max);
    p.interlaced = sos_random_below(r, 2);
    p.colours = 1 + sos_random_below(r, depth < 8 ? UINT64_C(1) << depth : 256);
    p.opacities = sos_random_below(r, 2) ? sos_random_below(r, p.colours + 1) : 0;
    for (size_t i = 0; i < 256; i++) {
        for (size_t c = 0; c < 3; c++) p.palette[i][c] = (uint8_t)sos_random_bits(r);
        p.opacity[i] = (uint8_t)sos_random_bits(r);
    }
    const size_t count = p.width * p.height * p.channels;
    const uint64_t limit = type == PALETTE ? p.colours : UINT64_C(1) << depth;
    p.samples = test_room(NULL, count, sizeof *p.samples);
    for (size_t i = 0; i < count; i++) p.samples[i] = (uint16_t)sos_random_below(r, limit);
    p.has_key = (type == GREY || type == RGB) && sos_random_below(r, 2);
    const size_t chosen = sos_random_below(r, (uint64_t)p.width * p.height) * p.channels;
    for (size_t c = 0; c < p.channels && c < 3; c++) p.key[c] = p.samples[chosen + c];
    if (p.has_key && depth == 16 && chosen) { /* the pixel before differs from the key in the last bit only: still opaque */
        memcpy(p.samples + chosen - p.channels, p.key, p.channels * sizeof *p.samples);
        p.samples[chosen - 1] ^= 1;
    }
    return p;
}

static colour png_colour(const png *p, size_t pixel)
{
    const uint16_t *s = p->samples + pixel * p->channels;
    if (p->type == PALETTE) {
        const uint8_t *q = p->palette[s[0]];
        return (colour){ q[0], q[1], q[2], s[0] < p->opacities ? p->opacity[s[0]] : 255 };
    }
    double v[4] = { 0 };
    for (size_t c = 0; c < p->channels; c++) v[c] = nearest(s[c] * 255.0 / (double)((1 << p->depth) - 1));
    const bool clear = p->has_key && !memcmp(s, p->key, p->channels * sizeof *s);
    if (p->channels <= 2) return (colour){ v[0], v[0], v[0], p->channels == 2 ? v[1] : clear ? 0 : 255 };
    return (colour){ v[0], v[1], v[2], p->channels == 4 ? v[3] : clear ? 0 : 255 };
}

static void check_png(const png *p, const bytes *file, s3svm_image_kind kind)
{
    s3svm_image image = parse_ok(file, kind);
    check(image.width == p->width && image.height == p->height);
    for (size_t i = 0; i < s3svm_image_size(&image); i++) {
        int expected[3] = { p->samples[i * p->channels] };
        if (kind != S3SVM_IMAGE_LABELS)
            expect_colour(png_colour(p, i), p->type == GREY || p->type == GREY_ALPHA, image.channels, expected);
        check_pixel(&image, i % p->width, i / p->width, expected, 0);
    }
    s3svm_image_free(&image);
}

static const uint32_t png_kinds[][2] = { { GREY, 1 },    { GREY, 2 }, { GREY, 4 },    { GREY, 8 },       { GREY, 16 },
                                         { RGB, 8 },     { RGB, 16 }, { PALETTE, 1 }, { PALETTE, 2 },    { PALETTE, 4 },
                                         { PALETTE, 8 }, { RGBA, 8 }, { RGBA, 16 },   { GREY_ALPHA, 8 }, { GREY_ALPHA, 16 } };
enum { PNG_KINDS = sizeof png_kinds / sizeof *png_kinds };

static void every_png_is_what_was_stored(void **state)
{
    need(png);
    for (uint64_t c = 0; c < test_cases(3000); c++) {
        sos_random r = test_case_begin(c);
        const uint32_t type = png_kinds[c % PNG_KINDS][0], depth = png_kinds[c % PNG_KINDS][1];
        png p = png_random(&r, type, depth, c % 10 ? 20 : 300);
        const bytes file = png_file(&p);
        check_png(&p, &file, S3SVM_IMAGE_GREY);
        check_png(&p, &file, S3SVM_IMAGE_COLOUR);
        if (depth == 16) {
            check_refused(&file, S3SVM_IMAGE_LABELS, SOS_ERR_FORMAT, "16 bits", "label");
        } else if (type == RGB || type == RGBA) {
            check_refused(&file, S3SVM_IMAGE_LABELS, SOS_ERR_FORMAT, "colour", "label");
        } else if (type != GREY_ALPHA) {
            check_png(&p, &file, S3SVM_IMAGE_LABELS);
        }
        free(file.data);
        free(p.samples);
    }
}

static void labels_with_opacity_must_be_opaque(void **state)
{
    need(png);
    uint16_t samples[] = { 3, 255, 200, 255, 0, 255, 7, 255 };
    png p = { .width = 2, .height = 2, .depth = 8, .type = GREY_ALPHA, .channels = 2, .samples = samples };
    bytes file = png_file(&p);
    check_png(&p, &file, S3SVM_IMAGE_LABELS);
    free(file.data);
    samples[7] = 254;
    file = png_file(&p);
    check_refused(&file, S3SVM_IMAGE_LABELS, SOS_ERR_FORMAT, "(1, 1)", "opaque");
    free(file.data);
}

static void all_values_of_16_bits_are_rounded_to_the_nearest(void **state)
{
    need(png);
    png p = { .width = 256, .height = 256, .depth = 16, .type = GREY, .channels = 1 };
    p.samples = test_room(NULL, 65536, sizeof *p.samples);
    for (size_t i = 0; i < 65536; i++) p.samples[i] = (uint16_t)i;
    const bytes file = png_file(&p);
    s3svm_image image = parse_ok(&file, S3SVM_IMAGE_GREY);
    for (size_t i = 0; i < 65536; i++) check(image.pixels[i] == (i + 128) / 257);
    s3svm_image_free(&image);
    free(file.data);
    free(p.samples);
}

static void a_colour_that_is_not_in_the_palette_is_refused(void **state)
{
    need(png);
    uint16_t samples[] = { 0, 1, 2, 1, 5, 0 };
    png p = { .width = 3, .height = 2, .depth = 8, .type = PALETTE, .channels = 1, .colours = 3, .samples = samples };
    const bytes file = png_file(&p);
    check_refused(&file, S3SVM_IMAGE_COLOUR, SOS_ERR_FORMAT, "(1, 1)", "colour 5", "palette of 3");
    check_refused(&file, S3SVM_IMAGE_GREY, SOS_ERR_FORMAT, "(1, 1)", "colour 5", "palette of 3");
    check_png(&p, &file, S3SVM_IMAGE_LABELS); /* numbers are what was stored */
    free(file.data);
}

/* Chunks that are not needed, even damaged or large ones, are passed over. */
static void other_chunks_of_a_png_are_passed_over(void **state)
{
    need(png);
    uint16_t samples[] = { 10, 20 };
    const png p = { .width = 2, .height = 1, .depth = 8, .type = GREY, .channels = 1, .samples = samples };
    const bytes file = png_file(&p);
    const char *names[] = { "zTXt", "iCCP", "gAMA", "eXIf", "bKGD", "abCd", "tEXt" };
    bytes longer = { 0 }, rubbish = { 0 };
    for (int i = 0; i < 9000000; i++) put_number(&rubbish, (uint32_t)i * 37, 1);
    put(&longer, file.data, 33); /* up to the end of the header */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rubbish.length = i ? 100 : 9000000;
        put_chunk(&longer, names[i], &rubbish);
    }
    put(&longer, file.data + 33, file.length - 33);
    check_png(&p, &longer, S3SVM_IMAGE_GREY);
    free(rubbish.data);
    free(longer.data);
    free(file.data);
}

/* ---- JPEG files by hand: every block of 8x8 pixels has one value ---- */

typedef struct jpeg {
    uint32_t blocks_x, blocks_y; /* pixels are 8 times as many, less what is cut off */
    uint32_t cut;
    size_t channels;
    uint8_t *values; /* block by block, channels side by side */
    bool progressive;
    int scans;   /* progressive: how many follow, without content */
    int adobe;   /* what the marker says of colours; -1: no marker */
    int turned;  /* 1 ... 8; 0: not noted */
    bool little; /* which end of the note comes first */
} jpeg;

typedef struct bit_sink {
    bytes *to;
    uint32_t held;
    int count;
} bit_sink;

static void put_bits(bit_sink *s, uint32_t bits, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        s->held = s->held << 1 | (bits >> i & 1);
        if (++s->count < 8) continue;
        put_number(s->to, s->held, 1);
        if ((s->held & 255) == 255) put_number(s->to, 0, 1);
        s->count = 0;
    }
}

static void put_segment(bytes *b, uint32_t marker, const bytes *body)
{
    put_number(b, 0xff00 | marker, 2);
    put_number(b, (uint32_t)body->length + 2, 2);
    put(b, body->data, body->length);
}

/* Numbers in either order of bytes. */
static void put_either(bytes *b, bool little, uint32_t number, int count)
{
    for (int i = 0; i < count; i++) put_number(b, number >> 8 * (little ? i : count - 1 - i), 1);
}

static void put_turned(bytes *b, const jpeg *j)
{
    bytes body = { 0 };
    put(&body, "Exif\0", 6);
    put_text(&body, j->little ? "II" : "MM");
    put_either(&body, j->little, 42, 2);
    put_either(&body, j->little, 8, 4);
    put_either(&body, j->little, 2, 2); /* entries: the width, as something to pass over, and the rotation */
    put_either(&body, j->little, 0x100, 2);
    put_either(&body, j->little, 4, 2);
    put_either(&body, j->little, 1, 4);
    put_either(&body, j->little, 99, 4);
    put_either(&body, j->little, 0x112, 2);
    put_either(&body, j->little, 3, 2);
    put_either(&body, j->little, 1, 4);
    put_either(&body, j->little, (uint32_t)j->turned, 2);
    put_number(&body, 0, 2);
    put_number(&body, 0, 4); /* there is no other directory */
    put_segment(b, 0xe1, &body);
    free(body.data);
}

static uint32_t jpeg_width(const jpeg *j) { return 8 * j->blocks_x - j->cut; }
static uint32_t jpeg_height(const jpeg *j) { return 8 * j->blocks_y - j->cut; }

/* Steps of 8 for the mean, which is stored 8 times as large: the values themselves.  Codes: 4 bits for the means of 0 to 8
 * bits, 1 bit for "nothing more in this block". */
static void put_tables(bytes *b, const jpeg *j)
{
    bytes body = { 0 };
    put_number(&body, 0, 1);
    put_number(&body, 8, 1);
    for (int i = 1; i < 64; i++) put_number(&body, 1, 1);
    put_segment(b, 0xdb, &body);
    body.length = 0;
    put_number(&body, 8, 1);
    put_number(&body, jpeg_height(j), 2);
    put_number(&body, jpeg_width(j), 2);
    put_number(&body, (uint32_t)j->channels, 1);
    for (size_t c = 0; c < j->channels; c++) put_number(&body, (uint32_t)(c + 1) << 16 | 0x1100, 3);
    put_segment(b, j->progressive ? 0xc2 : 0xc0, &body);
    body.length = 0;
    put(&body, "\0\0\0\0\11\0\0\0\0\0\0\0\0\0\0\0\0\0\1\2\3\4\5\6\7\10", 26);
    put(&body, "\20\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 18);
    put_segment(b, 0xc4, &body);
    free(body.data);
}

static void put_scan_head(bytes *b, size_t channels, uint32_t first, uint32_t last, uint32_t shift)
{
    bytes body = { 0 };
    put_number(&body, (uint32_t)channels, 1);
    for (size_t c = 0; c < channels; c++) put_number(&body, (uint32_t)(c + 1) << 8, 2);
    put_number(&body, first << 16 | last << 8 | shift, 3);
    put_segment(b, 0xda, &body);
    free(body.data);
}

static void put_means(bytes *b, const jpeg *j)
{
    int last[4] = { 0 };
    bit_sink s = { .to = b };
    put_scan_head(b, j->channels, 0, j->progressive ? 0 : 63, 0);
    for (size_t i = 0; i < (size_t)j->blocks_x * j->blocks_y * j->channels; i++) {
        const size_t c = i % j->channels;
        const int value = j->values[i] - 128, difference = value - last[c];
        last[c] = value;
        int size = 0;
        while (abs(difference) >> size) size++;
        put_bits(&s, (uint32_t)size, 4);
        put_bits(&s, (uint32_t)(difference < 0 ? difference - 1 : difference), size);
        if (!j->progressive) put_bits(&s, 0, 1);
    }
    if (s.count) put_bits(&s, 0xff, 8 - s.count);
}

/* One frequency each, without content: at half precision first, then the missing bit. */
static void put_empty_scans(bytes *b, const jpeg *j)
{
    for (int i = 0; i < j->scans; i++) {
        bit_sink s = { .to = b };
        const uint32_t frequency = 1 + (uint32_t)i % 63;
        put_scan_head(b, 1, frequency, frequency, i < 63 ? 0x01 : 0x10);
        for (size_t k = 0; k < (size_t)j->blocks_x * j->blocks_y; k++) put_bits(&s, 0, 1);
        if (s.count) put_bits(&s, 0xff, 8 - s.count);
    }
}

static bytes jpeg_file(const jpeg *j)
{
    bytes b = { 0 }, body = { 0 };
    put_number(&b, 0xffd8, 2);
    if (j->turned) put_turned(&b, j);
    if (j->adobe >= 0) {
        put(&body, "Adobe\0\144\0\0\0\0", 11);
        put_number(&body, (uint32_t)j->adobe, 1);
        put_segment(&b, 0xee, &body);
    }
    put_tables(&b, j);
    put_means(&b, j);
    put_empty_scans(&b, j);
    put_number(&b, 0xffd9, 2);
    free(body.data);
    return b;
}

static jpeg jpeg_random(sos_random *r, size_t channels, int adobe)
{
    jpeg j = { .channels = channels, .adobe = adobe };
    j.blocks_x = 1 + (uint32_t)sos_random_below(r, 6);
    j.blocks_y = 1 + (uint32_t)sos_random_below(r, 6);
    j.cut = (uint32_t)sos_random_below(r, 8);
    j.progressive = sos_random_below(r, 2);
    const size_t count = (size_t)j.blocks_x * j.blocks_y * channels;
    j.values = test_room(NULL, count, 1);
    for (size_t i = 0; i < count; i++) j.values[i] = (uint8_t)sos_random_bits(r);
    return j;
}

static double clipped(double x) { return x < 0 ? 0 : x > 255 ? 255 : x; }

/* JFIF's formulas. */
static colour from_ycc(const uint8_t *v)
{
    const double y = v[0], cb = v[1] - 128.0, cr = v[2] - 128.0;
    return (colour){ clipped(y + 1.402 * cr), clipped(y - 0.344136 * cb - 0.714136 * cr), clipped(y + 1.772 * cb), 255 };
}

static colour jpeg_colour(const jpeg *j, const uint8_t *v)
{
    if (j->channels == 1) return (colour){ v[0], v[0], v[0], 255 };
    if (j->channels == 3) return j->adobe == 0 ? (colour){ v[0], v[1], v[2], 255 } : from_ycc(v);
    /* What is left of white: under Adobe's marker the numbers themselves, or 255 less the colours that YCC stands for. */
    const colour ycc = from_ycc(v);
    double left[4] = { v[0], v[1], v[2], v[3] };
    if (j->adobe == 2) left[0] = 255 - ycc.r, left[1] = 255 - ycc.g, left[2] = 255 - ycc.b;
    if (j->adobe < 0)
        for (int c = 0; c < 4; c++) left[c] = 255 - left[c];
    return (colour){ left[0] * left[3] / 255, left[1] * left[3] / 255, left[2] * left[3] / 255, 255 };
}

static void check_jpeg(const jpeg *j, const bytes *file, s3svm_image_kind kind)
{
    s3svm_image image = parse_ok(file, kind);
    check(image.width == jpeg_width(j) && image.height == jpeg_height(j));
    for (size_t i = 0; i < s3svm_image_size(&image); i++) {
        const size_t x = i % image.width, y = i / image.width;
        const uint8_t *v = j->values + (y / 8 * j->blocks_x + x / 8) * j->channels;
        int expected[3];
        expect_colour(jpeg_colour(j, v), j->channels == 1, image.channels, expected);
        check_pixel(&image, x, y, expected, j->channels == 1 ? 0 : 1);
    }
    s3svm_image_free(&image);
}

static void every_jpeg_is_what_was_stored(void **state)
{
    need(jpeg);
    static const int kinds[][2] = { { 1, -1 }, { 3, -1 }, { 3, 0 }, { 3, 1 }, { 4, -1 }, { 4, 0 }, { 4, 2 } };
    for (uint64_t c = 0; c < test_cases(1400); c++) {
        sos_random r = test_case_begin(c);
        jpeg j = jpeg_random(&r, (size_t)kinds[c % 7][0], kinds[c % 7][1]);
        const bytes file = jpeg_file(&j);
        check_jpeg(&j, &file, S3SVM_IMAGE_GREY);
        check_jpeg(&j, &file, S3SVM_IMAGE_COLOUR);
        check_refused(&file, S3SVM_IMAGE_LABELS, SOS_ERR_FORMAT, "JPEG", "label");
        free(file.data);
        free(j.values);
    }
}

/* Where the first row and the first column of the file are seen, from the table of the EXIF standard. */
static void a_turned_photograph_is_turned_back(void **state)
{
    need(jpeg);
    static const char *const seen[] = { "top left", "top right", "bottom right", "bottom left",
                                        "left top", "right top", "right bottom", "left bottom" };
    for (int turned = 1; turned <= 8; turned++)
        for (int little = 0; little < 2; little++) {
            uint8_t values[] = { 10, 20, 30, 40, 50, 60 };
            const jpeg j = {
                .blocks_x = 3, .blocks_y = 2, .channels = 1, .values = values, .adobe = -1, .turned = turned, .little = little
            };
            const bytes file = jpeg_file(&j);
            s3svm_image image = parse_ok(&file, little ? S3SVM_IMAGE_COLOUR : S3SVM_IMAGE_GREY);
            const bool lying = turned >= 5;
            check(image.width == (lying ? 16 : 24) && image.height == (lying ? 24 : 16));
            const char *row = seen[turned - 1], *column = strchr(row, ' ') + 1;
            for (size_t i = 0; i < s3svm_image_size(&image); i++) {
                const size_t x = i % image.width / 8, y = i / image.width / 8;
                const size_t far_x = image.width / 8 - 1 - x, far_y = image.height / 8 - 1 - y;
                const size_t file_y = *row == 't' ? y : *row == 'b' ? far_y : *row == 'l' ? x : far_x;
                const size_t file_x = *column == 't' ? y : *column == 'b' ? far_y : *column == 'l' ? x : far_x;
                check(image.pixels[i * image.channels] == values[file_y * 3 + file_x]);
            }
            size_t width = 0, height = 0;
            sos_error error;
            check_ok(s3svm_image_probe(file_make("turned.jpg", &file), &width, &height, &error), error);
            check(width == image.width && height == image.height);
            s3svm_image_free(&image);
            free(file.data);
        }
}

/* A note that makes no sense is no reason to refuse the picture. */
static void damaged_notes_of_a_camera_are_passed_over(void **state)
{
    need(jpeg);
    uint8_t values[] = { 10, 20, 30 };
    const jpeg j = { .blocks_x = 3, .blocks_y = 1, .channels = 1, .values = values, .adobe = -1, .turned = 6 };
    const bytes file = jpeg_file(&j);
    for (uint64_t c = 0; c < test_cases(3000); c++) {
        sos_random r = test_case_begin(c);
        bytes damaged = { 0 };
        put(&damaged, file.data, file.length);
        const size_t start = 6, end = 4 + 44; /* of the note, its marker and length left alone */
        for (int i = 0; i < 3; i++) damaged.data[start + sos_random_below(&r, end - start)] = (uint8_t)sos_random_bits(&r);
        s3svm_image image = parse_ok(&damaged, S3SVM_IMAGE_GREY);
        check(image.width * image.height == 24 * 8);
        check(image.width == 24 || image.width == 8);
        s3svm_image_free(&image);
        free(damaged.data);
    }
    free(file.data);
}

static void too_many_scans_are_refused(void **state)
{
    need(jpeg);
    uint8_t values[] = { 10, 200 };
    jpeg j = { .blocks_x = 2, .blocks_y = 1, .channels = 1, .values = values, .adobe = -1, .progressive = true, .scans = 90 };
    bytes file = jpeg_file(&j);
    check_jpeg(&j, &file, S3SVM_IMAGE_GREY);
    free(file.data);
    j.scans = 120;
    file = jpeg_file(&j);
    check_refused(&file, S3SVM_IMAGE_GREY, SOS_ERR_FORMAT, "scans");
    free(file.data);
}

/* Where the header with the size starts: its marker. */
static uint8_t *jpeg_header(const bytes *file)
{
    uint8_t *p = file->data;
    while (p[0] != 0xff || (p[1] != 0xc0 && p[1] != 0xc2)) p++;
    return p;
}

static void jpegs_of_rare_kinds_are_refused(void **state)
{
    need(jpeg);
    uint8_t values[] = { 10, 200 };
    const jpeg j = { .blocks_x = 1, .blocks_y = 1, .channels = 2, .values = values, .adobe = -1 };
    const bytes file = jpeg_file(&j);
    check_refused(&file, S3SVM_IMAGE_COLOUR, SOS_ERR_FORMAT, "2 channels");
    jpeg_header(&file)[4] = 12;
    check_refused(&file, S3SVM_IMAGE_COLOUR, SOS_ERR_FORMAT, "cannot be read as JPEG", "precision 12");
    jpeg_header(&file)[4] = 8;
    jpeg_header(&file)[1] = 0xc9;
    check_refused(&file, S3SVM_IMAGE_COLOUR, SOS_ERR_FORMAT, "arithmetic");
    free(file.data);
}

/* All coefficients of a progressive picture are kept until the last scan. */
static void progressive_jpegs_that_take_too_much_memory_are_refused(void **state)
{
    need(jpeg);
    uint8_t values[] = { 10, 20, 30, 40 };
    const jpeg j = { .blocks_x = 1, .blocks_y = 1, .channels = 4, .values = values, .adobe = 0, .progressive = true };
    bytes file = jpeg_file(&j);
    memcpy(jpeg_header(&file) + 5, "\x40\0\x40\0", 4);
    for (int i = 0; i < 600000; i++) put_number(&file, 0, 1); /* long enough for that many pixels, as far as one can tell */
    check_refused(&file, S3SVM_IMAGE_COLOUR, SOS_ERR_RANGE, "progressive", "bytes");
    free(file.data);
}

/* ---- PGM and PPM ---- */

/* Samples as a file, with comments and spaces where they may be. */
static bytes pnm_file(sos_random *r, char kind, size_t width, size_t height, uint32_t most, const uint32_t samples[])
{
    bytes b = { 0 };
    char text[100];
    snprintf(text, sizeof text, "P%c%s%zu%s%zu\n%u%s", kind, sos_random_below(r, 2) ? "\n# a comment 1 2 3\n" : " ", width,
             sos_random_below(r, 2) ? " # and another\n\t" : "\r\n", height, most, sos_random_below(r, 2) ? "\n" : " ");
    put_text(&b, text);
    const size_t count = width * height * (kind == '2' || kind == '5' ? 1 : 3);
    for (size_t i = 0; i < count; i++) {
        if (kind >= '5') {
            put_number(&b, samples[i], most > 255 ? 2 : 1);
            continue;
        }
        snprintf(text, sizeof text, "%u%s", samples[i], sos_random_below(r, 5) ? " " : "\n");
        put_text(&b, text);
    }
    return b;
}

static void check_pnm(const bytes *file, s3svm_image_kind kind, bool grey, uint32_t most, const uint32_t samples[])
{
    s3svm_image image = parse_ok(file, kind);
    for (size_t i = 0; i < s3svm_image_size(&image); i++) {
        const uint32_t *s = samples + (grey ? i : 3 * i);
        int expected[3] = { (int)s[0] };
        double v[3];
        for (int c = 0; c < 3; c++) v[c] = nearest(s[grey ? 0 : c] * 255.0 / most);
        if (kind != S3SVM_IMAGE_LABELS) expect_colour((colour){ v[0], v[1], v[2], 255 }, grey, image.channels, expected);
        check_pixel(&image, i % image.width, i / image.width, expected, 0);
    }
    s3svm_image_free(&image);
}

static void every_pnm_is_what_was_stored(void **state)
{
    (void)state;
    static const uint32_t mosts[] = { 255, 1, 15, 100, 254, 256, 1000, 65535 };
    for (uint64_t c = 0; c < test_cases(2000); c++) {
        sos_random r = test_case_begin(c);
        const char kind = "2356"[c % 4];
        const bool grey = kind == '2' || kind == '5';
        const uint32_t most = mosts[sos_random_below(&r, 8)];
        const size_t width = 1 + sos_random_below(&r, 9), height = 1 + sos_random_below(&r, 9);
        uint32_t samples[3 * 81];
        for (size_t i = 0; i < 3 * 81; i++) samples[i] = (uint32_t)sos_random_below(&r, most + 1);
        const bytes file = pnm_file(&r, kind, width, height, most, samples);
        check_pnm(&file, S3SVM_IMAGE_GREY, grey, most, samples);
        check_pnm(&file, S3SVM_IMAGE_COLOUR, grey, most, samples);
        if (!grey)
            check_refused(&file, S3SVM_IMAGE_LABELS, SOS_ERR_FORMAT, "colour", "label");
        else if (most > 255)
            check_refused(&file, S3SVM_IMAGE_LABELS, SOS_ERR_FORMAT, "label", "8 bits");
        else
            check_pnm(&file, S3SVM_IMAGE_LABELS, grey, most, samples);
        free(file.data);
    }
}

static void check_text_refused(const char *text, size_t length, sos_status status, const char *words)
{
    const bytes b = { (uint8_t *)(uintptr_t)text, length, 0 };
    s3svm_image image = { 0 };
    sos_error error = { 0 };
    check_error(parse(b.data, b.length, S3SVM_IMAGE_GREY, &image, &error), status, error, "photo.x:", words);
    check(!image.pixels);
}

#define refuse(text, status, words) check_text_refused((text), sizeof(text) - 1, (status), (words))

static void damaged_pnms_are_refused(void **state)
{
    (void)state;
    refuse("P5 2 1 255\n\1", SOS_ERR_FORMAT, "ends in the middle of the picture");
    refuse("P5 2 1 255", SOS_ERR_FORMAT, "ends in the middle of the picture");
    refuse("P5 2 1 256\n\0\1\1", SOS_ERR_FORMAT, "has 3 of 4 bytes");
    refuse("P5 2 1 100\n\1\145", SOS_ERR_FORMAT, "pixel (1, 0) is 101");
    refuse("P5 2 1 300\n\1\1\1\55", SOS_ERR_FORMAT, "pixel (1, 0) is 301");
    refuse("P6 1 1 9\n\1\1\12", SOS_ERR_FORMAT, "pixel (0, 0) is 10");
    refuse("P5 2 1 0\n\0\0", SOS_ERR_FORMAT, "largest sample is 0");
    refuse("P5 2 1 65536\n\0\0\0\0", SOS_ERR_FORMAT, "largest sample is 65536");
    refuse("P5 0 1 255\n", SOS_ERR_FORMAT, "0 by 1");
    refuse("P5 -1 1 255\n", SOS_ERR_FORMAT, "the width");
    refuse("P5 1 1x 255\n\0", SOS_ERR_FORMAT, "the height");
    refuse("P5 1 99999999999999999999999 255\n\0", SOS_ERR_FORMAT, "too large");
    refuse("P5 65537 1 255\n", SOS_ERR_RANGE, "65537 by 1");
    refuse("P5 65536 65536 255\n", SOS_ERR_RANGE, "too many");
    refuse("P5 60000 4000 255\n...", SOS_ERR_FORMAT, "has 3 of 240000000 bytes");
    refuse("P2 60000 4000 255\n1 1 1\n", SOS_ERR_FORMAT, "240000000 samples");
    refuse("P52 1 255\n\1\1", SOS_ERR_FORMAT, "P5");
    refuse("P5 1 1 255# no\n\1\1", SOS_ERR_FORMAT, "comment");
    refuse("P2 2 1 255\n1 256\n", SOS_ERR_FORMAT, "256");
    refuse("P2 2 1 255\n1 x\n ", SOS_ERR_FORMAT, "2: expected a sample, found 'x'");
    refuse("P2 2 1 255\n1 22", SOS_ERR_FORMAT, "truncated");
    refuse("P2 2 1 255\n111 \n", SOS_ERR_FORMAT, "end of the file");
}

/* ---- sizes, formats, files ---- */

static void check_png_header(uint32_t width, uint32_t height, sos_status status, const char *words)
{
    bytes b = { 0 }, body = { 0 };
    put_header(&b, width, height, 8, RGBA, false);
    put_text(&body, "x\x9c");
    put_chunk(&b, "IDAT", &body);
    check_refused(&b, S3SVM_IMAGE_COLOUR, status, words);
    free(body.data);
    free(b.data);
}

static void sizes_that_cannot_be_are_refused_before_memory_is_taken(void **state)
{
    need(png);
    check_png_header(65537, 1, SOS_ERR_RANGE, "65537 by 1");
    check_png_header(1, 1000000000, SOS_ERR_RANGE, "1 by 1000000000");
    check_png_header(65536, 65536, SOS_ERR_RANGE, "too many");
    check_png_header(0, 5, SOS_ERR_FORMAT, "zero");
    check_png_header(0xffffffff, 0xffffffff, SOS_ERR_FORMAT, "PNG");
    check_png_header(65536, 4096, SOS_ERR_FORMAT, "65536 by 4096 pixels cannot be in");
    if (!has_jpeg()) return;
    uint8_t values[] = { 1 };
    const jpeg j = { .blocks_x = 1, .blocks_y = 1, .channels = 1, .values = values, .adobe = -1 };
    const bytes file = jpeg_file(&j);
    uint8_t *size = jpeg_header(&file) + 5; /* height and width, two bytes each */
    memcpy(size, "\xff\xff\xff\xff", 4);
    check_refused(&file, S3SVM_IMAGE_GREY, SOS_ERR_FORMAT, "65500");
    memcpy(size, "\xf0\0\xf0\0", 4);
    check_refused(&file, S3SVM_IMAGE_GREY, SOS_ERR_RANGE, "61440 by 61440");
    memcpy(size, "\x20\0\x40\0", 4);
    check_refused(&file, S3SVM_IMAGE_GREY, SOS_ERR_FORMAT, "16384 by 8192 pixels cannot be in");
    memcpy(size, "\0\0\0\10", 4);
    check_refused(&file, S3SVM_IMAGE_GREY, SOS_ERR_FORMAT, "JPEG");
    free(file.data);
}

static void other_formats_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *start;
        size_t length;
        const char *name;
    } others[] = { { "GIF89a\1\0\1\0", 10, "GIF is not supported" },
                   { "BM\0\0\0\0", 6, "BMP is not supported" },
                   { "\0\0\0\30ftypheic\0\0\0\0", 16, "HEIF is not supported" },
                   { "\0\0\0\30ftypavif\0\0\0\0", 16, "AVIF is not supported" },
                   { "P4 1 1 \0", 8, "PBM is not supported" },
                   { "hello, world, this is text", 26, "first bytes" },
                   { "\x89PN", 3, "first bytes" },
                   { "RIFF\0\0\0\0WAVE", 12, "first bytes" },
                   { "", 0, "is empty" } };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        bytes b = { 0 };
        put(&b, others[i].start, others[i].length);
        if (!b.data) b.data = test_room(NULL, 1, 1);
        for (int kind = 0; kind < 3; kind++) check_refused(&b, (s3svm_image_kind)kind, SOS_ERR_FORMAT, others[i].name);
        if (i < 5)
            check_refused(&b, S3SVM_IMAGE_GREY, SOS_ERR_FORMAT, "PNG, JPEG, WebP, TIFF, PGM or PPM", "FILE.png' converts it");
        s3svm_image image;
        sos_error error;
        check_error(s3svm_image_read(file_make("other.png", &b), S3SVM_IMAGE_GREY, &image, &error), SOS_ERR_FORMAT, error,
                    "other.png: ", others[i].name);
        free(b.data);
    }
}

static void files_that_cannot_be_read_say_why(void **state)
{
    (void)state;
    s3svm_image image = { 0 };
    size_t width = 5, height = 6;
    sos_error error;
    check_error(s3svm_image_read(scratch("none.png"), S3SVM_IMAGE_GREY, &image, &error), SOS_ERR_IO, error, "none.png",
                "No such");
    check_error(s3svm_image_probe(scratch("none.png"), &width, &height, &error), SOS_ERR_IO, error, "none.png", "No such");
    check_error(s3svm_image_read(scratch_folder(), S3SVM_IMAGE_GREY, &image, &error), SOS_ERR_IO, error, scratch_folder(),
                "directory");
    check_error(s3svm_image_read("/dev/zero", S3SVM_IMAGE_GREY, &image, &error), SOS_ERR_FORMAT, error, "/dev/zero",
                "first bytes");
    check_error(s3svm_image_read("/dev/null", S3SVM_IMAGE_GREY, &image, &error), SOS_ERR_FORMAT, error, "/dev/null", "empty");
    check(width == 5 && height == 6 && !image.pixels);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    s3svm_image image = { 0 }, colour_image = { 0 }, none = { 0 };
    s3svm_plane plane = { 0 };
    sos_error error;
    size_t n;
    uint8_t *b;
    const uint32_t colours[] = { 0, 0xffffff };
    check_error(s3svm_image_create(0, 3, 1, &image, &error), SOS_ERR_RANGE, error, "0 by 3");
    check_error(s3svm_image_create(1 << 20, 1, 1, &image, &error), SOS_ERR_RANGE, error, "1048576");
    check_error(s3svm_image_create(1, 1 << 20, 1, &image, &error), SOS_ERR_RANGE, error, "1048576");
    check_error(s3svm_image_create(SIZE_MAX, SIZE_MAX, 1, &image, &error), SOS_ERR_RANGE, error, "by");
    check_error(s3svm_image_create(3, 3, 2, &image, &error), SOS_ERR_ARGUMENT, error, "2 channels");
    check_error(s3svm_image_parse("P5 1 1 1\n\1", 10, "x", (s3svm_image_kind)9, &image, &error), SOS_ERR_ARGUMENT, error, "9");
    check_is(s3svm_image_parse(NULL, 0, "x", S3SVM_IMAGE_GREY, &image, NULL), SOS_ERR_ARGUMENT);
    check_error(s3svm_image_write(&none, scratch("a.png"), &error), SOS_ERR_ARGUMENT, error, "no picture");
    check_is(s3svm_image_encode(NULL, &b, &n, NULL), SOS_ERR_ARGUMENT);
    check_ok(s3svm_image_create(2, 2, 1, &image, &error), error);
    check_ok(s3svm_image_create(2, 2, 4, &colour_image, &error), error);
    check_error(s3svm_image_write(&image, scratch("a.gif"), &error), SOS_ERR_ARGUMENT, error, "a.gif", ".png", ".ppm");
    check_error(s3svm_image_write(&image, "png", &error), SOS_ERR_ARGUMENT, error, "png");
    check_error(s3svm_image_write(&colour_image, scratch("a.pgm"), &error), SOS_ERR_ARGUMENT, error, "a.pgm", "no colours");
    check_error(s3svm_image_write(&colour_image, scratch("a.ppm"), &error), SOS_ERR_ARGUMENT, error, "a.ppm", "no opacity");
    check_error(s3svm_image_write(&colour_image, scratch("a.jpg"), &error), SOS_ERR_ARGUMENT, error, "a.jpg", "no opacity");
    check_error(s3svm_image_to_plane(&colour_image, &plane, &error), SOS_ERR_ARGUMENT, error, "4");
    check_is(s3svm_image_write_palette(&colour_image, 2, colours, scratch("a.png"), NULL), SOS_ERR_ARGUMENT);
    check_is(s3svm_image_write_palette(&image, 0, colours, scratch("a.png"), NULL), SOS_ERR_ARGUMENT);
    check_is(s3svm_image_encode_palette(&image, 0, colours, &b, &n, NULL), SOS_ERR_ARGUMENT);
    check_is(s3svm_image_write_palette(&image, 257, colours, scratch("a.png"), NULL), SOS_ERR_ARGUMENT);
    check_is(s3svm_image_write_palette(&image, 2, colours, scratch("a.pgm"), NULL), SOS_ERR_ARGUMENT);
    image.pixels[3] = 2;
    check_error(s3svm_image_write_palette(&image, 2, colours, scratch("a.png"), &error), SOS_ERR_ARGUMENT, error, "(1, 1)",
                "label 2", "2 colours");
    check(access(scratch("a.png"), F_OK) && access(scratch("a.pgm"), F_OK));
    s3svm_image_free(&image);
    s3svm_image_free(&image);
    s3svm_image_free(&colour_image);
}

/* ---- damage ---- */

enum { SAMPLES = 12 };

/* A small file of every kind: PNG, JPEG, PNM. */
static bytes sample_file(sos_random *r, int number)
{
    static const uint32_t pngs[][2] = { { GREY, 8 }, { PALETTE, 4 }, { RGBA, 16 }, { GREY, 1 } };
    static const int jpegs[][2] = { { 1, -1 }, { 3, -1 }, { 4, 2 }, { 3, 0 } };
    bytes b = { 0 };
    if (number < 4) {
        png p = png_random(r, pngs[number][0], pngs[number][1], 5);
        b = png_file(&p);
        free(p.samples);
    } else if (number < 8) {
        jpeg j = jpeg_random(r, (size_t)jpegs[number - 4][0], jpegs[number - 4][1]);
        j.turned = (int)sos_random_below(r, 9);
        j.scans = j.progressive && j.channels == 1 ? 5 : 0;
        b = jpeg_file(&j);
        free(j.values);
    } else {
        uint32_t samples[12];
        for (int i = 0; i < 12; i++) samples[i] = (uint32_t)sos_random_below(r, 256);
        b = pnm_file(r, "2356"[number - 8], 2, 2, sos_random_below(r, 2) ? 255 : 300, samples);
    }
    return b;
}

static bool is_readable(int number) { return number < 4 ? has_png() : number < 8 ? has_jpeg() : true; }

static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    for (int number = 0; number < SAMPLES; number++)
        for (uint64_t c = 0; c < test_cases(20); c++) {
            if (!is_readable(number)) continue;
            sos_random r = test_case_begin(c);
            const bytes file = sample_file(&r, number);
            s3svm_image whole = parse_ok(&file, S3SVM_IMAGE_COLOUR);
            for (size_t length = 0; length < file.length; length++)
                for (int kind = 0; kind < 3; kind++) {
                    s3svm_image image = { 0 };
                    sos_error error = { 0 };
                    const sos_status status = parse(file.data, length, (s3svm_image_kind)kind, &image, &error);
                    if (status != SOS_ERR_FORMAT || !strstr(error.message, "photo.x:"))
                        test_fail(__FILE__, __LINE__, "sample %d, %zu bytes of %zu: status %d, '%s'", number, length,
                                  file.length, (int)status, error.message);
                    check(!image.pixels);
                }
            s3svm_image_free(&whole);
            free(file.data);
        }
}

static void cut_files_say_so(void **state)
{
    need(png);
    sos_random r = test_case_begin(1);
    bytes file = sample_file(&r, 0);
    file.length -= 20;
    check_refused(&file, S3SVM_IMAGE_GREY, SOS_ERR_FORMAT, "photo.x: the file ends in the middle of the picture");
    free(file.data);
    if (!has_jpeg()) return;
    file = sample_file(&r, 5);
    file.length -= 2;
    check_refused(&file, S3SVM_IMAGE_GREY, SOS_ERR_FORMAT, "photo.x: the file ends in the middle of the picture");
    free(file.data);
}

/* What libpng and libjpeg say is passed on. */
static void the_words_of_the_decoders_are_passed_on(void **state)
{
    need(png);
    sos_random r = test_case_begin(2);
    bytes file = sample_file(&r, 0);
    file.data[file.length - 14] ^= 1; /* of the checksum before the last chunk */
    check_refused(&file, S3SVM_IMAGE_GREY, SOS_ERR_FORMAT, "cannot be read as PNG", "CRC error");
    free(file.data);
    if (!has_jpeg()) return;
    uint8_t values[] = { 10, 20, 30, 40 };
    const jpeg j = { .blocks_x = 4, .blocks_y = 1, .channels = 1, .values = values, .adobe = -1 };
    file = jpeg_file(&j);
    memset(file.data + file.length - 5, 0xf0, 3); /* codes that are not in the table */
    check_refused(&file, S3SVM_IMAGE_GREY, SOS_ERR_FORMAT, "cannot be read as JPEG", "Corrupt JPEG data");
    free(file.data);
}

static void checksums_repair(bytes *b)
{
    for (size_t at = 8; at + 12 <= b->length;) {
        const size_t body = (size_t)b->data[at] << 24 | (size_t)b->data[at + 1] << 16 | (size_t)b->data[at + 2] << 8 |
                            b->data[at + 3];
        if (body > b->length - 12 - at) return;
        const uint32_t sum = checksum(b->data + at + 4, body + 4);
        for (int i = 0; i < 4; i++) b->data[at + 8 + body + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += body + 12;
    }
}

static void damaged_files_are_read_or_refused(void **state)
{
    (void)state;
    size_t fine = 0, refused = 0;
    for (uint64_t c = 0; c < test_cases(60000); c++) {
        sos_random r = test_case_begin(c);
        const int number = (int)(c % SAMPLES);
        bytes file = sample_file(&r, number);
        for (uint64_t flips = 1 + sos_random_below(&r, 4); flips > 0; flips--) {
            uint8_t *at = &file.data[sos_random_below(&r, file.length)];
            const uint64_t change = sos_random_below(&r, 2) ? sos_random_bits(&r) : UINT64_C(1) << sos_random_below(&r, 8);
            *at = (uint8_t)(*at ^ change);
        }
        if (number < 4 && sos_random_below(&r, 4)) checksums_repair(&file);
        s3svm_image image = { 0 };
        sos_error error = { SOS_OK, "" };
        const sos_status status = parse(file.data, file.length, (s3svm_image_kind)sos_random_below(&r, 3), &image, &error);
        if (status) {
            check(!image.pixels && strstr(error.message, "photo.x:"));
        } else {
            check(image.width && image.height && image.width <= S3SVM_IMAGE_SIDE_MAX);
            uint64_t sum = 0; /* read every pixel */
            for (size_t i = 0; i < s3svm_image_size(&image) * image.channels; i++) sum += image.pixels[i];
            check(sum <= 255 * s3svm_image_size(&image) * image.channels);
        }
        fine += !status;
        refused += !!status;
        s3svm_image_free(&image);
        free(file.data);
    }
    check(fine && refused);
}

/* The libraries' own habit is to print. */
static void damage_prints_nothing(void **state)
{
    (void)state;
    fflush(stderr);
    const int kept = dup(2);
    FILE *file = fopen(scratch("stderr"), "w");
    assert_non_null(file);
    dup2(fileno(file), 2);
    for (uint64_t c = 0; c < 2000; c++) {
        sos_random r = sos_random_seeded(c);
        bytes b = sample_file(&r, (int)(c % SAMPLES));
        b.data[sos_random_below(&r, b.length)] ^= 16;
        if (c % SAMPLES < 4 && c % 2) checksums_repair(&b);
        s3svm_image image = { 0 };
        if (!parse(b.data, b.length, S3SVM_IMAGE_COLOUR, &image, NULL)) s3svm_image_free(&image);
        free(b.data);
    }
    fflush(stderr);
    dup2(kept, 2);
    close(kept);
    fclose(file);
    struct stat found;
    assert_int_equal(stat(scratch("stderr"), &found), 0);
    check(found.st_size == 0);
}

/* ---- writing ---- */

static s3svm_image image_random(sos_random *r, size_t channels)
{
    s3svm_image image;
    sos_error error;
    const size_t width = 1 + sos_random_below(r, 40), height = 1 + sos_random_below(r, 40);
    check_ok(s3svm_image_create(width, height, channels, &image, &error), error);
    for (size_t i = 0; i < width * height * channels; i++) image.pixels[i] = (uint8_t)sos_random_bits(r);
    return image;
}

static s3svm_image read_ok(const char *name, s3svm_image_kind kind)
{
    s3svm_image image = { 0 };
    sos_error error;
    size_t width = 0, height = 0;
    check_ok(s3svm_image_read(scratch(name), kind, &image, &error), error);
    check_ok(s3svm_image_probe(scratch(name), &width, &height, &error), error);
    check(width == image.width && height == image.height);
    char *all;
    size_t length;
    check_ok(sos_file_read(scratch(name), SOS_CONTENT_BYTES, &all, &length, &error), error);
    check_ok(s3svm_image_measure(all, length, name, &width, &height, &error), error);
    check(width == image.width && height == image.height);
    check_error(s3svm_image_measure(all, 1, name, &width, &height, &error), SOS_ERR_FORMAT, error, name, "");
    free(all);
    return image;
}

static void check_same(const s3svm_image *a, const s3svm_image *b)
{
    check(a->width == b->width && a->height == b->height && a->channels == b->channels);
    check(!memcmp(a->pixels, b->pixels, s3svm_image_size(a) * a->channels));
}

static void round_trip(sos_random *r, const char *name, size_t channels)
{
    s3svm_image image = image_random(r, channels);
    sos_error error;
    check_ok(s3svm_image_write(&image, scratch(name), &error), error);
    s3svm_image again = read_ok(name, channels == 1 ? S3SVM_IMAGE_GREY : S3SVM_IMAGE_COLOUR);
    if (channels != 4) {
        check_same(&image, &again);
    } else {
        for (size_t i = 0; i < s3svm_image_size(&image); i++) {
            const uint8_t *p = image.pixels + 4 * i;
            int expected[3];
            expect_colour((colour){ p[0], p[1], p[2], p[3] }, false, 3, expected);
            check_pixel(&again, i % image.width, i / image.width, expected, 0);
        }
    }
    s3svm_image_free(&image);
    s3svm_image_free(&again);
}

static void what_is_written_reads_back(void **state)
{
    (void)state;
    const bool with_png = has_png();
    for (uint64_t c = 0; c < test_cases(100); c++) {
        sos_random r = test_case_begin(c);
        round_trip(&r, "a.pgm", 1);
        round_trip(&r, "b.PPM", 3);
        if (!with_png) continue;
        round_trip(&r, "a.png", 1);
        round_trip(&r, "b.png", 3);
        round_trip(&r, "c.PNG", 4);
    }
}

/* Grey as PPM is repeated. */
static void grey_is_written_as_colour_where_the_name_says_so(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    s3svm_image image = image_random(&r, 1);
    sos_error error;
    check_ok(s3svm_image_write(&image, scratch("grey.ppm"), &error), error);
    s3svm_image again = read_ok("grey.ppm", S3SVM_IMAGE_COLOUR);
    for (size_t i = 0; i < s3svm_image_size(&image); i++)
        check_pixel(&again, i % image.width, i / image.width, (int[3]){ image.pixels[i], image.pixels[i], image.pixels[i] }, 0);
    s3svm_image_free(&image);
    s3svm_image_free(&again);
}

static void what_is_written_as_jpeg_reads_back_nearly(void **state)
{
    need(jpeg);
    for (size_t channels = 1; channels <= 3; channels += 2) {
        s3svm_image image;
        sos_error error;
        check_ok(s3svm_image_create(50, 35, channels, &image, &error), error);
        for (size_t i = 0; i < s3svm_image_size(&image) * channels; i++) {
            const size_t c = i % channels, x = i / channels % 50, y = i / channels / 50;
            image.pixels[i] = (uint8_t)(c == 0 ? 5 * x : c == 1 ? 7 * y : 255 - 3 * x - 2 * y);
        }
        const char *name = channels == 1 ? "a.jpg" : "b.JPEG";
        check_ok(s3svm_image_write(&image, scratch(name), &error), error);
        s3svm_image again = read_ok(name, channels == 1 ? S3SVM_IMAGE_GREY : S3SVM_IMAGE_COLOUR);
        check(again.width == 50 && again.height == 35 && again.channels == channels);
        for (size_t i = 0; i < s3svm_image_size(&image) * channels; i++) check(abs(image.pixels[i] - again.pixels[i]) <= 6);
        s3svm_image_free(&image);
        s3svm_image_free(&again);
    }
}

static void palettes_keep_labels_and_show_colours(void **state)
{
    need(png);
    for (uint64_t c = 0; c < test_cases(60); c++) {
        sos_random r = test_case_begin(c);
        s3svm_image labels = image_random(&r, 1);
        const size_t count = 1 + sos_random_below(&r, 256);
        uint32_t colours[256];
        for (size_t i = 0; i < count; i++) colours[i] = (uint32_t)sos_random_below(&r, 1 << 24);
        for (size_t i = 0; i < s3svm_image_size(&labels); i++) labels.pixels[i] = (uint8_t)(labels.pixels[i] % count);
        sos_error error;
        check_ok(s3svm_image_write_palette(&labels, count, colours, scratch("p.png"), &error), error);
        uint8_t *encoded;
        char *written;
        size_t length, wanted;
        check_ok(s3svm_image_encode_palette(&labels, count, colours, &encoded, &length, &error), error);
        check_ok(sos_file_read(scratch("p.png"), SOS_CONTENT_BYTES, &written, &wanted, &error), error);
        check(length == wanted && !memcmp(encoded, written, length));
        free(encoded);
        free(written);
        s3svm_image again = read_ok("p.png", S3SVM_IMAGE_LABELS), shown = read_ok("p.png", S3SVM_IMAGE_COLOUR);
        check_same(&labels, &again);
        for (size_t i = 0; i < s3svm_image_size(&labels); i++) {
            const uint32_t k = colours[labels.pixels[i]];
            check_pixel(&shown, i % labels.width, i / labels.width,
                        (int[3]){ (int)(k >> 16), (int)(k >> 8 & 255), (int)(k & 255) }, 0);
        }
        s3svm_image_free(&labels);
        s3svm_image_free(&again);
        s3svm_image_free(&shown);
    }
}

static void a_png_in_memory_is_the_file(void **state)
{
    need(png);
    sos_random r = test_case_begin(0);
    s3svm_image image = image_random(&r, 3), again = { 0 };
    bytes b = { 0 };
    sos_error error;
    check_ok(s3svm_image_encode(&image, &b.data, &b.length, &error), error);
    check_ok(s3svm_image_parse(b.data, b.length, NULL, S3SVM_IMAGE_COLOUR, &again, &error), error);
    check_same(&image, &again);
    s3svm_image_free(&image);
    s3svm_image_free(&again);
    free(b.data);
}

static void writing_that_fails_leaves_nothing(void **state)
{
    (void)state;
    sos_random r = test_case_begin(0);
    s3svm_image image = image_random(&r, 1);
    sos_error error;
    scratch_clear();
    static const char *const names[] = { "a.pgm", "a.ppm", "a.png", "a.jpg" };
    for (int i = 0; i < 4; i++) {
        if ((i == 2 && !has_png()) || (i == 3 && !has_jpeg())) continue;
        char inside[32];
        snprintf(inside, sizeof inside, "none/%s", names[i]);
        check_error(s3svm_image_write(&image, scratch(inside), &error), SOS_ERR_IO, error, inside, "No such");
        if (access("/dev/full", W_OK) || symlink("/dev/full", scratch(names[i]))) continue;
        check_error(s3svm_image_write(&image, scratch(names[i]), &error), SOS_ERR_IO, error, "No space");
        unlink(scratch(names[i]));
    }
    check(scratch_count() == 0);
    s3svm_image_free(&image);
}

/* ---- planes ---- */

static void planes_keep_grey_and_clip_the_rest(void **state)
{
    (void)state;
    s3svm_image image, again;
    s3svm_plane plane;
    sos_error error;
    check_ok(s3svm_image_create(16, 16, 1, &image, &error), error);
    for (size_t i = 0; i < 256; i++) image.pixels[i] = (uint8_t)i;
    check_ok(s3svm_image_to_plane(&image, &plane, &error), error);
    check(plane.width == 16 && plane.height == 16 && plane.values[0] == 0 && plane.values[255] == 1);
    for (size_t i = 0; i < 256; i++) check(fabs((double)plane.values[i] - (double)i / 255) < 1e-7);
    check_ok(s3svm_plane_to_image(&plane, &again, &error), error);
    check_same(&image, &again);
    s3svm_image_free(&again);
    const float values[] = { -1e30F, -0.1F, NAN, 1.1F, 1e30F, INFINITY, -INFINITY, 0.5F, 0.001F, 0.9999F };
    const int expected[] = { 0, 0, 0, 255, 255, 255, 0, 128, 0, 255 };
    memcpy(plane.values, values, sizeof values);
    check_ok(s3svm_plane_to_image(&plane, &again, &error), error);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) check(again.pixels[i] == expected[i]);
    s3svm_image_free(&again);
    s3svm_image_free(&image);
    s3svm_plane_free(&plane);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_png_is_what_was_stored),
        cmocka_unit_test(labels_with_opacity_must_be_opaque),
        cmocka_unit_test(all_values_of_16_bits_are_rounded_to_the_nearest),
        cmocka_unit_test(a_colour_that_is_not_in_the_palette_is_refused),
        cmocka_unit_test(other_chunks_of_a_png_are_passed_over),
        cmocka_unit_test(every_jpeg_is_what_was_stored),
        cmocka_unit_test(a_turned_photograph_is_turned_back),
        cmocka_unit_test(damaged_notes_of_a_camera_are_passed_over),
        cmocka_unit_test(too_many_scans_are_refused),
        cmocka_unit_test(jpegs_of_rare_kinds_are_refused),
        cmocka_unit_test(progressive_jpegs_that_take_too_much_memory_are_refused),
        cmocka_unit_test(luma_is_that_of_grey_files),
        cmocka_unit_test(every_pnm_is_what_was_stored),
        cmocka_unit_test(damaged_pnms_are_refused),
        cmocka_unit_test(sizes_that_cannot_be_are_refused_before_memory_is_taken),
        cmocka_unit_test(other_formats_are_named),
        cmocka_unit_test(files_that_cannot_be_read_say_why),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(cut_files_say_so),
        cmocka_unit_test(the_words_of_the_decoders_are_passed_on),
        cmocka_unit_test(damaged_files_are_read_or_refused),
        cmocka_unit_test(damage_prints_nothing),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(grey_is_written_as_colour_where_the_name_says_so),
        cmocka_unit_test(what_is_written_as_jpeg_reads_back_nearly),
        cmocka_unit_test(palettes_keep_labels_and_show_colours),
        cmocka_unit_test(a_png_in_memory_is_the_file),
        cmocka_unit_test(writing_that_fails_leaves_nothing),
        cmocka_unit_test(planes_keep_grey_and_clip_the_rest),
    };
    return cmocka_run_group_tests_name("image", tests, scratch_make, scratch_remove);
}

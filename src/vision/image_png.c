/* image_png.c - PNG, by way of libpng.
 *
 * libpng leaves a failing call by a long jump.  All that changes between setting the jump and taking it is in a struct of the
 * caller of the function that sets it, so that nothing is lost and no local variable is read after the jump. */
#include "vision/image_codec.h"

#if !defined(SOS_HAVE_PNG)

bool sos_image_has_png(void) { return false; }

sos_status sos_image_png_read(const sos_image_source *s, sos_image *out)
{
    (void)out;
    return sos_image_source_fail(s, SOS_ERR_ARGUMENT, "a PNG picture, but this program was built without libpng");
}

sos_status sos_image_png_encode(const sos_image *image, size_t count, const uint32_t colours[], uint8_t **bytes, size_t *length,
                                sos_error *error)
{
    (void)image, (void)count, (void)colours, (void)bytes, (void)length;
    return sos_fail(error, SOS_ERR_ARGUMENT, "no PNG picture can be written: this program was built without libpng");
}

#else

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The state that reading and writing share, with the words of libpng. */
typedef struct state {
    jmp_buf jump;
    png_struct *png;
    png_info *info;
    bool no_memory;
    char words[160], warning[160]; /* of the error, and of the last warning: often the reason */
} state;

static _Noreturn void on_error(png_struct *png, const char *words)
{
    state *s = png_get_error_ptr(png);
    snprintf(s->words, sizeof s->words, "%s", words);
    longjmp(s->jump, 1);
}

static void on_warning(png_struct *png, const char *words)
{
    state *s = png_get_error_ptr(png);
    snprintf(s->warning, sizeof s->warning, "%s", words);
}

static void *on_malloc(png_struct *png, png_alloc_size_t size)
{
    state *s = png_get_mem_ptr(png);
    void *block = malloc(size);
    if (!block) s->no_memory = true;
    return block;
}

static void on_free(png_struct *png, void *block)
{
    (void)png;
    free(block);
}

/* ---- reading ---- */

typedef struct png_reader {
    state state;
    const sos_image_source *source;
    size_t at; /* of the source's bytes */
    sos_image image;
    size_t width, height, channels; /* channels as libpng gives them */
    int depth, type, passes;
    uint8_t *rows; /* one row, or all of them where the picture comes in passes */
    size_t colours;
    uint8_t palette[256][4]; /* red, green, blue, opacity */
} png_reader;

static void on_read(png_struct *png, png_byte *to, size_t length)
{
    png_reader *r = png_get_io_ptr(png);
    if (length > r->source->length - r->at) png_error(png, SOS_IMAGE_CUT_OFF);
    memcpy(to, r->source->bytes + r->at, length);
    r->at += length;
}

/* Texts, colour profiles and the like are passed over unread.  Then no chunk makes libpng take memory beyond its length in the
 * file, and its own limits, which would refuse pictures with long texts, are not needed; those on the size neither, since the
 * size is checked here. */
static void reader_open(png_reader *r)
{
    r->state.png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, &r->state, on_error, on_warning, &r->state, on_malloc,
                                            on_free);
    if (r->state.png) r->state.info = png_create_info_struct(r->state.png);
    if (!r->state.info) {
        r->state.no_memory = true;
        longjmp(r->state.jump, 1);
    }
    png_set_read_fn(r->state.png, r, on_read);
    png_set_user_limits(r->state.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_chunk_malloc_max(r->state.png, 0);
    png_set_keep_unknown_chunks(r->state.png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
}

/* A byte of deflated data makes at most 1032 bytes, so a short file cannot make libpng fill much memory. */
static sos_status length_check(const png_reader *r)
{
    const uint64_t bits = (uint64_t)r->width * r->height * (uint64_t)(r->depth * png_get_channels(r->state.png, r->state.info));
    if (bits / 8 / 1032 <= r->source->length) return SOS_OK;
    return sos_image_source_fail(r->source, SOS_ERR_FORMAT, SOS_IMAGE_CUT_OFF ": %zu by %zu pixels cannot be in %zu bytes",
                                 r->width, r->height, r->source->length);
}

static sos_status labels_check(const png_reader *r)
{
    if (r->source->kind != SOS_IMAGE_LABELS || r->source->header_only) return SOS_OK;
    if (r->depth == 16) return sos_image_source_fail(r->source, SOS_ERR_FORMAT, "16 bits; a label picture has 8 or fewer");
    if (r->type != PNG_COLOR_TYPE_PALETTE && r->type & PNG_COLOR_MASK_COLOR)
        return sos_image_source_fail(r->source, SOS_ERR_FORMAT, "a colour picture; a label picture is grey or has a palette");
    return SOS_OK;
}

static sos_status header_read(png_reader *r)
{
    png_read_info(r->state.png, r->state.info);
    r->width = png_get_image_width(r->state.png, r->state.info);
    r->height = png_get_image_height(r->state.png, r->state.info);
    r->depth = png_get_bit_depth(r->state.png, r->state.info);
    r->type = png_get_color_type(r->state.png, r->state.info);
    sos_status status = sos_image_source_check(r->source, r->width, r->height);
    if (!status) status = length_check(r);
    if (!status) status = labels_check(r);
    return status;
}

static void palette_read(png_reader *r)
{
    png_color *colours = NULL;
    png_byte *opacities = NULL;
    int count = 0, opacity_count = 0;
    png_get_PLTE(r->state.png, r->state.info, &colours, &count);
    png_get_tRNS(r->state.png, r->state.info, &opacities, &opacity_count, NULL);
    r->colours = (size_t)count;
    for (int i = 0; i < count && i < 256; i++) {
        uint8_t *p = r->palette[i];
        p[0] = colours[i].red;
        p[1] = colours[i].green;
        p[2] = colours[i].blue;
        p[3] = opacities && i < opacity_count ? opacities[i] : 255;
    }
}

/* Asks for a byte a channel: palette indices and labels as they are, other samples spread over 0 ... 255. */
static void transforms_set(png_reader *r)
{
    png_struct *png = r->state.png;
    if (r->type == PNG_COLOR_TYPE_PALETTE || r->source->kind == SOS_IMAGE_LABELS) {
        png_set_packing(png);
    } else {
        png_set_expand_gray_1_2_4_to_8(png);
        if (png_get_valid(png, r->state.info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
        png_set_scale_16(png);
    }
    r->passes = png_set_interlace_handling(png);
    png_read_update_info(png, r->state.info);
    r->channels = png_get_channels(png, r->state.info);
    if (png_get_rowbytes(png, r->state.info) != r->width * r->channels) png_error(png, "rows of an unexpected length");
}

static sos_status row_put_palette(png_reader *r, const uint8_t *row, size_t y, uint8_t *to)
{
    for (size_t x = 0; x < r->width; x++, to += r->image.channels) {
        if (row[x] >= r->colours)
            return sos_image_source_fail(r->source, SOS_ERR_FORMAT, "pixel (%zu, %zu) has colour %d of a palette of %zu", x, y,
                                         row[x], r->colours);
        const uint8_t *p = r->palette[row[x]];
        sos_image_put_colour(r->source->kind, sos_over_white(p[0], p[3]), sos_over_white(p[1], p[3]),
                             sos_over_white(p[2], p[3]), to);
    }
    return SOS_OK;
}

static sos_status row_put(png_reader *r, size_t y)
{
    const uint8_t *row = r->rows + (r->passes > 1 ? y * r->width * r->channels : 0);
    uint8_t *to = r->image.pixels + y * r->width * r->image.channels;
    const bool labels = r->source->kind == SOS_IMAGE_LABELS;
    if (r->type == PNG_COLOR_TYPE_PALETTE && !labels) return row_put_palette(r, row, y, to);
    if (labels && r->channels == 2)
        for (size_t x = 0; x < r->width; x++)
            if (row[2 * x + 1] != 255)
                return sos_image_source_fail(r->source, SOS_ERR_FORMAT, "pixel (%zu, %zu) is not opaque; labels are", x, y);
    sos_image_put_row(r->source->kind, row, r->width, r->channels, to, (ptrdiff_t)r->image.channels);
    return SOS_OK;
}

static sos_status pixels_read(png_reader *r)
{
    const size_t row_bytes = r->width * r->channels;
    r->rows = malloc(row_bytes * (r->passes > 1 ? r->height : 1));
    if (!r->rows)
        return sos_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory for %zu by %zu pixels", r->width, r->height);
    sos_status status = sos_image_source_create(r->source, r->width, r->height, &r->image);
    for (int pass = 1; pass <= r->passes && !status; pass++)
        for (size_t y = 0; y < r->height && !status; y++) {
            png_read_row(r->state.png, r->rows + (r->passes > 1 ? y * row_bytes : 0), NULL);
            if (pass == r->passes) status = row_put(r, y);
        }
    return status;
}

static sos_status reader_fail(const png_reader *r)
{
    const state *s = &r->state;
    if (s->no_memory) return sos_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory to read the picture");
    if (!strcmp(s->words, SOS_IMAGE_CUT_OFF)) return sos_image_source_fail(r->source, SOS_ERR_FORMAT, "%s", s->words);
    return sos_image_source_fail(r->source, SOS_ERR_FORMAT, "cannot be read as PNG: %s%s%s%s", s->words,
                                 s->warning[0] ? " (" : "", s->warning, s->warning[0] ? ")" : "");
}

/* Reads the picture: all calls of libpng that can jump. */
static sos_status reader_run(png_reader *r)
{
    if (setjmp(r->state.jump)) return reader_fail(r);
    reader_open(r);
    const sos_status header = header_read(r);
    if (header || r->source->header_only) return header;
    if (r->type == PNG_COLOR_TYPE_PALETTE) palette_read(r);
    transforms_set(r);
    const sos_status pixels = pixels_read(r);
    if (!pixels) png_read_end(r->state.png, NULL);
    return pixels;
}

sos_status sos_image_png_read(const sos_image_source *s, sos_image *out)
{
    png_reader *r = calloc(1, sizeof *r);
    if (!r) return sos_image_source_fail(s, SOS_ERR_MEMORY, "no memory to read the picture");
    r->source = s;
    const sos_status status = reader_run(r);
    png_destroy_read_struct(&r->state.png, &r->state.info, NULL);
    free(r->rows);
    if (status)
        sos_image_free(&r->image);
    else if (s->header_only)
        *out = (sos_image){ .width = r->width, .height = r->height };
    else
        *out = r->image;
    free(r);
    return status;
}

/* ---- writing ---- */

typedef struct png_writer {
    state state;
    const sos_image *image;
    size_t count;
    const uint32_t *colours;
    uint8_t *bytes;
    size_t length, room;
} png_writer;

static void on_write(png_struct *png, png_byte *from, size_t length)
{
    png_writer *w = png_get_io_ptr(png);
    if (length > SIZE_MAX - w->length || !sos_grow(&w->bytes, &w->room, w->length + length)) {
        w->state.no_memory = true;
        png_error(png, "no memory");
    }
    memcpy(w->bytes + w->length, from, length);
    w->length += length;
}

static void on_flush(png_struct *png) { (void)png; }

static void writer_open(png_writer *w)
{
    w->state.png = png_create_write_struct_2(PNG_LIBPNG_VER_STRING, &w->state, on_error, on_warning, &w->state, on_malloc,
                                             on_free);
    if (w->state.png) w->state.info = png_create_info_struct(w->state.png);
    if (!w->state.info) {
        w->state.no_memory = true;
        longjmp(w->state.jump, 1);
    }
    png_set_write_fn(w->state.png, w, on_write, on_flush);
}

static void header_write(png_writer *w)
{
    const int types[] = { 0, PNG_COLOR_TYPE_GRAY, 0, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA };
    png_set_IHDR(w->state.png, w->state.info, (png_uint_32)w->image->width, (png_uint_32)w->image->height, 8,
                 w->colours ? PNG_COLOR_TYPE_PALETTE : types[w->image->channels], PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (w->colours) {
        png_color palette[256];
        for (size_t i = 0; i < w->count; i++)
            palette[i] = (png_color){ .red = (png_byte)(w->colours[i] >> 16 & 255),
                                      .green = (png_byte)(w->colours[i] >> 8 & 255),
                                      .blue = (png_byte)(w->colours[i] & 255) };
        png_set_PLTE(w->state.png, w->state.info, palette, (int)w->count);
    }
    png_write_info(w->state.png, w->state.info);
}

static sos_status writer_run(png_writer *w, sos_error *error)
{
    if (setjmp(w->state.jump)) {
        if (w->state.no_memory) return sos_fail(error, SOS_ERR_MEMORY, "no memory to write a PNG picture");
        return sos_fail(error, SOS_ERR_ARGUMENT, "the picture cannot be written as PNG: %s", w->state.words);
    }
    writer_open(w);
    header_write(w);
    const size_t row_bytes = w->image->width * w->image->channels;
    for (size_t y = 0; y < w->image->height; y++) png_write_row(w->state.png, w->image->pixels + y * row_bytes);
    png_write_end(w->state.png, NULL);
    return SOS_OK;
}

sos_status sos_image_png_encode(const sos_image *image, size_t count, const uint32_t colours[], uint8_t **bytes, size_t *length,
                                sos_error *error)
{
    png_writer w = { .image = image, .count = count, .colours = colours };
    const sos_status status = writer_run(&w, error);
    png_destroy_write_struct(&w.state.png, &w.state.info);
    if (status) {
        free(w.bytes);
        return status;
    }
    *bytes = w.bytes;
    *length = w.length;
    return SOS_OK;
}

bool sos_image_has_png(void) { return true; }

#endif

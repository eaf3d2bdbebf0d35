/* image_png.c - PNG, by way of libpng.
 *
 * libpng leaves a failing call by a long jump.  All that changes between setting the jump and taking it is in a struct of the
 * caller of the function that sets it, so that nothing is lost and no local variable is read after the jump. */
#include "vision/image_codec.h"

#if !defined(SOS_HAVE_PNG)

bool s3svm_image_has_png(void) { return false; }

sos_status s3svm_image_png_read(const s3svm_image_source *s, s3svm_picture *out)
{
    (void)out;
    return s3svm_image_source_fail(s, SOS_ERR_ARGUMENT, "a PNG picture, but this program was built without libpng");
}

sos_status s3svm_image_png_encode(const s3svm_picture *picture, size_t count, const uint32_t colours[], uint8_t **bytes,
                                  size_t *length, sos_error *error)
{
    (void)picture, (void)count, (void)colours, (void)bytes, (void)length;
    return sos_fail(error, SOS_ERR_ARGUMENT, "no PNG picture can be written: this program was built without libpng");
}

#else

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { PROFILE_MOST = 1 << 22 }; /* bytes of a colour profile that is read */

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
    const s3svm_image_source *source;
    size_t at; /* of the source's bytes */
    s3svm_image_layout layout;
    s3svm_image_canvas canvas;
    size_t channels; /* as libpng gives them: of a palette one, the layout has its colours */
    int depth, type, passes;
    uint8_t *rows;  /* one row, or all of them where the picture comes in passes */
    uint8_t *shown; /* of a palette: a row of colours and opacity */
    size_t colours;
    uint8_t palette[256][4]; /* red, green, blue, opacity */
} png_reader;

static void on_read(png_struct *png, png_byte *to, size_t length)
{
    png_reader *r = png_get_io_ptr(png);
    if (length > r->source->length - r->at) png_error(png, S3SVM_IMAGE_CUT_OFF);
    memcpy(to, r->source->bytes + r->at, length);
    r->at += length;
}

/* Texts and the like are passed over unread, and colour profiles where they are not wanted.  Then no other chunk makes libpng
 * take memory beyond its length in the file, and its own limits, which would refuse pictures with long texts, are not needed;
 * those on the size neither, since the size is checked here. */
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
    png_set_chunk_malloc_max(r->state.png, r->source->whole ? PROFILE_MOST : 0);
    png_set_keep_unknown_chunks(r->state.png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    if (r->source->whole) png_set_keep_unknown_chunks(r->state.png, PNG_HANDLE_CHUNK_AS_DEFAULT, (const png_byte *)"iCCP", 1);
    png_set_benign_errors(r->state.png, 1); /* a profile that is damaged is none */
}

/* libpng knows the chunk from version 1.6.32 on; it may stand behind the pixels, so that it is looked for here. */
static unsigned orientation_find(const s3svm_image_source *s)
{
    enum { SIGNATURE = 8, AROUND = 12 }; /* bytes: of the file; of a chunk its length, name and checksum */
    for (size_t at = SIGNATURE; at + AROUND <= s->length;) {
        const uint8_t *p = s->bytes + at;
        const size_t length = (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
        if (length > s->length - at - AROUND) break;
        if (!memcmp(p + 4, "eXIf", 4)) return s3svm_image_exif_orientation(p + 8, length);
        at += AROUND + length;
    }
    return 1;
}

/* A byte of deflated data makes at most 1032 bytes, so a short file cannot make libpng fill much memory. */
static sos_status length_check(const png_reader *r)
{
    const uint64_t bits = (uint64_t)r->layout.width * r->layout.height *
                          (uint64_t)(r->depth * png_get_channels(r->state.png, r->state.info));
    if (bits / 8 / 1032 <= r->source->length) return SOS_OK;
    return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, S3SVM_IMAGE_CUT_OFF ": %zu by %zu pixels cannot be in %zu bytes",
                                   r->layout.width, r->layout.height, r->source->length);
}

static sos_status labels_check(const png_reader *r)
{
    if (r->source->kind != S3SVM_IMAGE_LABELS || r->source->header_only) return SOS_OK;
    if (r->depth == 16) return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "16 bits; a label picture has 8 or fewer");
    if (r->type != PNG_COLOR_TYPE_PALETTE && r->type & PNG_COLOR_MASK_COLOR)
        return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "a colour picture; a label picture is grey or has a palette");
    return SOS_OK;
}

static sos_status png_header_read(png_reader *r)
{
    png_read_info(r->state.png, r->state.info);
    r->layout = (s3svm_image_layout){ .width = png_get_image_width(r->state.png, r->state.info),
                                      .height = png_get_image_height(r->state.png, r->state.info),
                                      .orientation = orientation_find(r->source) };
    r->depth = png_get_bit_depth(r->state.png, r->state.info);
    r->type = png_get_color_type(r->state.png, r->state.info);
    sos_status status = s3svm_image_source_check(r->source, r->layout.width, r->layout.height);
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

/* Asks for a byte a channel: palette indices and labels as they are, other samples spread over 0 ... 255; or for two, in the
 * order of this machine, where 16 bits are wanted. */
static void transforms_set(png_reader *r)
{
    png_struct *png = r->state.png;
    const bool palette = r->type == PNG_COLOR_TYPE_PALETTE, labels = r->source->kind == S3SVM_IMAGE_LABELS;
    const uint16_t one = 1;
    r->layout.deep = r->source->whole && r->depth == 16;
    if (palette || labels) {
        png_set_packing(png);
    } else {
        png_set_expand_gray_1_2_4_to_8(png);
        if (png_get_valid(png, r->state.info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
        if (!r->layout.deep) png_set_scale_16(png);
        if (r->layout.deep && *(const uint8_t *)&one) png_set_swap(png);
    }
    r->passes = png_set_interlace_handling(png);
    png_read_update_info(png, r->state.info);
    r->channels = png_get_channels(png, r->state.info);
    r->layout.channels = palette && !labels ? 4 : r->channels;
    if (png_get_rowbytes(png, r->state.info) != r->layout.width * r->channels * (r->layout.deep ? 2 : 1))
        png_error(png, "rows of an unexpected length");
}

static sos_status row_put_palette(png_reader *r, const uint8_t *row, size_t y)
{
    for (size_t x = 0; x < r->layout.width; x++) {
        if (row[x] >= r->colours)
            return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "pixel (%zu, %zu) has colour %d of a palette of %zu", x,
                                           y, row[x], r->colours);
        memcpy(r->shown + 4 * x, r->palette[row[x]], 4);
    }
    s3svm_image_canvas_row(&r->canvas, y, r->shown);
    return SOS_OK;
}

static sos_status row_put(png_reader *r, const uint8_t *row, size_t y)
{
    if (r->layout.channels != r->channels) return row_put_palette(r, row, y);
    if (r->source->kind == S3SVM_IMAGE_LABELS && r->channels == 2)
        for (size_t x = 0; x < r->layout.width; x++)
            if (row[2 * x + 1] != 255)
                return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "pixel (%zu, %zu) is not opaque; labels must be", x,
                                               y);
    if (r->layout.deep)
        s3svm_image_canvas_row_deep(&r->canvas, y, (const uint16_t *)(const void *)row);
    else
        s3svm_image_canvas_row(&r->canvas, y, row);
    return SOS_OK;
}

static sos_status png_pixels_read(png_reader *r)
{
    const size_t row_bytes = png_get_rowbytes(r->state.png, r->state.info), height = r->layout.height;
    sos_status status = s3svm_image_canvas_open(&r->canvas, r->source, &r->layout);
    if (status) return status;
    r->rows = malloc(row_bytes * (r->passes > 1 ? height : 1));
    if (r->layout.channels != r->channels) r->shown = malloc(4 * r->layout.width);
    if (!r->rows || (r->layout.channels != r->channels && !r->shown))
        return s3svm_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory for %zu by %zu pixels", r->layout.width, height);
    for (int pass = 1; pass <= r->passes && !status; pass++)
        for (size_t y = 0; y < height && !status; y++) {
            uint8_t *row = r->rows + (r->passes > 1 ? y * row_bytes : 0);
            png_read_row(r->state.png, row, NULL);
            if (pass == r->passes) status = row_put(r, row, y);
        }
    return status;
}

static sos_status profile_read(png_reader *r)
{
    char *name = NULL;
    int method = 0;
    png_byte *profile = NULL;
    png_uint_32 length = 0;
    if (!png_get_iCCP(r->state.png, r->state.info, &name, &method, &profile, &length)) return SOS_OK;
    return s3svm_image_canvas_profile(&r->canvas, profile, length);
}

static sos_status reader_fail(const png_reader *r)
{
    const state *s = &r->state;
    if (s->no_memory) return s3svm_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory to read the picture");
    if (!strcmp(s->words, S3SVM_IMAGE_CUT_OFF)) return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "%s", s->words);
    return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "cannot be read as PNG: %s%s%s%s", s->words,
                                   s->warning[0] ? " (" : "", s->warning, s->warning[0] ? ")" : "");
}

/* Reads the picture: all calls of libpng that can jump. */
static sos_status reader_run(png_reader *r)
{
    if (setjmp(r->state.jump)) return reader_fail(r);
    reader_open(r);
    const sos_status header = png_header_read(r);
    if (header || r->source->header_only) return header;
    if (r->type == PNG_COLOR_TYPE_PALETTE) palette_read(r);
    transforms_set(r);
    const sos_status pixels = png_pixels_read(r);
    if (pixels) return pixels;
    png_read_end(r->state.png, NULL);
    return profile_read(r);
}

sos_status s3svm_image_png_read(const s3svm_image_source *s, s3svm_picture *out)
{
    png_reader *r = calloc(1, sizeof *r);
    if (!r) return s3svm_image_source_fail(s, SOS_ERR_MEMORY, "no memory to read the picture");
    r->source = s;
    const sos_status status = reader_run(r);
    png_destroy_read_struct(&r->state.png, &r->state.info, NULL);
    if (!status && s->header_only)
        out->image = s3svm_image_layout_seen(&r->layout);
    else if (!status)
        s3svm_image_canvas_close(&r->canvas, out);
    s3svm_image_canvas_free(&r->canvas);
    free(r->rows);
    free(r->shown);
    free(r);
    return status;
}

/* ---- writing ---- */

typedef struct png_writer {
    state state;
    const s3svm_picture *picture;
    size_t count;
    const uint32_t *colours;
    uint8_t *row; /* of 16 bits, the higher byte first */
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
    png_set_benign_errors(w->state.png, 1); /* a profile that libpng does not like is left out */
}

static void header_write(png_writer *w)
{
    const int types[] = { 0, PNG_COLOR_TYPE_GRAY, 0, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_RGB_ALPHA };
    const s3svm_image *image = &w->picture->image;
    png_set_IHDR(w->state.png, w->state.info, (png_uint_32)image->width, (png_uint_32)image->height, w->picture->deep ? 16 : 8,
                 w->colours ? PNG_COLOR_TYPE_PALETTE : types[image->channels], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (w->picture->profile)
        png_set_iCCP(w->state.png, w->state.info, "ICC profile", PNG_COMPRESSION_TYPE_BASE, w->picture->profile,
                     (png_uint_32)w->picture->profile_length);
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

static const uint8_t *row_take(png_writer *w, size_t y)
{
    const s3svm_picture *p = w->picture;
    const size_t samples = p->image.width * p->image.channels;
    if (!p->deep) return p->image.pixels + y * samples;
    for (size_t i = 0; i < samples; i++) {
        w->row[2 * i] = (uint8_t)(p->deep[y * samples + i] >> 8);
        w->row[2 * i + 1] = (uint8_t)(p->deep[y * samples + i] & 255);
    }
    return w->row;
}

static sos_status writer_run(png_writer *w, sos_error *error)
{
    if (setjmp(w->state.jump)) {
        if (w->state.no_memory) return sos_fail(error, SOS_ERR_MEMORY, "no memory to write a PNG picture");
        return sos_fail(error, SOS_ERR_ARGUMENT, "the picture cannot be written as PNG: %s", w->state.words);
    }
    writer_open(w);
    header_write(w);
    for (size_t y = 0; y < w->picture->image.height; y++) png_write_row(w->state.png, row_take(w, y));
    png_write_end(w->state.png, NULL);
    return SOS_OK;
}

sos_status s3svm_image_png_encode(const s3svm_picture *picture, size_t count, const uint32_t colours[], uint8_t **bytes,
                                  size_t *length, sos_error *error)
{
    png_writer w = { .picture = picture, .count = count, .colours = colours };
    if (picture->deep) {
        w.row = malloc(picture->image.width * picture->image.channels * 2);
        if (!w.row) return sos_fail(error, SOS_ERR_MEMORY, "no memory to write a PNG picture");
    }
    const sos_status status = writer_run(&w, error);
    png_destroy_write_struct(&w.state.png, &w.state.info);
    free(w.row);
    if (status) {
        free(w.bytes);
        return status;
    }
    *bytes = w.bytes;
    *length = w.length;
    return SOS_OK;
}

bool s3svm_image_has_png(void) { return true; }

#endif

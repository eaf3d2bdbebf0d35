/* image_tiff.c - TIFF, by way of libtiff: the first picture of a file. */
#include "vision/image_codec.h"

#if !defined(SOS_HAVE_TIFF)

bool s3svm_image_has_tiff(void) { return false; }

sos_status s3svm_image_tiff_read(const s3svm_image_source *s, s3svm_picture *out)
{
    (void)out;
    return s3svm_image_source_fail(s, SOS_ERR_ARGUMENT,
                                   "a TIFF picture, but this program was built without libtiff 4.5; 'convert FILE FILE.png' "
                                   "converts it (Debian: imagemagick)");
}

sos_status s3svm_image_tiff_encode(const s3svm_picture *picture, uint8_t **bytes, size_t *length, sos_error *error)
{
    (void)picture, (void)bytes, (void)length;
    return sos_fail(error, SOS_ERR_ARGUMENT, "no TIFF picture can be written: this program was built without libtiff 4.5");
}

#else

#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

#include "base/memory.h"

enum {
    ALLOCATION_MAX = 1 << 30, /* bytes that libtiff may take at once */
    SAMPLES_MAX = 8           /* of a pixel: colours, opacity, and what cameras for more than people see add */
};

/* A file in memory: borrowed and read, or grown and written. */
typedef struct memory {
    const uint8_t *read; /* NULL: written */
    uint8_t *written;
    size_t length, room, at;
    char words[160]; /* of libtiff: the first error */
} memory;

static int on_error(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    memory *m = user;
    (void)tiff, (void)module;
    if (!m->words[0]) vsnprintf(m->words, sizeof m->words, format, arguments);
    return 1;
}

static int on_warning(TIFF *tiff, void *user, const char *module, const char *format, va_list arguments)
{
    (void)tiff, (void)user, (void)module, (void)format, (void)arguments;
    return 1;
}

static tmsize_t on_read(thandle_t handle, void *to, tmsize_t length)
{
    memory *m = handle;
    const uint8_t *bytes = m->read ? m->read : m->written;
    const size_t left = m->at < m->length ? m->length - m->at : 0, taken = (size_t)length < left ? (size_t)length : left;
    if (taken) memcpy(to, bytes + m->at, taken);
    m->at += taken;
    return (tmsize_t)taken;
}

static tmsize_t on_write(thandle_t handle, void *from, tmsize_t length)
{
    memory *m = handle;
    const size_t count = (size_t)length;
    if (m->read || count > SIZE_MAX - m->at || !sos_grow(&m->written, &m->room, m->at + count)) return -1;
    if (m->at > m->length) memset(m->written + m->length, 0, m->at - m->length);
    memcpy(m->written + m->at, from, count);
    m->at += count;
    if (m->at > m->length) m->length = m->at;
    return length;
}

static toff_t on_seek(thandle_t handle, toff_t offset, int whence)
{
    memory *m = handle;
    const toff_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? m->at : m->length;
    m->at = (size_t)(from + offset);
    return from + offset;
}

static int on_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t on_size(thandle_t handle) { return ((memory *)handle)->length; }

static TIFF *tiff_open(memory *m, const char *name, const char *mode)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options) return NULL;
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, ALLOCATION_MAX);
    TIFFOpenOptionsSetErrorHandlerExtR(options, on_error, m);
    TIFFOpenOptionsSetWarningHandlerExtR(options, on_warning, m);
    TIFF *tiff = TIFFClientOpenExt(name, mode, m, on_read, on_write, on_seek, on_close, on_size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

/* ---- reading ---- */

typedef struct tiff_reader {
    const s3svm_image_source *source;
    memory memory;
    TIFF *tiff;
    s3svm_image_layout layout;
    uint16_t bits, samples, photometric, format, planar;
    bool straight;   /* samples are taken as they are; else libtiff makes red, green, blue and opacity of them */
    bool opacity;    /* the last one that is taken says how opaque a pixel is ... */
    bool multiplied; /* ... and the others are multiplied by it */
    uint16_t palette[3][256];
    uint8_t *raster; /* all samples, row after row */
    size_t stride;   /* bytes of a row of it */
    void *row;       /* of the layout's channels */
    s3svm_image_canvas canvas;
} tiff_reader;

static sos_status reader_fail(const tiff_reader *r)
{
    return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "cannot be read as TIFF%s%s", r->memory.words[0] ? ": " : "",
                                   r->memory.words);
}

static bool is_grey(const tiff_reader *r)
{
    return r->photometric == PHOTOMETRIC_MINISBLACK || r->photometric == PHOTOMETRIC_MINISWHITE;
}

/* What further samples are for: opacity, or nothing that is known here. */
static void opacity_find(tiff_reader *r)
{
    uint16_t count = 0, *kinds = NULL;
    const uint16_t colours = r->photometric == PHOTOMETRIC_RGB ? 3 : 1;
    r->opacity = r->samples > colours && TIFFGetField(r->tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds) && count &&
                 (kinds[0] == EXTRASAMPLE_ASSOCALPHA || kinds[0] == EXTRASAMPLE_UNASSALPHA);
    r->multiplied = r->opacity && kinds[0] == EXTRASAMPLE_ASSOCALPHA;
}

/* Grey and colours of 8 and 16 bits, and palettes, are read here: libtiff's own way to red, green and blue knows 8 bits only.
 */
static void way_choose(tiff_reader *r)
{
    const bool rgb = r->photometric == PHOTOMETRIC_RGB && r->samples >= 3, grey = is_grey(r) && r->samples >= 1;
    const bool palette = r->photometric == PHOTOMETRIC_PALETTE && r->bits == 8 && r->samples == 1;
    r->straight = (r->bits == 8 || r->bits == 16) && r->samples <= SAMPLES_MAX && r->format == SAMPLEFORMAT_UINT &&
                  (rgb || grey || palette);
    r->layout.deep = r->straight && r->bits == 16;
    if (!r->straight || palette) {
        r->layout.channels = r->straight && r->source->kind == S3SVM_IMAGE_LABELS ? 1 : r->straight ? 3 : 4;
        return;
    }
    opacity_find(r);
    r->layout.channels = (rgb ? 3U : 1U) + r->opacity;
}

static sos_status tiff_header_read(tiff_reader *r)
{
    uint32_t width = 0, height = 0;
    uint16_t orientation = 1;
    r->memory = (memory){ .read = r->source->bytes, .length = r->source->length };
    r->tiff = tiff_open(&r->memory, r->source->name, "rm");
    if (!r->tiff) return reader_fail(r);
    TIFFGetField(r->tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(r->tiff, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_ORIENTATION, &orientation);
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_BITSPERSAMPLE, &r->bits);
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_SAMPLESPERPIXEL, &r->samples);
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_SAMPLEFORMAT, &r->format);
    TIFFGetFieldDefaulted(r->tiff, TIFFTAG_PLANARCONFIG, &r->planar);
    if (!TIFFGetField(r->tiff, TIFFTAG_PHOTOMETRIC, &r->photometric))
        r->photometric = r->samples < 3 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB;
    r->layout = (s3svm_image_layout){ .width = width,
                                      .height = height,
                                      .orientation = orientation >= 1 && orientation <= 8 ? orientation : 1 };
    const sos_status status = s3svm_image_source_check(r->source, width, height);
    return status ? status : s3svm_image_source_believe(r->source, width, height);
}

static sos_status labels_check(const tiff_reader *r)
{
    if (r->source->kind != S3SVM_IMAGE_LABELS) return SOS_OK;
    if (r->straight && r->bits == 8 && r->layout.channels == 1 && r->photometric != PHOTOMETRIC_MINISWHITE) return SOS_OK;
    return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "a label picture is grey or has a palette, with 8 bits");
}

static sos_status raster_create(tiff_reader *r, size_t bytes)
{
    r->stride = r->layout.width * bytes;
    r->raster = calloc(r->layout.height, r->stride);
    if (r->raster) return SOS_OK;
    return s3svm_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory for %zu by %zu pixels", r->layout.width,
                                   r->layout.height);
}

/* Puts a row of some columns into the raster, from all samples of pixels or, with separate planes, one of them. */
static void samples_put(tiff_reader *r, size_t x, size_t y, size_t columns, uint16_t plane, const uint8_t *from)
{
    const size_t bytes = r->bits / 8U, pixel = bytes * r->samples;
    if (x >= r->layout.width || y >= r->layout.height) return;
    if (columns > r->layout.width - x) columns = r->layout.width - x;
    uint8_t *to = r->raster + y * r->stride + x * pixel;
    if (r->planar == PLANARCONFIG_CONTIG) {
        memcpy(to, from, columns * pixel);
        return;
    }
    for (size_t i = 0; i < columns; i++) memcpy(to + i * pixel + plane * bytes, from + i * bytes, bytes);
}

static sos_status tiles_read(tiff_reader *r, uint16_t plane)
{
    uint32_t across = 0, down = 0;
    TIFFGetField(r->tiff, TIFFTAG_TILEWIDTH, &across);
    TIFFGetField(r->tiff, TIFFTAG_TILELENGTH, &down);
    const tmsize_t size = TIFFTileSize(r->tiff), row = TIFFTileRowSize(r->tiff);
    if (size <= 0 || row <= 0 || size > ALLOCATION_MAX || !across || !down) return reader_fail(r);
    uint8_t *tile = malloc((size_t)size);
    if (!tile) return s3svm_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory for a tile of %zu bytes", (size_t)size);
    bool fine = true;
    for (uint32_t y = 0; fine && y < r->layout.height; y += down)
        for (uint32_t x = 0; fine && x < r->layout.width; x += across) {
            fine = TIFFReadTile(r->tiff, tile, x, y, 0, plane) == size;
            for (uint32_t k = 0; fine && k < down; k++) samples_put(r, x, y + (size_t)k, across, plane, tile + k * (size_t)row);
        }
    free(tile);
    return fine ? SOS_OK : reader_fail(r);
}

static sos_status lines_read(tiff_reader *r, uint16_t plane)
{
    const tmsize_t size = TIFFScanlineSize(r->tiff);
    const size_t needed = r->layout.width * (r->bits / 8U) * (r->planar == PLANARCONFIG_CONTIG ? r->samples : 1U);
    if (size < 0 || (size_t)size < needed) return reader_fail(r);
    uint8_t *line = malloc((size_t)size);
    if (!line) return s3svm_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory for a row of %zu bytes", (size_t)size);
    bool fine = true;
    for (uint32_t y = 0; fine && y < r->layout.height; y++) {
        fine = TIFFReadScanline(r->tiff, line, y, plane) == 1;
        if (fine) samples_put(r, 0, y, r->layout.width, plane, line);
    }
    free(line);
    return fine ? SOS_OK : reader_fail(r);
}

static sos_status samples_read(tiff_reader *r)
{
    const uint16_t planes = r->planar == PLANARCONFIG_CONTIG ? 1 : r->samples;
    sos_status status = raster_create(r, (size_t)r->samples * (r->bits / 8U));
    for (uint16_t k = 0; k < planes && !status; k++) status = TIFFIsTiled(r->tiff) ? tiles_read(r, k) : lines_read(r, k);
    return status;
}

/* Whatever libtiff can make red, green, blue and opacity of; rows as the file has them. */
static sos_status colours_read(tiff_reader *r)
{
    TIFFRGBAImage image;
    char words[1024] = "";
    if (!TIFFRGBAImageOK(r->tiff, words) || !TIFFRGBAImageBegin(&image, r->tiff, 1, words))
        return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "cannot be read as TIFF: %.150s", words);
    image.req_orientation = image.orientation;
    const sos_status status = raster_create(r, 4);
    const bool fine = !status && TIFFRGBAImageGet(&image, (uint32_t *)(void *)r->raster, (uint32_t)r->layout.width,
                                                  (uint32_t)r->layout.height);
    TIFFRGBAImageEnd(&image);
    r->opacity = r->multiplied = true;
    return status ? status : fine ? SOS_OK : reader_fail(r);
}

static uint32_t sample_get(const tiff_reader *r, const uint8_t *pixel, size_t k)
{
    uint16_t wide;
    uint32_t packed;
    if (r->straight && r->bits == 8) return pixel[k];
    if (!r->straight) {
        memcpy(&packed, pixel, sizeof packed);
        return packed >> 8 * k & 255;
    }
    memcpy(&wide, pixel + 2 * k, sizeof wide);
    return wide;
}

/* Channel k of a pixel, with its opacity divided out. */
static uint32_t channel_get(const tiff_reader *r, const uint8_t *pixel, size_t k)
{
    const uint32_t most = r->layout.deep ? UINT16_MAX : UINT8_MAX;
    const size_t last = r->layout.channels - 1;
    const uint32_t sample = sample_get(r, pixel, k),
                   value = r->straight && r->photometric == PHOTOMETRIC_MINISWHITE ? most - sample : sample;
    if (!r->multiplied || k == last) return k == last && r->opacity ? sample : value;
    const uint32_t opacity = sample_get(r, pixel, last);
    if (value >= opacity) return opacity ? most : 0;
    return (uint32_t)(((uint64_t)value * most + opacity / 2) / opacity);
}

static void row_put(tiff_reader *r, size_t y)
{
    const size_t channels = r->layout.channels, bytes = r->straight ? (size_t)r->samples * (r->bits / 8U) : 4;
    const uint8_t *pixel = r->raster + y * r->stride;
    const bool palette = r->straight && r->photometric == PHOTOMETRIC_PALETTE && r->source->kind != S3SVM_IMAGE_LABELS;
    uint8_t *row = r->row;
    uint16_t *deep = r->row;
    for (size_t x = 0; x < r->layout.width; x++, pixel += bytes)
        for (size_t k = 0; k < channels; k++) {
            const uint32_t value = palette ? r->palette[k][*pixel] >> 8 : channel_get(r, pixel, k);
            if (r->layout.deep)
                deep[x * channels + k] = (uint16_t)value;
            else
                row[x * channels + k] = (uint8_t)value;
        }
    if (r->layout.deep)
        s3svm_image_canvas_row_deep(&r->canvas, y, deep);
    else
        s3svm_image_canvas_row(&r->canvas, y, row);
}

static sos_status palette_read(tiff_reader *r)
{
    uint16_t *colours[3] = { NULL };
    if (!TIFFGetField(r->tiff, TIFFTAG_COLORMAP, &colours[0], &colours[1], &colours[2])) return reader_fail(r);
    for (int k = 0; k < 3; k++) memcpy(r->palette[k], colours[k], sizeof r->palette[k]);
    return SOS_OK;
}

static sos_status tiff_pixels_read(tiff_reader *r)
{
    sos_status status = r->straight ? samples_read(r) : colours_read(r);
    if (!status && r->straight && r->photometric == PHOTOMETRIC_PALETTE) status = palette_read(r);
    if (!status) status = s3svm_image_canvas_open(&r->canvas, r->source, &r->layout);
    if (status) return status;
    r->row = malloc(r->layout.width * r->layout.channels * 2);
    if (!r->row)
        return s3svm_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory for a row of %zu pixels", r->layout.width);
    for (size_t y = 0; y < r->layout.height; y++) row_put(r, y);
    uint32_t length = 0;
    const uint8_t *profile = NULL;
    if (!TIFFGetField(r->tiff, TIFFTAG_ICCPROFILE, &length, &profile)) return SOS_OK;
    return s3svm_image_canvas_profile(&r->canvas, profile, length);
}

static sos_status reader_run(tiff_reader *r, s3svm_picture *out)
{
    sos_status status = tiff_header_read(r);
    if (status) return status;
    if (r->source->header_only) {
        out->image = s3svm_image_layout_seen(&r->layout);
        return SOS_OK;
    }
    way_choose(r);
    status = labels_check(r);
    if (!status) status = tiff_pixels_read(r);
    if (!status) s3svm_image_canvas_close(&r->canvas, out);
    return status;
}

sos_status s3svm_image_tiff_read(const s3svm_image_source *s, s3svm_picture *out)
{
    tiff_reader *r = calloc(1, sizeof *r);
    if (!r) return s3svm_image_source_fail(s, SOS_ERR_MEMORY, "no memory to read the picture");
    r->source = s;
    const sos_status status = reader_run(r, out);
    if (r->tiff) TIFFClose(r->tiff);
    s3svm_image_canvas_free(&r->canvas);
    free(r->raster);
    free(r->row);
    free(r);
    return status;
}

/* ---- writing ---- */

static bool header_write(TIFF *tiff, const s3svm_picture *p)
{
    const s3svm_image *image = &p->image;
    const uint16_t opacity = EXTRASAMPLE_UNASSALPHA;
    bool fine = TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, (uint32_t)image->width) &&
                TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, (uint32_t)image->height) &&
                TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, p->deep ? 16 : 8) &&
                TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, (int)image->channels) &&
                TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, image->channels == 1 ? PHOTOMETRIC_MINISBLACK : PHOTOMETRIC_RGB) &&
                TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
                TIFFSetField(tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT) &&
                TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_LZW) &&
                TIFFSetField(tiff, TIFFTAG_PREDICTOR, PREDICTOR_HORIZONTAL) &&
                TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, TIFFDefaultStripSize(tiff, 0));
    if (image->channels == 4) fine = fine && TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &opacity);
    if (p->profile) fine = fine && TIFFSetField(tiff, TIFFTAG_ICCPROFILE, (uint32_t)p->profile_length, p->profile);
    return fine;
}

/* libtiff changes the rows that it is given: it gets copies. */
static bool rows_write(TIFF *tiff, const s3svm_picture *p)
{
    const size_t stride = p->image.width * p->image.channels * (p->deep ? 2 : 1);
    const uint8_t *from = p->deep ? (const uint8_t *)p->deep : p->image.pixels;
    uint8_t *row = malloc(stride);
    bool fine = row;
    for (size_t y = 0; fine && y < p->image.height; y++) {
        memcpy(row, from + y * stride, stride);
        fine = TIFFWriteScanline(tiff, row, (uint32_t)y, 0) == 1;
    }
    free(row);
    return fine;
}

sos_status s3svm_image_tiff_encode(const s3svm_picture *picture, uint8_t **bytes, size_t *length, sos_error *error)
{
    memory m = { 0 };
    TIFF *tiff = tiff_open(&m, "picture", "wm");
    const bool fine = tiff && header_write(tiff, picture) && rows_write(tiff, picture) && TIFFFlush(tiff);
    if (tiff) TIFFClose(tiff);
    if (!fine) {
        free(m.written);
        return sos_fail(error, SOS_ERR_MEMORY, "the picture cannot be written as TIFF: %s", m.words[0] ? m.words : "no memory");
    }
    *bytes = m.written;
    *length = m.length;
    return SOS_OK;
}

bool s3svm_image_has_tiff(void) { return true; }

#endif

#include "vision/npy.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/image.h>

#include "base/error.h"
#include "base/file.h"
#include "base/output.h"

/* A file begins with this, then the numbers of its version, the length of its header and the header: a dictionary as Python
 * prints it, of which three entries are known. */
static const unsigned char MAGIC[6] = { 0x93, 'N', 'U', 'M', 'P', 'Y' };
enum { PREAMBLE = sizeof MAGIC + 2, HEADER_MAX = 1 << 16 };

typedef struct header {
    size_t width, height, channels;
    size_t bytes;       /* of a number: 4 or 8 */
    bool big;           /* the most significant byte comes first */
    bool columns_first; /* Fortran's order: the first axis runs fastest */
    size_t start;       /* of the numbers in the file */
} header;

/* ---------------------------------------------------------------- maps */

sos_status s3svm_maps_create(size_t width, size_t height, size_t channels, s3svm_maps *out, sos_error *error)
{
    if (!width || !height || width > S3SVM_IMAGE_SIDE_MAX || height > S3SVM_IMAGE_PIXELS_MAX / width || !channels ||
        channels > S3SVM_MAPS_CHANNELS_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "%zu maps of %zu by %zu pixels", channels, width, height);
    float *values = calloc(width * height, channels * sizeof *values);
    if (!values) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu maps of %zu by %zu pixels", channels, width, height);
    *out = (s3svm_maps){ .width = width, .height = height, .channels = channels, .values = values };
    return SOS_OK;
}

void s3svm_maps_free(s3svm_maps *m)
{
    free(m->values);
    *m = (s3svm_maps){ 0 };
}

/* ---------------------------------------------------------------- the header */

/* A Python dictionary being read. */
typedef struct reader {
    const char *at, *end;
} reader;

static void skip_spaces(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n')) r->at++;
}

/* Passes a word, with spaces before it; false: it is not there. */
static bool take(reader *r, const char *word)
{
    const size_t length = strlen(word);
    skip_spaces(r);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

static bool take_count(reader *r, size_t *count)
{
    size_t n = 0, digits = 0;
    skip_spaces(r);
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++, digits++) {
        if (n > SIZE_MAX / 16) return false;
        n = 10 * n + (size_t)(*r->at - '0');
    }
    *count = n;
    return digits;
}

/* '<f4' and the like. */
static bool take_type(reader *r, header *h)
{
    if (!take(r, "'") || r->end - r->at < 4) return false;
    if (*r->at != '<' && *r->at != '>') return false;
    h->big = *r->at++ == '>';
    if (*r->at++ != 'f' || (*r->at != '4' && *r->at != '8')) return false;
    h->bytes = *r->at++ == '4' ? 4 : 8;
    return take(r, "'");
}

/* (height, width) or (height, width, channels). */
static bool take_shape(reader *r, header *h)
{
    if (!take(r, "(") || !take_count(r, &h->height) || !take(r, ",") || !take_count(r, &h->width)) return false;
    h->channels = 1;
    if (take(r, ",") && !take(r, ")")) {
        if (!take_count(r, &h->channels)) return false;
        take(r, ",");
        return take(r, ")");
    }
    return r->at[-1] == ')' || take(r, ")");
}

static bool take_order(reader *r, header *h)
{
    h->columns_first = take(r, "True");
    return h->columns_first || take(r, "False");
}

/* What is wrong with the dictionary; NULL: nothing. */
static const char *dictionary_read(reader *r, header *h)
{
    bool type = false, shape = false, order = false;
    if (!take(r, "{")) return "its header is no dictionary";
    while (!take(r, "}")) {
        if (take(r, "'descr':")) {
            type = take_type(r, h);
            if (!type) return "its numbers are neither float32 nor float64";
        } else if (take(r, "'shape':")) {
            shape = take_shape(r, h);
            if (!shape) return "its shape is neither height x width nor height x width x channels";
        } else if (take(r, "'fortran_order':")) {
            order = take_order(r, h);
            if (!order) return "fortran_order is neither True nor False";
        } else
            return "its header has an entry that is not known";
        if (!take(r, ",") && !(r->at < r->end && *r->at == '}')) return "its header is no dictionary";
    }
    skip_spaces(r);
    if (r->at != r->end) return "something follows the dictionary in its header";
    return type && shape && order ? NULL : "its header lacks descr, shape or fortran_order";
}

/* The header of a file that begins with these bytes, of which there are fewer than it says where it is cut off. */
static sos_status npy_header_read(const unsigned char *bytes, size_t length, const char *name, header *h, sos_error *error)
{
    if (length < PREAMBLE + 4 || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is not a NumPy array (.npy)", name);
    const unsigned version = bytes[sizeof MAGIC];
    const size_t field = version == 1 ? 2 : 4, low = bytes[PREAMBLE] | (size_t)bytes[PREAMBLE + 1] << 8;
    const size_t high = bytes[PREAMBLE + 2] | (size_t)bytes[PREAMBLE + 3] << 8, size = version == 1 ? low : low | high << 16;
    if (version < 1 || version > 3)
        return sos_fail(error, SOS_ERR_FORMAT, "'%.200s': version %u of the .npy format is not supported", name, version);
    if (size > HEADER_MAX || size > length - PREAMBLE - field)
        return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' ends in the middle of its header", name);
    const char *text = (const char *)bytes + PREAMBLE + field;
    reader r = { .at = text, .end = text + size };
    h->start = PREAMBLE + field + size;
    const char *wrong = dictionary_read(&r, h);
    if (wrong) return sos_fail(error, SOS_ERR_FORMAT, "'%.200s': %s", name, wrong);
    if (!h->width || !h->height || h->width > S3SVM_IMAGE_SIDE_MAX || h->height > S3SVM_IMAGE_PIXELS_MAX / h->width ||
        !h->channels || h->channels > S3SVM_MAPS_CHANNELS_MAX)
        return sos_fail(error, SOS_ERR_RANGE, "'%.200s' has %zu channels of %zu by %zu pixels", name, h->channels, h->width,
                        h->height);
    return SOS_OK;
}

/* ---------------------------------------------------------------- numbers */

static double number_at(const unsigned char *p, size_t bytes, bool big)
{
    uint64_t bits = 0;
    for (size_t b = 0; b < bytes; b++) bits |= (uint64_t)p[big ? bytes - 1 - b : b] << 8 * b;
    if (bytes == 8) {
        double x;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    const uint32_t half = (uint32_t)bits;
    float x;
    memcpy(&x, &half, sizeof x);
    return (double)x;
}

/* Which number of the file stands for channel c of pixel (x, y). */
static size_t place_of(const header *h, size_t x, size_t y, size_t c)
{
    return h->columns_first ? (c * h->width + x) * h->height + y : (y * h->width + x) * h->channels + c;
}

static sos_status numbers_read(const unsigned char *numbers, const header *h, const char *name, float values[],
                               sos_error *error)
{
    const size_t n = h->width * h->height;
    for (size_t y = 0; y < h->height; y++)
        for (size_t x = 0; x < h->width; x++)
            for (size_t c = 0; c < h->channels; c++) {
                const double value = number_at(numbers + place_of(h, x, y, c) * h->bytes, h->bytes, h->big);
                const float rounded = (float)value;
                if (!isfinite(rounded))
                    return sos_fail(error, SOS_ERR_FORMAT, "'%.200s': channel %zu of pixel (%zu, %zu) is %g", name, c, x, y,
                                    value);
                values[c * n + y * h->width + x] = rounded;
            }
    return SOS_OK;
}

sos_status s3svm_npy_parse(const void *bytes, size_t length, const char *name, s3svm_maps *out, sos_error *error)
{
    header h;
    s3svm_maps maps;
    sos_status status = npy_header_read(bytes, length, name, &h, error);
    if (status) return status;
    const size_t wanted = h.width * h.height * h.channels * h.bytes, there = length - h.start;
    if (wanted != there)
        return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' has %zu bytes of numbers; %zu by %zu by %zu of %zu bytes are %zu",
                        name, there, h.height, h.width, h.channels, h.bytes, wanted);
    status = s3svm_maps_create(h.width, h.height, h.channels, &maps, error);
    if (status) return status;
    status = numbers_read((const unsigned char *)bytes + h.start, &h, name, maps.values, error);
    if (status)
        s3svm_maps_free(&maps);
    else
        *out = maps;
    return status;
}

/* ---------------------------------------------------------------- files */

sos_status s3svm_npy_read(const char *path, s3svm_maps *out, sos_error *error)
{
    char *bytes;
    size_t length;
    sos_status status = sos_file_read(path, SOS_CONTENT_BYTES, &bytes, &length, error);
    if (status) return status;
    status = s3svm_npy_parse(bytes, length, path, out, error);
    free(bytes);
    return status;
}

sos_status s3svm_npy_probe(const char *path, size_t *width, size_t *height, size_t *channels, sos_error *error)
{
    enum { MOST = PREAMBLE + 4 + HEADER_MAX };
    header h;
    FILE *file = fopen(path, "rb");
    if (!file) return sos_fail(error, SOS_ERR_IO, "cannot open '%.200s': %s", path, strerror(errno));
    unsigned char *bytes = malloc(MOST);
    sos_status status = bytes ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for the header of '%.200s'", path);
    const size_t length = bytes ? fread(bytes, 1, MOST, file) : 0;
    if (!status && ferror(file)) status = sos_fail(error, SOS_ERR_IO, "cannot read '%.200s': %s", path, strerror(errno));
    if (!status) status = npy_header_read(bytes, length, path, &h, error);
    free(bytes);
    fclose(file);
    if (status) return status;
    *width = h.width;
    *height = h.height;
    *channels = h.channels;
    return SOS_OK;
}

sos_status s3svm_npy_write(const s3svm_maps *m, const char *path, sos_error *error)
{
    enum { ALIGNED = 128 }; /* the numbers begin at a multiple of 64, as NumPy has it */
    char text[ALIGNED - PREAMBLE - 2 + 1];
    sos_output o;
    const sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    const size_t n = m->width * m->height;
    const int length = snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu, %zu), }",
                                m->height, m->width, m->channels);
    memset(text + length, ' ', sizeof text - 1 - (size_t)length);
    text[sizeof text - 2] = '\n';
    fwrite(MAGIC, 1, sizeof MAGIC, o.file);
    fwrite((const unsigned char[]){ 1, 0, sizeof text - 1, 0 }, 1, 4, o.file);
    fwrite(text, 1, sizeof text - 1, o.file);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < m->channels; c++) {
            uint32_t bits;
            memcpy(&bits, &m->values[c * n + i], sizeof bits);
            for (int b = 0; b < 4; b++) fputc((int)(bits >> 8 * b & 0xff), o.file);
        }
    return sos_output_commit(&o);
}

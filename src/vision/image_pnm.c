/* image_pnm.c - PGM and PPM, in text (P2, P3) and in bytes (P5, P6). */
#include <stdlib.h>

#include "base/scan.h"
#include "vision/image_codec.h"

typedef struct header {
    bool text;
    size_t channels; /* 1 or 3 */
    size_t width, height;
    size_t most; /* the sample that is white */
} header;

static sos_status header_read(const sos_image_source *source, sos_scanner *s, header *h)
{
    sos_scan_next(s);
    if (s->length != 2) return sos_scan_expected(s, "P2, P3, P5 or P6");
    h->text = s->token[1] == '2' || s->token[1] == '3';
    h->channels = s->token[1] == '2' || s->token[1] == '5' ? 1 : 3;
    sos_status status = sos_scan_count(s, "the width", SIZE_MAX, &h->width);
    if (!status) status = sos_scan_count(s, "the height", SIZE_MAX, &h->height);
    if (!status) status = sos_scan_count(s, "the largest sample", 65535, &h->most);
    if (!status && !h->most) status = sos_scan_fail(s, SOS_ERR_FORMAT, "the largest sample is 0");
    if (!status) status = sos_image_source_check(source, h->width, h->height);
    return status;
}

static sos_status labels_check(const sos_image_source *source, const header *h)
{
    if (source->kind != SOS_IMAGE_LABELS) return SOS_OK;
    if (h->channels != 1)
        return sos_image_source_fail(source, SOS_ERR_FORMAT, "a colour picture; a label picture is grey or has a palette");
    if (h->most > 255)
        return sos_image_source_fail(source, SOS_ERR_FORMAT, "samples up to %zu; a label picture has 8 bits", h->most);
    return SOS_OK;
}

/* Are the samples there?  Asked before memory is taken for them. */
static sos_status room_check(const sos_image_source *source, sos_scanner *s, const header *h)
{
    const size_t samples = h->width * h->height * h->channels;
    if (h->text) return sos_scan_room(s, "samples", samples, 2);
    if (s->at < s->end && *s->at == '#') return sos_scan_fail(s, SOS_ERR_FORMAT, "a comment behind the largest sample");
    if (s->at < s->end) s->at++; /* the one white space behind the header */
    const size_t left = (size_t)(s->end - s->at), needed = samples * (h->most > 255 ? 2 : 1);
    if (left >= needed) return SOS_OK;
    return sos_image_source_fail(source, SOS_ERR_FORMAT, SOS_IMAGE_CUT_OFF ": it has %zu of %zu bytes", left, needed);
}

static sos_status sample_read(sos_scanner *s, const header *h, size_t *sample)
{
    if (h->text) {
        const sos_status status = sos_scan_count(s, "a sample", h->most, sample);
        if (status) return status;
        /* The digits may go on where the file was cut. */
        return s->at < s->end ? SOS_OK : sos_scan_fail(s, SOS_ERR_FORMAT, "the last line does not end; is the file cut off?");
    }
    *sample = (unsigned char)*s->at++;
    if (h->most > 255) *sample = *sample << 8 | (unsigned char)*s->at++;
    return SOS_OK;
}

static sos_status row_read(const sos_image_source *source, sos_scanner *s, const header *h, size_t y, uint8_t *row)
{
    for (size_t i = 0; i < h->width * h->channels; i++) {
        size_t sample = 0;
        const sos_status status = sample_read(s, h, &sample);
        if (status) return status;
        if (sample > h->most)
            return sos_image_source_fail(source, SOS_ERR_FORMAT, "pixel (%zu, %zu) is %zu, but the largest sample is %zu",
                                         i / h->channels, y, sample, h->most);
        row[i] = (uint8_t)(source->kind == SOS_IMAGE_LABELS ? sample : (sample * 255 + h->most / 2) / h->most);
    }
    return SOS_OK;
}

static sos_status pixels_read(const sos_image_source *source, sos_scanner *s, const header *h, sos_image *image)
{
    uint8_t *row = malloc(h->width * h->channels);
    if (!row) return sos_image_source_fail(source, SOS_ERR_MEMORY, "no memory for a row of %zu pixels", h->width);
    sos_status status = SOS_OK;
    for (size_t y = 0; y < h->height && !status; y++) {
        status = row_read(source, s, h, y, row);
        if (!status)
            sos_image_put_row(source->kind, row, h->width, h->channels, image->pixels + y * h->width * image->channels,
                              (ptrdiff_t)image->channels);
    }
    free(row);
    return status;
}

/* Bytes behind the samples are left alone: the format lets another picture follow. */
sos_status sos_image_pnm_read(const sos_image_source *source, sos_image *out)
{
    const char *text = (const char *)source->bytes;
    sos_scanner s = { text, text, text + source->length, text, 0, source->name, true, source->error };
    header h = { 0 };
    sos_status status = header_read(source, &s, &h);
    if (status) return status;
    if (source->header_only) {
        *out = (sos_image){ .width = h.width, .height = h.height };
        return SOS_OK;
    }
    sos_image image = { 0 };
    status = labels_check(source, &h);
    if (!status) status = room_check(source, &s, &h);
    if (!status) status = sos_image_source_create(source, h.width, h.height, &image);
    if (!status) status = pixels_read(source, &s, &h, &image);
    if (status)
        sos_image_free(&image);
    else
        *out = image;
    return status;
}

void sos_image_pnm_write(const sos_image *image, size_t channels, FILE *file)
{
    fprintf(file, "P%c\n%zu %zu\n255\n", channels == 1 ? '5' : '6', image->width, image->height);
    if (image->channels == channels) {
        fwrite(image->pixels, channels, sos_image_size(image), file);
        return;
    }
    for (size_t i = 0; i < sos_image_size(image); i++)
        for (size_t c = 0; c < channels; c++) fputc(image->pixels[i], file);
}

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

static sos_status pnm_header_read(const s3svm_image_source *source, sos_scanner *s, header *h)
{
    sos_scan_next(s);
    if (s->length != 2) return sos_scan_expected(s, "P2, P3, P5 or P6");
    h->text = s->token[1] == '2' || s->token[1] == '3';
    h->channels = s->token[1] == '2' || s->token[1] == '5' ? 1 : 3;
    sos_status status = sos_scan_count(s, "the width", SIZE_MAX, &h->width);
    if (!status) status = sos_scan_count(s, "the height", SIZE_MAX, &h->height);
    if (!status) status = sos_scan_count(s, "the largest sample", 65535, &h->most);
    if (!status && !h->most) status = sos_scan_fail(s, SOS_ERR_FORMAT, "the largest sample is 0");
    if (!status) status = s3svm_image_source_check(source, h->width, h->height);
    return status;
}

static sos_status labels_check(const s3svm_image_source *source, const header *h)
{
    if (source->kind != S3SVM_IMAGE_LABELS) return SOS_OK;
    if (h->channels != 1)
        return s3svm_image_source_fail(source, SOS_ERR_FORMAT, "a colour picture; a label picture is grey or has a palette");
    if (h->most > 255)
        return s3svm_image_source_fail(source, SOS_ERR_FORMAT, "samples up to %zu; a label picture has 8 bits", h->most);
    return SOS_OK;
}

/* Are the samples there?  Asked before memory is taken for them. */
static sos_status room_check(const s3svm_image_source *source, sos_scanner *s, const header *h)
{
    const size_t samples = h->width * h->height * h->channels;
    if (h->text) return sos_scan_room(s, "samples", samples, 2);
    if (s->at < s->end && *s->at == '#') return sos_scan_fail(s, SOS_ERR_FORMAT, "a comment after the largest sample");
    if (s->at < s->end) s->at++; /* the one white space behind the header */
    const size_t left = (size_t)(s->end - s->at), needed = samples * (h->most > 255 ? 2 : 1);
    if (left >= needed) return SOS_OK;
    return s3svm_image_source_fail(source, SOS_ERR_FORMAT, S3SVM_IMAGE_CUT_OFF ": it has %zu of %zu bytes", left, needed);
}

static sos_status sample_read(sos_scanner *s, const header *h, size_t *sample)
{
    if (h->text) {
        const sos_status status = sos_scan_count(s, "a sample", h->most, sample);
        if (status) return status;
        /* The digits may go on where the file was cut. */
        return s->at < s->end ? SOS_OK
                              : sos_scan_fail(s, SOS_ERR_FORMAT, "the last line is incomplete; is the file truncated?");
    }
    *sample = (unsigned char)*s->at++;
    if (h->most > 255) *sample = *sample << 8 | (unsigned char)*s->at++;
    return SOS_OK;
}

/* Into samples of 8 bits or, where deep is not NULL, of 16. */
static sos_status row_read(const s3svm_image_source *source, sos_scanner *s, const header *h, size_t y, uint8_t *row,
                           uint16_t *deep)
{
    for (size_t i = 0; i < h->width * h->channels; i++) {
        size_t sample = 0;
        const sos_status status = sample_read(s, h, &sample);
        if (status) return status;
        if (sample > h->most)
            return s3svm_image_source_fail(source, SOS_ERR_FORMAT, "pixel (%zu, %zu) is %zu, but the largest sample is %zu",
                                           i / h->channels, y, sample, h->most);
        if (deep)
            deep[i] = (uint16_t)((sample * 65535 + h->most / 2) / h->most);
        else
            row[i] = (uint8_t)(source->kind == S3SVM_IMAGE_LABELS ? sample : (sample * 255 + h->most / 2) / h->most);
    }
    return SOS_OK;
}

static sos_status pnm_pixels_read(const s3svm_image_source *source, sos_scanner *s, const header *h, s3svm_image_canvas *c)
{
    void *row = malloc(h->width * h->channels * 2);
    if (!row) return s3svm_image_source_fail(source, SOS_ERR_MEMORY, "no memory for a row of %zu pixels", h->width);
    sos_status status = SOS_OK;
    for (size_t y = 0; y < h->height && !status; y++) {
        status = row_read(source, s, h, y, row, c->layout.deep ? row : NULL);
        if (!status && c->layout.deep)
            s3svm_image_canvas_row_deep(c, y, row);
        else if (!status)
            s3svm_image_canvas_row(c, y, row);
    }
    free(row);
    return status;
}

/* Bytes behind the samples are left alone: the format lets another picture follow. */
sos_status s3svm_image_pnm_read(const s3svm_image_source *source, s3svm_picture *out)
{
    const char *text = (const char *)source->bytes;
    sos_scanner s = { text, text, text + source->length, text, 0, source->name, true, source->error };
    header h = { 0 };
    sos_status status = pnm_header_read(source, &s, &h);
    if (status) return status;
    const s3svm_image_layout layout = {
        .width = h.width, .height = h.height, .channels = h.channels, .deep = source->whole && h.most > 255, .orientation = 1
    };
    if (source->header_only) {
        out->image = s3svm_image_layout_seen(&layout);
        return SOS_OK;
    }
    s3svm_image_canvas canvas = { 0 };
    status = labels_check(source, &h);
    if (!status) status = room_check(source, &s, &h);
    if (!status) status = s3svm_image_canvas_open(&canvas, source, &layout);
    if (!status) status = pnm_pixels_read(source, &s, &h, &canvas);
    if (!status) s3svm_image_canvas_close(&canvas, out);
    s3svm_image_canvas_free(&canvas);
    return status;
}

void s3svm_image_pnm_write(const s3svm_picture *picture, size_t channels, FILE *file)
{
    const s3svm_image *image = &picture->image;
    const uint16_t *deep = picture->deep;
    fprintf(file, "P%c\n%zu %zu\n%d\n", channels == 1 ? '5' : '6', image->width, image->height, deep ? 65535 : 255);
    if (image->channels == channels && !deep) {
        fwrite(image->pixels, channels, s3svm_image_size(image), file);
        return;
    }
    for (size_t i = 0; i < s3svm_image_size(image) * channels; i++) {
        const size_t at = image->channels == channels ? i : i / channels;
        if (deep) fputc(deep[at] >> 8, file);
        fputc(deep ? deep[at] & 255 : image->pixels[at], file);
    }
}

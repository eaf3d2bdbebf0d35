/* image_webp.c - WebP, by way of libwebp. */
#include "vision/image_codec.h"

#if !defined(SOS_HAVE_WEBP)

bool s3svm_image_has_webp(void) { return false; }

sos_status s3svm_image_webp_read(const s3svm_image_source *s, s3svm_picture *out)
{
    (void)out;
    return s3svm_image_source_fail(s, SOS_ERR_ARGUMENT,
                                   "a WebP picture, but this program was built without libwebp; 'dwebp FILE -o FILE.png' "
                                   "converts it (Debian: webp)");
}

sos_status s3svm_image_webp_encode(const s3svm_picture *picture, uint8_t **bytes, size_t *length, sos_error *error)
{
    (void)picture, (void)bytes, (void)length;
    return sos_fail(error, SOS_ERR_ARGUMENT, "no WebP picture can be written: this program was built without libwebp");
}

#else

#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>
#include <webp/encode.h>
#include <webp/mux.h>

/* ---- reading ---- */

typedef struct webp_reader {
    const s3svm_image_source *source;
    WebPDemuxer *demuxer;
    s3svm_image_layout layout;
    uint8_t *pixels; /* of libwebp: red, green, blue, and opacity if it has any */
    s3svm_image_canvas canvas;
} webp_reader;

/* The first chunk of a name, to release, whether there is one or not. */
static bool chunk_find(const webp_reader *r, const char *name, WebPChunkIterator *found)
{
    return WebPDemuxGetChunk(r->demuxer, name, 1, found);
}

static unsigned orientation_find(const webp_reader *r)
{
    WebPChunkIterator exif;
    unsigned orientation = 1;
    if (chunk_find(r, "EXIF", &exif)) orientation = s3svm_image_exif_orientation(exif.chunk.bytes, exif.chunk.size);
    WebPDemuxReleaseChunkIterator(&exif);
    return orientation;
}

static sos_status webp_header_read(webp_reader *r)
{
    const s3svm_image_source *s = r->source;
    WebPBitstreamFeatures features;
    const VP8StatusCode code = WebPGetFeatures(s->bytes, s->length, &features);
    if (code == VP8_STATUS_NOT_ENOUGH_DATA) return s3svm_image_source_fail(s, SOS_ERR_FORMAT, S3SVM_IMAGE_CUT_OFF);
    if (code) return s3svm_image_source_fail(s, SOS_ERR_FORMAT, "cannot be read as WebP");
    if (features.has_animation)
        return s3svm_image_source_fail(s, SOS_ERR_FORMAT, "an animation; a photograph is a single picture");
    r->layout = (s3svm_image_layout){ .width = (size_t)features.width,
                                      .height = (size_t)features.height,
                                      .channels = features.has_alpha ? 4 : 3,
                                      .orientation = 1 };
    sos_status status = s3svm_image_source_check(s, r->layout.width, r->layout.height);
    if (!status) status = s3svm_image_source_believe(s, r->layout.width, r->layout.height);
    if (status) return status;
    const WebPData all = { s->bytes, s->length };
    r->demuxer = WebPDemux(&all);
    if (!r->demuxer) return s3svm_image_source_fail(s, SOS_ERR_FORMAT, S3SVM_IMAGE_CUT_OFF);
    r->layout.orientation = orientation_find(r);
    return SOS_OK;
}

static sos_status webp_pixels_read(webp_reader *r)
{
    const s3svm_image_source *s = r->source;
    int width = 0, height = 0;
    r->pixels = r->layout.channels == 4 ? WebPDecodeRGBA(s->bytes, s->length, &width, &height)
                                        : WebPDecodeRGB(s->bytes, s->length, &width, &height);
    if (!r->pixels)
        return s3svm_image_source_fail(s, SOS_ERR_FORMAT, "cannot be read as WebP: damaged, truncated or out of memory");
    const sos_status status = s3svm_image_canvas_open(&r->canvas, s, &r->layout);
    for (size_t y = 0; y < r->layout.height && !status; y++)
        s3svm_image_canvas_row(&r->canvas, y, r->pixels + y * r->layout.width * r->layout.channels);
    return status;
}

static sos_status profile_read(webp_reader *r)
{
    WebPChunkIterator found;
    sos_status status = SOS_OK;
    if (chunk_find(r, "ICCP", &found)) status = s3svm_image_canvas_profile(&r->canvas, found.chunk.bytes, found.chunk.size);
    WebPDemuxReleaseChunkIterator(&found);
    return status;
}

static sos_status reader_run(webp_reader *r, s3svm_picture *out)
{
    sos_status status = webp_header_read(r);
    if (status) return status;
    if (r->source->header_only) {
        out->image = s3svm_image_layout_seen(&r->layout);
        return SOS_OK;
    }
    if (r->source->kind == S3SVM_IMAGE_LABELS)
        return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT,
                                       "a WebP picture has colours; a label picture must be PNG or PGM");
    status = webp_pixels_read(r);
    if (!status) status = profile_read(r);
    if (!status) s3svm_image_canvas_close(&r->canvas, out);
    return status;
}

sos_status s3svm_image_webp_read(const s3svm_image_source *s, s3svm_picture *out)
{
    webp_reader r = { .source = s };
    const sos_status status = reader_run(&r, out);
    WebPFree(r.pixels);
    WebPDemuxDelete(r.demuxer);
    s3svm_image_canvas_free(&r.canvas);
    return status;
}

/* ---- writing: without loss ---- */

enum { EFFORT = 3 }; /* 0 fast ... 9 small */

static bool picture_import(const s3svm_image *image, WebPPicture *to)
{
    const int stride = (int)(image->width * image->channels);
    if (image->channels == 4) return WebPPictureImportRGBA(to, image->pixels, stride);
    if (image->channels == 3) return WebPPictureImportRGB(to, image->pixels, stride);
    uint8_t *colours = malloc(3 * s3svm_image_size(image));
    for (size_t i = 0; colours && i < 3 * s3svm_image_size(image); i++) colours[i] = image->pixels[i / 3];
    const bool done = colours && WebPPictureImportRGB(to, colours, 3 * (int)image->width);
    free(colours);
    return done;
}

static sos_status image_encode(const s3svm_image *image, WebPMemoryWriter *to, sos_error *error)
{
    WebPConfig config;
    WebPPicture picture;
    if (!WebPConfigInit(&config) || !WebPConfigLosslessPreset(&config, EFFORT) || !WebPPictureInit(&picture))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no WebP picture can be written: libwebp has another version");
    config.exact = 1; /* colours below full transparency are the picture's, too */
    picture.use_argb = 1;
    picture.width = (int)image->width;
    picture.height = (int)image->height;
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = to;
    const bool done = picture_import(image, &picture) && WebPEncode(&config, &picture);
    WebPPictureFree(&picture);
    return done ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory to write a WebP picture");
}

/* The file with its colour profile. */
static sos_status profile_add(const s3svm_picture *p, const WebPMemoryWriter *from, uint8_t **bytes, size_t *length,
                              sos_error *error)
{
    const WebPData plain = { from->mem, from->size }, profile = { p->profile, p->profile_length };
    WebPMux *mux = WebPMuxCreate(&plain, 0);
    WebPData whole = { 0 };
    const bool done = mux && WebPMuxSetChunk(mux, "ICCP", &profile, 0) == WEBP_MUX_OK &&
                      WebPMuxAssemble(mux, &whole) == WEBP_MUX_OK;
    *bytes = done ? malloc(whole.size) : NULL;
    if (*bytes) memcpy(*bytes, whole.bytes, *length = whole.size);
    WebPDataClear(&whole);
    WebPMuxDelete(mux);
    return *bytes ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory to write a WebP picture");
}

static sos_status copy_take(const WebPMemoryWriter *from, uint8_t **bytes, size_t *length, sos_error *error)
{
    *bytes = malloc(from->size);
    if (!*bytes) return sos_fail(error, SOS_ERR_MEMORY, "no memory to write a WebP picture");
    memcpy(*bytes, from->mem, *length = from->size);
    return SOS_OK;
}

sos_status s3svm_image_webp_encode(const s3svm_picture *picture, uint8_t **bytes, size_t *length, sos_error *error)
{
    const s3svm_image *image = &picture->image;
    if (image->width > WEBP_MAX_DIMENSION || image->height > WEBP_MAX_DIMENSION)
        return sos_fail(error, SOS_ERR_ARGUMENT, "%zu by %zu pixels are too many for WebP, which allows at most %d per side",
                        image->width, image->height, WEBP_MAX_DIMENSION);
    WebPMemoryWriter encoded;
    WebPMemoryWriterInit(&encoded);
    sos_status status = image_encode(image, &encoded, error);
    if (!status)
        status = picture->profile ? profile_add(picture, &encoded, bytes, length, error)
                                  : copy_take(&encoded, bytes, length, error);
    WebPMemoryWriterClear(&encoded);
    return status;
}

bool s3svm_image_has_webp(void) { return true; }

#endif

/* image_jpeg.c - JPEG, by way of libjpeg.
 *
 * As in image_png.c, all that changes between setting a long jump and taking it is in a struct of the caller. */
#include "vision/image_codec.h"

#if !defined(SOS_HAVE_JPEG)

bool s3svm_image_has_jpeg(void) { return false; }

sos_status s3svm_image_jpeg_read(const s3svm_image_source *s, s3svm_picture *out)
{
    (void)out;
    return s3svm_image_source_fail(s, SOS_ERR_ARGUMENT, "a JPEG picture, but this program was built without libjpeg");
}

sos_status s3svm_image_jpeg_write(const s3svm_picture *picture, FILE *file, const char *path, sos_error *error)
{
    (void)picture, (void)file;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s': this program was built without libjpeg; write a .png", path);
}

#else

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

#include <jerror.h>

enum {
    QUALITY = 95,              /* of pictures that are written: no change is seen */
    SCANS_MAX = 100,           /* of a progressive file: each may be a few bytes, and costs a pass over the whole picture */
    COEFFICIENTS_MAX = 1 << 30 /* bytes that libjpeg may take for those of a progressive picture */
};

/* The state that reading and writing share: libjpeg finds it by the error manager, which comes first. */
typedef struct state {
    struct jpeg_error_mgr manager;
    jmp_buf jump;
    char words[JMSG_LENGTH_MAX];
} state;

static _Noreturn void on_error(j_common_ptr codec)
{
    state *s = (state *)codec->err;
    s->manager.format_message(codec, s->words);
    longjmp(s->jump, 1);
}

/* libjpeg warns of data that are lost or damaged, but for two warnings. */
static void on_message(j_common_ptr codec, int level)
{
    const int code = codec->err->msg_code;
    if (level < 0 && code != JWRN_JFIF_MAJOR && code != JWRN_ADOBE_XFORM) on_error(codec);
}

static void on_output(j_common_ptr codec) { (void)codec; }

static struct jpeg_error_mgr *state_init(state *s)
{
    jpeg_std_error(&s->manager);
    s->manager.error_exit = on_error;
    s->manager.emit_message = on_message;
    s->manager.output_message = on_output;
    return &s->manager;
}

/* ---- reading ---- */

typedef struct jpeg_reader {
    state state;
    struct jpeg_decompress_struct codec;
    struct jpeg_progress_mgr progress;
    const s3svm_image_source *source;
    s3svm_image_layout layout;
    s3svm_image_canvas canvas;
    uint8_t *row, *profile;
} jpeg_reader;

static void on_progress(j_common_ptr codec)
{
    state *s = (state *)codec->err;
    const j_decompress_ptr reader = (j_decompress_ptr)codec;
    if (reader->input_scan_number <= SCANS_MAX) return;
    s->manager.msg_code = 0; /* whatever was said before is not the reason */
    snprintf(s->words, sizeof s->words, "it has more than %d scans", SCANS_MAX);
    longjmp(s->jump, 1);
}

/* A group of blocks, one or more of each channel, takes a bit at least.  That does not hold for arithmetic coding, where a
 * hundred bytes can make any picture and libjpeg does not see that data are missing; nobody uses it. */
static sos_status length_check(const jpeg_reader *r)
{
    const size_t width = r->codec.image_width, height = r->codec.image_height, length = r->source->length;
    const size_t group = (size_t)(r->codec.max_h_samp_factor * DCTSIZE) * (size_t)(r->codec.max_v_samp_factor * DCTSIZE);
    if (r->codec.arith_code)
        return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT,
                                       "a JPEG picture with arithmetic coding, which is not supported");
    if (width * height / group / 8 <= length) return SOS_OK;
    return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, S3SVM_IMAGE_CUT_OFF ": %zu by %zu pixels cannot be in %zu bytes",
                                   width, height, length);
}

static sos_status jpeg_header_read(jpeg_reader *r)
{
    jpeg_create_decompress(&r->codec);
    r->codec.mem->max_memory_to_use = COEFFICIENTS_MAX;
    r->progress.progress_monitor = on_progress;
    r->codec.progress = &r->progress;
    jpeg_save_markers(&r->codec, JPEG_APP0 + 1, 0xffff);
    if (r->source->whole) jpeg_save_markers(&r->codec, JPEG_APP0 + 2, 0xffff);
    jpeg_mem_src(&r->codec, r->source->bytes, r->source->length);
    jpeg_read_header(&r->codec, TRUE);
    sos_status status = s3svm_image_source_check(r->source, r->codec.image_width, r->codec.image_height);
    if (!status) status = length_check(r);
    if (status) return status;
    r->layout = (s3svm_image_layout){ .width = r->codec.image_width, .height = r->codec.image_height, .orientation = 1 };
    for (jpeg_saved_marker_ptr m = r->codec.marker_list; m && r->layout.orientation == 1; m = m->next)
        if (m->marker == JPEG_APP0 + 1 && m->data_length >= 6 && !memcmp(m->data, "Exif\0", 6))
            r->layout.orientation = s3svm_image_exif_orientation(m->data, m->data_length);
    return SOS_OK;
}

/* Grey is made of red, green and blue like that of other formats; Y of YCbCr is not the same where these are clipped. */
static sos_status colours_choose(jpeg_reader *r)
{
    switch (r->codec.jpeg_color_space) {
    case JCS_GRAYSCALE: r->codec.out_color_space = JCS_GRAYSCALE; break;
    case JCS_YCbCr:
    case JCS_RGB: r->codec.out_color_space = JCS_RGB; break;
    case JCS_CMYK:
    case JCS_YCCK: r->codec.out_color_space = JCS_CMYK; break;
    default:
        return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "a JPEG picture of %d channels, which is not supported",
                                       r->codec.num_components);
    }
    r->codec.dct_method = JDCT_ISLOW;    /* the one with the same pixels on every machine ... */
    r->codec.do_block_smoothing = FALSE; /* ... and version */
    return SOS_OK;
}

/* Inks to red, green and blue, in place.  Adobe's programs, which alone mark their files, store 255 less the ink. */
static void row_from_inks(uint8_t *row, size_t width, bool adobe)
{
    const unsigned flip = adobe ? 0 : 255;
    uint8_t *to = row;
    for (size_t x = 0; x < width; x++, row += 4, to += 3) {
        const unsigned black = row[3] ^ flip;
        for (size_t c = 0; c < 3; c++) to[c] = (uint8_t)(((row[c] ^ flip) * black + 127) / 255);
    }
}

/* ---- colour profiles: in pieces, each behind a word, its number and the number of pieces ---- */

static const char PROFILE_WORD[] = "ICC_PROFILE";
enum { PIECE_HEAD = sizeof PROFILE_WORD + 2, PIECE_MOST = 65533 - PIECE_HEAD };

static bool is_piece(const struct jpeg_marker_struct *m)
{
    return m->marker == JPEG_APP0 + 2 && m->data_length > PIECE_HEAD && !memcmp(m->data, PROFILE_WORD, sizeof PROFILE_WORD);
}

/* The pieces in the order of their numbers; what does not make a whole is no profile. */
static sos_status profile_read(jpeg_reader *r)
{
    const struct jpeg_marker_struct *pieces[256] = { NULL };
    size_t length = 0, count = 0, most = 0;
    for (const struct jpeg_marker_struct *m = r->codec.marker_list; m; m = m->next) {
        if (!is_piece(m)) continue;
        const size_t number = m->data[sizeof PROFILE_WORD];
        if (!number || pieces[number]) return SOS_OK;
        pieces[number] = m;
        length += m->data_length - PIECE_HEAD;
        most = m->data[sizeof PROFILE_WORD + 1];
        count++;
    }
    if (!count || count != most) return SOS_OK;
    r->profile = malloc(length);
    if (!r->profile)
        return s3svm_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory for a colour profile of %zu bytes", length);
    size_t at = 0;
    for (size_t i = 1; i <= count && pieces[i]; i++) {
        memcpy(r->profile + at, pieces[i]->data + PIECE_HEAD, pieces[i]->data_length - PIECE_HEAD);
        at += pieces[i]->data_length - PIECE_HEAD;
    }
    return at == length ? s3svm_image_canvas_profile(&r->canvas, r->profile, length) : SOS_OK;
}

/* ---- pixels ---- */

static sos_status jpeg_pixels_read(jpeg_reader *r)
{
    jpeg_start_decompress(&r->codec);
    const size_t width = r->codec.output_width;
    const bool inks = r->codec.out_color_space == JCS_CMYK;
    r->layout.channels = inks ? 3 : (size_t)r->codec.output_components;
    sos_status status = s3svm_image_canvas_open(&r->canvas, r->source, &r->layout);
    if (!status && r->source->whole) status = profile_read(r);
    if (status) return status;
    r->row = malloc(width * (size_t)r->codec.output_components);
    if (!r->row) return s3svm_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory for a row of %zu pixels", width);
    for (size_t y = 0; y < r->codec.output_height; y++) {
        JSAMPROW rows[1] = { r->row };
        jpeg_read_scanlines(&r->codec, rows, 1);
        if (inks) row_from_inks(r->row, width, r->codec.saw_Adobe_marker);
        s3svm_image_canvas_row(&r->canvas, y, r->row);
    }
    jpeg_finish_decompress(&r->codec);
    return SOS_OK;
}

static sos_status reader_fail(const jpeg_reader *r)
{
    switch (r->state.manager.msg_code) {
    case JERR_OUT_OF_MEMORY: return s3svm_image_source_fail(r->source, SOS_ERR_MEMORY, "no memory to read the picture");
    case JERR_NO_BACKING_STORE:
        return s3svm_image_source_fail(r->source, SOS_ERR_RANGE, "a progressive JPEG picture that takes more than %d bytes",
                                       COEFFICIENTS_MAX);
    case JWRN_JPEG_EOF: return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, S3SVM_IMAGE_CUT_OFF);
    default: return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "cannot be read as JPEG: %s", r->state.words);
    }
}

/* Reads the picture: all calls of libjpeg that can jump. */
static sos_status reader_run(jpeg_reader *r)
{
    if (setjmp(r->state.jump)) return reader_fail(r);
    const sos_status header = jpeg_header_read(r);
    if (header || r->source->header_only) return header;
    if (r->source->kind == S3SVM_IMAGE_LABELS)
        return s3svm_image_source_fail(r->source, SOS_ERR_FORMAT, "JPEG changes numbers; a label picture must be PNG or PGM");
    const sos_status colours = colours_choose(r);
    return colours ? colours : jpeg_pixels_read(r);
}

sos_status s3svm_image_jpeg_read(const s3svm_image_source *s, s3svm_picture *out)
{
    jpeg_reader *r = calloc(1, sizeof *r);
    if (!r) return s3svm_image_source_fail(s, SOS_ERR_MEMORY, "no memory to read the picture");
    r->source = s;
    r->codec.err = state_init(&r->state);
    const sos_status status = reader_run(r);
    jpeg_destroy_decompress(&r->codec);
    if (!status && s->header_only)
        out->image = s3svm_image_layout_seen(&r->layout);
    else if (!status)
        s3svm_image_canvas_close(&r->canvas, out);
    s3svm_image_canvas_free(&r->canvas);
    free(r->row);
    free(r->profile);
    free(r);
    return status;
}

/* ---- writing ---- */

typedef struct jpeg_writer {
    state state;
    struct jpeg_compress_struct codec;
} jpeg_writer;

/* Colours at full resolution: what is written is looked at for thin outlines. */
static void settings_set(jpeg_writer *w, const s3svm_image *image)
{
    w->codec.image_width = (JDIMENSION)image->width;
    w->codec.image_height = (JDIMENSION)image->height;
    w->codec.input_components = (int)image->channels;
    w->codec.in_color_space = image->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&w->codec);
    jpeg_set_quality(&w->codec, QUALITY, TRUE);
    w->codec.dct_method = JDCT_ISLOW;
    for (int i = 0; i < w->codec.num_components; i++)
        w->codec.comp_info[i].h_samp_factor = w->codec.comp_info[i].v_samp_factor = 1;
}

static void profile_write(jpeg_writer *w, const s3svm_picture *p)
{
    const size_t count = (p->profile_length + PIECE_MOST - 1) / PIECE_MOST;
    for (size_t i = 0; i < count && count < 256; i++) {
        const size_t at = i * PIECE_MOST, length = p->profile_length - at < PIECE_MOST ? p->profile_length - at : PIECE_MOST;
        jpeg_write_m_header(&w->codec, JPEG_APP0 + 2, (unsigned)(length + PIECE_HEAD));
        for (size_t k = 0; k < sizeof PROFILE_WORD; k++) jpeg_write_m_byte(&w->codec, PROFILE_WORD[k]);
        jpeg_write_m_byte(&w->codec, (int)i + 1);
        jpeg_write_m_byte(&w->codec, (int)count);
        for (size_t k = 0; k < length; k++) jpeg_write_m_byte(&w->codec, p->profile[at + k]);
    }
}

static sos_status writer_run(jpeg_writer *w, const s3svm_picture *picture, FILE *file, const char *path, sos_error *error)
{
    if (setjmp(w->state.jump)) {
        const int number = errno;
        switch (w->state.manager.msg_code) {
        case JERR_OUT_OF_MEMORY: return sos_fail(error, SOS_ERR_MEMORY, "no memory to write '%.200s'", path);
        case JERR_FILE_WRITE: return sos_fail(error, SOS_ERR_IO, "cannot write '%.200s': %s", path, strerror(number));
        default: return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' cannot be a JPEG: %s", path, w->state.words);
        }
    }
    jpeg_create_compress(&w->codec);
    jpeg_stdio_dest(&w->codec, file);
    const s3svm_image *image = &picture->image;
    settings_set(w, image);
    jpeg_start_compress(&w->codec, TRUE);
    if (picture->profile) profile_write(w, picture);
    for (size_t y = 0; y < image->height; y++) {
        JSAMPROW rows[1] = { image->pixels + y * image->width * image->channels };
        jpeg_write_scanlines(&w->codec, rows, 1);
    }
    jpeg_finish_compress(&w->codec);
    return SOS_OK;
}

sos_status s3svm_image_jpeg_write(const s3svm_picture *picture, FILE *file, const char *path, sos_error *error)
{
    jpeg_writer w = { 0 };
    w.codec.err = state_init(&w.state);
    const sos_status status = writer_run(&w, picture, file, path, error);
    jpeg_destroy_compress(&w.codec);
    return status;
}

bool s3svm_image_has_jpeg(void) { return true; }

#endif

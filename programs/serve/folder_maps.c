/* folder_maps.c - what a network says of a photograph of a folder: maps/NAME.npy or maps/NAME.png, one channel, brought to log
 * odds by maps/calibration.json or, where there is none, by what can be told from the numbers.
 *
 * Maps are a help: where they cannot be used, the photograph is marked as if there were none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "folder.h"
#include "server.h"

static const char *const ENDINGS[] = { ".npy", ".png" };
enum { ENDING_COUNT = sizeof ENDINGS / sizeof *ENDINGS };

static const char CALIBRATION[] = "calibration.json";
enum { CALIBRATION_MAX = 1 << 16 };

static void maps_name(const item *i, size_t ending, char name[DIRECTORY_NAME + 8])
{
    snprintf(name, DIRECTORY_NAME + 8, "%s%s", i->stem, ENDINGS[ending]);
}

uint64_t item_maps_hash(const folder *f, const item *i, uint64_t hash)
{
    char name[DIRECTORY_NAME + 8];
    const int directory = directory_open(f->root, "maps", false);
    if (directory < 0) return hash;
    for (size_t k = 0; k <= ENDING_COUNT; k++) {
        if (k < ENDING_COUNT) maps_name(i, k, name);
        const stamp now = directory_stamp(directory, k < ENDING_COUNT ? name : CALIBRATION);
        hash = sos_hash(hash, &now, sizeof now);
    }
    close(directory);
    return hash;
}

/* ---------------------------------------------------------------- reading */

static sos_status calibration_read(int directory, item_maps *m)
{
    char *text;
    size_t length;
    const stamp there = directory_stamp(directory, CALIBRATION);
    if (!stamp_is_there(&there)) return SOS_OK;
    sos_status status = directory_read(directory, CALIBRATION, CALIBRATION_MAX, &text, &length, &m->wrong);
    if (status) return status;
    status = s3svm_maps_calibration_parse(text, length, CALIBRATION, &m->calibration, &m->wrong);
    free(text);
    m->calibrated = !status;
    return status;
}

void item_maps_read(const folder *f, const item *i, item_maps *out)
{
    *out = (item_maps){ .length = 0 };
    const int directory = directory_open(f->root, "maps", false);
    if (directory < 0 && errno != ENOENT)
        snprintf(out->wrong.message, sizeof out->wrong.message, "'maps' must be a folder, and no link");
    if (directory < 0) return;
    stamp there = { 0 };
    for (size_t k = 0; k < ENDING_COUNT && !stamp_is_there(&there); k++) {
        maps_name(i, k, out->name);
        there = directory_stamp(directory, out->name);
    }
    const sos_status status = stamp_is_there(&there) ? calibration_read(directory, out) : SOS_OK;
    if (!status && stamp_is_there(&there) &&
        directory_read(directory, out->name, UPLOAD_MAX, &out->bytes, &out->length, &out->wrong))
        out->bytes = NULL;
    close(directory);
}

/* ---------------------------------------------------------------- decoding */

static sos_status size_check(const item_maps *m, size_t width, size_t height, size_t wanted_width, size_t wanted_height,
                             sos_error *error)
{
    if (width == wanted_width && height == wanted_height) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' has %zu by %zu pixels, its photograph has %zu by %zu", m->name, width,
                    height, wanted_width, wanted_height);
}

/* The size of a picture is looked at before it is decoded; an array has no more numbers than its file has bytes. */
static sos_status maps_parse(const item_maps *m, size_t width, size_t height, s3svm_maps *out, sos_error *error)
{
    size_t w = width, h = height;
    sos_status status = SOS_OK;
    if (sos_path_ends(m->name, ".png")) status = s3svm_image_measure(m->bytes, m->length, m->name, &w, &h, error);
    if (!status) status = size_check(m, w, h, width, height, error);
    if (!status) status = s3svm_maps_parse(m->bytes, m->length, m->name, out, error);
    if (!status) status = size_check(m, out->width, out->height, width, height, error);
    return status;
}

void item_maps_decode(item_maps *m, size_t width, size_t height, s3svm_maps *odds)
{
    sos_error why;
    *odds = (s3svm_maps){ 0 };
    if (!m->bytes) return;
    sos_status status = maps_parse(m, width, height, odds, &m->wrong);
    if (!status && s3svm_maps_apply(m->calibrated ? &m->calibration : NULL, odds, &why))
        status = sos_fail(&m->wrong, SOS_ERR_FORMAT, "'%.200s': %.250s", m->name, why.message);
    if (status) s3svm_maps_free(odds);
    free(m->bytes);
    m->bytes = NULL;
}

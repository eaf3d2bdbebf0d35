/* folder_items.c - one photograph of a folder: its revision, its marks, its labels. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "decoder.h"
#include "folder.h"
#include "server.h"

/* ---------------------------------------------------------------- revisions */

static sos_status partner_hash(int directory, const char *name, uint64_t *hash, sos_error *error)
{
    char *bytes;
    size_t length;
    const sos_status status = directory_read(directory, name, UPLOAD_MAX, &bytes, &length, error);
    if (status) return status;
    *hash = sos_hash(*hash, bytes, length);
    free(bytes);
    return SOS_OK;
}

/* What is there now: names that were found before may have gone, and those that this server writes may have come. */
static void item_refresh(folder *f, item *i)
{
    char name[DIRECTORY_NAME + 8];
    const struct {
        int directory;
        char *known;
        const char *ending;
    } files[] = { { f->scribbles, i->scribbles, ".json" }, { f->labels, i->labels, ".png" } };
    for (size_t k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%s%s", i->stem, files[k].ending);
        const stamp own = directory_stamp(files[k].directory, name),
                    known = directory_stamp(files[k].directory, files[k].known);
        if (stamp_is_there(&own) && strlen(name) < DIRECTORY_NAME)
            memcpy(files[k].known, name, strlen(name) + 1);
        else if (!stamp_is_there(&known))
            *files[k].known = '\0';
    }
}

sos_status item_revision(folder *f, item *i, char text[KEY_LENGTH + 1], sos_error *error)
{
    item_refresh(f, i);
    const stamp now[2] = { directory_stamp(f->scribbles, i->scribbles), directory_stamp(f->labels, i->labels) };
    if (!i->revision || !stamp_is_same(&now[0], &i->seen[0]) || !stamp_is_same(&now[1], &i->seen[1])) {
        uint64_t hash = SOS_HASH_START;
        sos_status status = *i->scribbles ? partner_hash(f->scribbles, i->scribbles, &hash, error) : SOS_OK;
        hash = sos_hash(hash, "labels", *i->labels ? 6 : 1);
        if (!status && *i->labels) status = partner_hash(f->labels, i->labels, &hash, error);
        if (status) return status;
        memcpy(i->seen, now, sizeof now);
        i->revision = hash;
    }
    snprintf(text, KEY_LENGTH + 1, "%016" PRIx64, i->revision);
    return SOS_OK;
}

/* ---------------------------------------------------------------- reading */

sos_status item_image(const folder *f, const item *i, char **bytes, size_t *length, sos_error *error)
{
    return directory_read(f->images, i->image, UPLOAD_MAX, bytes, length, error);
}

static sos_status item_size_check(const char *name, size_t width, size_t height, size_t wanted_width, size_t wanted_height,
                                  sos_error *error)
{
    if (width == wanted_width && height == wanted_height) return SOS_OK;
    return sos_fail(error, SOS_ERR_FORMAT, "'%.200s' is for %zu by %zu pixels, its photograph has %zu by %zu", name, width,
                    height, wanted_width, wanted_height);
}

/* A picture of scribbles as a list of one step. */
static sos_status picture_marks(const char *name, const char *bytes, size_t length, s3svm_dialogue **out, sos_error *error)
{
    s3svm_image pixels;
    s3svm_dialogue *d = NULL;
    sos_status status = decoder_image(bytes, length, name, S3SVM_IMAGE_PIXELS_MAX, S3SVM_IMAGE_LABELS, &pixels, error);
    if (status) return status;
    const s3svm_mark mark = { .shape = S3SVM_SHAPE_PIXELS, .pixels = &pixels };
    status = s3svm_dialogue_create(pixels.width, pixels.height, &d, error);
    if (!status) status = s3svm_dialogue_add(d, 1, &mark, error);
    s3svm_image_free(&pixels);
    if (status)
        s3svm_dialogue_free(d);
    else
        *out = d;
    return status;
}

sos_status item_marks(folder *f, const item *i, size_t width, size_t height, s3svm_dialogue **out, sos_error *error)
{
    char *bytes;
    size_t length;
    s3svm_dialogue *d = NULL;
    *out = NULL;
    if (!*i->scribbles) return SOS_OK;
    sos_status status = directory_read(f->scribbles, i->scribbles, UPLOAD_MAX, &bytes, &length, error);
    if (status) return status;
    const bool list = sos_path_ends(i->scribbles, ".json");
    status = list ? s3svm_dialogue_parse(bytes, length, i->scribbles, &d, error)
                  : picture_marks(i->scribbles, bytes, length, &d, error);
    free(bytes);
    if (!status)
        status = item_size_check(i->scribbles, s3svm_dialogue_width(d), s3svm_dialogue_height(d), width, height, error);
    if (status)
        s3svm_dialogue_free(d);
    else
        *out = d;
    return status;
}

/* ---------------------------------------------------------------- writing */

/* Folders are made when something is written into them. */
static sos_status directory_need(folder *f, const char *name, int *directory, sos_error *error)
{
    if (*directory < 0) *directory = directory_open(f->root, name, true);
    return *directory >= 0 ? SOS_OK : sos_fail(error, SOS_ERR_IO, "'%.200s/%s' cannot be used: it is no folder", f->path, name);
}

/* Puts a file aside, under a name that nothing else has: its content is in it. */
static sos_status file_put_aside(folder *f, int directory, const char *name, sos_error *error)
{
    char other[2 * DIRECTORY_NAME];
    uint64_t hash = SOS_HASH_START;
    const char *dot = strrchr(name, '.');
    const sos_status status = partner_hash(directory, name, &hash, error);
    if (status) return status;
    snprintf(other, sizeof other, "%.150s-%016" PRIx64 "%s", name, hash, dot ? dot : "");
    return directory_move(directory, name, f->aside, other, error);
}

/* Writes STEM and the ending; a file of another ending that said the same before is put aside. */
static sos_status partner_write(folder *f, int directory, const item *i, const char *ending, char known[DIRECTORY_NAME],
                                const void *bytes, size_t length, sos_error *error)
{
    char name[DIRECTORY_NAME + 8];
    snprintf(name, sizeof name, "%s%s", i->stem, ending);
    if (strlen(name) >= DIRECTORY_NAME) return sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' is too long a name", name);
    sos_status status = directory_write(directory, name, bytes, length, error);
    if (!status && *known && strcmp(known, name) != 0) status = file_put_aside(f, directory, known, error);
    if (!status) memcpy(known, name, strlen(name) + 1);
    return status;
}

static void counts_renew(folder *f)
{
    f->done = f->marked = 0;
    for (size_t k = 0; k < f->count; k++) {
        f->done += item_state(&f->items[k]) == STATE_DONE;
        f->marked += item_state(&f->items[k]) == STATE_MARKED;
    }
}

sos_status item_save(folder *f, item *i, const s3svm_dialogue *marks, sos_error *error)
{
    char *text;
    size_t length;
    sos_status status = directory_need(f, "scribbles", &f->scribbles, error);
    if (!status) status = s3svm_dialogue_encode(marks, &text, &length, error);
    if (status) return status;
    status = partner_write(f, f->scribbles, i, ".json", i->scribbles, text, length, error);
    free(text);
    counts_renew(f);
    return status;
}

sos_status item_finish(folder *f, item *i, const s3svm_dialogue *marks, const void *png, size_t length, sos_error *error)
{
    sos_status status = directory_need(f, "labels", &f->labels, error);
    if (!status) status = item_save(f, i, marks, error);
    if (!status) status = partner_write(f, f->labels, i, ".png", i->labels, png, length, error);
    counts_renew(f);
    return status;
}

sos_status item_undo(folder *f, item *i, sos_error *error)
{
    if (!*i->labels) return SOS_OK;
    const sos_status status = file_put_aside(f, f->labels, i->labels, error);
    if (!status) *i->labels = '\0';
    counts_renew(f);
    return status;
}

/* ---------------------------------------------------------------- for learning */

static sos_status label_numbers_read(const folder *f, const item *i, s3svm_image *out, sos_error *error)
{
    char *bytes;
    size_t length;
    sos_status status = directory_read(f->labels, i->labels, UPLOAD_MAX, &bytes, &length, error);
    if (status) return status;
    status = decoder_image(bytes, length, i->labels, S3SVM_IMAGE_PIXELS_MAX, S3SVM_IMAGE_LABELS, out, error);
    free(bytes);
    return status;
}

static sos_status item_survey(const folder *f, const item *i, s3svm_truth_survey *survey, sos_error *error)
{
    s3svm_image numbers;
    sos_status status = label_numbers_read(f, i, &numbers, error);
    if (status) return status;
    status = s3svm_truth_survey_add(survey, &numbers, i->labels, error);
    s3svm_image_free(&numbers);
    return status;
}

static sos_status labels_survey(const folder *f, s3svm_truth_code *out, sos_error *error)
{
    s3svm_truth_survey *survey;
    sos_status status = s3svm_truth_survey_create(S3SVM_UNSURE_TOLD, &survey, error);
    if (status) return status;
    for (size_t i = 0; i < f->count && !status; i++)
        if (item_state(&f->items[i]) == STATE_DONE) status = item_survey(f, &f->items[i], survey, error);
    if (!status) status = s3svm_truth_survey_end(survey, false, NULL, out, error);
    s3svm_truth_survey_free(survey);
    return status;
}

/* All files are read only where one of them has changed. */
sos_status folder_code(folder *f, s3svm_truth_code *out, sos_error *error)
{
    uint64_t hash = SOS_HASH_START;
    for (size_t i = 0; i < f->count; i++) {
        if (item_state(&f->items[i]) != STATE_DONE) continue;
        const stamp now = directory_stamp(f->labels, f->items[i].labels);
        hash = sos_hash(sos_hash(hash, f->items[i].labels, strlen(f->items[i].labels)), &now, sizeof now);
    }
    const sos_status status = f->coded == (hash | 1) ? SOS_OK : labels_survey(f, &f->code, error);
    if (status) return status;
    f->coded = hash | 1;
    *out = f->code;
    return SOS_OK;
}

sos_status item_truth(const folder *f, const item *i, const s3svm_truth_code *code, size_t width, size_t height,
                      s3svm_truth *out, sos_error *error)
{
    s3svm_image numbers;
    sos_status status = label_numbers_read(f, i, &numbers, error);
    if (status) return status;
    if (width) status = item_size_check(i->labels, numbers.width, numbers.height, width, height, error);
    if (!status) status = s3svm_truth_decode(&numbers, code, i->labels, out, error);
    s3svm_image_free(&numbers);
    return status;
}

static sos_status item_truth_read(const folder *f, const item *i, const s3svm_truth_code *code, s3svm_marked *m,
                                  sos_error *error)
{
    s3svm_truth truth = { 0 };
    const sos_status status = item_truth(f, i, code, m->photograph.width, m->photograph.height, &truth, error);
    m->truth = truth.labels;
    m->care = truth.care;
    return status;
}

/* The marks that are certain. */
static sos_status item_marks_draw(folder *f, const item *i, s3svm_marked *m, sos_error *error)
{
    const size_t width = m->photograph.width, height = m->photograph.height;
    s3svm_dialogue *d = NULL;
    sos_status status = s3svm_image_create(width, height, 1, &m->marks, error);
    if (!status) status = item_marks(f, i, width, height, &d, error);
    if (status || !d) return status;
    status = s3svm_dialogue_draw_sure(d, &m->marks, error);
    s3svm_dialogue_free(d);
    return status;
}

static sos_status item_photograph_read(const folder *f, const item *i, s3svm_marked *m, sos_error *error)
{
    char *bytes;
    size_t length;
    sos_status status = item_image(f, i, &bytes, &length, error);
    if (status) return status;
    status = decoder_image(bytes, length, i->image, S3SVM_IMAGE_PIXELS_MAX, S3SVM_IMAGE_COLOUR, &m->photograph, error);
    free(bytes);
    return status;
}

sos_status item_marked(folder *f, const item *i, const s3svm_truth_code *code, s3svm_marked *out, sos_error *error)
{
    s3svm_marked m = { 0 };
    sos_status status = item_photograph_read(f, i, &m, error);
    if (!status) status = item_marks_draw(f, i, &m, error);
    if (!status) status = item_truth_read(f, i, code, &m, error);
    if (status)
        s3svm_marked_free(&m);
    else
        *out = m;
    return status;
}

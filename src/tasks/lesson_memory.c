/* lesson_memory.c - training pictures in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "tasks/lesson_making.h"

/* ---------------------------------------------------------------- checks */

/* A picture being looked at, and how messages call it. */
typedef struct subject {
    const s3svm_task_picture *picture;
    char name[200];
} subject;

static subject subject_of(const s3svm_lesson_data *data, size_t i)
{
    subject s = { .picture = &data->pictures[i] };
    if (s.picture->name)
        snprintf(s.name, sizeof s.name, "%s", s.picture->name);
    else
        snprintf(s.name, sizeof s.name, "picture %zu", i);
    return s;
}

static sos_status part_check(const subject *s, const char *part, size_t width, size_t height, sos_error *error)
{
    const s3svm_image *labels = &s->picture->labels;
    if (width == labels->width && height == labels->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%s': the %s has %zu by %zu pixels, the true labels %zu by %zu", s->name, part,
                    width, height, labels->width, labels->height);
}

static sos_status image_check(const subject *s, const char *part, const s3svm_image *image, size_t channels, sos_error *error)
{
    if (!image->pixels) return sos_fail(error, SOS_ERR_ARGUMENT, "'%s' has no %s", s->name, part);
    if (image->channels != channels)
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%s': the %s has %zu channels, not %zu", s->name, part, image->channels,
                        channels);
    return part_check(s, part, image->width, image->height, error);
}

static sos_status maps_check(const subject *s, size_t channels, sos_error *error)
{
    const s3svm_maps *maps = &s->picture->in.maps;
    if (!maps->values) return sos_fail(error, SOS_ERR_ARGUMENT, "'%s' has no maps", s->name);
    if (maps->channels != channels)
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%s' has maps of %zu channels; others have %zu", s->name, maps->channels,
                        channels);
    return part_check(s, "array of maps", maps->width, maps->height, error);
}

static sos_status picture_check(const s3svm_lesson_making *k, const s3svm_lesson_data *data, size_t i, sos_error *error)
{
    const s3svm_task *task = k->task;
    const subject s = subject_of(data, i);
    const s3svm_task_input *in = &s.picture->in;
    sos_status status = sos_reserved_check("s3svm_task_picture", s.picture, error);
    if (!status) status = image_check(&s, "picture of true labels", &s.picture->labels, 1, error);
    if (!status && task->colour) status = image_check(&s, "colour picture", &in->colour, 3, error);
    if (!status && !task->colour && !k->plan.noises)
        status = in->grey.values ? part_check(&s, "grey picture", in->grey.width, in->grey.height, error)
                                 : sos_fail(error, SOS_ERR_ARGUMENT, "'%s' has no grey picture", s.name);
    if (!status && task->scribbles && (in->marks.pixels || !k->plan.unmarked))
        status = image_check(&s, "picture of marks", &in->marks, 1, error);
    if (!status && k->plan.maps.kind) status = maps_check(&s, data->pictures[0].in.maps.channels, error);
    if (!status && k->plan.evidence && in->maps.values) status = maps_check(&s, in->maps.channels, error);
    return status;
}

/* ---------------------------------------------------------------- what they are */

static uint64_t bytes_hash(uint64_t h, const void *data, size_t bytes)
{
    h = sos_hash(h, &bytes, sizeof bytes);
    return data ? sos_hash(h, data, bytes) : h;
}

static uint64_t image_hash(uint64_t h, const s3svm_image *image)
{
    return bytes_hash(h, image->pixels, image->pixels ? s3svm_image_size(image) * image->channels : 0);
}

/* Of all pixels, as that of a folder is of all files. */
static uint64_t fingerprint(const s3svm_lesson_data *data)
{
    uint64_t h = SOS_HASH_START;
    for (size_t i = 0; i < data->count; i++) {
        const s3svm_task_picture *p = &data->pictures[i];
        const size_t sides[] = { p->labels.width, p->labels.height }, n = s3svm_image_size(&p->labels);
        h = sos_hash(h, sides, sizeof sides);
        h = image_hash(h, &p->labels);
        h = image_hash(h, &p->in.colour);
        h = image_hash(h, &p->in.marks);
        h = bytes_hash(h, p->in.grey.values, p->in.grey.values ? n * sizeof(float) : 0);
        h = bytes_hash(h, p->in.maps.values, p->in.maps.values ? n * p->in.maps.channels * sizeof(float) : 0);
    }
    return h;
}

static sos_status truths_look(const s3svm_lesson_making *k, const s3svm_lesson_data *data, bool learn, sos_error *error)
{
    const s3svm_lesson_steps *steps = k->task->steps;
    sos_work telling = k->work;
    sos_status status = SOS_OK;
    if (!s3svm_lesson_is_first(k)) telling.tell = NULL;
    for (size_t i = 0; i < data->count && !status; i++) {
        const subject s = subject_of(data, i);
        status = steps->look(k->plan.own, &s.picture->labels, s.name, error);
    }
    return status ? status : steps->settle(k->plan.own, NULL, learn, &telling, error);
}

/* ---------------------------------------------------------------- borrowing them */

/* Marks of nothing, as large as the largest picture, where some come without. */
static sos_status unmarked_make(const s3svm_lesson_making *k, const s3svm_lesson_data *data, s3svm_lesson_set *set,
                                sos_error *error)
{
    size_t most = 0;
    for (size_t i = 0; i < data->count; i++) {
        const size_t n = s3svm_image_size(&data->pictures[i].labels);
        if (!data->pictures[i].in.marks.pixels && n > most) most = n;
    }
    if (!most || !k->task->scribbles) return SOS_OK;
    set->unmarked = calloc(most, 1);
    return set->unmarked ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for marks of %zu pixels", most);
}

static sos_status maps_borrow(const s3svm_lesson_making *k, const s3svm_lesson_data *data, s3svm_lesson_set *set,
                              sos_error *error)
{
    set->maps_borrowed = true;
    if (!s3svm_lesson_has_maps(&k->plan)) return SOS_OK;
    set->maps.maps = malloc((data->count + 1) * sizeof *set->maps.maps);
    if (!set->maps.maps) return sos_fail(error, SOS_ERR_MEMORY, "no memory for the maps of %zu pictures", data->count);
    set->maps.count = data->count;
    for (size_t i = 0; i < data->count; i++) set->maps.maps[i] = data->pictures[i].in.maps;
    return SOS_OK;
}

/* Picture i, all of them once with each noise. */
static sos_status picture_take(const s3svm_lesson_making *k, const s3svm_lesson_data *data, size_t i, uint8_t *unmarked,
                               s3svm_lesson_picture *out, sos_error *error)
{
    const s3svm_lesson_plan *plan = &k->plan;
    const subject s = subject_of(data, i % data->count);
    const size_t width = s.picture->labels.width, height = s.picture->labels.height;
    s3svm_image labels;
    sos_status status = s3svm_image_create(width, height, 1, &labels, error);
    if (status) return status;
    memcpy(labels.pixels, s.picture->labels.pixels, width * height);
    if (!plan->noises) out->in = s.picture->in;
    if (!plan->noises && !out->in.marks.pixels && unmarked)
        out->in.marks = (s3svm_image){ .width = width, .height = height, .channels = 1, .pixels = unmarked };
    out->in.width = width;
    out->in.height = height;
    out->in.maps = s3svm_lesson_has_maps(plan) ? s.picture->in.maps : (s3svm_maps){ 0 };
    status = k->task->steps->decode(plan->own, &labels, s.name, &out->truth, &out->care, error);
    if (!status && plan->noises)
        status = s3svm_noise_add(&plan->noise[i / data->count], s3svm_noise_stream(s.name), &labels, &out->in.grey, error);
    s3svm_image_free(&labels);
    return status;
}

static sos_status pictures_deal(const s3svm_lesson_making *k, const s3svm_lesson_data *data, size_t count,
                                s3svm_lesson_set *set, sos_error *error)
{
    double *pixels = malloc((count + 1) * sizeof *pixels);
    if (!pixels) return sos_fail(error, SOS_ERR_MEMORY, "no memory to deal out %zu pictures", count);
    for (size_t i = 0; i < count; i++) pixels[i] = (double)s3svm_image_size(&data->pictures[i % data->count].labels);
    const sos_status status = s3svm_lesson_set_deal(k, count, pixels, set, error);
    free(pixels);
    return status;
}

static sos_status pictures_take(const s3svm_lesson_making *k, const s3svm_lesson_data *data, s3svm_lesson_set *set,
                                sos_error *error)
{
    const size_t count = data->count * (k->plan.noises ? k->plan.noises : 1);
    const bool all = s3svm_lesson_is_first(k) || k->plan.everywhere;
    s3svm_lesson_pictures *list = &set->list;
    sos_status status = pictures_deal(k, data, count, set, error);
    if (status) return status;
    list->pictures = calloc(count, sizeof *list->pictures);
    if (!list->pictures) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", count);
    set->inputs_borrowed = !k->plan.noises;
    list->count = count;
    for (size_t i = 0; i < count && !status; i++)
        if (all || !list->mine || list->mine[i]) status = picture_take(k, data, i, set->unmarked, &list->pictures[i], error);
    return status;
}

sos_status s3svm_lesson_set_borrow(s3svm_lesson_making *k, const s3svm_lesson_data *data, bool learn, s3svm_lesson_set *set,
                                   sos_error *error)
{
    sos_status status = data->count ? SOS_OK : sos_fail(error, SOS_ERR_ARGUMENT, "there are no training pictures");
    for (size_t i = 0; i < data->count && !status; i++) status = picture_check(k, data, i, error);
    if (!status) status = truths_look(k, data, learn, error);
    if (!status) status = unmarked_make(k, data, set, error);
    if (!status) status = maps_borrow(k, data, set, error);
    if (!status && learn) k->lesson.fingerprint = fingerprint(data);
    return status ? status : pictures_take(k, data, set, error);
}

/* lesson_pictures.c - training pictures in folders. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "tasks/lesson_making.h"
#include "tasks/photographs.h"

enum { SPLIT_SEED = 1 }; /* that of experiments, unless somebody says otherwise */

/* ---------------------------------------------------------------- one picture */

void s3svm_lesson_picture_free(s3svm_lesson_picture *p)
{
    p->in.maps = (s3svm_maps){ 0 };
    s3svm_task_input_free(&p->in);
    free(p->truth);
    free(p->care);
    *p = (s3svm_lesson_picture){ 0 };
}

/* Sizes were compared by the headers; what was decoded counts. */
static sos_status picture_size_check(const s3svm_item *item, const s3svm_task_input *in, const s3svm_image *labels,
                                     sos_error *error)
{
    if (in->width == labels->width && in->height == labels->height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.180s' has %zu by %zu pixels, but '%.180s' %zu by %zu", item->image, in->width,
                    in->height, item->labels, labels->width, labels->height);
}

static sos_status noisy_make(const s3svm_noise *noise, const char *name, const s3svm_image *labels, s3svm_task_input *in,
                             sos_error *error)
{
    in->width = labels->width;
    in->height = labels->height;
    return s3svm_noise_add(noise, s3svm_noise_stream(name), labels, &in->grey, error);
}

/* A photograph on which nothing is marked. */
static sos_status unmarked_read(const s3svm_item *item, s3svm_task_input *in, sos_error *error)
{
    const sos_status status = s3svm_image_read(item->image, S3SVM_IMAGE_COLOUR, &in->colour, error);
    if (status) return status;
    in->width = in->colour.width;
    in->height = in->colour.height;
    return s3svm_image_create(in->width, in->height, 1, &in->marks, error);
}

sos_status s3svm_lesson_picture_read(const s3svm_task *task, const s3svm_lesson_plan *plan, const s3svm_dataset *d, size_t i,
                                     s3svm_lesson_picture *out, sos_error *error)
{
    const s3svm_item *item = &d->items[i % d->count];
    s3svm_lesson_picture p = { 0 };
    s3svm_image labels;
    sos_status status = s3svm_image_read(item->labels, task->steps->labels, &labels, error);
    if (status) return status;
    status = task->steps->decode(plan->own, &labels, item->labels, &p.truth, &p.care, error);
    if (!status && plan->noises)
        status = noisy_make(&plan->noise[i / d->count], item->labels, &labels, &p.in, error);
    else if (!status && task->scribbles && !item->scribbles)
        status = unmarked_read(item, &p.in, error);
    else if (!status)
        status = task->read(item, NULL, &p.in, error);
    if (!status) status = picture_size_check(item, &p.in, &labels, error);
    s3svm_image_free(&labels);
    if (status)
        s3svm_lesson_picture_free(&p);
    else
        *out = p;
    return status;
}

/* ---------------------------------------------------------------- folders */

static void passed_tell(const s3svm_dataset *d, const sos_work *work)
{
    char line[200];
    if (!d->passed || !work->tell) return;
    snprintf(line, sizeof line, "%.100s: %zu photographs have labels, %zu have none yet and are passed over", d->folder,
             d->count, d->passed);
    work->tell(work->user, line);
}

static sos_status half_order(const s3svm_dataset *d, const s3svm_parts *parts, int64_t split, size_t order[], sos_error *error)
{
    size_t *photograph = malloc(d->count * sizeof *photograph);
    if (!photograph) return sos_fail(error, SOS_ERR_MEMORY, "no memory for a split of %zu photographs", d->count);
    sos_status status = s3svm_dataset_photographs(d, photograph, error);
    if (!status) status = s3svm_photographs_split(parts, photograph, SPLIT_SEED, (uint64_t)split - 1, order, error);
    free(photograph);
    return status;
}

/* Leaves the half that a split of an experiment learns from, where a split is asked for. */
static sos_status half_keep(s3svm_dataset *d, int64_t split, sos_error *error)
{
    if (!split) return SOS_OK;
    s3svm_parts parts;
    sos_status status = s3svm_parts_usual(d->count, 0, 0, &parts, error);
    if (status) return status;
    size_t *order = malloc(d->count * sizeof *order);
    bool *keep = calloc(d->count, sizeof *keep);
    status = order && keep ? half_order(d, &parts, split, order, error)
                           : sos_fail(error, SOS_ERR_MEMORY, "no memory for a split of %zu photographs", d->count);
    for (size_t i = 0; i < parts.train && !status; i++) keep[order[i]] = true;
    if (!status) s3svm_dataset_keep(d, keep);
    free(order);
    free(keep);
    return status;
}

static sos_status images_check(const s3svm_lesson_plan *plan, const s3svm_dataset *d, sos_error *error)
{
    if (plan->noises || d->items[0].image) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT,
                    "there are no noisy pictures: '%.200s' has no folder images/; add noise to labels/ with --noise plain "
                    "or shifted, or write noisy pictures with s3svm add-noise",
                    d->folder);
}

/* Every process looks at all truths, so that all come to the same; one tells people. */
static sos_status truths_look(const s3svm_lesson_making *k, const s3svm_dataset *d, bool learn, sos_error *error)
{
    const s3svm_lesson_steps *steps = k->task->steps;
    sos_work telling = k->work;
    sos_status status = SOS_OK;
    if (!s3svm_lesson_is_first(k)) telling.tell = NULL;
    for (size_t i = 0; i < d->count && !status; i++) {
        s3svm_image labels;
        status = s3svm_image_read(d->items[i].labels, steps->labels, &labels, error);
        if (status) return status;
        status = steps->look(k->plan.own, &labels, d->items[i].labels, error);
        s3svm_image_free(&labels);
    }
    return status ? status : steps->settle(k->plan.own, d->folder, learn, &telling, error);
}

static bool has_scribbles(const char *folder)
{
    char *path = sos_path_join(folder, "scribbles", "");
    const bool there = path && sos_path_is_folder(path);
    free(path);
    return there;
}

sos_status s3svm_lesson_folder_open(const s3svm_lesson_making *k, const char *folder, bool learn, bool first,
                                    s3svm_dataset *out, sos_error *error)
{
    const s3svm_task *task = k->task;
    const bool scribbles = task->scribbles && (!k->plan.unmarked || has_scribbles(folder));
    s3svm_dataset d;
    sos_status status = s3svm_dataset_open(folder, task->images, scribbles, &d, error);
    if (status) return status;
    if (s3svm_lesson_is_first(k)) passed_tell(&d, &k->work);
    status = images_check(&k->plan, &d, error);
    if (!status && first) status = half_keep(&d, k->plan.split, error);
    if (!status) status = truths_look(k, &d, learn, error);
    if (status)
        s3svm_dataset_free(&d);
    else
        *out = d;
    return status;
}

/* ---------------------------------------------------------------- sets */

void s3svm_lesson_set_free(s3svm_lesson_set *set)
{
    for (size_t i = 0; i < set->list.count; i++) {
        if (set->inputs_borrowed) set->list.pictures[i].in = (s3svm_task_input){ 0 };
        s3svm_lesson_picture_free(&set->list.pictures[i]);
    }
    free(set->list.pictures);
    free(set->list.mine);
    free(set->unmarked);
    if (set->maps_borrowed)
        free(set->maps.maps);
    else
        s3svm_maps_list_free(&set->maps);
    *set = (s3svm_lesson_set){ 0 };
}

sos_status s3svm_lesson_set_deal(const s3svm_lesson_making *k, size_t count, const double pixels[], s3svm_lesson_set *set,
                                 sos_error *error)
{
    bool *mine;
    s3svm_lesson_pictures *list = &set->list;
    sos_status status = sos_share_deal(&k->share, count, pixels, &mine, error);
    if (status || !mine) return status;
    bool *all = realloc(list->mine, (list->count + count) * sizeof *all);
    if (all) {
        memcpy(all + list->count, mine, count * sizeof *all);
        list->mine = all;
    } else {
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory to deal out %zu pictures", count);
    }
    free(mine);
    return status;
}

sos_status s3svm_lesson_set_add(const s3svm_lesson_making *k, const s3svm_dataset *d, const bool wanted[],
                                s3svm_lesson_set *set, sos_error *error)
{
    const size_t count = s3svm_lesson_folder_count(&k->plan, d);
    s3svm_lesson_pictures *list = &set->list;
    s3svm_lesson_picture *pictures = realloc(list->pictures, (list->count + count) * sizeof *pictures);
    if (!pictures) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu pictures", count);
    list->pictures = pictures;
    sos_status status = SOS_OK;
    for (size_t i = 0; i < count && !status; i++) {
        s3svm_lesson_picture *p = &list->pictures[list->count];
        *p = (s3svm_lesson_picture){ 0 };
        if (!wanted || wanted[i]) status = s3svm_lesson_picture_read(k->task, &k->plan, d, i, p, error);
        if (!status && set->maps.maps) p->in.maps = set->maps.maps[list->count];
        list->count += !status;
    }
    return status;
}

sos_status s3svm_lesson_folder_deal(const s3svm_lesson_making *k, const s3svm_dataset *d, s3svm_lesson_set *set,
                                    sos_error *error)
{
    const size_t count = s3svm_lesson_folder_count(&k->plan, d);
    double *pixels = malloc(count * sizeof *pixels);
    if (!pixels) return sos_fail(error, SOS_ERR_MEMORY, "no memory to deal out %zu pictures", count);
    for (size_t i = 0; i < count; i++) {
        const s3svm_item *item = &d->items[i % d->count];
        pixels[i] = (double)item->width * (double)item->height;
    }
    const sos_status status = s3svm_lesson_set_deal(k, count, pixels, set, error);
    free(pixels);
    return status;
}

static sos_status fingerprint_add(s3svm_lesson_making *k, const s3svm_dataset *d, sos_error *error)
{
    uint64_t own, *all = &k->lesson.fingerprint;
    const sos_status status = s3svm_dataset_hash(d, &own, error);
    if (!status) *all = *all ? sos_hash_number(*all, own) : own;
    return status;
}

static sos_status folder_add(s3svm_lesson_making *k, const char *folder, bool learn, s3svm_lesson_set *set, sos_error *error)
{
    const bool first = s3svm_lesson_is_first(k), all = first || k->plan.everywhere;
    const size_t before = set->list.count;
    s3svm_dataset d;
    sos_status status = s3svm_lesson_folder_open(k, folder, learn, learn && !before, &d, error);
    if (status) return status;
    if (k->plan.evidence)
        status = s3svm_maps_list_add(&d, &set->maps, error);
    else if (!before)
        status = s3svm_maps_list_read(&k->plan.maps, &d, &k->work, &set->maps, error);
    if (!status && learn && first) status = fingerprint_add(k, &d, error);
    if (!status) status = s3svm_lesson_folder_deal(k, &d, set, error);
    if (!status) status = s3svm_lesson_set_add(k, &d, all || !set->list.mine ? NULL : set->list.mine + before, set, error);
    s3svm_dataset_free(&d);
    return status;
}

sos_status s3svm_lesson_set_fill(s3svm_lesson_making *k, const s3svm_lesson_data *data, bool learn, s3svm_lesson_set *set,
                                 sos_error *error)
{
    sos_status status = SOS_OK;
    if (!data->folders.count) return s3svm_lesson_set_borrow(k, data, learn, set, error);
    for (size_t i = 0; i < data->folders.count && !status; i++)
        status = folder_add(k, data->folders.values[i], learn, set, error);
    return status;
}

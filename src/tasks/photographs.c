#include "tasks/photographs.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/hash.h"

/* ---------------------------------------------------------------- which are the same */

uint64_t s3svm_photograph_hash(const s3svm_image *picture)
{
    uint64_t h = sos_hash_number(SOS_HASH_START, picture->width);
    h = sos_hash_number(sos_hash_number(h, picture->height), picture->channels);
    return sos_hash(h, picture->pixels, s3svm_image_size(picture) * picture->channels);
}

typedef struct hashed {
    uint64_t hash;
    size_t number;
} hashed;

static int by_hash(const void *a, const void *b)
{
    const hashed *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

sos_status s3svm_photographs_group(size_t count, const uint64_t hashes[], size_t photograph[], sos_error *error)
{
    hashed *list = malloc((count + 1) * sizeof *list);
    if (!list) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", count);
    for (size_t i = 0; i < count; i++) list[i] = (hashed){ hashes[i], i };
    qsort(list, count, sizeof *list, by_hash);
    for (size_t i = 0; i < count; i++) {
        const bool again = i && list[i].hash == list[i - 1].hash;
        photograph[list[i].number] = again ? photograph[list[i - 1].number] : list[i].number;
    }
    free(list);
    return SOS_OK;
}

static sos_status item_hash(const s3svm_item *item, uint64_t *hash, sos_error *error)
{
    s3svm_image picture;
    const sos_status status = item->image ? s3svm_image_read(item->image, S3SVM_IMAGE_COLOUR, &picture, error)
                                          : s3svm_image_read(item->labels, S3SVM_IMAGE_LABELS, &picture, error);
    if (status) return status;
    *hash = s3svm_photograph_hash(&picture);
    s3svm_image_free(&picture);
    return SOS_OK;
}

sos_status s3svm_dataset_photographs(const s3svm_dataset *d, size_t photograph[], sos_error *error)
{
    uint64_t *hashes = malloc((d->count + 1) * sizeof *hashes);
    sos_status status = hashes ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", d->count);
    for (size_t i = 0; i < d->count && !status; i++) status = item_hash(&d->items[i], &hashes[i], error);
    if (!status) status = s3svm_photographs_group(d->count, hashes, photograph, error);
    free(hashes);
    return status;
}

size_t s3svm_photographs_count(size_t count, const size_t photograph[])
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += photograph[i] == i;
    return found;
}

/* ---------------------------------------------------------------- splits */

enum { PARTS = 3 };

/* Pictures being dealt out to the parts of a split. */
typedef struct deal {
    size_t room[PARTS], next[PARTS]; /* of each part: pictures that it still takes, and where the next one goes */
    const size_t *photograph;
    size_t *size; /* of each photograph: its pictures that are not dealt out yet */
    size_t *drawn, *order;
} deal;

static sos_status part_find(const deal *d, size_t size, size_t *part, sos_error *error)
{
    for (*part = 0; *part < PARTS; ++*part)
        if (d->room[*part] >= size) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "%zu pictures show the same photograph, and no part of a split has room for all",
                    size);
}

/* All pictures of the photograph that comes at this place of the drawn order. */
static sos_status photograph_deal(deal *d, size_t count, size_t place, sos_error *error)
{
    const size_t which = d->photograph[d->drawn[place]];
    size_t part, left = d->size[which];
    if (!left) return SOS_OK; /* one of its pictures came before */
    const sos_status status = part_find(d, left, &part, error);
    if (status) return status;
    d->room[part] -= left;
    d->size[which] = 0;
    for (size_t i = place; i < count && left; i++) {
        if (d->photograph[d->drawn[i]] != which) continue;
        d->order[d->next[part]++] = d->drawn[i];
        left--;
    }
    return SOS_OK;
}

sos_status s3svm_photographs_split(const s3svm_parts *parts, const size_t photograph[], uint64_t seed, uint64_t split,
                                   size_t order[], sos_error *error)
{
    const size_t count = parts->train + parts->validation + parts->test;
    deal d = { .room = { parts->train, parts->validation, parts->test },
               .next = { 0, parts->train, parts->train + parts->validation },
               .photograph = photograph,
               .size = calloc(count + 1, sizeof *d.size),
               .drawn = malloc((count + 1) * sizeof *d.drawn),
               .order = order };
    sos_status status = d.size && d.drawn ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", count);
    if (!status) s3svm_split(count, seed, split, d.drawn);
    for (size_t i = 0; i < count && !status; i++) d.size[photograph[i]]++;
    for (size_t i = 0; i < count && !status; i++) status = photograph_deal(&d, count, i, error);
    free(d.size);
    free(d.drawn);
    return status;
}

sos_status s3svm_photographs_hashed_split(const s3svm_parts *parts, const uint64_t hashes[], uint64_t seed, uint64_t split,
                                          size_t order[], sos_error *error)
{
    const size_t count = parts->train + parts->validation + parts->test;
    size_t *photograph = malloc((count + 1) * sizeof *photograph);
    if (!photograph) return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", count);
    sos_status status = s3svm_photographs_group(count, hashes, photograph, error);
    if (!status) status = s3svm_photographs_split(parts, photograph, seed, split, order, error);
    free(photograph);
    return status;
}

/* ---------------------------------------------------------------- folds */

sos_status s3svm_photographs_fold(size_t count, const size_t photograph[], size_t folds, size_t fold[], sos_error *error)
{
    size_t *dealt = calloc(count + 1, sizeof *dealt), next = 0; /* of each photograph: its fold + 1, once it has one */
    if (!dealt) return sos_fail(error, SOS_ERR_MEMORY, "no memory for folds of %zu photographs", count);
    for (size_t i = 0; i < count; i++) {
        size_t *own = &dealt[photograph[i]];
        if (!*own) *own = 1 + next++ % folds;
        fold[i] = *own - 1;
    }
    free(dealt);
    return SOS_OK;
}

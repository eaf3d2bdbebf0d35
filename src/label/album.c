#include "label/album.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

sos_status s3svm_label_names_find(const s3svm_label_names *given, const s3svm_dataset *d, int unknown, s3svm_label_names *out,
                                  sos_error *error)
{
    if (given) {
        memmove(out, given, sizeof *out);
    } else {
        size_t count;
        sos_status status = s3svm_label_count(d, unknown, &count, error);
        if (!status) status = s3svm_label_names_default(count, out, error);
        if (status) return status;
    }
    out->unknown = unknown;
    return SOS_OK;
}

void s3svm_label_album_free(s3svm_label_album *a)
{
    for (size_t i = 0; i < a->count; i++) {
        free(a->names[i]);
        s3svm_labelled_free(&a->pictures[i]);
    }
    free(a->names);
    free(a->pictures);
    *a = (s3svm_label_album){ 0 };
}

static char *text_copy(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    return copy ? memcpy(copy, text, bytes) : NULL;
}

static sos_status item_read(const s3svm_item *item, const s3svm_label_names *names, bool wanted, s3svm_label_album *a,
                            sos_error *error)
{
    sos_status status = SOS_OK;
    if (wanted) status = s3svm_labelled_read(item, names->count, names->unknown, &a->pictures[a->count], error);
    if (status) return status;
    a->names[a->count] = text_copy(item->name);
    return a->names[a->count++] ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for a name");
}

sos_status s3svm_label_album_read(const s3svm_dataset *d, const s3svm_label_names *names, const bool wanted[],
                                  s3svm_label_album *out, sos_error *error)
{
    s3svm_label_album a = { .names = calloc(d->count, sizeof *a.names), .pictures = calloc(d->count, sizeof *a.pictures) };
    sos_status status = a.names && a.pictures ? SOS_OK
                                              : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", d->count);
    for (size_t i = 0; i < d->count && !status; i++) status = item_read(&d->items[i], names, !wanted || wanted[i], &a, error);
    if (status)
        s3svm_label_album_free(&a);
    else
        *out = a;
    return status;
}

void s3svm_label_selection_free(s3svm_label_selection *s)
{
    free(s->pictures);
    free(s->truths);
    free(s->care);
    *s = (s3svm_label_selection){ 0 };
}

sos_status s3svm_label_selection_make(const s3svm_label_album *a, size_t labels, size_t count, const size_t order[],
                                      s3svm_label_selection *out, sos_error *error)
{
    const size_t room = count ? count : 1;
    s3svm_label_selection s = { .pictures = calloc(room, sizeof *s.pictures),
                                .truths = calloc(room, sizeof *s.truths),
                                .care = calloc(room, sizeof *s.care) };
    if (!s.pictures || !s.truths || !s.care) {
        s3svm_label_selection_free(&s);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu photographs", count);
    }
    for (size_t i = 0; i < count; i++) {
        const s3svm_labelled *p = &a->pictures[order ? order[i] : i];
        s.pictures[i] = p->picture;
        s.truths[i] = p->truth;
        s.care[i] = p->care;
    }
    s.chosen = (s3svm_label_pictures){
        .count = count, .labels = labels, .pictures = s.pictures, .truths = s.truths, .care = s.care
    };
    *out = s;
    return SOS_OK;
}

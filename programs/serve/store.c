#include "store.h"

#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "session.h"

void store_begin(store *s, size_t count_most, size_t bytes_most)
{
    *s = (store){ .count_most = count_most, .bytes_most = bytes_most };
    pthread_mutex_init(&s->lock, NULL);
}

static void picture_free(picture *p)
{
    sessions_free(p);
    s3svm_image_free(&p->image);
    s3svm_picture_free(&p->given);
    s3svm_maps_free(&p->odds);
    free(p->file);
    free(p);
}

void store_end(store *s)
{
    for (picture *p = s->pictures, *next; p; p = next) {
        next = p->next;
        picture_free(p);
    }
    pthread_mutex_destroy(&s->lock);
    *s = (store){ 0 };
}

/* Takes it out of the list; it is freed by whoever uses it last. */
static void picture_forget(store *s, picture *p)
{
    picture **at = &s->pictures;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    p->gone = true;
    s->count--;
    memcpy(s->gone[s->gone_count++ % GONE], p->id, sizeof p->id);
}

/* The one that nobody uses and that was used least recently; NULL: all are in use. */
static picture *idle_find(const store *s)
{
    picture *found = NULL;
    for (picture *p = s->pictures; p; p = p->next)
        if (!p->users && (!found || p->used < found->used)) found = p;
    return found;
}

/* Until so many pictures and bytes more fit, or nothing is left to let go.  Returns whether pictures fit. */
static bool room_make(store *s, size_t pictures, size_t bytes)
{
    while (s->bytes + bytes > s->bytes_most && session_drop_oldest(s)) continue;
    while (s->bytes + bytes > s->bytes_most || s->count + pictures > s->count_most) {
        picture *p = idle_find(s);
        if (!p) break;
        picture_forget(s, p);
        s->bytes -= p->bytes;
        picture_free(p);
    }
    return s->count + pictures <= s->count_most;
}

picture *store_add(store *s, picture *from, response *a)
{
    picture *p = malloc(sizeof *p);
    if (!p || !digits_random(ID_LENGTH, from->id)) {
        free(p);
        response_memory(a);
        return NULL;
    }
    const s3svm_image *given = &from->given.image;
    from->bytes = s3svm_image_size(&from->image) * from->image.channels + from->length + from->given.profile_length +
                  s3svm_image_size(given) * given->channels * (from->given.deep ? 3 : 1) +
                  from->odds.width * from->odds.height * sizeof *from->odds.values;
    pthread_mutex_lock(&s->lock);
    const bool fits = room_make(s, 1, from->bytes);
    if (fits) {
        *p = *from;
        p->users = 1;
        p->used = ++s->now;
        p->next = s->pictures;
        s->pictures = p;
        s->count++;
        s->bytes += p->bytes;
    }
    pthread_mutex_unlock(&s->lock);
    if (fits) return p;
    free(p);
    response_fail(a, 503, "busy", "all %zu pictures that may be open are in use", s->count_most);
    return NULL;
}

static bool was_there(const store *s, const char *id)
{
    for (size_t i = 0; i < GONE && i < s->gone_count; i++)
        if (!strcmp(s->gone[i], id)) return true;
    return false;
}

picture *store_find(store *s, const char *id, bool drawing, response *a)
{
    pthread_mutex_lock(&s->lock);
    picture *p = s->pictures;
    while (p && (strcmp(p->id, id) != 0 || p->drawing != drawing)) p = p->next;
    const bool gone = !p && was_there(s, id);
    if (p) {
        p->users++;
        p->used = ++s->now;
    }
    pthread_mutex_unlock(&s->lock);
    if (gone) response_fail(a, 410, "gone", "this picture is no longer open: open it again");
    if (!p && !gone) response_fail(a, 404, "unknown", "no picture of this id is open");
    return p;
}

picture *store_find_source(store *s, uint64_t source)
{
    pthread_mutex_lock(&s->lock);
    picture *p = NULL;
    for (picture *q = s->pictures; q; q = q->next)
        if (q->source == source && (!p || q->used > p->used)) p = q;
    if (p) {
        p->users++;
        p->used = ++s->now;
    }
    pthread_mutex_unlock(&s->lock);
    return p;
}

void store_release(store *s, picture *p)
{
    pthread_mutex_lock(&s->lock);
    const bool last = !--p->users && p->gone;
    if (last) s->bytes -= p->bytes;
    pthread_mutex_unlock(&s->lock);
    if (last) picture_free(p);
}

bool store_remove(store *s, const char *id)
{
    pthread_mutex_lock(&s->lock);
    picture *p = s->pictures;
    while (p && strcmp(p->id, id) != 0) p = p->next;
    const bool last = p && !p->users;
    if (p) {
        sessions_stop(p);
        picture_forget(s, p);
    }
    if (last) s->bytes -= p->bytes;
    pthread_mutex_unlock(&s->lock);
    if (last) picture_free(p);
    return p;
}

void store_count(store *s, picture *p, size_t before, size_t after)
{
    pthread_mutex_lock(&s->lock);
    if (after > before) room_make(s, 0, after - before);
    s->bytes += after - before;
    p->bytes += after - before;
    pthread_mutex_unlock(&s->lock);
}

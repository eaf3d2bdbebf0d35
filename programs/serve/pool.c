#include "pool.h"

#include <pthread.h>
#include <stdlib.h>

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t *threads;
    size_t count;
    exchange **queue; /* a ring: those that wait, from first on */
    size_t room, first, waiting, reserved;
    bool ending;
    void (*work)(exchange *x);
};

/* The next one, or NULL at the end. */
static exchange *next_take(pool *p)
{
    exchange *x = NULL;
    pthread_mutex_lock(&p->lock);
    while (!p->waiting && !(p->ending && !p->reserved)) pthread_cond_wait(&p->changed, &p->lock);
    if (p->waiting) {
        x = p->queue[p->first];
        p->first = (p->first + 1) % p->room;
        p->waiting--;
        p->reserved--;
    }
    if (p->ending && !p->reserved) pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    return x;
}

static void *thread_run(void *user)
{
    pool *p = user;
    exchange *x;
    while ((x = next_take(p))) p->work(x);
    return NULL;
}

static void pool_release(pool *p)
{
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->changed);
    free(p->threads);
    free(p->queue);
    free(p);
}

pool *pool_create(size_t threads, size_t waiting, void (*work)(exchange *x))
{
    pool *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->room = waiting;
    p->work = work;
    p->threads = calloc(threads, sizeof *p->threads);
    p->queue = calloc(waiting, sizeof *p->queue);
    if (!p->threads || !p->queue) {
        pool_release(p);
        return NULL;
    }
    while (p->count < threads && !pthread_create(&p->threads[p->count], NULL, thread_run, p)) p->count++;
    if (p->count) return p;
    pool_release(p);
    return NULL; /* not one thread */
}

bool pool_reserve(pool *p)
{
    pthread_mutex_lock(&p->lock);
    const bool there = p->reserved < p->room && !p->ending;
    p->reserved += there;
    pthread_mutex_unlock(&p->lock);
    return there;
}

void pool_add(pool *p, exchange *x)
{
    pthread_mutex_lock(&p->lock);
    p->queue[(p->first + p->waiting++) % p->room] = x;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
}

void pool_end(pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->ending = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < p->count; i++) pthread_join(p->threads[i], NULL);
}

void pool_free(pool *p)
{
    if (p) pool_release(p);
}

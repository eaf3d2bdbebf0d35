/* pool.h - workers, and requests that wait for one. */
#ifndef S3SVM_SERVE_POOL_H
#define S3SVM_SERVE_POOL_H

#include "request.h"

typedef struct pool pool;

/* So many threads that work on requests in the order in which they came, of which at most so many wait.  NULL: no memory or no
 * threads. */
pool *pool_create(size_t threads, size_t waiting, void (*work)(exchange *x));

/* A place in the queue, which must be filled by pool_add; false: it is full, or the pool has ended. */
bool pool_reserve(pool *p);
void pool_add(pool *p, exchange *x);

/* Waits for all work to end, also for what still waits.  The pool is there until it is freed. */
void pool_end(pool *p);
void pool_free(pool *p); /* after its end; NULL is fine */

#endif

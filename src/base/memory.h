/* memory.h - arrays that grow, and one block of memory cut into aligned arrays.  Sizes are checked against overflow. */
#ifndef SOS_BASE_MEMORY_H
#define SOS_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for count items of size bytes in *array, which has room for *room, growing it by at least half.  On failure
 * returns false and *array is as it was.  The pointer's type is hidden behind void *; use the macro. */
bool sos_grow_bytes(void **array, size_t *room, size_t count, size_t size);
#define sos_grow(array, room, count) sos_grow_bytes((void **)(array), (room), (count), sizeof **(array))

/* An arena is laid out twice: once with base NULL to learn the size, once to take the pointers.  Both passes run the same
 * code, so sizes and pointers cannot disagree. */
typedef struct sos_arena {
    char *base;
    size_t used;     /* bytes laid out so far */
    bool overflowed; /* a size did not fit size_t */
} sos_arena;

/* The next count items of size bytes, aligned to a cache line; NULL in the first pass. */
void *sos_arena_take(sos_arena *arena, size_t count, size_t size);

/* A block of bytes for an arena; where the system has them, large pages are asked for. */
void *sos_block_alloc(size_t bytes);
void sos_block_free(void *block);

#endif

#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

enum { CACHE_LINE = 64, LARGE_PAGE = 1 << 21 };

bool sos_grow_bytes(void **array, size_t *room, size_t count, size_t size)
{
    if (count <= *room) return true;
    size_t next = *room + *room / 2;
    if (next < count) next = count;
    if (next > SIZE_MAX / size) return false;
    void *p = realloc(*array, next * size);
    if (!p) return false;
    *array = p;
    *room = next;
    return true;
}

void *sos_arena_take(sos_arena *arena, size_t count, size_t size)
{
    const size_t room = SIZE_MAX - arena->used - CACHE_LINE;
    if (arena->overflowed || (size && count > room / size)) {
        arena->overflowed = true;
        return NULL;
    }
    void *p = arena->base ? arena->base + arena->used : NULL;
    arena->used += (count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return p;
}

/* A network of 400x200 pixels is some megabytes, and first touching them costs a page fault per 4 KiB: as long as a quarter
 * of the whole minimisation.  With 2 MiB pages that cost goes away. */
void *sos_block_alloc(size_t bytes)
{
    if (bytes > SIZE_MAX - LARGE_PAGE) return NULL;
    if (bytes < LARGE_PAGE) return aligned_alloc(CACHE_LINE, (bytes + CACHE_LINE) / CACHE_LINE * CACHE_LINE);
    const size_t rounded = (bytes + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE;
    void *block = aligned_alloc(LARGE_PAGE, rounded);
#if defined(MADV_HUGEPAGE)
    if (block) madvise(block, rounded, MADV_HUGEPAGE);
#endif
    return block;
}

void sos_block_free(void *block) { free(block); }

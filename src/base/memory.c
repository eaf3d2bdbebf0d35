#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pages.h"

enum { CACHE_LINE = 64 };

bool sos_grow_bytes(void **array, size_t *room, size_t count, size_t size)
{
    if (count <= *room) return true;
    size_t next = *room + *room / 2;
    if (next < count) next = count;
    if (next > SIZE_MAX / size) return false;
    void *p = realloc(*array, next * size);
    if (!p) return false;
    sos_large_pages(p, next * size);
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
 * of the whole minimisation.  With 2 MiB pages that cost goes away.
 *
 * The alignment is our own, and how much of the memory lies before the block stands there.  glibc takes what it aligns to 2 MiB
 * from the system anew each time, and the system clears it: a tenth of the minimisation.  What malloc gives it keeps, up to 32
 * MiB. */
void *sos_block_alloc(size_t bytes)
{
    const size_t alignment = bytes < SOS_LARGE_PAGE ? CACHE_LINE : SOS_LARGE_PAGE;
    if (bytes > SIZE_MAX - 3 * SOS_LARGE_PAGE) return NULL;
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    char *memory = malloc(sizeof(size_t) + alignment + rounded);
    if (!memory) return NULL;
    const size_t past = ((uintptr_t)memory + sizeof(size_t)) % alignment;
    const size_t before = sizeof before + (past ? alignment - past : 0);
    char *block = memory + before;
    memcpy(block - sizeof before, &before, sizeof before);
    sos_large_pages(block, rounded);
    return block;
}

void sos_block_free(void *block)
{
    size_t before;
    if (!block) return;
    memcpy(&before, (char *)block - sizeof before, sizeof before);
    free((char *)block - before);
}

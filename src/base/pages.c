/* pages.c - large pages by Linux's madvise. */
#if defined(__linux__)
#define _DEFAULT_SOURCE
#include <sys/mman.h>
#endif

#include "base/pages.h"

#include <stdint.h>

void sos_large_pages(void *array, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    const size_t past = (uintptr_t)array % SOS_LARGE_PAGE, skipped = past ? SOS_LARGE_PAGE - past : 0;
    if (bytes >= skipped + SOS_LARGE_PAGE)
        madvise((char *)array + skipped, (bytes - skipped) / SOS_LARGE_PAGE * SOS_LARGE_PAGE, MADV_HUGEPAGE);
#else
    (void)array;
    (void)bytes;
#endif
}

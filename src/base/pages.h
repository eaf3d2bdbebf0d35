/* pages.h - large pages, where the system has them. */
#ifndef SOS_BASE_PAGES_H
#define SOS_BASE_PAGES_H

#include <stddef.h>

enum { SOS_LARGE_PAGE = 1 << 21 };

/* Asks for large pages where an array that is not touched yet has room for them: a page fault each 4 KiB takes longer than
 * filling it. */
void sos_large_pages(void *array, size_t bytes);

#endif

/* assets.h - the page and the examples that are compiled in. */
#ifndef S3SVM_SERVE_ASSETS_H
#define S3SVM_SERVE_ASSETS_H

#include "request.h"

/* Written by cmake/embed.cmake: files of programs/page, and the renderings of docs/segmentation/images. */
typedef struct asset {
    const char *name; /* NULL ends a list */
    const unsigned char *bytes;
    size_t length;
} asset;
extern const asset page_assets[], example_assets[];

const asset *asset_find(const asset list[], const char *name); /* NULL: there is none */

bool page_handle(exchange *x);  /* GET / */
bool asset_handle(exchange *x); /* GET /page/NAME */

#endif

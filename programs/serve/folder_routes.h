/* folder_routes.h - requests about the folder. */
#ifndef S3SVM_SERVE_FOLDER_ROUTES_H
#define S3SVM_SERVE_FOLDER_ROUTES_H

#include "request.h"

bool folder_list(exchange *x);      /* GET /api/folder */
bool folder_thumbnail(exchange *x); /* GET /api/folder/KEY/thumbnail */
bool folder_cutout(exchange *x);    /* GET /api/folder/KEY/cutout */
bool folder_item_open(exchange *x); /* POST /api/folder/KEY/open */
bool folder_marks(exchange *x);     /* PUT /api/folder/KEY/marks */
bool folder_done(exchange *x);      /* POST /api/folder/KEY/done */
bool folder_undone(exchange *x);    /* POST /api/folder/KEY/undone */

#endif

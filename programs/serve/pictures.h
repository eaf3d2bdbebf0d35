/* pictures.h - requests about pictures that are open; and about drawings. */
#ifndef S3SVM_SERVE_PICTURES_H
#define S3SVM_SERVE_PICTURES_H

#include "body.h"
#include "request.h"
#include "session.h"

bool pictures_add(exchange *x);     /* POST /api/pictures */
bool picture_image(exchange *x);    /* GET /api/pictures/ID/image */
bool picture_labels(exchange *x);   /* POST /api/pictures/ID/labels */
bool picture_view(exchange *x);     /* POST /api/pictures/ID/view */
bool picture_next(exchange *x);     /* POST /api/pictures/ID/next */
bool picture_progress(exchange *x); /* GET /api/pictures/ID/progress */
bool picture_remove(exchange *x);   /* DELETE /api/pictures/ID, /api/drawings/ID */

bool drawings_add(exchange *x);     /* POST /api/drawings */
bool drawing_image(exchange *x);    /* GET /api/drawings/ID/image */
bool drawing_restored(exchange *x); /* POST /api/drawings/ID/restored */

/* A request that needs the labels of a picture's marks: takes the picture and the body, checks them, and sees to the rest.
 * answer is called when the labels are there. */
typedef void job_answer(job *k, session *s, s3svm_segmenter *segmenter);
bool job_submit(exchange *x, picture *p, body *b, size_t kind, size_t detail, job_answer *answer);

/* "data:image/png;base64,..." with its quotes, to free; NULL: no memory. */
char *data_url(const uint8_t bytes[], size_t length);

/* The picture's own bytes, as PNG or JPEG. */
void picture_answer(const picture *p, response *a);

#endif

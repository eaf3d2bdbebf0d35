/* coco.c - images, one annotation for the object in each, and one category.
 *
 * Polygons run along the sides of pixels (polygon.h).  RLE is COCO's own without compression: lengths of runs of background and
 * object in turn, down the columns from left to right. */
#include "coco.h"

#include <string.h>

#include "base/error.h"
#include "folder.h"
#include "json_response.h"
#include "polygon.h"
#include "server.h"

/* One photograph that is done. */
typedef struct annotated {
    char name[DIRECTORY_NAME];
    s3svm_truth truth;
    size_t area, left, top, right, bottom; /* of the object; right and bottom are the first beyond it */
} annotated;

/* The next from *at on; *found: there is one.  The folder is held for one at a time, so that pages can save meanwhile. */
static sos_status annotated_next(folder *f, const s3svm_truth_code *code, size_t *at, annotated *out, bool *found,
                                 sos_error *error)
{
    sos_status status = SOS_OK;
    pthread_mutex_lock(&f->lock);
    while (*at < f->count && item_state(&f->items[*at]) != STATE_DONE) ++*at;
    *found = *at < f->count;
    if (*found) {
        const item *i = &f->items[(*at)++];
        *out = (annotated){ .left = SIZE_MAX, .top = SIZE_MAX };
        memcpy(out->name, i->image, sizeof out->name);
        status = item_truth(f, i, code, 0, 0, &out->truth, error);
    }
    pthread_mutex_unlock(&f->lock);
    return status;
}

static void object_measure(annotated *a)
{
    const s3svm_truth *t = &a->truth;
    for (size_t y = 0, i = 0; y < t->height; y++)
        for (size_t x = 0; x < t->width; x++, i++) {
            if (!t->labels[i]) continue;
            a->area++;
            if (x < a->left) a->left = x;
            if (x >= a->right) a->right = x + 1;
            if (y < a->top) a->top = y;
            a->bottom = y + 1;
        }
}

/* ---------------------------------------------------------------- printing */

static void rle_print(const s3svm_truth *t, sos_json *j)
{
    uint8_t label = 0;
    size_t run = 0;
    sos_json_open(j, "segmentation", '{');
    sos_json_open(j, "counts", '[');
    for (size_t x = 0; x < t->width; x++)
        for (size_t y = 0; y < t->height; y++, run++) {
            if (t->labels[y * t->width + x] == label) continue;
            sos_json_count(j, NULL, run);
            label = !label;
            run = 0;
        }
    sos_json_count(j, NULL, run);
    sos_json_close(j, ']');
    sos_json_open(j, "size", '[');
    sos_json_count(j, NULL, t->height);
    sos_json_count(j, NULL, t->width);
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

static sos_status polygons_print(const s3svm_truth *t, sos_json *j, sos_error *error)
{
    polygon_list p;
    const sos_status status = polygons_of(t->width, t->height, t->labels, &p, error);
    if (status) return status;
    sos_json_open(j, "segmentation", '[');
    for (size_t i = 0, at = 0; i < p.count; i++) {
        sos_json_open(j, NULL, '[');
        for (; at < p.ends[i]; at++) {
            sos_json_count(j, NULL, p.points[at][0]);
            sos_json_count(j, NULL, p.points[at][1]);
        }
        sos_json_close(j, ']');
    }
    sos_json_close(j, ']');
    polygons_free(&p);
    return SOS_OK;
}

static void image_print(const annotated *a, size_t id, sos_json *j)
{
    sos_json_open_row(j, NULL, '{');
    sos_json_count(j, "id", id);
    sos_json_text(j, "file_name", a->name);
    sos_json_count(j, "width", a->truth.width);
    sos_json_count(j, "height", a->truth.height);
    sos_json_close(j, '}');
}

static sos_status annotation_print(annotated *a, size_t id, bool rle, sos_json *j, sos_error *error)
{
    object_measure(a);
    if (!a->area) return SOS_OK; /* a photograph without an object has no annotation */
    const size_t box[4] = { a->left, a->top, a->right - a->left, a->bottom - a->top };
    sos_status status = SOS_OK;
    sos_json_open_row(j, NULL, '{');
    sos_json_count(j, "id", id);
    sos_json_count(j, "image_id", id);
    sos_json_count(j, "category_id", 1);
    sos_json_count(j, "iscrowd", 0);
    sos_json_count(j, "area", a->area);
    sos_json_open(j, "bbox", '[');
    for (size_t i = 0; i < 4; i++) sos_json_count(j, NULL, box[i]);
    sos_json_close(j, ']');
    if (rle)
        rle_print(&a->truth, j);
    else
        status = polygons_print(&a->truth, j, error);
    sos_json_close(j, '}');
    return status;
}

/* ---------------------------------------------------------------- the folder */

typedef enum part { PART_IMAGES, PART_ANNOTATIONS, PARTS } part;

/* One of the two lists; ids are places among the photographs of the folder that are done. */
static sos_status part_print(server *s, part which, const s3svm_truth_code *code, bool rle, sos_json *j, sos_error *error)
{
    static const char *const NAMES[PARTS] = { "images", "annotations" };
    sos_status status = SOS_OK;
    bool found = true;
    annotated a;
    sos_json_open(j, NAMES[which], '[');
    for (size_t at = 0; found && !status;) {
        if (server_is_ending(s)) return sos_fail(error, SOS_CANCELLED, "the server is being stopped");
        status = annotated_next(s->folder, code, &at, &a, &found, error);
        if (status || !found) continue;
        if (which == PART_IMAGES)
            image_print(&a, at, j);
        else
            status = annotation_print(&a, at, rle, j, error);
        s3svm_truth_free(&a.truth);
    }
    sos_json_close(j, ']');
    return status;
}

static sos_status coco_print(server *s, bool rle, sos_json *j, sos_error *error)
{
    folder *f = s->folder;
    s3svm_truth_code code = { 0 };
    pthread_mutex_lock(&f->lock);
    sos_status status = folder_look(f, error);
    if (!status) status = folder_code(f, &code, error);
    sos_json_open_row(j, "info", '{');
    sos_json_text(j, "description", f->title);
    sos_json_close(j, '}');
    pthread_mutex_unlock(&f->lock);
    for (part which = PART_IMAGES; which < PARTS && !status; which++) status = part_print(s, which, &code, rle, j, error);
    sos_json_open(j, "categories", '[');
    sos_json_open_row(j, NULL, '{');
    sos_json_count(j, "id", 1);
    sos_json_text(j, "name", "object");
    sos_json_close(j, '}');
    sos_json_close(j, ']');
    return status;
}

bool folder_coco(exchange *x)
{
    json_response w;
    sos_error error;
    const bool rle = !strcmp(x->request.word, "rle");
    if (!x->server->folder) {
        response_fail(&x->response, 404, "unknown", "the server was started without a folder: s3svm serve --data DIR");
        return true;
    }
    if (!rle && strcmp(x->request.word, "polygons") != 0) {
        response_fail(&x->response, 404, "unknown", "objects are exported as polygons or as rle");
        return true;
    }
    json_response_begin(&w);
    const sos_status status = coco_print(x->server, rle, &w.json, &error);
    json_response_end(&w, &x->response, 200);
    if (status) response_failure(&x->response, status, &error);
    return true;
}

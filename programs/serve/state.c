/* state.c - GET /api/state: what this server can do; and the routes. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include <sos/status.h>

#include "assets.h"
#include "base/path.h"
#include "coco.h"
#include "folder.h"
#include "folder_routes.h"
#include "json_response.h"
#include "learning_routes.h"
#include "pictures.h"
#include "route.h"
#include "server.h"
#include "upload.h"

static void limits_print(const server *s, sos_json *j)
{
    sos_json_open_row(j, "limits", '{');
    sos_json_count(j, "bytes", UPLOAD_MAX);
    sos_json_count(j, "pixels", upload_pixels_most());
    sos_json_count(j, "drawing_pixels", DRAWING_PIXELS_MAX);
    sos_json_count(j, "trace_pixels", TRACE_PIXELS_MAX);
    sos_json_count(j, "pictures", s->store.count_most);
    sos_json_count(j, "steps", BODY_STEPS_MAX);
    sos_json_close(j, '}');
}

static void examples_print(sos_json *j)
{
    sos_json_open(j, "examples", '[');
    for (const asset *a = example_assets; a->name; a++) {
        char name[64], title[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(a->name, "."), a->name);
        snprintf(title, sizeof title, "%s", name);
        title[0] = (char)toupper((unsigned char)title[0]);
        sos_json_open_row(j, NULL, '{');
        sos_json_text(j, "name", name);
        sos_json_text(j, "title", title);
        sos_json_close(j, '}');
    }
    sos_json_close(j, ']');
}

static void folder_print(folder *f, sos_json *j)
{
    if (!f) {
        sos_json_raw(j, "folder", "null");
        return;
    }
    pthread_mutex_lock(&f->lock);
    sos_json_open_row(j, "folder", '{');
    sos_json_text(j, "title", f->title);
    sos_json_count(j, "count", f->count);
    sos_json_count(j, "done", f->done);
    sos_json_count(j, "marked", f->marked);
    sos_json_close(j, '}');
    pthread_mutex_unlock(&f->lock);
}

static bool state_handle(exchange *x)
{
    json_response w;
    json_response_begin(&w);
    sos_json_text(&w.json, "version", sos_version());
    limits_print(x->server, &w.json);
    methods_print(&x->server->methods, &w.json);
    tracers_print(&x->server->tracers, &w.json);
    examples_print(&w.json);
    folder_print(x->server->folder, &w.json);
    learning_print(x->server, &w.json);
    json_response_end(&w, &x->response, 200);
    return true;
}

const route server_routes[] = {
    /* pattern, verb, content, changes, pool, handle */
    { "/", VERB_GET, CONTENT_NONE, false, POOL_NONE, page_handle },
    { "/page/NAME", VERB_GET, CONTENT_NONE, false, POOL_NONE, asset_handle },
    { "/api/state", VERB_GET, CONTENT_NONE, false, POOL_FILES, state_handle },
    { "/api/pictures", VERB_POST, CONTENT_EITHER, true, POOL_COMPUTE, pictures_add },
    { "/api/pictures/ID", VERB_DELETE, CONTENT_NONE, true, POOL_NONE, picture_remove },
    { "/api/pictures/ID/image", VERB_GET, CONTENT_NONE, false, POOL_COMPUTE, picture_image },
    { "/api/pictures/ID/labels", VERB_POST, CONTENT_JSON, true, POOL_COMPUTE, picture_labels },
    { "/api/pictures/ID/view", VERB_POST, CONTENT_JSON, true, POOL_COMPUTE, picture_view },
    { "/api/pictures/ID/next", VERB_POST, CONTENT_JSON, true, POOL_COMPUTE, picture_next },
    { "/api/pictures/ID/trace", VERB_POST, CONTENT_JSON, true, POOL_COMPUTE, picture_trace },
    { "/api/pictures/ID/progress", VERB_GET, CONTENT_NONE, false, POOL_NONE, picture_progress },
    { "/api/tracers/NAME", VERB_PUT, CONTENT_JSON, true, POOL_COMPUTE, tracer_put },
    { "/api/drawings", VERB_POST, CONTENT_PICTURE, true, POOL_COMPUTE, drawings_add },
    { "/api/drawings/ID", VERB_DELETE, CONTENT_NONE, true, POOL_NONE, picture_remove },
    { "/api/drawings/ID/image", VERB_GET, CONTENT_NONE, false, POOL_COMPUTE, drawing_image },
    { "/api/drawings/ID/restored", VERB_POST, CONTENT_JSON, true, POOL_COMPUTE, drawing_restored },
    { "/api/folder", VERB_GET, CONTENT_NONE, false, POOL_FILES, folder_list },
    { "/api/folder/KEY/thumbnail", VERB_GET, CONTENT_NONE, false, POOL_COMPUTE, folder_thumbnail },
    { "/api/folder/KEY/cutout", VERB_GET, CONTENT_NONE, false, POOL_COMPUTE, folder_cutout },
    { "/api/folder/coco/NAME", VERB_GET, CONTENT_NONE, false, POOL_COMPUTE, folder_coco },
    { "/api/folder/KEY/open", VERB_POST, CONTENT_JSON, true, POOL_COMPUTE, folder_item_open },
    { "/api/folder/KEY/marks", VERB_PUT, CONTENT_JSON, true, POOL_FILES, folder_marks },
    { "/api/folder/KEY/done", VERB_POST, CONTENT_JSON, true, POOL_COMPUTE, folder_done },
    { "/api/folder/KEY/undone", VERB_POST, CONTENT_JSON, true, POOL_FILES, folder_undone },
    { "/api/learning", VERB_GET, CONTENT_NONE, false, POOL_FILES, learning_show },
    { "/api/learning", VERB_POST, CONTENT_JSON, true, POOL_FILES, learning_change },
    { "/api/learning/use", VERB_POST, CONTENT_JSON, true, POOL_FILES, learning_use },
    { NULL, VERB_OTHER, CONTENT_NONE, false, POOL_NONE, NULL },
};

#include "assets.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/path.h"

const asset *asset_find(const asset list[], const char *name)
{
    for (const asset *a = list; a->name; a++)
        if (!strcmp(a->name, name)) return a;
    return NULL;
}

static const char *type_of(const char *name)
{
    static const struct {
        const char *ending, *type;
    } TYPES[] = {
        { ".html", "text/html; charset=utf-8" },
        { ".css", "text/css; charset=utf-8" },
        { ".js", "text/javascript; charset=utf-8" },
        { ".svg", "image/svg+xml" },
        { ".png", "image/png" },
        { ".json", "application/json" },
        { ".webmanifest", "application/manifest+json" },
    };
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (sos_path_ends(name, TYPES[i].ending)) return TYPES[i].type;
    return "application/octet-stream";
}

static void asset_answer(const char *name, response *a)
{
    const asset *found = asset_find(page_assets, name);
    if (!found) {
        response_fail(a, 404, "unknown", "the page has no part of this name");
        return;
    }
    response_static(a, type_of(name), found->bytes, found->length);
    a->lasting = true;
    snprintf(a->tag, sizeof a->tag, "%016" PRIx64, sos_hash(SOS_HASH_START, found->bytes, found->length));
}

bool page_handle(exchange *x)
{
    asset_answer("index.html", &x->response);
    return true;
}

bool asset_handle(exchange *x)
{
    asset_answer(x->request.word, &x->response);
    return true;
}

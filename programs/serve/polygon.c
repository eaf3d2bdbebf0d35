#include "polygon.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* A corner of pixels on a border, in a circular list; the object lies on the right. */
typedef struct corner {
    uint32_t x, y, before, next;
} corner;

/* The west side of a pixel of the object: the border goes up along it, and ends in a corner. */
typedef struct west {
    uint32_t x, y, corner;
} west;

/* A hole: one of its leftmost sides, along which its border goes down from a corner. */
typedef struct hole {
    uint32_t x, y, corner;
} hole;

typedef struct tracing {
    size_t width, height;
    const uint8_t *labels;
    uint8_t *traced; /* a bit for each pixel: its top side was followed */
    corner *corners;
    west *wests;
    hole *holes;
    uint32_t *outer; /* a corner of each border that is no hole's */
    size_t corner_count, west_count, hole_count, outer_count, corner_room, west_room, hole_room, outer_room;
} tracing;

enum { EAST, SOUTH, WEST, NORTH };

static bool is_object(const tracing *t, ptrdiff_t x, ptrdiff_t y)
{
    return x >= 0 && y >= 0 && (size_t)x < t->width && (size_t)y < t->height && t->labels[(size_t)y * t->width + (size_t)x];
}

static bool corner_add(tracing *t, size_t x, size_t y, uint32_t before)
{
    const uint32_t at = (uint32_t)t->corner_count;
    if (at == UINT32_MAX - 8 || !sos_grow(&t->corners, &t->corner_room, t->corner_count + 1)) return false;
    t->corners[t->corner_count++] = (corner){ .x = (uint32_t)x, .y = (uint32_t)y, .before = before };
    if (before < at) t->corners[before].next = at;
    return true;
}

static bool west_add(tracing *t, size_t x, size_t y, uint32_t end)
{
    if (!sos_grow(&t->wests, &t->west_room, t->west_count + 1)) return false;
    t->wests[t->west_count++] = (west){ .x = (uint32_t)x, .y = (uint32_t)y, .corner = end };
    return true;
}

/* Where a border goes on: to the right where no pixel of the object lies there, so that pixels which touch at a corner only
 * stay apart. */
static int turn(const tracing *t, size_t x, size_t y, int direction)
{
    static const int LEFT[4][2] = { { 0, -1 }, { 0, 0 }, { -1, 0 }, { -1, -1 } }; /* the pixels ahead of a corner */
    static const int RIGHT[4][2] = { { 0, 0 }, { -1, 0 }, { -1, -1 }, { 0, -1 } };
    if (!is_object(t, (ptrdiff_t)x + RIGHT[direction][0], (ptrdiff_t)y + RIGHT[direction][1])) return (direction + 1) % 4;
    return is_object(t, (ptrdiff_t)x + LEFT[direction][0], (ptrdiff_t)y + LEFT[direction][1]) ? (direction + 3) % 4 : direction;
}

/* One border, from the top side of a pixel on.  Its area by Gauss's formula is below 0 where it is that of a hole. */
static bool border_follow(tracing *t, size_t left, size_t top)
{
    static const int STEP[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
    const uint32_t first = (uint32_t)t->corner_count;
    size_t x = left, y = top;
    int direction = EAST;
    double area = 0;
    hole leftmost = { .x = UINT32_MAX };
    bool room = corner_add(t, x, y, UINT32_MAX);
    while (room) {
        const uint32_t from = (uint32_t)t->corner_count - 1;
        if (direction == EAST) t->traced[(y * t->width + x) / 8] |= (uint8_t)(1U << (y * t->width + x) % 8);
        if (direction == SOUTH && x < leftmost.x) leftmost = (hole){ .x = (uint32_t)x, .y = (uint32_t)y, .corner = from };
        area += direction == SOUTH ? (double)x : direction == NORTH ? -(double)x : 0;
        x = (size_t)((ptrdiff_t)x + STEP[direction][0]);
        y = (size_t)((ptrdiff_t)y + STEP[direction][1]);
        const int next = turn(t, x, y, direction);
        const bool closed = x == left && y == top && next == EAST;
        if (direction == NORTH) room = west_add(t, x, y, closed ? first : from + 1);
        if (closed) {
            t->corners[from].next = first;
            t->corners[first].before = from;
            break;
        }
        room = room && corner_add(t, x, y, from);
        direction = next;
    }
    if (room && area > 0) room = sos_grow(&t->outer, &t->outer_room, t->outer_count + 1);
    if (room && area < 0) room = sos_grow(&t->holes, &t->hole_room, t->hole_count + 1);
    if (room && area > 0) t->outer[t->outer_count++] = first;
    if (room && area < 0) t->holes[t->hole_count++] = leftmost;
    return room;
}

static bool borders_follow(tracing *t)
{
    bool room = true;
    for (size_t y = 0, i = 0; y < t->height; y++)
        for (size_t x = 0; x < t->width && room; x++, i++) {
            if (!t->labels[i] || (y && t->labels[i - t->width]) || (t->traced[i / 8] >> i % 8 & 1)) continue;
            room = border_follow(t, x, y);
        }
    return room;
}

/* ---------------------------------------------------------------- holes */

static int by_row(const void *a, const void *b)
{
    const west *p = a, *q = b;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

/* The nearest west side in a row, left of x: there is one, since pixels of the object lie left of a hole. */
static const west *west_before(const tracing *t, uint32_t x, uint32_t y)
{
    size_t low = 0, high = t->west_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const west key = { .x = x, .y = y };
        if (by_row(&t->wests[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return &t->wests[low - 1];
}

/* Joins the border of a hole to the one on its left: there along the upper side of a row, around the hole, and back.  That one
 * reaches further left than the hole, so that all holes of a part end up in one list with its outer border. */
static bool hole_join(tracing *t, const hole *h)
{
    const uint32_t at = west_before(t, h->x, h->y)->corner, start = h->corner, last = t->corners[start].before;
    const uint32_t b = (uint32_t)t->corner_count, a = b + 1;
    if (!corner_add(t, t->corners[start].x, t->corners[start].y, last) || !corner_add(t, t->corners[at].x, t->corners[at].y, b))
        return false;
    const uint32_t after = t->corners[at].next;
    t->corners[a].next = after;
    t->corners[after].before = a;
    t->corners[at].next = start;
    t->corners[start].before = at;
    return true;
}

static bool holes_join(tracing *t)
{
    if (t->west_count) qsort(t->wests, t->west_count, sizeof *t->wests, by_row);
    bool room = true;
    for (size_t i = 0; i < t->hole_count && room; i++) room = hole_join(t, &t->holes[i]);
    return room;
}

/* ---------------------------------------------------------------- points */

/* Whether a corner lies on the straight way from the one before to the next. */
static bool is_between(const tracing *t, const corner *c)
{
    const corner *p = &t->corners[c->before], *q = &t->corners[c->next];
    const int64_t ax = (int64_t)c->x - p->x, ay = (int64_t)c->y - p->y, bx = (int64_t)q->x - c->x, by = (int64_t)q->y - c->y;
    return ax * by == ay * bx && ax * bx + ay * by > 0;
}

static bool polygon_add(const tracing *t, uint32_t first, polygon_list *out)
{
    uint32_t at = first;
    do {
        const corner *c = &t->corners[at];
        if (!is_between(t, c)) {
            if (!sos_grow(&out->points, &out->points_room, out->points_count + 1)) return false;
            out->points[out->points_count][0] = c->x;
            out->points[out->points_count++][1] = c->y;
        }
        at = c->next;
    } while (at != first);
    if (!sos_grow(&out->ends, &out->ends_room, out->count + 1)) return false;
    out->ends[out->count++] = out->points_count;
    return true;
}

void polygons_free(polygon_list *p)
{
    free(p->ends);
    free(p->points);
    *p = (polygon_list){ 0 };
}

sos_status polygons_of(size_t width, size_t height, const uint8_t labels[], polygon_list *out, sos_error *error)
{
    tracing t = { .width = width, .height = height, .labels = labels, .traced = calloc(width * height / 8 + 1, 1) };
    polygon_list found = { 0 };
    bool room = t.traced && borders_follow(&t) && holes_join(&t);
    for (size_t i = 0; i < t.outer_count && room; i++) room = polygon_add(&t, t.outer[i], &found);
    free(t.traced);
    free(t.corners);
    free(t.wests);
    free(t.holes);
    free(t.outer);
    if (!room) {
        polygons_free(&found);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory for the polygons of a mask of %zu by %zu pixels", width, height);
    }
    *out = found;
    return SOS_OK;
}

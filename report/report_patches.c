/* report_patches.c - learned tables as drawings of their patches. */
#include "report/report_parts.h"

#include <math.h>
#include <stdlib.h>

enum { FEW = 4, PATCH_PIXELS_MAX = 9, PATCH_SETS_MAX = 1 << PATCH_PIXELS_MAX };

static void patch_draw(const s3svm_report *r, const s3svm_patches *p, uint32_t S)
{
    fprintf(r->output.file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"patch\" viewBox=\"-.05 -.05 %zu.1 %zu.1\" role=\"img\" "
            "aria-label=\"",
            p->width, p->height);
    for (size_t i = 0; i < p->width * p->height; i++)
        fprintf(r->output.file, "%s%d", i && i % p->width == 0 ? " " : "", (int)(S >> i & 1));
    s3svm_report_put(r, "\">");
    for (size_t i = 0; i < p->width * p->height; i++)
        fprintf(r->output.file, "<rect class=\"%s\" x=\"%zu\" y=\"%zu\" width=\"1\" height=\"1\"/>",
                (S >> i & 1) == (p->ink ? 1U : 0U) ? "dark" : "paper", i % p->width, i / p->width);
    s3svm_report_put(r, "</svg>");
}

/* S mirrored left to right, or, for square patches, along the diagonal; with the first and an upside-down one these make all
 * turns. */
static uint32_t patch_move(const s3svm_patches *p, uint32_t S, bool across, bool down, bool swap)
{
    uint32_t moved = 0;
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++) {
            const size_t to_x = across ? p->width - 1 - x : x, to_y = down ? p->height - 1 - y : y;
            const size_t to = swap ? to_x * p->width + to_y : to_y * p->width + to_x;
            moved |= (S >> (y * p->width + x) & 1) << to;
        }
    return moved;
}

/* The least of all turned, mirrored and inverted S that cost the same. */
static uint32_t patch_leader(const s3svm_patches *p, const double costs[], uint32_t S)
{
    if (p->width * p->height <= FEW) return S; /* few enough to see all of them */
    const uint32_t all = (UINT32_C(1) << p->width * p->height) - 1;
    uint32_t least = S;
    for (unsigned move = 0; move < 16; move++) {
        if ((move & 4) && p->width != p->height) continue;
        const uint32_t T = patch_move(p, S, move & 1, move & 2, move & 4) ^ (move & 8 ? all : 0);
        if (T < least && costs[T] == costs[S]) least = T;
    }
    return least;
}

typedef struct patch_group {
    uint32_t S;
    size_t times;
    double cost;
} patch_group;

static int by_cost(const void *a, const void *b)
{
    const patch_group *x = a, *y = b;
    if (isnan(x->cost) != isnan(y->cost)) return isnan(x->cost) ? 1 : -1;
    if (x->cost < y->cost || x->cost > y->cost) return x->cost < y->cost ? -1 : 1;
    return x->S < y->S ? -1 : x->S > y->S;
}

static size_t patch_groups(const s3svm_patches *p, const double costs[], patch_group groups[PATCH_SETS_MAX])
{
    const uint32_t sets = UINT32_C(1) << p->width * p->height;
    size_t count = 0, place[PATCH_SETS_MAX] = { 0 };
    for (uint32_t S = 0; S < sets; S++) {
        const uint32_t leader = patch_leader(p, costs, S); /* met before S, or S itself */
        if (leader == S) {
            place[S] = count;
            groups[count++] = (patch_group){ S, 0, costs[S] };
        }
        groups[place[leader]].times++;
    }
    return count;
}

/* From 0 for the least to 1 for the greatest finite number. */
typedef struct extent {
    double low, high;
} extent;

static extent extent_of(size_t count, const double x[])
{
    extent e = { INFINITY, -INFINITY };
    for (size_t i = 0; i < count; i++)
        if (isfinite(x[i])) e = (extent){ fmin(e.low, x[i]), fmax(e.high, x[i]) };
    return e;
}

static double extent_share(extent e, double x)
{
    if (!isfinite(x) || !(e.high > e.low)) return 0;
    return (x / 2 - e.low / 2) / (e.high / 2 - e.low / 2);
}

static void patch_item(const s3svm_report *r, const s3svm_patches *p, const patch_group *g, extent e, int decimals)
{
    char cost[S3SVM_NUMBER_TEXT];
    s3svm_fixed_text(g->cost, decimals, cost);
    s3svm_report_put(r, "<li>");
    patch_draw(r, p, g->S);
    s3svm_report_put_escaped(r, "", cost, "");
    if (g->times > 1) fprintf(r->output.file, " <span class=\"times\">×%zu</span>", g->times);
    fprintf(r->output.file, "<span class=\"meter\"><i style=\"width:%ld%%\"></i></span></li>\n",
            lround(100 * extent_share(e, g->cost)));
}

static void patch_gallery(const s3svm_report *r, const s3svm_patches *p, const double costs[])
{
    patch_group groups[PATCH_SETS_MAX];
    const size_t count = patch_groups(p, costs, groups), most = p->most ? p->most : 64;
    if (p->sorted || count > most) qsort(groups, count, sizeof *groups, by_cost);
    const size_t head = count > most ? (most + 1) / 2 : count, tail = count > most ? count - most / 2 : count;
    const size_t sets = (size_t)1 << p->width * p->height;
    const extent e = extent_of(sets, costs);
    const int decimals = s3svm_decimals(sets, costs, 3);
    s3svm_report_put(r, count <= 1 << FEW ? "<ul class=\"patches few\">\n" : "<ul class=\"patches\">\n");
    for (size_t i = 0; i < head; i++) patch_item(r, p, &groups[i], e, decimals);
    if (tail > head) fprintf(r->output.file, "<li class=\"gap\">… %zu more …</li>\n", tail - head);
    for (size_t i = tail; i < count; i++) patch_item(r, p, &groups[i], e, decimals);
    s3svm_report_put(r, "</ul>\n");
}

/* Numbers on both sides of 0 are shaded by how far they are from it, in two colours; others from their least on. */
static void cost_put(const s3svm_report *r, double x, extent e, int decimals)
{
    const double largest = fmax(-e.low, e.high), step = pow(10, -decimals);
    const bool both = e.low < 0 && e.high > 0;
    char text[S3SVM_NUMBER_TEXT];
    s3svm_report_heat_open(r, both ? fabs(x) / largest : extent_share(e, x), both && x < 0 ? "below" : "");
    s3svm_report_put_escaped(r, "", s3svm_fixed_text(fabs(x) < 0.5 * step ? 0 : x, decimals, text), "</td>");
}

static void patch_rows(const s3svm_report *r, const s3svm_patches *p)
{
    const size_t sets = (size_t)1 << p->width * p->height;
    const extent e = extent_of(p->count * sets, p->costs);
    const int decimals = s3svm_decimals(p->count * sets, p->costs, 3);
    s3svm_report_scroll_open(r, p->caption);
    s3svm_report_put(r, "<table class=\"heat\">\n<thead><tr><td></td>");
    for (uint32_t S = 0; S < sets; S++) {
        s3svm_report_put(r, "<th scope=\"col\">");
        patch_draw(r, p, S);
        s3svm_report_put(r, "</th>");
    }
    s3svm_report_put(r, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < p->count; i++) {
        s3svm_report_put(r, "<tr><th scope=\"row\">");
        if (p->names && p->names[i])
            s3svm_escape(r->output.file, p->names[i]);
        else
            fprintf(r->output.file, "%zu", i + 1);
        s3svm_report_put(r, "</th>");
        for (size_t S = 0; S < sets; S++) cost_put(r, p->costs[i * sets + S], e, decimals);
        s3svm_report_put(r, "</tr>\n");
    }
    s3svm_report_put(r, "</tbody></table>\n</div>\n");
}

void s3svm_report_patches(s3svm_report *r, const s3svm_patches *p)
{
    if (!s3svm_report_enter(r, S3SVM_BLOCK_NONE)) return;
    if (p->width < 1 || p->height < 1 || p->width > PATCH_PIXELS_MAX || p->height > PATCH_PIXELS_MAX ||
        p->width * p->height > PATCH_PIXELS_MAX) {
        s3svm_report_fail(r, sos_fail(r->error, SOS_ERR_ARGUMENT, "a report draws patches of 1 to %d pixels, not %zu x %zu",
                                      PATCH_PIXELS_MAX, p->width, p->height));
        return;
    }
    s3svm_report_put(r, "<figure>\n");
    s3svm_report_caption(r, p->caption, NULL);
    if (p->count > 1 && p->width * p->height <= FEW)
        patch_rows(r, p);
    else
        for (size_t i = 0; i < p->count; i++) {
            if (p->names && p->names[i]) s3svm_report_put_escaped(r, "<h3>", p->names[i], "</h3>\n");
            patch_gallery(r, p, p->costs + (i << p->width * p->height));
        }
    s3svm_report_put(r, "</figure>\n");
}

/* plot.c - a small SVG writer for curves over logarithmic axes. */
#include "plot.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 760, HEIGHT = 480, LEFT = 70, RIGHT = 190, TOP = 50, BOTTOM = 60 };

static const char *const COLOURS[] = { "#1b6ca8", "#c8553d", "#3a7d44", "#7b4fa3", "#555555" };

typedef struct axes {
    FILE *file;
    double x0, x1, y0, y1; /* decimal logarithms at the ends */
} axes;

static double across(const axes *a, double x) { return LEFT + (log10(x) - a->x0) / (a->x1 - a->x0) * (WIDTH - LEFT - RIGHT); }

static double down(const axes *a, double y)
{
    return HEIGHT - BOTTOM - (log10(y) - a->y0) / (a->y1 - a->y0) * (HEIGHT - TOP - BOTTOM);
}

/* A little more than the curves need. */
static axes axes_around(const plot *p)
{
    axes a = { .x0 = INFINITY, .x1 = -INFINITY, .y0 = INFINITY, .y1 = -INFINITY };
    for (size_t c = 0; c < p->count; c++)
        for (size_t i = 0; i < p->curves[c].count; i++) {
            const double x = log10(p->curves[c].x[i]), y = log10(p->curves[c].y[i]);
            a.x0 = fmin(a.x0, x - 0.1);
            a.x1 = fmax(a.x1, x + 0.1);
            a.y0 = fmin(a.y0, y - 0.2);
            a.y1 = fmax(a.y1, y + 0.2);
        }
    return a;
}

static void text(const axes *a, double x, double y, const char *how, const char *words)
{
    fprintf(a->file, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x, y, how, words);
}

static void line(const axes *a, double x0, double y0, double x1, double y1, const char *how)
{
    fprintf(a->file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x0, y0, x1, y1, how);
}

/* Calls one of the two below for the 1, 2 and 5 of every power of ten between the ends. */
static void ticks(const axes *a, double from, double to, void (*tick)(const axes *a, double value, const char *words))
{
    for (double power = floor(from); power <= to; power++)
        for (int digit = 1; digit <= 5; digit += digit == 1 ? 1 : 3) {
            const double value = digit * pow(10, power);
            char words[32];
            if (log10(value) < from || log10(value) > to) continue;
            const double unit = value >= 1e6 ? 1e6 : value >= 1e4 ? 1e3 : 1;
            snprintf(words, sizeof words, "%g%s", value / unit, unit == 1e6 ? " million" : unit == 1e3 ? " 000" : "");
            tick(a, value, words);
        }
}

static void tick_x(const axes *a, double value, const char *words)
{
    line(a, across(a, value), TOP, across(a, value), HEIGHT - BOTTOM, "stroke=\"#e4e4e0\"");
    text(a, across(a, value), HEIGHT - BOTTOM + 18, "text-anchor=\"middle\"", words);
}

static void tick_y(const axes *a, double value, const char *words)
{
    line(a, LEFT, down(a, value), WIDTH - RIGHT, down(a, value), "stroke=\"#e4e4e0\"");
    text(a, LEFT - 8, down(a, value) + 4, "text-anchor=\"end\"", words);
}

static void frame(const axes *a, const plot *p)
{
    fprintf(a->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\" "
            "fill=\"#222222\">\n<rect width=\"%d\" height=\"%d\" fill=\"#fcfcfa\"/>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    text(a, LEFT, TOP - 20, "font-size=\"16\" font-weight=\"bold\"", p->title);
    ticks(a, a->x0, a->x1, tick_x);
    ticks(a, a->y0, a->y1, tick_y);
    fprintf(a->file, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999999\"/>\n", LEFT, TOP,
            WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM);
    text(a, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 16, "text-anchor=\"middle\"", p->x_label);
    fprintf(a->file, "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
            (TOP + HEIGHT - BOTTOM) / 2, p->y_label);
}

/* Through the first point of the first curve, as far as the frame allows. */
static void slope_one(const axes *a, const curve *c)
{
    const double reach = fmin(pow(10, a->x1) / c->x[0], pow(10, a->y1) / c->y[0]);
    line(a, across(a, c->x[0]), down(a, c->y[0]), across(a, c->x[0] * reach), down(a, c->y[0] * reach),
         "stroke=\"#888888\" stroke-dasharray=\"2 4\"");
}

/* The same downwards. */
static void slope_minus_one(const axes *a, const curve *c)
{
    const double reach = fmin(pow(10, a->x1) / c->x[0], c->y[0] / pow(10, a->y0));
    line(a, across(a, c->x[0]), down(a, c->y[0]), across(a, c->x[0] * reach), down(a, c->y[0] / reach),
         "stroke=\"#888888\" stroke-dasharray=\"2 4\"");
}

static void draw_curve(const axes *a, const curve *c, const char *colour, double legend_y)
{
    char how[96];
    fprintf(a->file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (size_t i = 0; i < c->count; i++) fprintf(a->file, "%.1f,%.1f ", across(a, c->x[i]), down(a, c->y[i]));
    fprintf(a->file, "\"/>\n");
    for (size_t i = 0; i < c->count; i++)
        fprintf(a->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"/>\n", across(a, c->x[i]), down(a, c->y[i]),
                colour);
    snprintf(how, sizeof how, "stroke=\"%s\" stroke-width=\"2\"", colour);
    line(a, WIDTH - RIGHT + 14, legend_y - 4, WIDTH - RIGHT + 38, legend_y - 4, how);
    text(a, WIDTH - RIGHT + 44, legend_y, "", c->name);
}

void plot_write(const plot *p, const char *path)
{
    axes a = axes_around(p);
    a.file = fopen(path, "w");
    if (!a.file) {
        perror(path);
        return;
    }
    double legend_y = TOP + 14;
    frame(&a, p);
    if (!p->falling) slope_one(&a, &p->curves[0]);
    for (size_t c = 0; p->falling && c < p->count; c++) slope_minus_one(&a, &p->curves[c]);
    for (size_t c = 0; c < p->count; c++, legend_y += 22) draw_curve(&a, &p->curves[c], COLOURS[c % 5], legend_y);
    line(&a, WIDTH - RIGHT + 14, legend_y - 4, WIDTH - RIGHT + 38, legend_y - 4, "stroke=\"#888888\" stroke-dasharray=\"2 4\"");
    text(&a, WIDTH - RIGHT + 44, legend_y, "", "linear");
    fprintf(a.file, "</svg>\n");
    if (fclose(a.file)) perror(path);
}

/* centre_write.c - centre lines as SVG and as GeoJSON. */
#include <math.h>

#include "base/json.h"
#include "base/number.h"
#include "base/output.h"
#include <s3svm/trace.h>

static double width_mean(const s3svm_centre_lines *lines, size_t l)
{
    double sum = 0;
    for (size_t i = lines->start[l]; i < lines->start[l + 1]; i++) sum += (double)lines->width[i];
    return sum / (double)(lines->start[l + 1] - lines->start[l]);
}

static double length_of(const s3svm_centre_lines *lines, size_t l)
{
    double sum = 0;
    for (size_t i = lines->start[l] + 1; i < lines->start[l + 1]; i++) {
        const double dx = (double)lines->x[i] - (double)lines->x[i - 1], dy = (double)lines->y[i] - (double)lines->y[i - 1];
        sum += sqrt(dx * dx + dy * dy);
    }
    return sum;
}

/* To a tenth, which is finer than anybody sees. */
static double rounded(double x) { return floor(10 * x + 0.5) / 10; }

/* The middle of the first pixel is half a pixel from the corner of the drawing. */
static void svg_line(sos_output *o, const s3svm_centre_lines *lines, size_t l)
{
    char text[SOS_REAL_TEXT];
    fprintf(o->file, "<polyline stroke-width=\"%s\" points=\"", sos_number_print(rounded(width_mean(lines, l)), text));
    for (size_t i = lines->start[l]; i < lines->start[l + 1]; i++) {
        fprintf(o->file, "%s%s", i > lines->start[l] ? " " : "", sos_number_print((double)lines->x[i] + 0.5, text));
        fprintf(o->file, ",%s", sos_number_print((double)lines->y[i] + 0.5, text));
    }
    fprintf(o->file, "\"/>\n");
}

static void svg_print(sos_output *o, const s3svm_centre_lines *lines, size_t width, size_t height)
{
    fprintf(o->file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" viewBox=\"0 0 %zu %zu\">\n", width,
            height, width, height);
    fprintf(o->file, "<g fill=\"none\" stroke=\"black\" stroke-linecap=\"round\" stroke-linejoin=\"round\">\n");
    for (size_t l = 0; l < lines->count; l++) svg_line(o, lines, l);
    fprintf(o->file, "</g>\n</svg>\n");
}

sos_status s3svm_centre_lines_write_svg(const s3svm_centre_lines *lines, size_t width, size_t height, const char *path,
                                        sos_error *error)
{
    sos_output o;
    const sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    svg_print(&o, lines, width, height);
    return sos_output_commit(&o);
}

sos_status s3svm_centre_lines_encode_svg(const s3svm_centre_lines *lines, size_t width, size_t height, char **text,
                                         size_t *length, sos_error *error)
{
    sos_output o;
    const sos_status status = sos_output_open_memory(&o, error);
    if (status) return status;
    svg_print(&o, lines, width, height);
    return sos_output_take(&o, text, length);
}

static void geojson_points(sos_json *j, const s3svm_centre_lines *lines, size_t l)
{
    const bool single = lines->start[l + 1] - lines->start[l] == 1;
    sos_json_open(j, "geometry", '{');
    sos_json_text(j, "type", single ? "Point" : "LineString");
    sos_json_open(j, "coordinates", '[');
    for (size_t i = lines->start[l]; i < lines->start[l + 1]; i++) {
        if (!single) sos_json_open(j, NULL, '[');
        sos_json_real(j, NULL, (double)lines->x[i]);
        sos_json_real(j, NULL, (double)lines->y[i]);
        if (!single) sos_json_close(j, ']');
    }
    sos_json_close(j, ']');
    sos_json_close(j, '}');
}

static void geojson_line(sos_json *j, const s3svm_centre_lines *lines, size_t l)
{
    sos_json_open_row(j, NULL, '{');
    sos_json_text(j, "type", "Feature");
    sos_json_open(j, "properties", '{');
    sos_json_real(j, "width", rounded(width_mean(lines, l)));
    sos_json_real(j, "length", rounded(length_of(lines, l)));
    sos_json_open(j, "widths", '[');
    for (size_t i = lines->start[l]; i < lines->start[l + 1]; i++) sos_json_real(j, NULL, rounded((double)lines->width[i]));
    sos_json_close(j, ']');
    sos_json_close(j, '}');
    geojson_points(j, lines, l);
    sos_json_close(j, '}');
}

static void geojson_print(sos_output *o, const s3svm_centre_lines *lines)
{
    sos_json j = { .file = o->file };
    sos_json_open(&j, NULL, '{');
    sos_json_text(&j, "type", "FeatureCollection");
    sos_json_open(&j, "features", '[');
    for (size_t l = 0; l < lines->count; l++) geojson_line(&j, lines, l);
    sos_json_close(&j, ']');
    sos_json_close(&j, '}');
}

sos_status s3svm_centre_lines_write_geojson(const s3svm_centre_lines *lines, const char *path, sos_error *error)
{
    sos_output o;
    const sos_status status = sos_output_open(&o, path, error);
    if (status) return status;
    geojson_print(&o, lines);
    return sos_output_commit(&o);
}

sos_status s3svm_centre_lines_encode_geojson(const s3svm_centre_lines *lines, char **text, size_t *length, sos_error *error)
{
    sos_output o;
    const sos_status status = sos_output_open_memory(&o, error);
    if (status) return status;
    geojson_print(&o, lines);
    return sos_output_take(&o, text, length);
}

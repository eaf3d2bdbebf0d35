/* calibration_file.c - calibrations of maps in files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/output.h"
#include "tasks/calibration.h"

static const char FORMAT[] = "s3svm calibration";
enum { VERSION = 1 };

sos_status s3svm_maps_calibration_write(const s3svm_maps_calibration *c, const char *path, sos_error *error)
{
    sos_output out;
    if (!s3svm_maps_numbers_name(c->numbers) || !isfinite(c->scale) || !isfinite(c->offset))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no calibration: numbers %d, scale %g, offset %g", (int)c->numbers, c->scale,
                        c->offset);
    const sos_status status = sos_output_open(&out, path, error);
    if (status) return status;
    sos_json j = { .file = out.file };
    sos_json_open(&j, NULL, '{');
    sos_json_text(&j, "format", FORMAT);
    sos_json_count(&j, "version", VERSION);
    sos_json_text(&j, "numbers", s3svm_maps_numbers_name(c->numbers));
    sos_json_real(&j, "scale", c->scale);
    sos_json_real(&j, "offset", c->offset);
    sos_json_close(&j, '}');
    return sos_output_commit(&out);
}

static bool is_text(const sos_json_value *whole, const char *member, const char *wanted)
{
    const char *text = sos_json_value_text(sos_json_value_member(whole, member));
    return text && !strcmp(text, wanted);
}

/* What is wrong with it; NULL: nothing. */
static const char *calibration_take(const sos_json_value *whole, s3svm_maps_calibration *c)
{
    static const char *const known[] = { "format", "version", "numbers", "scale", "offset", NULL };
    int numbers = S3SVM_NUMBERS_ODDS;
    if (!is_text(whole, "format", FORMAT)) return "it is no calibration of maps: \"format\" must be \"s3svm calibration\"";
    if (sos_json_value_number(sos_json_value_member(whole, "version")) != VERSION) return "\"version\" must be 1";
    while (numbers <= S3SVM_NUMBERS_BYTES && !is_text(whole, "numbers", s3svm_maps_numbers_name((s3svm_maps_numbers)numbers)))
        numbers++;
    if (numbers > S3SVM_NUMBERS_BYTES) return "\"numbers\" must be \"odds\", \"probabilities\" or \"bytes\"";
    *c = (s3svm_maps_calibration){ .numbers = (s3svm_maps_numbers)numbers,
                                   .scale = sos_json_value_number(sos_json_value_member(whole, "scale")),
                                   .offset = sos_json_value_number(sos_json_value_member(whole, "offset")) };
    if (isnan(c->scale) || isnan(c->offset)) return "\"scale\" and \"offset\" must be numbers";
    return sos_json_value_stranger(whole, known) ? "it has a member that is not known" : NULL;
}

sos_status s3svm_maps_calibration_parse(const char *text, size_t length, const char *name, s3svm_maps_calibration *out,
                                        sos_error *error)
{
    sos_json_value *whole;
    s3svm_maps_calibration c;
    const sos_status status = sos_json_read(text, length, name, &whole, error);
    if (status) return status;
    const char *wrong = calibration_take(whole, &c);
    sos_json_free(whole);
    if (wrong) return sos_fail(error, SOS_ERR_FORMAT, "'%.200s': %s", name, wrong);
    *out = c;
    return SOS_OK;
}

sos_status s3svm_maps_calibration_read(const char *path, s3svm_maps_calibration *out, sos_error *error)
{
    char *text;
    size_t length;
    sos_status status = sos_file_read(path, SOS_CONTENT_TEXT, &text, &length, error);
    if (status) return status;
    status = s3svm_maps_calibration_parse(text, length, path, out, error);
    free(text);
    return status;
}

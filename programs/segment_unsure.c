/* segment_unsure.c - s3svm segment for many photographs with maps: the list of how unsure each is, and what is there already.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/output.h"
#include "base/path.h"
#include "segment_unsure.h"

static int by_doubt(const void *a, const void *b)
{
    const unsure_row *x = a, *y = b;
    if (x->doubt != y->doubt) return x->doubt < y->doubt ? 1 : -1;
    return strcmp(x->name, y->name);
}

void unsure_sort(size_t count, unsure_row rows[]) { qsort(rows, count, sizeof *rows, by_doubt); }

/* A field of a table: in quotes, which are doubled inside. */
static void field_write(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

sos_status unsure_write(const char *path, size_t count, const unsure_row rows[], sos_error *error)
{
    sos_output out;
    const sos_status status = sos_output_open(&out, path, error);
    if (status) return status;
    fputs("name,unsure,object\n", out.file);
    for (size_t i = 0; i < count; i++) {
        field_write(out.file, rows[i].name);
        fprintf(out.file, ",%.6f,%.6f\n", rows[i].doubt, rows[i].object);
    }
    return sos_output_commit(&out);
}

sos_status unsure_recall(const cutter *c, cutting *k, sos_error *error)
{
    s3svm_image mask;
    s3svm_maps maps = { 0 };
    sos_status status = s3svm_image_read(k->mask, S3SVM_IMAGE_GREY, &mask, error);
    if (status) return status;
    const size_t n = s3svm_image_size(&mask);
    k->width = mask.width;
    k->height = mask.height;
    k->result.reduction = 1;
    for (size_t i = 0; i < n; i++) k->result.object += mask.pixels[i] = mask.pixels[i] >= 128;
    status = evidence_read(c, k->maps, &maps, error);
    if (!status && (maps.width != mask.width || maps.height != mask.height))
        status = sos_fail(error, SOS_ERR_ARGUMENT, "'%.200s' has %zu by %zu pixels, '%.200s' %zu by %zu", k->maps, maps.width,
                          maps.height, k->mask, mask.width, mask.height);
    if (!status) status = evidence_doubt(c, &maps, mask.pixels, &k->doubt, error);
    s3svm_maps_free(&maps);
    s3svm_image_free(&mask);
    return status;
}

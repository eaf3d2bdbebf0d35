/* relations.c - how labels of neighbours depend on each other: pairs or tables.  They depend on the photograph alone, not on
 * marks. */
#include <stdlib.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/parts.h"
#include "vision/contrast.h"

/* All pairs of 4-neighbours, with their contrast.  Returns how many there are. */
static size_t pairs_list(const sos_image *p, double beta, uint32_t pairs[], double phi[])
{
    size_t count = 0;
    for (size_t y = 0; y < p->height; y++)
        for (size_t x = 0; x < p->width; x++)
            for (int down = 0; down < 2; down++) {
                if (down ? y + 1 == p->height : x + 1 == p->width) continue;
                const size_t i = y * p->width + x, j = i + (down ? p->width : 1);
                pairs[2 * count] = (uint32_t)i;
                pairs[2 * count + 1] = (uint32_t)j;
                phi[SOS_SEGMENT_PAIRS * count + SOS_SEGMENT_CONSTANT] = 1;
                phi[SOS_SEGMENT_PAIRS * count + SOS_SEGMENT_CONTRAST] = sos_exp(
                    -beta * sos_contrast_square(p->pixels + 3 * i, p->pixels + 3 * j));
                count++;
            }
    return count;
}

static sos_status pairs_add(const sos_segment_input *in, uint32_t group, sos_example *x, sos_error *error)
{
    const size_t n = sos_image_size(in->photograph);
    uint32_t *pairs = malloc(4 * n * sizeof *pairs);
    double *phi = malloc(2 * SOS_SEGMENT_PAIRS * n * sizeof *phi);
    sos_status status = SOS_OK;
    if (pairs && phi) {
        const size_t count = pairs_list(in->photograph, sos_contrast_beta(in->photograph, 4), pairs, phi);
        status = sos_example_add_pairs(x, group, count, pairs, phi, error);
    } else
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory for pairs of %zu pixels", n);
    free(pairs);
    free(phi);
    return status;
}

/* All patches of 2x2 pixels, each with the table of its cluster of gradients. */
static sos_status tables_add(const sos_segment_parts *f, const sos_segment_input *in, uint32_t group, sos_example *x,
                             sos_error *error)
{
    const sos_image *p = in->photograph;
    if (p->width < 2 || p->height < 2) return SOS_OK;
    const size_t count = (p->width - 1) * (p->height - 1);
    uint32_t *groups = malloc(count * sizeof *groups), *members = malloc(4 * count * sizeof *members), *m = members;
    sos_status status = groups && members ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu patches", count);
    if (!status) status = sos_segment_clusters(in, SOS_SEGMENT_2X2, f->gradients, groups, error);
    if (!status) {
        for (size_t c = 0; c < count; c++) groups[c] += group;
        for (size_t row = 0; row + 1 < p->height; row++)
            for (size_t column = 0; column + 1 < p->width; column++)
                for (size_t b = 0; b < 4; b++) *m++ = (uint32_t)((row + b / 2) * p->width + column + b % 2);
        status = sos_example_add_listed(x, count, groups, members, NULL, error);
    }
    free(groups);
    free(members);
    return status;
}

sos_status sos_segment_relations_add(const sos_segment_parts *f, const sos_segment_input *in, sos_example *x, sos_error *error)
{
    const uint32_t group = sos_segment_relations(f);
    return f->method == SOS_SEGMENT_AMN ? pairs_add(in, group, x, error) : tables_add(f, in, group, x, error);
}

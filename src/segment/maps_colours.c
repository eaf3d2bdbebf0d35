/* maps_colours.c - what mixtures of the colours under the marks say of a pixel. */
#include <math.h>
#include <string.h>

#include "segment/mapping.h"

/* k-means starts a mixture, expectation-maximisation ends it.  Of more than 4,000 points some stand for all, so that time does
 * not grow with the marks. */
enum { START_ITERATIONS = 10, EM_ITERATIONS = 10, POINTS_MAX = 4000 };
static const double EM_TOLERANCE = 1e-3;

sos_status sos_mapping_logs(sos_mapping *m, const uint8_t mask[], size_t count, size_t d, const float points[],
                            sos_error *error)
{
    const sos_mixture_ridge ridge = SOS_MAPPING_RIDGE;
    const size_t every = count / POINTS_MAX + 1;
    size_t taken = 0, seen = 0;
    for (size_t i = 0; i < m->n; i++)
        if (mask[i] && seen++ % every == 0) memcpy(m->room + d * taken++, points + d * i, d * sizeof *points);
    sos_mixture x;
    sos_status status = sos_mixture_create(SOS_MAPPING_COMPONENTS, d, &x, error);
    if (status) return status;
    status = sos_mixture_start(&x, taken, m->room, START_ITERATIONS, SOS_MAPPING_SEED, &ridge, m->threads, error);
    if (!status) status = sos_mixture_improve(&x, taken, m->room, EM_ITERATIONS, EM_TOLERANCE, &ridge, m->threads, NULL, error);
    if (!status) sos_mixture_evaluate(&x, m->n, points, m->logs, NULL, m->threads);
    sos_mixture_free(&x);
    return status;
}

/* log p(x | object) - log p(x | background), and where wanted the logarithms themselves. */
static sos_status ratio_find(sos_mapping *m, size_t d, const float points[], float ratio[], float *logs[SOS_SEGMENT_LABELS],
                             sos_error *error)
{
    sos_status status = SOS_OK;
    memset(ratio, 0, m->n * sizeof *ratio);
    for (size_t k = 0; k < SOS_SEGMENT_LABELS && !status; k++) {
        if (!m->count[k]) continue;
        status = sos_mapping_logs(m, m->mask[k], m->count[k], d, points, error);
        for (size_t i = 0; i < m->n && !status; i++) {
            const double log = fmax(m->logs[i], SOS_SEGMENT_LOG_LEAST);
            ratio[i] += (float)(k == SOS_SEGMENT_OBJECT ? log : -log);
            if (logs) logs[k][i] = (float)log;
        }
    }
    const double most = SOS_MAPPING_RATIO_MOST;
    for (size_t i = 0; i < m->n; i++) ratio[i] = sos_mapping_has_both(m) ? (float)fmax(-most, fmin(most, (double)ratio[i])) : 0;
    return status;
}

/* How far the means of the ratio over both kinds of marks are apart. */
static void separation_find(const sos_mapping *m)
{
    const float *ratio = sos_mapping_map(m, SOS_MAP_LAB_RATIO);
    double sum[SOS_SEGMENT_LABELS] = { 0 };
    for (size_t k = 0; k < SOS_SEGMENT_LABELS; k++)
        for (size_t i = 0; i < m->n; i++)
            if (m->mask[k][i]) sum[k] += (double)ratio[i];
    const double apart = sum[SOS_SEGMENT_OBJECT] / (double)m->count[SOS_SEGMENT_OBJECT] -
                         sum[SOS_SEGMENT_BACKGROUND] / (double)m->count[SOS_SEGMENT_BACKGROUND];
    for (size_t i = 0; i < m->n; i++) sos_mapping_map(m, SOS_MAP_SEPARATION)[i] = (float)apart;
}

sos_status sos_mapping_colours(sos_mapping *m, sos_error *error)
{
    const sos_segment_scene *s = m->scene;
    float *logs[SOS_SEGMENT_LABELS] = { [SOS_SEGMENT_BACKGROUND] = sos_mapping_map(m, SOS_MAP_LAB_BACKGROUND),
                                        [SOS_SEGMENT_OBJECT] = sos_mapping_map(m, SOS_MAP_LAB_OBJECT) };
    sos_status status = ratio_find(m, 3, s->lab, sos_mapping_map(m, SOS_MAP_LAB_RATIO), logs, error);
    if (!status) status = ratio_find(m, 3, s->soft, sos_mapping_map(m, SOS_MAP_SOFT_RATIO), NULL, error);
    if (!status) status = ratio_find(m, SOS_SCENE_TEXTURE, s->texture, sos_mapping_map(m, SOS_MAP_TEXTURE_RATIO), NULL, error);
    if (!status && sos_mapping_has_both(m)) separation_find(m);
    return status;
}

/* maps_colours.c - what mixtures of the colours under the marks say of a pixel. */
#include <math.h>
#include <string.h>

#include "segment/mapping.h"

/* log p(x | object) - log p(x | background) */
static void ratio_map(const sos_mapping *m, sos_trace_kind kind, sos_segment_map map)
{
    const float *object = sos_traces_of(m->traces, SOS_TRACE_OBJECT, kind);
    const float *background = sos_traces_of(m->traces, SOS_TRACE_BACKGROUND, kind);
    const double most = SOS_MAPPING_RATIO_MOST;
    float *ratio = sos_mapping_map(m, map);
    for (size_t i = 0; i < m->n && sos_mapping_has_both(m); i++)
        ratio[i] = (float)fmax(-most, fmin(most, (double)(object[i] - background[i])));
}

/* How far the means of the ratio over both kinds of marks are apart. */
static void separation_map(const sos_mapping *m)
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

void sos_mapping_colours(const sos_mapping *m)
{
    static const sos_segment_map logs[SOS_SEGMENT_LABELS] = {
        [SOS_SEGMENT_BACKGROUND] = SOS_MAP_LAB_BACKGROUND, [SOS_SEGMENT_OBJECT] = SOS_MAP_LAB_OBJECT
    };
    for (size_t k = 0; k < SOS_SEGMENT_LABELS; k++)
        if (m->count[k])
            memcpy(sos_mapping_map(m, logs[k]), sos_traces_of(m->traces, sos_mapping_marks(k), SOS_TRACE_LAB),
                   m->n * sizeof(float));
    ratio_map(m, SOS_TRACE_LAB, SOS_MAP_LAB_RATIO);
    ratio_map(m, SOS_TRACE_SOFT, SOS_MAP_SOFT_RATIO);
    ratio_map(m, SOS_TRACE_TEXTURE, SOS_MAP_TEXTURE_RATIO);
    if (sos_mapping_has_both(m)) separation_map(m);
}

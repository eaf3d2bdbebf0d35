/* maps_colours.c - what mixtures of the colours under the marks say of a pixel. */
#include <math.h>
#include <string.h>

#include "segment/features/mapping.h"

/* log p(x | object) - log p(x | background) */
static void ratio_map(const s3svm_mapping *m, s3svm_mark_feature kind, s3svm_segment_map map)
{
    const float *object = s3svm_mark_features_of(m->mark_features, S3SVM_MARK_SET_OBJECT, kind);
    const float *background = s3svm_mark_features_of(m->mark_features, S3SVM_MARK_SET_BACKGROUND, kind);
    const double most = S3SVM_MAPPING_RATIO_MOST;
    float *ratio = s3svm_mapping_map(m, map);
    for (size_t i = 0; i < m->n && s3svm_mapping_has_both(m); i++)
        ratio[i] = (float)fmax(-most, fmin(most, (double)(object[i] - background[i])));
}

/* How far the means of the ratio over both kinds of marks are apart. */
static void separation_map(const s3svm_mapping *m)
{
    const float *ratio = s3svm_mapping_map(m, S3SVM_MAP_LAB_RATIO);
    double sum[S3SVM_SEGMENT_LABELS] = { 0 };
    for (size_t k = 0; k < S3SVM_SEGMENT_LABELS; k++)
        for (size_t i = 0; i < m->n; i++)
            if (m->mask[k][i]) sum[k] += (double)ratio[i];
    const double apart = sum[S3SVM_SEGMENT_OBJECT] / (double)m->count[S3SVM_SEGMENT_OBJECT] -
                         sum[S3SVM_SEGMENT_BACKGROUND] / (double)m->count[S3SVM_SEGMENT_BACKGROUND];
    for (size_t i = 0; i < m->n; i++) s3svm_mapping_map(m, S3SVM_MAP_SEPARATION)[i] = (float)apart;
}

void s3svm_mapping_colours(const s3svm_mapping *m)
{
    static const s3svm_segment_map logs[S3SVM_SEGMENT_LABELS] = {
        [S3SVM_SEGMENT_BACKGROUND] = S3SVM_MAP_LAB_BACKGROUND, [S3SVM_SEGMENT_OBJECT] = S3SVM_MAP_LAB_OBJECT
    };
    for (size_t k = 0; k < S3SVM_SEGMENT_LABELS; k++)
        if (m->count[k])
            memcpy(s3svm_mapping_map(m, logs[k]),
                   s3svm_mark_features_of(m->mark_features, s3svm_mapping_marks(k), S3SVM_MARK_FEATURE_LAB),
                   m->n * sizeof(float));
    ratio_map(m, S3SVM_MARK_FEATURE_LAB, S3SVM_MAP_LAB_RATIO);
    ratio_map(m, S3SVM_MARK_FEATURE_SOFT, S3SVM_MAP_SOFT_RATIO);
    ratio_map(m, S3SVM_MARK_FEATURE_TEXTURE, S3SVM_MAP_TEXTURE_RATIO);
    if (s3svm_mapping_has_both(m)) separation_map(m);
}

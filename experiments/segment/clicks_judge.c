#include "experiments/segment/clicks_judge.h"

#include <math.h>
#include <stdlib.h>

#include <s3svm/simulate.h>

#include "base/error.h"
#include "segment/marks/marks.h"
#include "vision/distance.h"

const size_t s3svm_clicks_zones[S3SVM_CLICKS_ZONES] = { 2, 4, 8 };

void s3svm_clicks_subject_free(s3svm_clicks_subject *s)
{
    s3svm_image_free(&s->photograph);
    s3svm_image_free(&s->scribbles);
    free(s->truth);
    free(s->care);
    free(s->zones);
    *s = (s3svm_clicks_subject){ 0 };
}

static uint8_t zone_of(float distance)
{
    uint8_t zone = 0;
    while (zone < S3SVM_CLICKS_ZONES && (double)distance > (double)s3svm_clicks_zones[zone]) zone++;
    return zone;
}

/* A sure pixel is as far from the outline as from the nearest pixel that is not sure of the same label: of the other label, or
 * of the band that stands for the outline. */
static sos_status zones_find(s3svm_clicks_subject *s, sos_error *error)
{
    const size_t n = s3svm_image_size(&s->photograph);
    uint8_t *others = malloc(n);
    float *distances = malloc(n * sizeof *distances);
    sos_status status = SOS_OK;
    s->zones = malloc(n);
    if (!others || !distances || !s->zones) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu distances", n);
    for (uint8_t label = 0; label < 2 && !status; label++) {
        for (size_t i = 0; i < n; i++) others[i] = !s->care[i] || s->truth[i] != label;
        status = s3svm_distance_euclidean(s->photograph.width, s->photograph.height, others, 1, distances, error);
        for (size_t i = 0; i < n && !status; i++)
            if (!others[i]) s->zones[i] = zone_of(distances[i]);
    }
    for (size_t i = 0; i < n && !status; i++)
        if (!s->care[i]) s->zones[i] = S3SVM_CLICKS_ZONES;
    free(others);
    free(distances);
    return status;
}

/* Marks by scribbles, where the item has some. */
static sos_status marked_read(const s3svm_item *item, s3svm_clicks_subject *s, sos_error *error)
{
    s3svm_marked m;
    const sos_status status = s3svm_marked_read(item, true, &m, error);
    if (status) return status;
    *s = (s3svm_clicks_subject){ .photograph = m.photograph, .scribbles = m.marks, .truth = m.truth, .care = m.care };
    return SOS_OK;
}

static sos_status plain_read(const s3svm_item *item, s3svm_clicks_subject *s, sos_error *error)
{
    s3svm_truth truth;
    sos_status status = s3svm_image_read(item->image, S3SVM_IMAGE_COLOUR, &s->photograph, error);
    if (!status) status = s3svm_truth_read(item->labels, &item->truth, &truth, error);
    if (status) return status;
    s->truth = truth.labels;
    s->care = truth.care;
    if (truth.width == s->photograph.width && truth.height == s->photograph.height) return SOS_OK;
    return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu by %zu pixels, its photograph %zu by %zu", item->labels,
                    truth.width, truth.height, s->photograph.width, s->photograph.height);
}

sos_status s3svm_clicks_subject_read(const s3svm_item *item, s3svm_clicks_subject *out, sos_error *error)
{
    s3svm_clicks_subject s = { 0 };
    sos_status status = item->scribbles ? marked_read(item, &s, error) : plain_read(item, &s, error);
    if (!status) status = zones_find(&s, error);
    if (status)
        s3svm_clicks_subject_free(&s);
    else
        *out = s;
    return status;
}

/* A share; NaN of nothing. */
static double share(size_t part, size_t all) { return all ? (double)part / (double)all : NAN; }

s3svm_clicks_score s3svm_clicks_judge(const s3svm_clicks_subject *s, const uint8_t labels[])
{
    size_t both = 0, either = 0, wrong[S3SVM_CLICKS_ZONES + 1] = { 0 }, sure[S3SVM_CLICKS_ZONES + 1] = { 0 };
    s3svm_clicks_score score;
    for (size_t i = 0; i < s3svm_image_size(&s->photograph); i++) {
        if (!s->care[i]) continue;
        both += labels[i] && s->truth[i];
        either += labels[i] || s->truth[i];
        sure[s->zones[i]]++;
        wrong[s->zones[i]] += labels[i] != s->truth[i];
    }
    for (size_t z = 0; z < S3SVM_CLICKS_ZONES; z++) { /* a zone holds those that are nearer */
        score.near[z] = share(wrong[z], sure[z]);
        wrong[z + 1] += wrong[z];
        sure[z + 1] += sure[z];
    }
    score.iou = either ? share(both, either) : 1;
    score.error = share(wrong[S3SVM_CLICKS_ZONES], sure[S3SVM_CLICKS_ZONES]);
    return score;
}

double s3svm_clicks_harm_of(const s3svm_clicks_subject *s, const uint8_t before[], const uint8_t behind[], s3svm_point click)
{
    const size_t width = s->photograph.width, height = s->photograph.height;
    const double far = (double)(width > height ? width : height) / 10;
    size_t right = 0, turned = 0;
    for (size_t i = 0; i < width * height; i++) {
        const double x = (double)(i % width) - (double)click.x, y = (double)(i / width) - (double)click.y;
        if (!s->care[i] || before[i] != s->truth[i] || x * x + y * y <= far * far) continue;
        right++;
        turned += behind[i] != s->truth[i];
    }
    return share(turned, right);
}

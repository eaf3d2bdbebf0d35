#include "trace/measure.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "vision/components.h"
#include "vision/distance.h"
#include "vision/thin.h"

/* What is measured of one picture. */
typedef struct measuring {
    size_t width, height, n;
    uint8_t *answer, *truth;            /* 0 where labels are not known */
    uint8_t *answer_line, *true_line;   /* thinned */
    float *to_answer, *to_truth;        /* distances */
    uint32_t *parts, *pieces, *counted; /* of the true centre line, and of what is near; pieces of each part */
} measuring;

static void measuring_free(measuring *m)
{
    free(m->answer);
    free(m->truth);
    free(m->answer_line);
    free(m->true_line);
    free(m->to_answer);
    free(m->to_truth);
    free(m->parts);
    free(m->pieces);
    free(m->counted);
    *m = (measuring){ 0 };
}

static sos_status measuring_create(size_t width, size_t height, measuring *m, sos_error *error)
{
    const size_t n = width * height;
    *m = (measuring){ .width = width,
                      .height = height,
                      .n = n,
                      .answer = malloc(n),
                      .truth = malloc(n),
                      .answer_line = malloc(n),
                      .true_line = malloc(n),
                      .to_answer = malloc(n * sizeof *m->to_answer),
                      .to_truth = malloc(n * sizeof *m->to_truth),
                      .parts = malloc(n * sizeof *m->parts),
                      .pieces = malloc(n * sizeof *m->pieces),
                      .counted = calloc(n, sizeof *m->counted) };
    if (m->answer && m->truth && m->answer_line && m->true_line && m->to_answer && m->to_truth && m->parts && m->pieces &&
        m->counted)
        return SOS_OK;
    measuring_free(m);
    return sos_fail(error, SOS_ERR_MEMORY, "no memory to judge %zu by %zu pixels", width, height);
}

static sos_status measuring_fill(measuring *m, const uint8_t labels[], const uint8_t truth[], const uint8_t care[],
                                 sos_error *error)
{
    for (size_t i = 0; i < m->n; i++) {
        const bool known = !care || care[i];
        m->answer[i] = known && labels[i];
        m->truth[i] = known && truth[i];
    }
    memcpy(m->answer_line, m->answer, m->n);
    memcpy(m->true_line, m->truth, m->n);
    sos_status status = s3svm_thin(m->width, m->height, m->answer_line, error);
    if (!status) status = s3svm_thin(m->width, m->height, m->true_line, error);
    if (!status) status = s3svm_distance_euclidean(m->width, m->height, m->answer, 1, m->to_answer, error);
    if (!status) status = s3svm_distance_euclidean(m->width, m->height, m->truth, 1, m->to_truth, error);
    return status;
}

/* Overwrites answer_line, which was counted before. */
static sos_status breaks_count(measuring *m, double *breaks, sos_error *error)
{
    uint8_t *near = m->answer_line;
    size_t parts, pieces;
    sos_status status = s3svm_components(m->width, m->height, m->true_line, m->parts, &parts, error);
    for (size_t i = 0; i < m->n; i++) near[i] = m->true_line[i] && m->to_answer[i] <= S3SVM_TRACE_NEAR;
    if (!status) status = s3svm_components(m->width, m->height, near, m->pieces, &pieces, error);
    if (status) return status;
    *breaks = 0;
    uint8_t *seen = m->answer; /* pieces that were met; counted before as well */
    memset(seen, 0, m->n);
    for (size_t i = 0; i < m->n; i++) {
        if (!near[i] || seen[m->pieces[i]]) continue;
        seen[m->pieces[i]] = 1;
        *breaks += m->counted[m->parts[i]]++ > 0;
    }
    return SOS_OK;
}

static void pixels_count(const measuring *m, const uint8_t care[], s3svm_trace_counts *c)
{
    for (size_t i = 0; i < m->n; i++) {
        const bool answer = m->answer[i], truth = m->truth[i];
        c->pixels += !care || care[i];
        c->found += answer && truth;
        c->missed += truth && !answer;
        c->extra += answer && !truth;
        c->answered += answer;
        c->answered_near += answer && m->to_truth[i] <= S3SVM_TRACE_NEAR;
        c->true_all += truth;
        c->true_near += truth && m->to_answer[i] <= S3SVM_TRACE_NEAR;
        c->answer_line += m->answer_line[i];
        c->answer_inside += m->answer_line[i] && truth;
        c->true_line += m->true_line[i];
        c->true_inside += m->true_line[i] && answer;
    }
}

sos_status s3svm_trace_count(size_t width, size_t height, const uint8_t labels[], const uint8_t truth[], const uint8_t care[],
                             s3svm_trace_counts *out, sos_error *error)
{
    measuring m;
    sos_status status = measuring_create(width, height, &m, error);
    if (status) return status;
    s3svm_trace_counts c = { 0 };
    status = measuring_fill(&m, labels, truth, care, error);
    if (!status) {
        pixels_count(&m, care, &c);
        status = breaks_count(&m, &c.breaks, error);
    }
    measuring_free(&m);
    if (!status) *out = c;
    return status;
}

void s3svm_trace_counts_add(s3svm_trace_counts *sum, const s3svm_trace_counts *c)
{
    sum->pixels += c->pixels;
    sum->found += c->found;
    sum->missed += c->missed;
    sum->extra += c->extra;
    sum->answered += c->answered;
    sum->answered_near += c->answered_near;
    sum->true_all += c->true_all;
    sum->true_near += c->true_near;
    sum->answer_line += c->answer_line;
    sum->answer_inside += c->answer_inside;
    sum->true_line += c->true_line;
    sum->true_inside += c->true_inside;
    sum->breaks += c->breaks;
}

/* Of the shares a / all_a and b / all_b. */
static double harmonic(double a, double all_a, double b, double all_b)
{
    if (!(all_a > 0) && !(all_b > 0)) return 1;
    if (!(a > 0) || !(b > 0)) return 0;
    const double p = a / all_a, q = b / all_b;
    return 2 * p * q / (p + q);
}

double s3svm_trace_f1(const s3svm_trace_counts *c) { return harmonic(c->found, c->answered, c->found, c->true_all); }

double s3svm_trace_f1_near(const s3svm_trace_counts *c)
{
    return harmonic(c->answered_near, c->answered, c->true_near, c->true_all);
}

double s3svm_trace_cldice(const s3svm_trace_counts *c)
{
    return harmonic(c->answer_inside, c->answer_line, c->true_inside, c->true_line);
}

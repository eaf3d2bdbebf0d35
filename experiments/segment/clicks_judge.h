/* clicks_judge.h - how good labels are, along the outline and elsewhere; for clicks*.c only. */
#ifndef S3SVM_EXPERIMENTS_SEGMENT_CLICKS_JUDGE_H
#define S3SVM_EXPERIMENTS_SEGMENT_CLICKS_JUDGE_H

#include "experiments/segment/clicks.h"

/* A photograph with what labels are judged by. */
typedef struct s3svm_clicks_subject {
    s3svm_image photograph, scribbles; /* scribbles: marks; empty: there are none */
    uint8_t *truth, *care;
    uint8_t *zones; /* the nearest zone that a sure pixel is in; S3SVM_CLICKS_ZONES: none */
} s3svm_clicks_subject;

SOS_MUST_USE sos_status s3svm_clicks_subject_read(const s3svm_item *item, s3svm_clicks_subject *out, sos_error *error);
void s3svm_clicks_subject_free(s3svm_clicks_subject *s);

s3svm_clicks_score s3svm_clicks_judge(const s3svm_clicks_subject *s, const uint8_t labels[]);

/* The share of right, sure pixels, farther from a click than a tenth of the longer side, that are wrong behind it. */
double s3svm_clicks_harm_of(const s3svm_clicks_subject *s, const uint8_t before[], const uint8_t behind[], s3svm_point click);

#endif

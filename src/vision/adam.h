/* adam.h - the steps of networks that learn by stochastic gradients (Kingma and Ba, "Adam: a method for stochastic
 * optimization", 2015). */
#ifndef S3SVM_VISION_ADAM_H
#define S3SVM_VISION_ADAM_H

#include <math.h>

/* How much of the moments' first values, zeros, is left.  Moments forget at the rates of Kingma and Ba: after about 10 and
 * after about 1000 steps. */
typedef struct s3svm_adam {
    double first_left, second_left; /* 0.9^step, 0.999^step */
} s3svm_adam;

static inline s3svm_adam s3svm_adam_begin(void) { return (s3svm_adam){ 1, 1 }; }

/* The rate of the next step as if moments had begun at their means. */
static inline float s3svm_adam_rate(s3svm_adam *a, double rate)
{
    a->first_left *= 0.9;
    a->second_left *= 0.999;
    return (float)(rate * sqrt(1 - a->second_left) / (1 - a->first_left));
}

/* Moves a number against its slope. */
static inline void s3svm_adam_move(float rate, float slope, float *first, float *second, float *number)
{
    *first = 0.9F * *first + 0.1F * slope;
    *second = 0.999F * *second + 0.001F * slope * slope;
    *number -= rate * *first / (sqrtf(*second) + 1e-6F);
}

#endif

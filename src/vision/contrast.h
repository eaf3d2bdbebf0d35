/* contrast.h - how much neighbouring pixels differ, and how little that speaks against an outline between them:
 *
 *     exp(-beta |x_i - x_j|^2),   1 / beta = 2 mean |x_i - x_j|^2,
 *
 * the mean being that of all neighbours in the picture. */
#ifndef S3SVM_VISION_CONTRAST_H
#define S3SVM_VISION_CONTRAST_H

#include <s3svm/image.h>

/* |x_i - x_j|^2 of two colours of 3 channels. */
static inline uint32_t s3svm_contrast_square(const uint8_t a[3], const uint8_t b[3])
{
    const int red = a[0] - b[0], green = a[1] - b[1], blue = a[2] - b[2];
    return (uint32_t)(red * red + green * green + blue * blue);
}

/* What a pair of diagonal neighbours counts: 1 / |ij|. */
#define S3SVM_CONTRAST_DIAGONAL 0x1.6a09e667f3bcdp-1

/* beta of so many squares with this sum; 0 where nothing differs. */
static inline double s3svm_contrast_beta_of(double count, double sum) { return sum > 0 ? count / (2 * sum) : 0; }

/* beta of a picture of 3 channels whose pixels have 4 or 8 neighbours. */
double s3svm_contrast_beta(const s3svm_image *picture, int neighbours);

/* weights[k] = exp(-beta squares[k]) */
void s3svm_contrast_weights(double beta, size_t count, const uint32_t squares[], double weights[]);

#endif

/* refine.h - the pixels along an outline that was found at a reduced size, decided again at full size. */
#ifndef S3SVM_SEGMENT_REFINE_H
#define S3SVM_SEGMENT_REFINE_H

#include <s3svm/marks.h>

/* Decides the pixels again that are at most reach from the outline, all others staying as they are, by their colours, their
 * contrast, and how far the outline would move.  For labels that were found at 2 / reach of the sides.  marks, if not NULL, are
 * kept, and wrong labels among them put right with what is near them.  *count receives how many pixels were free. */
SOS_MUST_USE sos_status s3svm_labels_refine(const s3svm_image *photograph, const s3svm_image *marks, size_t reach, int threads,
                                            uint8_t labels[], size_t *count, sos_error *error);

#endif

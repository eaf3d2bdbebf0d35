/* segmenter.h - a segmenter of the library together with what it borrows. */
#ifndef S3SVM_BINDING_SEGMENTER_H
#define S3SVM_BINDING_SEGMENTER_H

typedef struct binding_segmenter binding_segmenter;

void binding_segmenter_free(binding_segmenter *s);

#endif

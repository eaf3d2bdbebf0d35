/* design.h - the terms of the energy of a model for labels. */
#ifndef S3SVM_LABEL_DESIGN_H
#define S3SVM_LABEL_DESIGN_H

#include <s3svm/label.h>

/* Kinds that experiments compare with: all pairs of the patches of tables; pairs of neighbours, and superpixels as those of
 * counts, as robust P^n.  0.2 trained models of them, too, which are read. */
#define S3SVM_LABEL_PAIRS  ((s3svm_label_kind)S3SVM_LABEL_KINDS_COUNT)
#define S3SVM_LABEL_ROBUST ((s3svm_label_kind)(S3SVM_LABEL_KINDS_COUNT + 1))
enum { S3SVM_LABEL_DESIGNS = S3SVM_LABEL_KINDS_COUNT + 2 };

const char *s3svm_label_kind_name(s3svm_label_kind kind);

/* SOS_ERR_ARGUMENT: there can be no such model. */
SOS_MUST_USE sos_status s3svm_label_design_check(const s3svm_label_design *d, sos_error *error);

/* Whether it is the usual one of its kind. */
bool s3svm_label_design_is_usual(const s3svm_label_design *d);

/* What it has besides unaries: pairs, tables over patches, robust P^n or learned functions of the count over superpixels. */
bool s3svm_label_has_pairs(const s3svm_label_design *d);
bool s3svm_label_has_tables(const s3svm_label_design *d);
bool s3svm_label_has_robust(const s3svm_label_design *d);
bool s3svm_label_has_counts(const s3svm_label_design *d);

#endif

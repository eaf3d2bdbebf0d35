/* design.h - what models of thin structures can be made of: which cliques there are, and how they learn best. */
#ifndef S3SVM_TRACE_DESIGN_H
#define S3SVM_TRACE_DESIGN_H

#include <stdbool.h>
#include <stddef.h>

#include <s3svm/trace.h>

/* Cliques; bits of a set.  Those of lines have the same support, whether pairs or tables: lines of 7 pixels next to each other,
 * and of 7 pixels that are 3 apart. */
typedef enum s3svm_trace_cliques {
    S3SVM_TRACE_NEIGHBOURS = 1, /* pairs of 8 neighbours, a weight for those along sides and one for those across corners */
    S3SVM_TRACE_KEYED = 2, /* the same with a table of 2x2 costs for each turn against the direction of the clearer pixel */
    S3SVM_TRACE_LINE_PAIRS = 4, /* all pairs of each line, a table of 2x2 costs for each distance: pairs at their strongest */
    S3SVM_TRACE_LINE_TABLES = 8 /* each line, a table of 2^7 costs, the same from both ends */
} s3svm_trace_cliques;

typedef struct s3svm_trace_design {
    const char *name; /* in models, and on the command line */
    unsigned cliques; /* a set of s3svm_trace_cliques */
} s3svm_trace_design;

const s3svm_trace_design *s3svm_trace_design_of(s3svm_trace_kind kind);
const s3svm_trace_design *s3svm_trace_design_find(const char *name); /* NULL: there is none */

static inline bool s3svm_trace_has_lines(const s3svm_trace_design *d)
{
    return d->cliques & (S3SVM_TRACE_LINE_PAIRS | S3SVM_TRACE_LINE_TABLES);
}

static inline bool s3svm_trace_has_directions(const s3svm_trace_design *d)
{
    return d->cliques & S3SVM_TRACE_KEYED || s3svm_trace_has_lines(d);
}

#endif

/* designs.h - the designs of models that the experiments on drawings compare; the kinds of models that the library trains are
 * among them. */
#ifndef S3SVM_EXPERIMENTS_DENOISE_DESIGNS_H
#define S3SVM_EXPERIMENTS_DENOISE_DESIGNS_H

#include "denoise/design.h"

/* What pixels know, and which cliques there are.  "direction": where and how clearly a line runs in the blurred picture. */
typedef enum s3svm_drawing_design {
    S3SVM_DESIGN_PAPER,                 /* grey value; tables of 2x2 patches */
    S3SVM_DESIGN_FULL,                  /* a function of what networks say; a table of 3x3 patches */
    S3SVM_DESIGN_PAIRS4,                /* grey value; pairs of 4 neighbours */
    S3SVM_DESIGN_PAIRS8,                /* grey value; pairs of 8 neighbours, which are all pairs of a 2x2 patch */
    S3SVM_DESIGN_KEYED,                 /* grey value and direction; pairs of 8 neighbours by their turn against it */
    S3SVM_DESIGN_LINE_PAIRS,            /* the same, and all pairs of the pixels of lines, a weight for each distance */
    S3SVM_DESIGN_LINE_PAIR_TABLES,      /* the same with a table for each distance */
    S3SVM_DESIGN_LINES,                 /* keyed pairs, and tables of the same lines */
    S3SVM_DESIGN_LONG_LINE_PAIRS,       /* as line-pairs, and all pairs of every third pixel of lines three times as long */
    S3SVM_DESIGN_LONG_LINE_PAIR_TABLES, /* the same with a table for each distance */
    S3SVM_DESIGN_LONG_LINES,            /* as lines, and tables of the same pixels of the longer lines */
    S3SVM_DESIGN_ODDS_PAIRS,            /* log odds of networks, one weight; pairs of 8 neighbours */
    S3SVM_DESIGN_ODDS_LINE_PAIRS,       /* the same with keyed pairs and all pairs of lines */
    S3SVM_DESIGN_ODDS_LINE_PAIR_TABLES, /* the same with a table for each distance */
    S3SVM_DESIGN_ODDS_LINES,            /* the same with keyed pairs and tables of lines */
    S3SVM_DESIGN_ODDS_LONG_LINE_PAIRS,  /* and all pairs of longer lines, on networks */
    S3SVM_DESIGN_ODDS_LONG_LINE_PAIR_TABLES, /* the same with a table for each distance */
    S3SVM_DESIGN_ODDS_LONG_LINES,            /* and tables of longer lines, on networks */
    S3SVM_DESIGN_FAR_UNARIES,                /* for thin structures: grey value and direction; no cliques */
    S3SVM_DESIGN_FAR_KEYED,                  /* the same; pairs of 8 neighbours by their turn against the direction */
    S3SVM_DESIGN_FAR_PAIRS,                  /* and all pairs of the pixels of long lines, a weight for each distance */
    S3SVM_DESIGN_FAR_PAIR_TABLES,            /* the same with a table for each distance */
    S3SVM_DESIGN_FAR_ROBUST,                 /* or robust P^n on the same lines */
    S3SVM_DESIGN_FAR_COUNTS,                 /* or learned functions of how many of their pixels are ink */
    S3SVM_DESIGNS
} s3svm_drawing_design;

const s3svm_denoise_preset *s3svm_drawing_design_preset(s3svm_drawing_design d);
const char *s3svm_drawing_design_title(s3svm_drawing_design d); /* for people: "direction, long lines" */

#endif

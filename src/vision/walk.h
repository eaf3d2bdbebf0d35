/* walk.h - random walks on a graph (Grady, "Random walks for image segmentation", 2006).
 *
 * From node i a walk goes to node j with a chance in proportion to the strength of the edge, or ends at i in proportion to the
 * weight of i, and receives the value that i is tied to.  What it receives on average is the harmonic function
 *
 *     v_i = (w_i t_i + sum_j s_ij v_j) / (w_i + sum_j s_ij).                                                              */
#ifndef S3SVM_VISION_WALK_H
#define S3SVM_VISION_WALK_H

#include <stddef.h>
#include <stdint.h>

#include <sos/status.h>

/* Edges node by node, each in both directions. */
typedef struct s3svm_walk_graph {
    size_t count;    /* nodes */
    size_t *start;   /* count + 1: where the edges of each node begin, and where the last one's end */
    uint32_t *to;    /* where an edge leads */
    float *strength; /* > 0 */
} s3svm_walk_graph;

/* The strength of an edge, or 0: there is none.  It is asked for all pairs of different nodes, in both directions. */
typedef double s3svm_walk_strength(const void *data, size_t from, size_t to);

SOS_MUST_USE sos_status s3svm_walk_graph_create(size_t count, s3svm_walk_strength *strength, const void *data,
                                                s3svm_walk_graph *out, sos_error *error);
void s3svm_walk_graph_free(s3svm_walk_graph *g); /* leaves it empty; an empty one is fine */

/* The values after so many rounds of Gauss and Seidel, forth and back by turns, from v = t.  Nodes without weight and without
 * edges keep what they are tied to. */
void s3svm_walk_run(const s3svm_walk_graph *g, const float tied[], const float weight[], size_t rounds, float values[]);

#endif

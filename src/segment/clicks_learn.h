/* clicks_learn.h - methods that learn from some photographs of a split; for clicks*.c only. */
#ifndef SOS_SEGMENT_CLICKS_LEARN_H
#define SOS_SEGMENT_CLICKS_LEARN_H

#include "segment/clicks.h"

/* How many photographs of a split are learned from: as many as the method does that learns from most. */
size_t sos_clicks_lesson(const sos_clicks_plan *p);

/* Adds the methods of the plan that learn, with a model for each split. */
SOS_MUST_USE sos_status sos_clicks_learn(sos_clicks_results *r, sos_error *error);

/* ---- clicks.c ---- */

size_t sos_clicks_splits(const sos_clicks_plan *p); /* that have a model of their own */

/* Another method, with room for a model for each split where it has models. */
SOS_MUST_USE sos_status sos_clicks_method_add(sos_clicks_results *r, bool models, const char *word, const char *name,
                                              sos_clicks_method **out, sos_error *error);

/* A path with the number of a split, from 1, in the place of {}. */
void sos_clicks_path(const char *pattern, size_t split, size_t room, char path[]);

/* The model of a file, or the one of that name inside. */
SOS_MUST_USE sos_status sos_clicks_model_read(const char *path, sos_model **out, sos_error *error);

#endif

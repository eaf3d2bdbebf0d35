/* slacks.h - which examples share a slack variable (math.md, 12.2), and who takes part: the training subset alone, or all. */
#ifndef SOS_LEARN_SLACKS_H
#define SOS_LEARN_SLACKS_H

#include <sos/learn.h>

/* Who takes part: the subset alone; all for the first time, at the weights of the subset; all. */
enum { SOS_STAGE_SUBSET, SOS_STAGE_FIRST, SOS_STAGE_ALL };

/* The groups of the subset and of the rest, where there is a subset. */
enum { SOS_SLACK_SUBSET, SOS_SLACK_REST };

typedef struct sos_slacks {
    size_t examples, groups;
    bool subset;    /* group 0 goes first, alone */
    uint64_t stage; /* who takes part */
} sos_slacks;

/* slacks: as in sos_train_settings.  There is an example at least. */
sos_slacks sos_slacks_of(size_t examples, size_t slacks);

/* The group of an example, and how many a group has. */
uint32_t sos_slacks_group(const sos_slacks *s, size_t i);
size_t sos_slacks_size(const sos_slacks *s, size_t g);

/* Groups, which are the first ones, and examples that take part at this stage. */
size_t sos_slacks_active_groups(const sos_slacks *s);
size_t sos_slacks_active_examples(const sos_slacks *s);
bool sos_slacks_is_active(const sos_slacks *s, size_t i);

#endif

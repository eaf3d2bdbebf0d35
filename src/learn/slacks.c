#include "learn/slacks.h"

#include "base/share.h"

sos_slacks sos_slacks_of(size_t examples, size_t slacks)
{
    const size_t wanted = slacks ? slacks : 1;
    const bool subset = !slacks && examples >= SOS_SUBSET_EVERY;
    return (sos_slacks){ .examples = examples, .groups = subset ? 2 : wanted < examples ? wanted : examples, .subset = subset };
}

/* Consecutive examples are often alike, so they are dealt out in turn. */
uint32_t sos_slacks_group(const sos_slacks *s, size_t i)
{
    if (s->subset) return i % SOS_SUBSET_EVERY != 0;
    return (uint32_t)(i % s->groups); // NOLINT(clang-analyzer-core.DivideZero): there is an example, so there is a group
}

size_t sos_slacks_size(const sos_slacks *s, size_t g)
{
    const size_t subset = (s->examples + SOS_SUBSET_EVERY - 1) / SOS_SUBSET_EVERY;
    if (s->subset) return g ? s->examples - subset : subset;
    return s->examples / s->groups + (g < s->examples % s->groups);
}

size_t sos_slacks_active_groups(const sos_slacks *s) { return s->stage == SOS_STAGE_SUBSET ? 1 : s->groups; }

size_t sos_slacks_active_examples(const sos_slacks *s)
{
    return s->stage == SOS_STAGE_SUBSET ? sos_slacks_size(s, SOS_SLACK_SUBSET) : s->examples;
}

bool sos_slacks_is_active(const sos_slacks *s, size_t i) { return sos_slacks_group(s, i) < sos_slacks_active_groups(s); }

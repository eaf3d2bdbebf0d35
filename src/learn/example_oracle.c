/* example_oracle.c - see example_oracle.h. */
#include "learn/example_oracle.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/threads.h"
#include "learn/example.h"
#include "minimize/card.h"

/* What labels violate, that r says the minimum of. */
static void violation_find(const sos_example *x, const sos_example_searching *searching, const uint8_t labels[],
                           const sos_minimize_result *r, double difference[], double *loss, double *missed)
{
    sos_example_add_psi(x, labels, sos_example_reference(x), difference);
    *loss = sos_example_loss(x, labels);
    *missed = 2 * r->rounding; /* the flow's minimum and this labelling's energy each moved by as much */
    if (x->layout->labels > 2 && searching->relax) *missed = r->energy - r->lower_bound;
}

sos_status sos_example_violate(sos_example *x, const double w[], sos_start start, const sos_example_searching *searching,
                               uint8_t labels[], double difference[], double *loss, double *missed, sos_error *error)
{
    sos_minimize_settings s = sos_minimize_defaults();
    sos_minimize_result r;
    s.start = start;
    const sos_status status = x->layout->labels > 2 ? sos_example_search(x, w, searching, labels, &r, error)
                              : searching->precise && sos_example_has_precise(x)
                                  ? sos_example_minimize_precisely(x, w, labels, &r, error)
                                  : sos_example_minimize(x, w, true, &s, labels, &r, error);
    if (!status) violation_find(x, searching, labels, &r, difference, loss, missed);
    return status;
}

/* ---- many together, on a graphics card ---- */

static bool is_precise(const sos_example_oracle *o, size_t i)
{
    return o->searching.precise && sos_example_has_precise(o->examples[i]);
}

/* Those of a question that are for a card; their costs are not set yet. */
static size_t card_list(const sos_example_oracle *o, size_t count, const size_t which[], const sos_energy *energies[])
{
    size_t listed = 0;
    for (size_t k = 0; k < count; k++) {
        const sos_example *x = o->examples[which[k]];
        const bool for_card = x->layout->labels == 2 && sos_card_may_take(x->energy, o->batches.device) &&
                              !is_precise(o, which[k]);
        energies[k] = for_card ? x->energy : NULL;
        listed += for_card;
    }
    return listed;
}

/* An example whose energy cannot be set up is left to the CPU, which says why. */
static void energies_set(const sos_example_oracle *o, size_t count, const size_t which[], const double w[],
                         const sos_energy *energies[])
{
#pragma omp parallel for schedule(dynamic, 1) num_threads(sos_thread_team(o->batches.work.threads))
    for (size_t k = 0; k < count; k++) {
        const sos_energy *set = NULL;
        if (energies[k] && sos_example_energy(o->examples[which[k]], w, true, &set, NULL)) set = NULL;
        energies[k] = set;
    }
}

/* Of one question: by their places in it. */
typedef struct card_batch {
    const sos_energy **energies;
    uint8_t **labels;
    sos_minimize_result *results;
    bool *done;
} card_batch;

static void batch_free(card_batch *b)
{
    free(b->energies);
    free(b->labels);
    free(b->results);
    free(b->done);
}

static bool batch_create(card_batch *b, const sos_example_oracle *o, size_t count, const size_t which[])
{
    *b = (card_batch){ .energies = calloc(count, sizeof *b->energies),
                       .labels = calloc(count, sizeof *b->labels),
                       .results = calloc(count, sizeof *b->results),
                       .done = calloc(count, sizeof *b->done) };
    const bool fits = b->energies && b->labels && b->results && b->done;
    for (size_t k = 0; fits && k < count; k++) b->labels[k] = o->labels[which[k]];
    return fits;
}

/* What the card does not minimise, violate_example does. */
static sos_status prepare_examples(void *user, size_t count, const size_t which[], const double w[], sos_error *error)
{
    const sos_example_oracle *o = user;
    sos_status status = SOS_OK;
    card_batch b;
    bool stopped = false;
    for (size_t k = 0; k < count; k++) o->answers[which[k]].there = false; /* of a question that was broken off */
    if (!batch_create(&b, o, count, which)) {
        status = sos_fail(error, SOS_ERR_MEMORY, "no memory to ask about %zu examples together", count);
    } else if (card_list(o, count, which, b.energies) && sos_card_is_wanted(count, b.energies, &o->batches)) {
        energies_set(o, count, which, w, b.energies);
        sos_card_minimize(count, b.energies, &o->batches, b.labels, b.results, b.done, &stopped);
        for (size_t k = 0; k < count; k++) o->answers[which[k]] = (sos_card_answer){ b.done[k], b.results[k] };
    }
    batch_free(&b);
    return status;
}

static void answer_fetch(const sos_example_oracle *o, size_t i, double difference[], double *loss, double *missed)
{
    const sos_example *x = o->examples[i];
    sos_minimize_result r = o->answers[i].result;
    o->answers[i].there = false;
    r.rounding *= x->scale;
    violation_find(x, &o->searching, o->labels[i], &r, difference, loss, missed);
}

/* ---- one at a time ---- */

/* Where flows do not fit the memory, the last labels serve in part: if all cliques but pairs are regions and counts
 * (math.md, 7.4).
 */
static sos_start start_of(const sos_example_oracle *o, size_t i)
{
    const sos_example *x = o->examples[i];
    size_t tables = 0;
    if (o->warm) return SOS_START_FLOW;
    for (size_t k = 3; k <= SOS_TABLE_MEMBERS_MAX; k++) tables += x->energy->pools[k].count;
    return o->labelled && !tables && x->regions_count + x->counts_count ? SOS_START_LABELS : SOS_START_COLD;
}

static sos_status violate_example(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                  sos_error *error)
{
    const sos_example_oracle *o = user;
    sos_status status = SOS_OK;
    if (o->answers[i].there)
        answer_fetch(o, i, difference, loss, missed);
    else
        status = sos_example_violate(o->examples[i], w, start_of(o, i), &o->searching, o->labels[i], difference, loss, missed,
                                     error);
    sos_example_pack_flow(o->examples[i]); /* one at a time for each thread is large */
    if (status || !o->recalls || !sos_recall_serves(o->examples[i])) return status;
    return sos_recall_note(&o->recalls[i], o->examples[i], o->labels[i], difference, *loss, error);
}

static sos_status recall_example(void *user, size_t i, const double w[], double difference[], double *loss, bool *known,
                                 sos_error *error)
{
    const sos_example_oracle *o = user;
    return sos_recall_answer(&o->recalls[i], o->examples[i]->layout->weights, w, difference, loss, known, error);
}

static void refine_examples(void *user)
{
    sos_example_oracle *o = user;
    o->searching.precise = true;
}

/* Of those that this process has. */
static sos_status own_check(const sos_share *share, const sos_model *m, size_t count, sos_example *const examples[],
                            sos_example_use use, sos_error *error)
{
    if (!m || (count && !examples)) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no examples were given");
    for (size_t i = 0; i < count; i++) {
        if (!examples[i] && sos_share_processes(share) > 1) continue;
        if (!examples[i]) return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu is missing", i);
        if (!sos_example_fits(examples[i], m))
            return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu was made for a model with other groups", i);
        if (use != SOS_EXAMPLES_PREDICT && !sos_example_truth(examples[i]))
            return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu has no true labels", i);
        sos_error why;
        if (use == SOS_EXAMPLES_LEARN && sos_example_lesson_check(examples[i], &why))
            return sos_fail(error, SOS_ERR_ARGUMENT, "example %zu: %s", i, why.message);
    }
    return SOS_OK;
}

/* Do all processes speak of as many? */
static sos_status count_check(sos_share *share, size_t count, sos_error *error)
{
    int64_t counts[2] = { (int64_t)count, -(int64_t)count };
    const sos_status status = sos_share_max(share, 2, counts, error);
    if (status || counts[0] == -counts[1]) return status;
    return sos_fail(error, SOS_ERR_ARGUMENT, "one process has %lld examples, another %lld", (long long)counts[0],
                    -(long long)counts[1]);
}

static sos_status owners_check(sos_share *share, size_t count, sos_example *const examples[], sos_error *error)
{
    int64_t *owners = calloc(count ? count : 1, sizeof *owners);
    sos_status status = owners ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", count);
    status = sos_share_agree(share, status, error);
    for (size_t i = 0; !status && i < count; i++) owners[i] = examples[i] != NULL;
    if (!status) status = sos_share_sum(share, count, owners, error);
    for (size_t i = 0; !status && i < count; i++)
        if (owners[i] != 1)
            status = sos_fail(error, SOS_ERR_ARGUMENT, "%lld processes have example %zu", (long long)owners[i], i);
    free(owners);
    return status;
}

sos_status sos_examples_check(sos_share *share, const sos_model *m, size_t count, sos_example *const examples[],
                              sos_example_use use, sos_error *error)
{
    sos_status status = own_check(share, m, count, examples, use, error);
    status = sos_share_agree(share, status, error);
    if (status || sos_share_processes(share) == 1) return status;
    status = count_check(share, count, error);
    return status ? status : owners_check(share, count, examples, error);
}

void sos_label_arrays_free(size_t count, uint8_t **labels)
{
    for (size_t i = 0; labels && i < count; i++) free(labels[i]);
    free(labels);
}

uint8_t **sos_label_arrays_create(size_t count, sos_example *const examples[])
{
    uint8_t **labels = calloc(count ? count : 1, sizeof *labels);
    for (size_t i = 0; labels && i < count; i++) {
        if (!examples[i]) continue;
        labels[i] = malloc(sos_example_variables(examples[i]));
        if (labels[i]) continue;
        sos_label_arrays_free(count, labels);
        return NULL;
    }
    return labels;
}

/* Flows are kept as far as memory goes: the examples' sizes tell before the first is there. */
static bool flows_fit(size_t count, sos_example *const examples[], size_t memory)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += examples[i] ? 2 * sos_example_bytes(examples[i]) : 0;
    return !memory || bytes <= memory;
}

/* Moves need not find the minimum of more than two labels, and know nothing of what they miss. */
static bool is_approximate(const sos_example_oracle *o)
{
    bool exact = true;
    if (o->searching.relax) return false;
    for (size_t i = 0; i < o->count; i++)
        if (o->examples[i])
            exact = exact &&
                    (o->examples[i]->layout->labels == 2 || sos_example_is_listed(o->examples[i], o->searching.exhaustive));
    return !exact;
}

/* A sum, so that it does not matter who has which; each example's part knows its number. */
static uint64_t examples_hash(const sos_example_oracle *o)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < o->count; i++)
        if (o->examples[i]) sum += sos_example_hash(o->examples[i], sos_hash(SOS_HASH_START, &i, sizeof i));
    return sum;
}

/* What all processes must know of all examples. */
static sos_status oracle_share(sos_example_oracle *o, sos_share *share, bool hashed, sos_error *error)
{
    int64_t approximate = is_approximate(o), hash = hashed ? (int64_t)examples_hash(o) : 0;
    sos_status status = sos_share_max(share, 1, &approximate, error);
    if (!status) status = sos_share_sum(share, 1, &hash, error);
    o->approximate = approximate;
    o->hash = (uint64_t)hash;
    return status;
}

sos_status sos_example_oracle_create(sos_example_oracle *o, sos_share *share, size_t count, sos_example *const examples[],
                                     const sos_train_settings *settings, sos_error *error)
{
    *o = (sos_example_oracle){ .count = count, .examples = examples, .labels = sos_label_arrays_create(count, examples) };
    o->answers = calloc(count ? count : 1, sizeof *o->answers);
    if (settings->cache) o->recalls = calloc(count ? count : 1, sizeof *o->recalls);
    const bool ok = o->labels && o->answers && (o->recalls || !settings->cache);
    for (size_t i = 0; ok && i < count; i++)
        if (examples[i]) memcpy(o->labels[i], sos_example_reference(examples[i]), examples[i]->n);
    sos_status status = ok ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for the labels of %zu examples", count);
    o->labelled = settings->warm;
    o->warm = settings->warm && flows_fit(count, examples, settings->memory);
    o->searching = sos_example_searching_of(settings);
    o->batches = sos_minimize_defaults();
    o->batches.device = settings->device;
    o->batches.work.threads = settings->work.threads;
    status = sos_share_agree(share, status, error);
    if (!status) status = oracle_share(o, share, settings->checkpoint != NULL, error);
    if (!status) return SOS_OK;
    sos_label_arrays_free(count, o->labels);
    free(o->recalls);
    free(o->answers);
    return status;
}

void sos_example_oracle_free(sos_example_oracle *o)
{
    for (size_t i = 0; i < o->count; i++)
        if (o->examples[i]) sos_example_forget_flow(o->examples[i]);
    for (size_t i = 0; o->recalls && i < o->count; i++) sos_recall_free(&o->recalls[i]);
    free(o->recalls);
    free(o->answers);
    sos_label_arrays_free(o->count, o->labels);
}

static bool has_example(void *user, size_t i)
{
    const sos_example_oracle *o = user;
    return o->examples[i] != NULL;
}

sos_oracle sos_example_oracle_interface(sos_example_oracle *o)
{
    return (sos_oracle){ .examples = o->count,
                         .user = o,
                         .violate = violate_example,
                         .has = has_example,
                         .approximate = o->approximate,
                         .prepare = prepare_examples };
}

sos_recaller sos_example_oracle_recaller(sos_example_oracle *o, const sos_model *m)
{
    if (m->layout->labels != 2) return (sos_recaller){ 0 };
    return (sos_recaller){
        .user = o, .answers = SOS_RECALL_ANSWERS, .recall = o->recalls ? recall_example : NULL, .refine = refine_examples
    };
}

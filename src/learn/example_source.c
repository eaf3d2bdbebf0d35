/* example_source.c - training on examples that are made when they are asked, and not kept. */
#include "learn/trainer.h"

#include <stdlib.h>

#include "learn/example.h"
#include "learn/example_oracle.h"

typedef struct made {
    const sos_example_source *source;
    const sos_model *model;
    sos_example_searching searching;
    sos_recall *recalls; /* [count] or NULL, as those of examples that are kept */
} made;

static sos_status example_check(const made *a, const sos_example *x, sos_error *error)
{
    if (!sos_example_fits(x, a->model)) return sos_fail(error, SOS_ERR_ARGUMENT, "it was made for a model with other groups");
    if (!sos_example_truth(x)) return sos_fail(error, SOS_ERR_ARGUMENT, "it has no true labels");
    return sos_example_lesson_check(x, error);
}

static sos_status violate_made(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                               sos_error *error)
{
    const made *a = user;
    sos_example *x = NULL;
    sos_status status = a->source->make(a->source->user, i, &x, error);
    if (status) return status;
    uint8_t *labels = malloc(sos_example_variables(x));
    status = labels ? example_check(a, x, error) : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels");
    if (!status) status = sos_example_violate(x, w, SOS_START_COLD, &a->searching, labels, difference, loss, missed, error);
    if (!status && a->recalls && sos_recall_serves(x))
        status = sos_recall_note(&a->recalls[i], x, labels, difference, *loss, error);
    free(labels);
    sos_example_free(x);
    return status;
}

static sos_status recall_made(void *user, size_t i, const double w[], double difference[], double *loss, bool *known,
                              sos_error *error)
{
    const made *a = user;
    return sos_recall_answer(&a->recalls[i], a->model->layout->weights, w, difference, loss, known, error);
}

static void refine_made(void *user)
{
    made *a = user;
    a->searching.precise = true;
}

static bool has_made(void *user, size_t i)
{
    const made *a = user;
    return a->source->has(a->source->user, i);
}

sos_status sos_train_source(sos_model *m, const sos_example_source *source, const sos_train_settings *settings,
                            sos_train_result *result, sos_error *error)
{
    if (!m || !source || !source->make) return sos_fail(error, SOS_ERR_ARGUMENT, "no model or no source of examples was given");
    const sos_train_settings s = settings ? *settings : sos_train_defaults();
    sos_share share;
    sos_status status = sos_reserved_check("sos_example_source", source, error);
    if (!status) status = sos_share_join(&share, s.work.communicator, error);
    if (status) return status;
    made a = { source, m, sos_example_searching_of(&s), NULL };
    const bool recalls = s.cache && m->layout->labels == 2;
    if (recalls) a.recalls = calloc(source->count ? source->count : 1, sizeof *a.recalls);
    if (recalls && !a.recalls) status = sos_fail(error, SOS_ERR_MEMORY, "no memory for %zu examples", source->count);
    status = sos_share_agree(&share, status, error);
    if (status) {
        free(a.recalls);
        return status;
    }
    const sos_oracle oracle = { .examples = source->count,
                                .user = &a,
                                .violate = violate_made,
                                .has = source->has ? has_made : NULL,
                                .approximate = m->layout->labels > 2 && !s.relax };
    const sos_recaller recaller = {
        .user = &a, .answers = SOS_RECALL_ANSWERS, .recall = a.recalls ? recall_made : NULL, .refine = refine_made
    };
    status = sos_train_with(m, &share, &oracle, recaller, source->identity, &s, result, error);
    for (size_t i = 0; a.recalls && i < source->count; i++) sos_recall_free(&a.recalls[i]);
    free(a.recalls);
    return status;
}

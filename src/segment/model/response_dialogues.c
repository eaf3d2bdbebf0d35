/* response_dialogues.c - the networks of responses, learned from simulated dialogues.
 *
 * In the first round people correct the answers of a walk over superpixels, and the networks learn from that.  In later rounds
 * they correct the answers of the networks, each photograph being judged by the network that has not learned from it, and the
 * networks learn anew, from these dialogues alone: with those of earlier rounds among them, corrections did more harm far from
 * the marks (docs/experiments.md). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/threads.h"
#include "segment/marks/marks.h"
#include "segment/model/response_lesson.h"
#include "segment/person/person.h"

enum {
    ROUNDS = 3,
    MOMENTS = 8, /* that a photograph has in the last round, about: each gives as many of its samples, its own scribbles all */
    HURRIED_SHARE = 3, /* of samples, of which a first moment of two strokes gives one */
    EPOCHS = 6,        /* there are more samples than of photographs that are marked once, and they differ more */
    COARSE_REACH = 2   /* blocks: so far from the outline of a mask without an unsure band nobody can be sure */
};
static const size_t FIRST_STEPS[ROUNDS - 1] = { 2,
                                                3 }; /* of dialogues, before the last round; with 4 and 6 nothing is better */
static const double DECAY = 0.001, SPREAD = 0.001;
static const double LOOSE = 0.5,
                    PROPOSED = 0.5; /* margins of boxes, at most; dialogues with evidence that begin with its proposal */
static const double WALK_ODDS = 8;  /* of walks that are sure: they meet an object mark first with a chance of 1 */

/* ---------------------------------------------------------------- how people begin, and how long they go on */

typedef struct plan {
    s3svm_simulated_opening opening;
    size_t steps;
} plan;

/* The dialogues of the last round. */
enum { CLICKED, HURRIED, OTHERWISE, SCRIBBLED };

typedef struct chance {
    double share; /* of dialogues */
    s3svm_simulated kind;
    bool own, hasty;
    double margin; /* of boxes and outlines, at most; 0: the default */
} chance;

/* Of the first rounds; of the last one, in which every photograph has three dialogues, first as papers count clicks, then
 * begun by two strokes, and where it came with scribbles once more, by these. */
static const chance MIXED[] = { { 0.45, S3SVM_SIMULATED_CLICKS, false, false, 0 },
                                { 0.15, S3SVM_SIMULATED_HURRIED, false, true, 0 },
                                { 0.1, S3SVM_SIMULATED_STROKES, false, true, 0 },
                                { 0.1, S3SVM_SIMULATED_BOX, false, true, LOOSE },
                                { 0.05, S3SVM_SIMULATED_OUTLINE, false, true, 0 },
                                { 1, S3SVM_SIMULATED_SCRIBBLES, true, true, 0 } },
                    OTHERS[] = { { 0.2, S3SVM_SIMULATED_STROKES, false, true, 0 },
                                 { 0.15, S3SVM_SIMULATED_CLICKS, false, true, 0 },
                                 { 0.2, S3SVM_SIMULATED_BOX, false, true, LOOSE },
                                 { 0.1, S3SVM_SIMULATED_OUTLINE, false, true, 0 },
                                 { 1, S3SVM_SIMULATED_SCRIBBLES, true, true, 0 } };

static const chance *chance_draw(const chance chances[], sos_random *r)
{
    double u = sos_random_uniform(r);
    const chance *c = chances;
    for (; u >= c->share; c++) u -= c->share;
    return c;
}

static size_t steps_draw(sos_random *r)
{
    static const size_t steps[10] = { 3, 3, 3, 5, 5, 5, 8, 8, 12, 16 };
    return steps[sos_random_below(r, 10)];
}

static bool has_marks(const s3svm_marked *p)
{
    for (size_t i = 0; i < s3svm_image_size(&p->marks); i++)
        if (p->marks.pixels[i]) return true;
    return false;
}

static bool is_last(size_t round) { return round == ROUNDS - 1; }

/* How many dialogues there are about a photograph. */
static size_t dialogues_of(size_t round, const s3svm_marked *p)
{
    if (!is_last(round)) return 1;
    return has_marks(p) ? SCRIBBLED + 1 : SCRIBBLED;
}

static plan plan_draw(const s3svm_marked *p, bool evidence, size_t round, size_t dialogue, sos_random *r)
{
    plan x = { .opening.person = s3svm_simulation_defaults() };
    x.opening.person.seed = sos_random_bits(r);
    x.opening.proposed = round && dialogue != SCRIBBLED && evidence && sos_random_uniform(r) < PROPOSED;
    if (is_last(round) && dialogue == CLICKED) {
        x.steps = steps_draw(r);
        return x;
    }
    if (is_last(round) && dialogue == SCRIBBLED) {
        x.opening.own = true;
        x.steps = 1;
        return x;
    }
    x.steps = is_last(round) ? 1 + (size_t)sos_random_below(r, 4) : FIRST_STEPS[round];
    if (is_last(round) && dialogue == HURRIED) {
        x.opening.person.kind = S3SVM_SIMULATED_HURRIED;
        x.opening.person.both = true;
        x.opening.person.hasty = sos_random_below(r, 2);
        return x;
    }
    const chance *c = chance_draw(is_last(round) ? OTHERS : MIXED, r);
    x.opening.person.kind = c->kind;
    x.opening.person.hasty = c->hasty;
    if (c->margin > 0) x.opening.person.margin += (c->margin - x.opening.person.margin) * sos_random_uniform(r);
    x.opening.person.both = c->kind == S3SVM_SIMULATED_HURRIED || c->kind == S3SVM_SIMULATED_SCRIBBLES ||
                            sos_random_below(r, 2);
    x.opening.own = c->own && has_marks(p);
    return x;
}

/* ---------------------------------------------------------------- what is noted of a photograph */

typedef struct notes {
    size_t count, room;
    float *maps;
    uint8_t *labels;
} notes;

typedef struct dialogues {
    const s3svm_segment_settings *settings;
    size_t count;
    const s3svm_marked *pictures;
    notes *notes; /* of each picture */
    s3svm_segment_response *r;
} dialogues;

/* A photograph and its dialogues. */
typedef struct subject {
    const s3svm_marked *picture;
    s3svm_photo photo;
    uint8_t *truth;   /* of blocks */
    uint32_t *places; /* blocks of which the label is sure */
    size_t count;
    float *response;
    sos_error *error;
} subject;

static void subject_free(subject *s)
{
    s3svm_photo_free(&s->photo);
    free(s->truth);
    free(s->places);
    free(s->response);
}

/* Whether all blocks around have the same label. */
static bool is_inner(const subject *s, size_t i)
{
    const size_t width = s->photo.features.width, height = s->photo.features.height, x = i % width, y = i / width;
    for (size_t v = y > COARSE_REACH ? y - COARSE_REACH : 0; v <= y + COARSE_REACH && v < height; v++)
        for (size_t u = x > COARSE_REACH ? x - COARSE_REACH : 0; u <= x + COARSE_REACH && u < width; u++)
            if (s->truth[v * width + u] != s->truth[i]) return false;
    return true;
}

/* Masks without an unsure band are taken for coarse. */
static void places_find(subject *s, const uint8_t care[])
{
    const bool coarse = !memchr(care, 0, s->photo.features.n);
    for (size_t i = 0; i < s->photo.features.n; i++)
        if (coarse ? is_inner(s, i) : care[i]) s->places[s->count++] = (uint32_t)i;
}

static sos_status subject_create(const s3svm_marked *picture, subject *s, sos_error *error)
{
    *s = (subject){ .picture = picture, .error = error };
    const sos_status status = s3svm_photo_create(&picture->photograph, 1, &s->photo, error);
    if (status) return status;
    const size_t n = s->photo.features.n;
    uint8_t *care = malloc(n);
    s->truth = malloc(n);
    s->places = malloc(n * sizeof *s->places);
    s->response = malloc(n * sizeof *s->response);
    const bool taken = care && s->truth && s->places && s->response;
    if (taken) {
        s3svm_blocks_middle(&s->photo.blocks, picture->truth, s->truth);
        s3svm_blocks_middle(&s->photo.blocks, picture->care, care);
        places_find(s, care);
    }
    free(care);
    return taken ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for dialogues about %zu pixels", n);
}

/* So many pixels of a moment. */
static sos_status moment_note(const subject *s, const s3svm_segment_view *v, size_t samples, sos_random *r, notes *out)
{
    const size_t wanted = out->count + samples;
    if (!s->count) return SOS_OK;
    if (wanted > out->room) {
        const size_t room = wanted + wanted / 2;
        float *maps = realloc(out->maps, room * v->count * sizeof *maps);
        if (maps) out->maps = maps;
        uint8_t *labels = realloc(out->labels, room);
        if (labels) out->labels = labels;
        if (!maps || !labels) return sos_fail(s->error, SOS_ERR_MEMORY, "no memory for %zu samples", room);
        out->room = room;
    }
    for (; out->count < wanted; out->count++) {
        const size_t i = s->places[sos_random_below(r, s->count)];
        for (size_t m = 0; m < v->count; m++) out->maps[out->count * v->count + m] = v->maps[m * v->n + i];
        out->labels[out->count] = s->truth[i];
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- dialogues */

/* What is answered before there are networks. */
static void walk_answer(const s3svm_segment_view *v, float response[])
{
    const float *walk = v->maps + (size_t)S3SVM_MAP_WALK_PRIOR * v->n;
    for (size_t i = 0; i < v->n; i++) response[i] = (float)(WALK_ODDS * ((double)walk[i] - 0.5));
}

static sos_status moment_answer(const dialogues *t, const subject *s, s3svm_simulated_dialogue *dialogue, size_t round,
                                sos_random *r, notes *out)
{
    s3svm_segment_view v = { 0 };
    const bool first = is_last(round) && s3svm_dialogue_steps(dialogue->dialogue) == 1;
    const bool scribbled = first && dialogue->opening.own,
               hurried = first && dialogue->opening.person.kind == S3SVM_SIMULATED_HURRIED;
    const size_t samples = t->settings->samples / (scribbled ? 1 : hurried ? HURRIED_SHARE : MOMENTS) + 1;
    sos_status status = s3svm_segment_view_find(&dialogue->in, &s->photo, s3svm_segment_response_sight(t->r), &v, s->error);
    if (!status) status = moment_note(s, &v, samples, r, out);
    if (!status && round) status = s3svm_segment_response_judge(t->r, &s->picture->photograph, &v, 1, s->response, s->error);
    if (!status && !round) walk_answer(&v, s->response);
    if (!status) status = s3svm_simulated_dialogue_answer(dialogue, s->response, s->error);
    s3svm_segment_view_free(&v);
    return status;
}

static sos_status dialogue_hold(const dialogues *t, const subject *s, const plan *p, const s3svm_maps *evidence, size_t round,
                                sos_random *r, notes *out)
{
    s3svm_simulated_dialogue dialogue;
    bool right = false;
    sos_status status = s3svm_simulated_dialogue_begin(&dialogue, s->picture, &s->photo, &p->opening, evidence, s->error);
    if (!status && p->opening.proposed) status = moment_answer(t, s, &dialogue, round, r, out);
    for (size_t step = 0; step < p->steps && !status; step++) {
        status = s3svm_simulated_dialogue_step(&dialogue, &right, s->error);
        if (right) break;
        if (!status) status = moment_answer(t, s, &dialogue, round, r, out);
    }
    s3svm_simulated_dialogue_end(&dialogue);
    return status;
}

static sos_status picture_dialogues(const dialogues *t, size_t i, size_t round, sos_error *error)
{
    const uint64_t key[3] = { t->settings->seed, i, round };
    sos_random r = sos_random_seeded(sos_hash(SOS_HASH_START, key, sizeof key));
    subject s;
    sos_status status = subject_create(&t->pictures[i], &s, error);
    for (size_t k = 0; k < dialogues_of(round, &t->pictures[i]) && !status; k++) {
        s3svm_maps evidence = { 0 };
        if (t->r->evidence) status = s3svm_simulated_evidence(t->count, t->pictures, i, &r, &evidence, error);
        const plan p = plan_draw(&t->pictures[i], evidence.values, round, k, &r);
        if (!status) status = dialogue_hold(t, &s, &p, &evidence, round, &r, &t->notes[i]);
        s3svm_maps_free(&evidence);
    }
    subject_free(&s);
    return status;
}

static sos_status round_dialogues(const dialogues *t, size_t round, sos_error *error)
{
    static const double SHARES[ROUNDS + 1] = { 0, 0.12, 0.3, 1 }; /* of the work, by how many steps the dialogues have */
    sos_failure failure = { 0 };
    size_t begun = 0;
    const int used = sos_thread_count(t->settings->work.threads);
    (void)used; /* where OpenMP is missing */
#pragma omp parallel for schedule(dynamic) num_threads(used)
    for (size_t i = 0; i < t->count; i++) {
        sos_error why = { SOS_CANCELLED, "stopped during simulated dialogues" };
        size_t before;
#pragma omp atomic capture
        before = begun++;
        const double done = SHARES[round] + (double)before / (double)t->count * (SHARES[round + 1] - SHARES[round]);
        const bool go_on = s3svm_segment_progress(&t->settings->work, "dialogues", done);
        const sos_status status = go_on ? picture_dialogues(t, i, round, &why) : SOS_CANCELLED;
        if (status) sos_failure_note(&failure, i, status, &why);
    }
    return sos_failure_status(&failure, "picture", error);
}

/* ---------------------------------------------------------------- learning */

static sos_status notes_learn(const dialogues *t, sos_error *error)
{
    s3svm_response_lesson l;
    size_t all = 0;
    for (size_t i = 0; i < t->count; i++) all += t->notes[i].count;
    sos_status status = s3svm_response_lesson_create(s3svm_segment_sight_maps(s3svm_segment_response_sight(t->r)), all, &l,
                                                     error);
    if (status) return status;
    l.epochs = EPOCHS;
    l.decay = DECAY;
    l.spread = SPREAD;
    for (size_t i = 0; i < t->count; i++) {
        const notes *n = &t->notes[i];
        if (!n->count) continue;
        memcpy(l.maps + l.count * l.inputs, n->maps, n->count * l.inputs * sizeof *l.maps);
        memcpy(l.labels + l.count, n->labels, n->count);
        for (size_t k = 0; k < n->count; k++) l.pictures[l.count + k] = (uint32_t)i;
        l.count += n->count;
    }
    status = l.count ? s3svm_response_learn(&l, t->settings, t->r, error)
                     : sos_fail(error, SOS_ERR_ARGUMENT, "no pixel of the pictures has a label that is sure");
    s3svm_response_lesson_free(&l);
    return status;
}

sos_status s3svm_response_learn_dialogues(size_t count, const s3svm_marked pictures[], const s3svm_segment_settings *settings,
                                          s3svm_segment_response *r, sos_error *error)
{
    dialogues t = {
        .settings = settings, .count = count, .pictures = pictures, .notes = calloc(count, sizeof *t.notes), .r = r
    };
    sos_status status = t.notes ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for dialogues about %zu pictures", count);
    for (size_t round = 0; round < ROUNDS && !status; round++) {
        for (size_t i = 0; i < count; i++) t.notes[i].count = 0;
        status = round_dialogues(&t, round, error);
        if (!status) status = notes_learn(&t, error);
    }
    for (size_t i = 0; i < count && t.notes; i++) {
        free(t.notes[i].maps);
        free(t.notes[i].labels);
    }
    free(t.notes);
    return status;
}

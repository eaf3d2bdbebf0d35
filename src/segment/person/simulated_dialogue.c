#include "segment/person/simulated_dialogue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/minimize.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/features/features.h"
#include "vision/contrast.h"
#include "vision/dialogue.h"

/* The energy of answers, in log odds: what a pair costs that has no contrast, what every pair costs besides, and beyond what
 * odds leave no doubt.  Costs are whole numbers of a thousandth, and those of marks outweigh all others. */
static const double PAIR = 2, PAIR_LEAST = 0.2, ODDS_MOST = 8, UNIT = 1000, CERTAIN = 1e6;

/* ---------------------------------------------------------------- pairs */

static double square_apart(const float a[3], const float b[3])
{
    double sum = 0;
    for (size_t c = 0; c < 3; c++) sum += ((double)a[c] - (double)b[c]) * ((double)a[c] - (double)b[c]);
    return sum;
}

/* Pairs of 4-neighbours, and for each how far its colours are apart, squared; returns how many. */
static size_t pairs_list(const s3svm_photo_features *s, uint32_t members[], double weights[])
{
    size_t count = 0;
    for (size_t i = 0; i < s->n; i++) {
        const size_t next[2] = { i % s->width + 1 < s->width ? i + 1 : i, i + s->width < s->n ? i + s->width : i };
        for (size_t k = 0; k < 2; k++) {
            if (next[k] == i) continue;
            members[2 * count] = (uint32_t)i;
            members[2 * count + 1] = (uint32_t)next[k];
            weights[count++] = square_apart(s->lab + 3 * i, s->lab + 3 * next[k]);
        }
    }
    return count;
}

static void weights_find(size_t count, double weights[])
{
    double sum = 0;
    for (size_t p = 0; p < count; p++) sum += weights[p];
    const double beta = s3svm_contrast_beta_of((double)count, sum);
    for (size_t p = 0; p < count; p++) weights[p] = rint(UNIT * (PAIR_LEAST + PAIR * sos_exp(-beta * weights[p])));
}

static sos_status pairs_add(const s3svm_photo_features *s, sos_energy *e, sos_error *error)
{
    static const double DIFFER[4] = { 0, 1, 1, 0 };
    uint32_t table, *members = malloc(4 * s->n * sizeof *members);
    double *weights = malloc(2 * s->n * sizeof *weights);
    sos_status status = members && weights ? sos_energy_add_table(e, 2, DIFFER, &table, error)
                                           : sos_fail(error, SOS_ERR_MEMORY, "no memory for pairs of %zu pixels", s->n);
    if (!status) {
        const size_t count = pairs_list(s, members, weights);
        weights_find(count, weights);
        if (count) status = sos_energy_add_cliques(e, table, count, members, weights, error);
    }
    free(members);
    free(weights);
    return status;
}

/* ---------------------------------------------------------------- begin and end */

void s3svm_simulated_dialogue_end(s3svm_simulated_dialogue *t)
{
    sos_energy_free(t->pairs);
    s3svm_dialogue_free(t->dialogue);
    s3svm_drawn_marks_free(&t->marks);
    free(t->labels);
    *t = (s3svm_simulated_dialogue){ 0 };
}

sos_status s3svm_simulated_dialogue_begin(s3svm_simulated_dialogue *t, const s3svm_marked *picture, const s3svm_photo *photo,
                                          const s3svm_simulated_opening *opening, const s3svm_maps *evidence, sos_error *error)
{
    const size_t width = picture->photograph.width, height = picture->photograph.height;
    *t = (s3svm_simulated_dialogue){
        .picture = picture, .photo = photo, .opening = *opening, .labels = calloc(width * height, 1)
    };
    t->moment = (s3svm_segment_moment){ .last = &t->marks.last };
    t->in = (s3svm_segment_input){ .photograph = &picture->photograph,
                                   .marks = &t->marks.all,
                                   .threads = 1,
                                   .maps = evidence->values ? evidence : NULL,
                                   .moment = &t->moment };
    sos_status status = t->labels ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of a dialogue");
    if (!status) status = s3svm_drawn_marks_create(width, height, &t->marks, error);
    if (!status) status = s3svm_dialogue_create(width, height, &t->dialogue, error);
    if (!status) status = sos_energy_create(photo->features.n, &t->pairs, error);
    return status ? status : pairs_add(&photo->features, t->pairs, error);
}

/* ---------------------------------------------------------------- a step */

static sos_status step_add(s3svm_simulated_dialogue *t, bool *right, sos_error *error)
{
    const s3svm_marked *p = t->picture;
    *right = false;
    if (s3svm_dialogue_steps(t->dialogue) || t->opening.proposed)
        return s3svm_simulate_correct(&t->opening.person, p->truth, p->care, t->labels, t->dialogue, right, error);
    if (!t->opening.own) return s3svm_simulate_first(&t->opening.person, p->truth, p->care, t->dialogue, error);
    return s3svm_dialogue_add(t->dialogue, 1, &(s3svm_mark){ .shape = S3SVM_SHAPE_PIXELS, .pixels = &p->marks }, error);
}

sos_status s3svm_simulated_dialogue_step(s3svm_simulated_dialogue *t, bool *right, sos_error *error)
{
    t->moment.before = s3svm_dialogue_steps(t->dialogue) ? t->labels : NULL;
    sos_status status = step_add(t, right, error);
    if (status || *right) return status;
    return s3svm_drawn_marks_add(&t->marks, t->dialogue, s3svm_dialogue_steps(t->dialogue) - 1, error);
}

/* ---------------------------------------------------------------- an answer */

static void costs_find(const s3svm_image *marks, const float response[], double costs[])
{
    for (size_t i = 0; i < s3svm_image_size(marks); i++) {
        costs[i] = -rint(UNIT * fmax(-ODDS_MOST, fmin(ODDS_MOST, (double)response[i])));
        if (s3svm_mark_is_sure(marks->pixels[i])) costs[i] = marks->pixels[i] == S3SVM_MARK_OBJECT ? -CERTAIN : CERTAIN;
    }
}

sos_status s3svm_simulated_dialogue_answer(s3svm_simulated_dialogue *t, const float response[], sos_error *error)
{
    const size_t n = t->photo->features.n;
    s3svm_image marks = { 0 };
    double *costs = malloc(n * sizeof *costs);
    uint8_t *small = malloc(n);
    sos_status status = costs && small ? s3svm_blocks_marks(&t->photo->blocks, &t->marks.all, &marks, error)
                                       : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", n);
    if (!status) costs_find(&marks, response, costs);
    if (!status) status = sos_energy_set_unaries(t->pairs, NULL, costs, error);
    if (!status) status = sos_minimize(t->pairs, NULL, small, NULL, error);
    if (!status) s3svm_blocks_grow_labels(&t->photo->blocks, small, t->labels);
    const s3svm_image *given = &t->marks.all;
    for (size_t i = 0; i < s3svm_image_size(given) && !status; i++)
        if (s3svm_mark_is_sure(given->pixels[i])) t->labels[i] = given->pixels[i] == S3SVM_MARK_OBJECT;
    s3svm_image_free(&marks);
    free(costs);
    free(small);
    return status;
}

/* ---------------------------------------------------------------- with a model's networks */

static sos_status networks_answer(s3svm_simulated_dialogue *t, const s3svm_segment_response *r, sos_error *error)
{
    const size_t n = t->photo->features.n;
    s3svm_segment_view v = { 0 };
    float *response = malloc(n * sizeof *response);
    sos_status status = response ? s3svm_segment_view_find(&t->in, t->photo, s3svm_segment_response_sight(r), &v, error)
                                 : sos_fail(error, SOS_ERR_MEMORY, "no memory for responses of %zu pixels", n);
    if (!status) status = s3svm_segment_response_judge(r, &t->picture->photograph, &v, 1, response, error);
    if (!status) status = s3svm_simulated_dialogue_answer(t, response, error);
    s3svm_segment_view_free(&v);
    free(response);
    return status;
}

sos_status s3svm_simulated_dialogue_until(s3svm_simulated_dialogue *t, const s3svm_segment_response *networks, size_t steps,
                                          bool *right, sos_error *error)
{
    sos_status status = SOS_OK;
    *right = false;
    while (!status && !*right && s3svm_dialogue_steps(t->dialogue) < steps) {
        if (s3svm_dialogue_steps(t->dialogue) || t->opening.proposed) status = networks_answer(t, networks, error);
        if (!status) status = s3svm_simulated_dialogue_step(t, right, error);
    }
    return status;
}

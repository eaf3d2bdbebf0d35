#include "segment/talk.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sos/minimize.h>

#include "base/elementary.h"
#include "base/error.h"
#include "segment/model.h"
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
static size_t pairs_list(const sos_segment_scene *s, uint32_t members[], double weights[])
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
    const double beta = sos_contrast_beta_of((double)count, sum);
    for (size_t p = 0; p < count; p++) weights[p] = rint(UNIT * (PAIR_LEAST + PAIR * sos_exp(-beta * weights[p])));
}

static sos_status pairs_add(const sos_segment_scene *s, sos_energy *e, sos_error *error)
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

void sos_segment_talk_end(sos_segment_talk *t)
{
    sos_energy_free(t->pairs);
    sos_dialogue_free(t->dialogue);
    sos_image_free(&t->marks);
    sos_image_free(&t->last);
    free(t->labels);
    *t = (sos_segment_talk){ 0 };
}

sos_status sos_segment_talk_begin(sos_segment_talk *t, const sos_marked *picture, const sos_segment_sight *sight,
                                  const sos_segment_opening *opening, sos_error *error)
{
    const size_t width = picture->photograph.width, height = picture->photograph.height;
    *t = (sos_segment_talk){ .picture = picture, .sight = sight, .opening = *opening, .labels = calloc(width * height, 1) };
    t->moment = (sos_segment_moment){ .last = &t->last };
    t->in = (sos_segment_input){ .photograph = &picture->photograph, .marks = &t->marks, .threads = 1, .moment = &t->moment };
    sos_status status = t->labels ? SOS_OK : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of a talk");
    if (!status) status = sos_image_create(width, height, 1, &t->marks, error);
    if (!status) status = sos_image_create(width, height, 1, &t->last, error);
    if (!status) status = sos_dialogue_create(width, height, &t->dialogue, error);
    if (!status) status = sos_energy_create(sight->scene.n, &t->pairs, error);
    return status ? status : pairs_add(&sight->scene, t->pairs, error);
}

/* ---------------------------------------------------------------- a step */

static sos_status step_add(sos_segment_talk *t, bool *right, sos_error *error)
{
    const sos_marked *p = t->picture;
    *right = false;
    if (sos_dialogue_steps(t->dialogue))
        return sos_simulate_correct(&t->opening.person, p->truth, p->care, t->labels, t->dialogue, right, error);
    if (!t->opening.own) return sos_simulate_first(&t->opening.person, p->truth, p->care, t->dialogue, error);
    return sos_dialogue_add(t->dialogue, 1, &(sos_mark){ .shape = SOS_SHAPE_PIXELS, .pixels = &p->marks }, error);
}

sos_status sos_segment_talk_step(sos_segment_talk *t, bool *right, sos_error *error)
{
    t->moment.before = sos_dialogue_steps(t->dialogue) ? t->labels : NULL;
    sos_status status = step_add(t, right, error);
    if (status || *right) return status;
    status = sos_dialogue_draw(t->dialogue, sos_dialogue_steps(t->dialogue), &t->marks, error);
    return status ? status : sos_dialogue_draw_step(t->dialogue, sos_dialogue_steps(t->dialogue) - 1, &t->last, error);
}

/* ---------------------------------------------------------------- an answer */

static void costs_find(const sos_image *marks, const float response[], double costs[])
{
    for (size_t i = 0; i < sos_image_size(marks); i++) {
        costs[i] = -rint(UNIT * fmax(-ODDS_MOST, fmin(ODDS_MOST, (double)response[i])));
        if (sos_mark_is_sure(marks->pixels[i])) costs[i] = marks->pixels[i] == SOS_MARK_OBJECT ? -CERTAIN : CERTAIN;
    }
}

sos_status sos_segment_talk_answer(sos_segment_talk *t, const float response[], sos_error *error)
{
    const size_t n = t->sight->scene.n;
    sos_image marks = { 0 };
    double *costs = malloc(n * sizeof *costs);
    uint8_t *small = malloc(n);
    sos_status status = costs && small ? sos_blocks_marks(&t->sight->blocks, &t->marks, &marks, error)
                                       : sos_fail(error, SOS_ERR_MEMORY, "no memory for labels of %zu pixels", n);
    if (!status) costs_find(&marks, response, costs);
    if (!status) status = sos_energy_set_unaries(t->pairs, NULL, costs, error);
    if (!status) status = sos_minimize(t->pairs, NULL, small, NULL, error);
    if (!status) sos_blocks_grow_labels(&t->sight->blocks, small, t->labels);
    for (size_t i = 0; i < sos_image_size(&t->marks) && !status; i++)
        if (sos_mark_is_sure(t->marks.pixels[i])) t->labels[i] = t->marks.pixels[i] == SOS_MARK_OBJECT;
    sos_image_free(&marks);
    free(costs);
    free(small);
    return status;
}

/* ---------------------------------------------------------------- with a model's networks */

static sos_status networks_answer(sos_segment_talk *t, const sos_segment_response *r, sos_error *error)
{
    const size_t n = t->sight->scene.n;
    sos_segment_view v = { 0 };
    float *response = malloc(n * sizeof *response);
    sos_status status = response ? sos_segment_view_find(&t->in, t->sight, true, &v, error)
                                 : sos_fail(error, SOS_ERR_MEMORY, "no memory for responses of %zu pixels", n);
    if (!status) status = sos_segment_response_judge(r, &t->picture->photograph, &v, 1, response, error);
    if (!status) status = sos_segment_talk_answer(t, response, error);
    sos_segment_view_free(&v);
    free(response);
    return status;
}

sos_status sos_segment_talk_until(sos_segment_talk *t, const sos_segment_model *model, size_t steps, bool *right,
                                  sos_error *error)
{
    sos_status status = SOS_OK;
    *right = false;
    while (!status && !*right && sos_dialogue_steps(t->dialogue) < steps) {
        if (sos_dialogue_steps(t->dialogue)) status = networks_answer(t, &model->parts->response, error);
        if (!status) status = sos_segment_talk_step(t, right, error);
    }
    return status;
}

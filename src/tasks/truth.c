/* truth.c - true labels of an object: the meaning of their numbers, found from all pictures together. */
#include "tasks/truth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "tasks/score.h"

enum { BACKGROUND = 0, ONE = 1, HALF = 128, FULL = 255, NUMBERS = 256 };

static const char RULE[] = "true labels are 0 and 1, or 0 and 255, and 128, or 255 beside 1, where nobody is sure";

/* ---------------------------------------------------------------- one picture */

/* What a picture has been found to hold. */
typedef struct looked {
    const char *name;
    bool has[NUMBERS];
} looked;

static sos_status number_fail(const s3svm_image *numbers, size_t i, const char *name, sos_error *error)
{
    return sos_fail(error, SOS_ERR_FORMAT, "'%.300s': column %zu, row %zu is %d; %s", name, i % numbers->width,
                    i / numbers->width, numbers->pixels[i], RULE);
}

static sos_status picture_look(const s3svm_image *numbers, int unsure, looked *l, sos_error *error)
{
    const size_t n = s3svm_image_size(numbers);
    if (numbers->channels != 1)
        return sos_fail(error, SOS_ERR_ARGUMENT, "'%.300s' has %zu channels; true labels have 1", l->name, numbers->channels);
    for (size_t i = 0; i < n; i++) {
        const int v = numbers->pixels[i];
        const bool told = unsure == S3SVM_UNSURE_TOLD && v == HALF;
        if (v != BACKGROUND && v != ONE && v != FULL && v != unsure && !told) return number_fail(numbers, i, l->name, error);
        l->has[v] = true;
    }
    return SOS_OK;
}

/* ---------------------------------------------------------------- what numbers mean */

/* The first of the pictures that has a number; NULL: none does. */
static const looked *find_number(size_t count, const looked pictures[], int number)
{
    for (size_t i = 0; i < count; i++)
        if (pictures[i].has[number]) return &pictures[i];
    return NULL;
}

static bool some_has_both(size_t count, const looked pictures[])
{
    for (size_t i = 0; i < count; i++)
        if (pictures[i].has[ONE] && pictures[i].has[FULL]) return true;
    return false;
}

/* 1 and 255 are both there: is one of them not sure? */
static sos_status code_of_both(size_t count, const looked pictures[], int unsure, s3svm_truth_code *out, sos_error *error)
{
    const looked *one = find_number(count, pictures, ONE), *full = find_number(count, pictures, FULL);
    const bool told = unsure == S3SVM_UNSURE_TOLD && !find_number(count, pictures, HALF) && some_has_both(count, pictures);
    if (told || unsure == FULL) {
        *out = (s3svm_truth_code){ .object = ONE, .unsure = FULL };
        return SOS_OK;
    }
    if (unsure == ONE) {
        *out = (s3svm_truth_code){ .object = FULL, .unsure = ONE };
        return SOS_OK;
    }
    return sos_fail(error, SOS_ERR_FORMAT, "'%.150s' has labels 1, and '%.150s' 255: which one is the object?  %s", one->name,
                    full->name, RULE);
}

static sos_status code_find(size_t count, const looked pictures[], int unsure, s3svm_truth_code *out, sos_error *error)
{
    const bool one = find_number(count, pictures, ONE) != NULL, full = find_number(count, pictures, FULL) != NULL;
    if (one && full) return code_of_both(count, pictures, unsure, out, error);
    const bool first = unsure == FULL || (one && unsure != ONE); /* else the object is 255, if there is one */
    *out = (s3svm_truth_code){ .object = first ? ONE : FULL, .unsure = unsure == S3SVM_UNSURE_TOLD ? HALF : unsure };
    return SOS_OK;
}

/* ---------------------------------------------------------------- masks */

void s3svm_truth_free(s3svm_truth *t)
{
    free(t->labels);
    free(t->care);
    *t = (s3svm_truth){ 0 };
}

static sos_status truth_fill(const s3svm_image *numbers, const s3svm_truth_code *code, const char *name, s3svm_truth *t,
                             sos_error *error)
{
    const size_t n = s3svm_image_size(numbers);
    for (size_t i = 0; i < n; i++) {
        const int v = numbers->pixels[i];
        t->care[i] = v != code->unsure;
        t->labels[i] = t->care[i] && v == code->object;
        if (t->care[i] && v != code->object && v != BACKGROUND) return number_fail(numbers, i, name, error);
    }
    return SOS_OK;
}

sos_status s3svm_truth_decode(const s3svm_image *numbers, const s3svm_truth_code *code, const char *name, s3svm_truth *out,
                              sos_error *error)
{
    const size_t n = s3svm_image_size(numbers);
    looked l = { .name = name };
    s3svm_truth_code told = { 0 };
    sos_status status = picture_look(numbers, code && code->object ? code->unsure : S3SVM_UNSURE_TOLD, &l, error);
    if (!status && (!code || !code->object)) {
        status = code_find(1, &l, S3SVM_UNSURE_TOLD, &told, error);
        code = &told;
    }
    if (status) return status;
    s3svm_truth t = {
        .width = numbers->width, .height = numbers->height, .labels = malloc(n ? n : 1), .care = malloc(n ? n : 1)
    };
    status = t.labels && t.care ? truth_fill(numbers, code, name, &t, error)
                                : sos_fail(error, SOS_ERR_MEMORY, "no memory for the labels of '%.300s'", name);
    if (status)
        s3svm_truth_free(&t);
    else
        *out = t;
    return status;
}

sos_status s3svm_truth_read(const char *path, const s3svm_truth_code *code, s3svm_truth *out, sos_error *error)
{
    s3svm_image numbers;
    sos_status status = s3svm_image_read(path, S3SVM_IMAGE_LABELS, &numbers, error);
    if (status) return status;
    status = s3svm_truth_decode(&numbers, code, path, out, error);
    s3svm_image_free(&numbers);
    return status;
}

sos_status s3svm_truth_judge(const s3svm_item *item, const s3svm_image *labels, s3svm_confusion *counts,
                             s3svm_task_score *score, sos_error *error)
{
    s3svm_truth t;
    sos_status status = s3svm_truth_read(item->labels, &item->truth, &t, error);
    if (status) return status;
    status = s3svm_score_sizes(labels, &(s3svm_image){ .width = t.width, .height = t.height }, item->labels, error);
    if (!status) status = s3svm_score_judge(s3svm_image_size(labels), labels->pixels, t.labels, t.care, counts, score, error);
    s3svm_truth_free(&t);
    return status;
}

/* ---------------------------------------------------------------- sets of pictures */

struct s3svm_truth_survey {
    int unsure;
    size_t count, room;
    looked *pictures; /* with names of its own */
};

sos_status s3svm_truth_survey_create(int unsure, s3svm_truth_survey **out, sos_error *error)
{
    if (unsure != S3SVM_UNSURE_TOLD && (unsure < 1 || unsure > FULL))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the number for unsure pixels must be 1 to 255, not %d", unsure);
    s3svm_truth_survey *s = calloc(1, sizeof *s);
    if (!s) return sos_fail(error, SOS_ERR_MEMORY, "no memory to look at labels");
    s->unsure = unsure;
    *out = s;
    return SOS_OK;
}

void s3svm_truth_survey_free(s3svm_truth_survey *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->count; i++) free((char *)s->pictures[i].name);
    free(s->pictures);
    free(s);
}

sos_status s3svm_truth_survey_add(s3svm_truth_survey *s, const s3svm_image *numbers, const char *name, sos_error *error)
{
    looked l = { .name = name };
    const sos_status status = picture_look(numbers, s->unsure, &l, error);
    if (status) return status;
    const size_t bytes = strlen(name) + 1;
    char *copy = malloc(bytes);
    if (!copy || !sos_grow(&s->pictures, &s->room, s->count + 1)) {
        free(copy);
        return sos_fail(error, SOS_ERR_MEMORY, "no memory to look at '%.300s'", name);
    }
    memcpy(copy, name, bytes);
    l.name = copy;
    s->pictures[s->count++] = l;
    return SOS_OK;
}

/* What a picture can lack. */
typedef enum lack { NO_OBJECT, NO_BACKGROUND, NOTHING_SURE, LACKS } lack;

static bool picture_lacks(const looked *l, const s3svm_truth_code *code, lack what)
{
    const bool object = l->has[code->object], background = l->has[BACKGROUND];
    return what == NOTHING_SURE ? !object && !background : what == NO_OBJECT ? !object && background : object && !background;
}

/* One line for all pictures that lack the same. */
static void lack_tell(const s3svm_truth_survey *s, const s3svm_truth_code *code, lack what, const sos_work *work)
{
    static const char *const WORDS[LACKS] = { "no object", "no background", "no pixel that is sure" };
    const looked *first = NULL;
    size_t others = 0;
    char line[400], more[60] = "";
    for (size_t i = 0; i < s->count; i++) {
        if (!picture_lacks(&s->pictures[i], code, what)) continue;
        others += first != NULL;
        if (!first) first = &s->pictures[i];
    }
    if (!first) return;
    if (others) snprintf(more, sizeof more, ", and %zu more", others);
    snprintf(line, sizeof line, "'%.200s'%s: the true labels have %s", first->name, more, WORDS[what]);
    work->tell(work->user, line);
}

static sos_status teaching_check(const s3svm_truth_survey *s, const s3svm_truth_code *code, const sos_work *work,
                                 sos_error *error)
{
    const bool object = find_number(s->count, s->pictures, code->object) != NULL;
    if (!object && !find_number(s->count, s->pictures, BACKGROUND))
        return sos_fail(error, SOS_ERR_ARGUMENT, "no pixel of the true labels is sure: all are %d", code->unsure);
    if (!object) return sos_fail(error, SOS_ERR_ARGUMENT, "no picture has an object in its true labels; %s", RULE);
    for (int what = 0; what < LACKS && work && work->tell; what++) lack_tell(s, code, (lack)what, work);
    return SOS_OK;
}

sos_status s3svm_truth_survey_end(const s3svm_truth_survey *s, bool learn, const sos_work *work, s3svm_truth_code *out,
                                  sos_error *error)
{
    s3svm_truth_code code = { 0 };
    sos_status status = code_find(s->count, s->pictures, s->unsure, &code, error);
    if (!status && learn) status = teaching_check(s, &code, work, error);
    if (!status) *out = code;
    return status;
}

static sos_status item_look(s3svm_truth_survey *s, const s3svm_item *item, sos_error *error)
{
    s3svm_image numbers;
    sos_status status = s3svm_image_read(item->labels, S3SVM_IMAGE_LABELS, &numbers, error);
    if (status) return status;
    status = s3svm_truth_survey_add(s, &numbers, item->labels, error);
    s3svm_image_free(&numbers);
    return status;
}

sos_status s3svm_dataset_tell_truths(s3svm_dataset *d, int unsure, bool learn, const sos_work *work, sos_error *error)
{
    s3svm_truth_survey *s;
    s3svm_truth_code code = { 0 };
    sos_error why;
    sos_status status = s3svm_truth_survey_create(unsure, &s, error);
    if (status) return status;
    for (size_t i = 0; i < d->count && !status; i++) {
        status = item_look(s, &d->items[i], error);
        if (!learn) status = SOS_OK; /* whoever reads it will say what is wrong */
    }
    if (!status) {
        status = s3svm_truth_survey_end(s, learn, work, &code, &why);
        if (status) (void)sos_fail(error, status, "%.200s: %.290s", d->folder, why.message);
    }
    for (size_t i = 0; i < d->count && !status; i++) d->items[i].truth = code;
    s3svm_truth_survey_free(s);
    return status;
}

/* ---------------------------------------------------------------- steps of lessons */

void s3svm_truth_steps_free(s3svm_truth_steps *t)
{
    s3svm_truth_survey_free(t->survey);
    t->survey = NULL;
}

sos_status s3svm_truth_steps_look(s3svm_truth_steps *t, const s3svm_image *labels, const char *name, sos_error *error)
{
    const sos_status status = t->survey ? SOS_OK : s3svm_truth_survey_create(t->unsure, &t->survey, error);
    return status ? status : s3svm_truth_survey_add(t->survey, labels, name, error);
}

sos_status s3svm_truth_steps_settle(s3svm_truth_steps *t, const char *name, bool learn, const sos_work *work, sos_error *error)
{
    sos_error why;
    const sos_status status = s3svm_truth_survey_end(t->survey, learn, work, &t->code, &why);
    s3svm_truth_steps_free(t);
    if (!status) return SOS_OK;
    return sos_fail(error, status, "%.200s%s%.290s", name ? name : "", name ? ": " : "", why.message);
}

sos_status s3svm_truth_steps_decode(const s3svm_truth_steps *t, const s3svm_image *labels, const char *name, uint8_t **truth,
                                    uint8_t **care, sos_error *error)
{
    s3svm_truth decoded;
    const sos_status status = s3svm_truth_decode(labels, &t->code, name, &decoded, error);
    if (status) return status;
    *truth = decoded.labels;
    *care = decoded.care;
    return SOS_OK;
}

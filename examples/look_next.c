/* look_next.c - does the place that a segmenter proposes for the next mark lie in a wrong region?
 *
 *     look_next [DATA FIRST COUNT]
 *
 * DATA has photographs in images/ and true masks in labels/.  A simulated person clicks; after 1, 3 and 5 clicks the proposal
 * is compared with a pixel at random among those without a mark, with one of the band of 8 pixels along the found outline (both
 * as expectations), and with the pixel whose unary cost is least sure.  Without arguments: a drawn disc. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <s3svm/dataset.h>
#include <s3svm/segmenter.h>
#include <s3svm/simulate.h>

enum { CLICKS = 5, MOMENTS = 3, BAND = 8 };
enum { CHANCE, CHANCE_BAND, MARGIN, PROPOSED, WAYS };
static const char *const WAY[WAYS] = { "any pixel", "a pixel near the outline", "least unary margin", "where to look next" };
static const size_t MOMENT[MOMENTS] = { 1, 3, 5 };

typedef struct tally {
    double sum[MOMENTS][WAYS], squares[MOMENTS][WAYS], seconds;
    size_t count[MOMENTS];
} tally;

typedef struct subject {
    s3svm_image photograph;
    uint8_t *truth, *care;
    size_t n;
} subject;

static bool is_wrong(const subject *s, const uint8_t labels[], size_t i) { return s->care[i] && labels[i] != s->truth[i]; }

/* Is there a pixel of the other label within BAND rows and columns? */
static bool is_near_outline(const subject *s, const uint8_t labels[], size_t i)
{
    const size_t width = s->photograph.width, height = s->photograph.height, x = i % width, y = i / width;
    for (size_t v = y < BAND ? 0 : y - BAND; v <= y + BAND && v < height; v++)
        for (size_t u = x < BAND ? 0 : x - BAND; u <= x + BAND && u < width; u++)
            if (labels[v * width + u] != labels[i]) return true;
    return false;
}

static void measure(const subject *s, s3svm_segmenter *g, tally *t, size_t moment)
{
    const uint8_t *labels = s3svm_segmenter_labels(g), *marks = s3svm_segmenter_marks(g)->pixels;
    double score[WAYS] = { 0 };
    size_t all = 0, wrong = 0, near = 0, near_wrong = 0, least = SIZE_MAX;
    float *odds = malloc(s->n * sizeof *odds);
    s3svm_confidence c;
    sos_error error;
    if (!odds || s3svm_segmenter_odds(g, odds, &error) || s3svm_segmenter_confidence(g, NULL, &c, &error)) exit(1);
    for (size_t i = 0; i < s->n; i++) {
        if (s3svm_mark_is_sure(marks[i])) continue;
        const bool bad = is_wrong(s, labels, i), edge = is_near_outline(s, labels, i);
        all++;
        wrong += bad;
        near += edge;
        near_wrong += edge && bad;
        if (least == SIZE_MAX || fabsf(odds[i]) < fabsf(odds[least])) least = i;
    }
    free(odds);
    if (!all || !c.found) return;
    score[CHANCE] = (double)wrong / (double)all;
    score[CHANCE_BAND] = near ? (double)near_wrong / (double)near : score[CHANCE];
    score[MARGIN] = is_wrong(s, labels, least);
    score[PROPOSED] = is_wrong(s, labels, (size_t)c.next.y * s->photograph.width + (size_t)c.next.x);
    for (int w = 0; w < WAYS; w++) {
        t->sum[moment][w] += score[w];
        t->squares[moment][w] += score[w] * score[w];
    }
    t->count[moment]++;
    t->seconds += c.seconds;
}

/* One click after the other, each in the largest wrong region. */
static void dialogue_run(const s3svm_segment_model *model, const subject *s, tally *t)
{
    const s3svm_simulation person = s3svm_simulation_defaults();
    s3svm_segmenter *g = NULL;
    s3svm_dialogue *d = NULL;
    sos_error error;
    bool right = false;
    if (s3svm_segmenter_create(model, &s->photograph, NULL, &g, &error)) exit(1);
    if (s3svm_dialogue_create(s->photograph.width, s->photograph.height, &d, &error)) exit(1);
    for (size_t click = 1; click <= CLICKS && !right; click++) {
        const uint8_t *labels = s3svm_segmenter_labels(g);
        if (s3svm_simulate_correct(&person, s->truth, s->care, labels, d, &right, &error)) exit(1);
        if (right) break;
        const s3svm_mark mark = s3svm_dialogue_mark(d, s3svm_dialogue_steps(d) - 1, 0);
        if (s3svm_segmenter_mark(g, 1, &mark, &error)) exit(1);
        for (size_t m = 0; m < MOMENTS; m++)
            if (MOMENT[m] == click) measure(s, g, t, m);
    }
    s3svm_dialogue_free(d);
    s3svm_segmenter_free(g);
}

static void tally_print(const tally *t)
{
    printf("in a wrong region, %%      after 1 click     after 3 clicks     after 5 clicks\n");
    for (int w = 0; w < WAYS; w++) {
        printf("%-24s", WAY[w]);
        for (size_t m = 0; m < MOMENTS; m++) {
            const double n = (double)t->count[m], mean = t->sum[m][w] / n;
            const double error = sqrt(fmax(t->squares[m][w] / n - mean * mean, 0) / fmax(n - 1, 1));
            printf("    %5.1f +- %4.1f", 100 * mean, 100 * error);
        }
        printf("\n");
    }
    printf("%zu, %zu and %zu photographs; %.2f s for a proposal\n", t->count[0], t->count[1], t->count[2],
           t->seconds / (double)(t->count[0] + t->count[1] + t->count[2]));
}

/* A disc on grass, with a patch of grass on it and a patch of its own colour beside it. */
static void disc_draw(subject *s)
{
    sos_error error;
    enum { WIDTH = 120, HEIGHT = 90 };
    if (s3svm_image_create(WIDTH, HEIGHT, 3, &s->photograph, &error)) exit(1);
    s->n = WIDTH * HEIGHT;
    s->truth = calloc(s->n, 1);
    s->care = calloc(s->n, 1);
    if (!s->truth || !s->care) exit(1);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int x = i % WIDTH - 50, y = i / WIDTH - 45, noise = (x * 7919 + y * 104729 + x * y * 31) % 17;
        const bool disc = x * x + y * y < 900, red = disc ? x < 10 || y < 0 : x > 45 && y > 15;
        s->truth[i] = disc;
        s->care[i] = 1;
        for (int c = 0; c < 3; c++) s->photograph.pixels[3 * i + c] = (uint8_t)((red == (c == 0) ? 150 : 60) + noise);
    }
}

static bool photograph_read(const s3svm_item *item, subject *s)
{
    s3svm_truth truth;
    sos_error error;
    if (s3svm_image_read(item->image, S3SVM_IMAGE_COLOUR, &s->photograph, &error) ||
        s3svm_truth_read(item->labels, &item->truth, &truth, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    s->truth = truth.labels;
    s->care = truth.care;
    s->n = s3svm_image_size(&s->photograph);
    return true;
}

static void subject_free(subject *s)
{
    s3svm_image_free(&s->photograph);
    free(s->truth);
    free(s->care);
}

int main(int argc, char *argv[])
{
    s3svm_segment_model *model;
    s3svm_dataset data = { 0 };
    tally t = { 0 };
    sos_error error;
    if (s3svm_segmenter_model("s3svm", &model, &error) ||
        (argc == 4 && s3svm_dataset_open(argv[1], S3SVM_IMAGES_REQUIRED, false, &data, &error))) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    const size_t first = argc == 4 ? strtoull(argv[2], NULL, 10) : 0, count = argc == 4 ? strtoull(argv[3], NULL, 10) : 1;
    const size_t stride = argc == 4 && count && data.count > count ? data.count / count : 1;
    for (size_t i = 0; i < count; i++) {
        subject s = { 0 };
        if (argc != 4)
            disc_draw(&s);
        else if (first + i * stride >= data.count || !photograph_read(&data.items[first + i * stride], &s))
            break;
        dialogue_run(model, &s, &t);
        subject_free(&s);
    }
    tally_print(&t);
    s3svm_dataset_free(&data);
    s3svm_segment_model_free(model);
    return 0;
}

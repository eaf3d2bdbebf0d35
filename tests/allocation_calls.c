/* allocation_calls.c - calls of public functions, each with all that it needs, to be made with allocations failing: those that
 * the scenarios of test_allocation.c do not make on their way. */
#define _POSIX_C_SOURCE 200809L
#include "allocation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <s3svm/adapt.h>
#include <s3svm/confusion.h>
#include <s3svm/cutout.h>
#include <s3svm/denoise.h>
#include <s3svm/drawing.h>
#include <s3svm/embedded.h>
#include <s3svm/grabcut.h>
#include <s3svm/label.h>
#include <s3svm/noise_options.h>
#include <s3svm/segmenter.h>
#include <s3svm/task.h>
#include <s3svm/trace.h>
#include <sos/hinge.h>
#include <sos/marginals.h>
#include <sos/problem.h>

#include "learning_support.h"
#include "scratch.h"

enum { WIDTH = 12, HEIGHT = 10, PIXELS = WIDTH * HEIGHT, PHOTOGRAPHS = 4 };

static const sos_work ALONE = { .threads = 1 };

/* ---------------------------------------------------------------- a photograph with all that belongs to it */

static uint8_t colours[3 * PIXELS], greys[PIXELS], truth[PIXELS], care[PIXELS], mark_numbers[PIXELS];
static float odds[PIXELS], noisy_greys[PIXELS];
static const s3svm_image photograph = { WIDTH, HEIGHT, 3, colours }, grey = { WIDTH, HEIGHT, 1, greys },
                         marks = { WIDTH, HEIGHT, 1, mark_numbers }, numbers = { WIDTH, HEIGHT, 1, truth };
static const s3svm_maps maps = { WIDTH, HEIGHT, 1, odds };
static const s3svm_plane noisy = { WIDTH, HEIGHT, noisy_greys };
static const uint8_t *const truths[] = { truth };
static s3svm_dialogue *dialogue;

static void photograph_fill(void)
{
    for (size_t i = 0; i < PIXELS; i++) {
        const size_t x = i % WIDTH, y = i / WIDTH;
        const bool object = x > 2 && x < 9 && y > 2 && y < 8;
        for (size_t c = 0; c < 3; c++) colours[3 * i + c] = (uint8_t)((object ? 180 : 40) + (x * 7 + y * 13 + c * 5) % 23);
        truth[i] = object;
        care[i] = 1;
        greys[i] = object ? 0 : 255;
        noisy_greys[i] = (float)(object ? 0.2 : 0.8) + (float)((x * 5 + y * 3) % 7) / 50;
        odds[i] = object ? 1.5F : -1.5F;
        mark_numbers[i] = y == 5 && x > 4 && x < 8 ? S3SVM_MARK_OBJECT : y == 0 ? S3SVM_MARK_BACKGROUND : S3SVM_MARK_NONE;
    }
}

/* What the photograph is read from, as PGM and PPM, which need no library. */
static const char *path_of(const char *name) { return scratch(name); }

static void file_copy(const char *folder, const char *name, const s3svm_image *image)
{
    char path[600];
    sos_error error;
    snprintf(path, sizeof path, "%.300s/%s/%s", scratch_folder(), folder, name);
    check_ok(s3svm_image_write(image, path, &error), error);
}

static void folder_make(const char *name)
{
    char path[600];
    snprintf(path, sizeof path, "%.300s/%s", scratch_folder(), name);
    check(!mkdir(path, 0700));
}

static void data_make(void)
{
    static const char *const FOLDERS[] = { "data", "data/images", "data/labels", "data/scribbles", "data/maps" };
    char path[600];
    sos_error error;
    for (size_t i = 0; i < sizeof FOLDERS / sizeof *FOLDERS; i++) folder_make(FOLDERS[i]);
    for (int i = 0; i < 2; i++) {
        const char name[] = { (char)('a' + i), '\0' };
        char file[16];
        snprintf(file, sizeof file, "%s.ppm", name);
        file_copy("data/images", file, &photograph);
        snprintf(file, sizeof file, "%s.pgm", name);
        file_copy("data/labels", file, &numbers);
        file_copy("data/scribbles", file, &marks);
        snprintf(path, sizeof path, "%.300s/data/maps/%s.npy", scratch_folder(), name);
        check_ok(s3svm_npy_write(&maps, path, &error), error);
    }
}

int allocation_calls_begin(void **state)
{
    sos_error error;
    if (scratch_make(state)) return -1;
    photograph_fill();
    check_ok(s3svm_dialogue_of_marks(&marks, &dialogue, &error), error);
    data_make();
    return 0;
}

int allocation_calls_end(void **state)
{
    char command[400];
    (void)state;
    s3svm_dialogue_free(dialogue);
    snprintf(command, sizeof command, "rm -rf '%.300s'", scratch_folder());
    return system(command); /* NOLINT: the name is our own */
}

/* ---------------------------------------------------------------- energies */

static const double AND[] = { 0, 1, 1, 0 }, PATCH[16] = { 0, 2, 2, 2, 2, 2, 4, 2, 2, 4, 2, 2, 2, 2, 2, 0 };
static const double EIGHT[] = { 0, 1, 1, 1, 1, 1, 1, 0 }, CUBE[256];
static const uint32_t PAIRS[] = { 0, 1, 1, 2 };

static sos_energy *grid_make(void)
{
    sos_energy *e = NULL;
    uint32_t table = 9;
    const double weights[] = { 1, 2 };
    attempt(sos_energy_create(12, &e, &error));
    attempt(sos_energy_add_table(e, 2, AND, &table, &error));
    attempt(sos_energy_add_listed(e, 2, (uint32_t[]){ table, table }, PAIRS, weights, &error));
    attempt(sos_energy_set_weights(e, 0, 2, (double[]){ 2, 1 }, &error));
    attempt(sos_energy_set_table(e, table, AND, &error));
    attempt(sos_energy_add_table(e, 4, PATCH, &table, &error));
    attempt(sos_energy_add_patches(e, table, 4, 3, 2, 2, NULL, &error));
    attempt(sos_energy_add_table(e, 8, CUBE, &table, &error));
    attempt(sos_energy_add_volume_patches(e, table, 2, 2, 3, 2, 2, 2, NULL, &error));
    for (size_t i = 0; i < 12; i++) attempt(sos_energy_set_unary(e, i, (double)(i % 3), (double)(i % 5), &error));
    return e;
}

static void minimise_otherwise(uint64_t c)
{
    (void)c;
    uint8_t labels[12];
    double rises[24], most[12], nearest[8], unary[12], to_tables[4 + 16 + 256];
    sos_energy *e = grid_make();
    sos_hinge *h = NULL;
    const sos_marginals_settings marginals = { .work.threads = 1 };
    const sos_hinge_settings hinge = { .memory = 1 << 20, .work.threads = 1 };
    for (size_t i = 0; i < 12; i++) unary[i] = (double)(i * 5 % 7) - 3;
    sos_hinge_item item = { .unary = unary, .truth = truth, .keep = 1, .to_tables = to_tables, .labels = labels };
    attempt(sos_min_marginals(e, 12, NULL, NULL, &marginals, labels, rises, most, NULL, &error));
    attempt(sos_table_nearest(3, EIGHT, nearest, &error));
    attempt(sos_hinge_create(e, &h, &error));
    for (int again = 0; again < 2; again++) attempt_or_without(sos_hinge_run(h, 1, &item, &hinge, &error)); /* nothing kept */
    sos_hinge_free(h);
    sos_energy_free(e);
}

static sos_multi_energy *multi_make(void)
{
    sos_multi_energy *e = NULL;
    uint32_t set = 0;
    const double place[] = { 0, 1, 2 }, value[] = { 0, 1, 1, 0, 1, 1, 0, 1, 1 };
    static double patches[3 * 16], cubes[3 * 256];
    attempt(sos_multi_energy_create(12, 3, &e, &error));
    attempt(sos_multi_energy_add_constant(e, 1, &error));
    attempt(sos_multi_energy_set_unary(e, 1, (double[]){ 1, 0, 2 }, &error));
    attempt(sos_multi_energy_add_tables(e, 4, patches, &set, &error));
    attempt(sos_multi_energy_set_tables(e, set, patches, &error));
    attempt(sos_multi_energy_add_patches(e, set, 4, 3, 2, 2, NULL, &error));
    attempt(sos_multi_energy_add_tables(e, 8, cubes, &set, &error));
    attempt(sos_multi_energy_add_volume_patches(e, set, 2, 2, 3, 2, 2, 2, NULL, &error));
    attempt(sos_multi_energy_add_pieces(e, 2, PAIRS, NULL, 3, place, value, 1, &error));
    attempt(sos_multi_energy_set_pieces(e, 0, value, &error));
    attempt(sos_multi_energy_set_count_weights(e, 0, 1, (double[]){ 2 }, &error));
    return e;
}

static void write_and_read_energies(uint64_t c)
{
    (void)c;
    sos_energy *e = grid_make(), *again = NULL;
    sos_multi_energy *multi = multi_make(), *multi_again = NULL;
    FILE *file = tmpfile();
    check(file != NULL);
    attempt(sos_energy_write(e, path_of("e.sos"), SOS_FORMAT_AUTO, &error));
    attempt(sos_energy_read(path_of("e.sos"), SOS_FORMAT_AUTO, &again, &error));
    attempt(sos_energy_write_stream(e, file, SOS_FORMAT_SOS, &error));
    attempt(sos_multi_energy_write(multi, path_of("m.sos"), SOS_FORMAT_AUTO, &error));
    attempt(sos_multi_energy_read(path_of("m.sos"), SOS_FORMAT_AUTO, &multi_again, &error));
    fclose(file);
    sos_energy_free(e);
    sos_energy_free(again);
    sos_multi_energy_free(multi);
    sos_multi_energy_free(multi_again);
}

void energies_in_other_ways_survive(void **state)
{
    (void)state;
    check_some_allocations(minimise_otherwise, 0, 120);
}

void files_survive(void **state)
{
    (void)state;
    check_some_allocations(write_and_read_energies, 0, 150);
}

/* ---------------------------------------------------------------- pictures */

static void pass_a_picture_around(uint64_t c)
{
    (void)c;
    s3svm_image image = { 0 }, again = { 0 }, drawn = { 0 }, seen = { 0 };
    s3svm_picture picture = { 0 }, other = { 0 };
    s3svm_plane plane = { 0 }, with_noise = { 0 };
    const s3svm_noise noise = s3svm_noise_defaults(S3SVM_NOISE_PLAIN);
    const uint32_t palette[] = { 0x000000, 0xffffff };
    uint8_t *bytes = NULL;
    size_t length = 0, width, height;
    float sure[PIXELS] = { 0 };
    attempt(s3svm_image_create(WIDTH, HEIGHT, 3, &image, &error));
    attempt(s3svm_image_write(&photograph, path_of("p.ppm"), &error));
    attempt(s3svm_image_probe(path_of("p.ppm"), &width, &height, &error));
    attempt(s3svm_image_read(path_of("p.ppm"), S3SVM_IMAGE_COLOUR, &again, &error));
    attempt(s3svm_picture_read(path_of("p.ppm"), &picture, &error));
    attempt(s3svm_picture_write(&picture, path_of("q.ppm"), &error));
    attempt(s3svm_picture_seen(&picture, &seen, &error));
    s3svm_image_free(&seen);
    attempt(s3svm_image_grey(&photograph, &seen, &error));
    attempt(s3svm_image_to_plane(&grey, &plane, &error));
    s3svm_plane_free(&plane);
    attempt(s3svm_plane_create(WIDTH, HEIGHT, &plane, &error));
    attempt(s3svm_noise_add(&noise, 1, &grey, &with_noise, &error));
    attempt(s3svm_drawing_make(40, 32, c, 1, &drawn, &error));
    s3svm_image_free(&drawn);
    attempt(s3svm_plane_to_image(&with_noise, &drawn, &error));
    s3svm_image_free(&drawn);
    attempt(s3svm_confidence_image(WIDTH, HEIGHT, sure, &drawn, &error));
    if (s3svm_image_has_png()) {
        attempt(s3svm_image_write_palette(&numbers, 2, palette, path_of("l.png"), &error));
        attempt(s3svm_image_encode_palette(&numbers, 2, palette, &bytes, &length, &error));
        free(bytes);
        attempt(s3svm_picture_encode(&picture, &bytes, &length, &error));
        free(bytes);
        attempt(s3svm_image_encode(&photograph, &bytes, &length, &error));
        attempt(s3svm_image_measure(bytes, length, "p", &width, &height, &error));
        s3svm_image_free(&again);
        attempt(s3svm_image_parse(bytes, length, "p", S3SVM_IMAGE_GREY, &again, &error));
        attempt(s3svm_picture_parse(bytes, length, "p", &other, &error));
        free(bytes);
    }
    s3svm_image *const images[] = { &image, &again, &drawn, &seen };
    for (size_t i = 0; i < 4; i++) s3svm_image_free(images[i]);
    s3svm_picture_free(&picture);
    s3svm_picture_free(&other);
    s3svm_plane_free(&plane);
    s3svm_plane_free(&with_noise);
}

void pictures_survive(void **state)
{
    (void)state;
    for (uint64_t c = 0; c < 2; c++) check_some_allocations(pass_a_picture_around, c, 100);
}

static void cut_out(uint64_t c)
{
    (void)c;
    s3svm_image matte = { 0 }, look = { 0 };
    s3svm_picture cutout = { 0 };
    const s3svm_picture whole = { .image = photograph };
    uint8_t white[3] = { 255, 255, 255 };
    const s3svm_image paper = { 1, 1, 3, white };
    size_t box[4];
    attempt(s3svm_cutout_matte(&photograph, truth, 2, 1, &matte, &error));
    attempt(s3svm_cutout_picture(&whole, truth, 2, 1, &cutout, &error));
    attempt(s3svm_cutout_trim(&cutout, box, &error));
    attempt(s3svm_cutout_lay(&cutout, &paper, &error));
    attempt(s3svm_cutout_overlay(&photograph, truth, &marks, 1, &look, &error));
    s3svm_image_free(&matte);
    s3svm_image_free(&look);
    s3svm_picture_free(&cutout);
}

static void read_scribbles(uint64_t c)
{
    (void)c;
    s3svm_dialogue *d[3] = { NULL };
    s3svm_image read = { 0 }, sure = { 0 };
    attempt(s3svm_dialogue_of_marks(&marks, &d[0], &error));
    attempt(s3svm_image_create(WIDTH, HEIGHT, 1, &sure, &error));
    attempt(s3svm_dialogue_draw_sure(d[0], &sure, &error));
    attempt(s3svm_image_write(&marks, path_of("s.pgm"), &error));
    attempt(s3svm_scribbles_read(path_of("s.pgm"), &photograph, NULL, &read, NULL, &error));
    attempt(s3svm_dialogue_read_scribbles(path_of("s.pgm"), &photograph, NULL, &d[1], NULL, &error));
    attempt(s3svm_dialogue_write(d[0], path_of("d.json"), &error));
    if (sos_has("models")) attempt(s3svm_dialogue_read(path_of("d.json"), &d[2], &error));
    for (size_t i = 0; i < 3; i++) s3svm_dialogue_free(d[i]);
    s3svm_image_free(&read);
    s3svm_image_free(&sure);
}

void cut_outs_survive(void **state)
{
    (void)state;
    check_some_allocations(cut_out, 0, 60);
    check_some_allocations(read_scribbles, 0, 80);
}

/* ---------------------------------------------------------------- maps, truths, data sets */

static void use_maps(uint64_t c)
{
    (void)c;
    s3svm_maps read[3] = { { 0 } };
    s3svm_maps_calibration learned, again;
    const s3svm_truth known = { WIDTH, HEIGHT, truth, care, { 0 } };
    char *bytes = NULL;
    double doubt;
    attempt(s3svm_maps_create(WIDTH, HEIGHT, 1, &read[0], &error));
    attempt(s3svm_npy_write(&maps, path_of("m.npy"), &error));
    attempt(s3svm_npy_read(path_of("m.npy"), &read[1], &error));
    attempt(s3svm_maps_read(path_of("m.npy"), &read[2], &error));
    attempt(s3svm_maps_calibration_guess(1, &maps, &again, &error));
    attempt(s3svm_maps_calibrate(1, &maps, &known, &ALONE, &learned, NULL, &error));
    attempt(s3svm_maps_calibration_write(&learned, path_of("c.json"), &error));
    attempt(s3svm_maps_apply(&learned, &read[2], &error));
    attempt(s3svm_maps_doubt(&read[2], truth, &doubt, &error));
    if (sos_has("models")) attempt(s3svm_maps_calibration_read(path_of("c.json"), &again, &error));
    static const char TEXT[] =
        "{\"format\": \"s3svm calibration\", \"version\": 1, \"numbers\": \"odds\", \"scale\": 2, \"offset\": 0}";
    if (sos_has("models")) attempt(s3svm_maps_calibration_parse(TEXT, sizeof TEXT - 1, "c", &again, &error));
    s3svm_maps_free(&read[1]);
    FILE *file = fopen(path_of("m.npy"), "rb");
    check(file != NULL);
    bytes = malloc(1 << 12);
    const size_t length = fread(bytes, 1, 1 << 12, file);
    fclose(file);
    attempt(s3svm_maps_parse(bytes, length, "m.npy", &read[1], &error));
    free(bytes);
    for (size_t i = 0; i < 3; i++) s3svm_maps_free(&read[i]);
}

void maps_survive(void **state)
{
    (void)state;
    check_some_allocations(use_maps, 0, 80);
}

static void open_data(uint64_t c)
{
    (void)c;
    char folder[400], sub[420];
    s3svm_dataset d = { 0 };
    s3svm_folder_list list = { 0 };
    s3svm_truth decoded = { 0 };
    s3svm_truth_code code;
    s3svm_truth_survey *survey = NULL;
    s3svm_confusion counts = { 0 };
    uint64_t hash;
    size_t others;
    snprintf(folder, sizeof folder, "%.300s/data", scratch_folder());
    attempt(s3svm_dataset_open(folder, S3SVM_IMAGES_REQUIRED, true, &d, &error));
    attempt(s3svm_dataset_find_maps(&d, &error));
    attempt(s3svm_dataset_hash(&d, &hash, &error));
    attempt(s3svm_dataset_tell_truths(&d, S3SVM_UNSURE_TOLD, true, &ALONE, &error));
    attempt(s3svm_truth_read(d.items[0].labels, NULL, &decoded, &error));
    s3svm_truth_free(&decoded);
    s3svm_dataset_free(&d);
    snprintf(sub, sizeof sub, "%s/images", folder);
    attempt(s3svm_folder_pictures(sub, &list, &others, &error));
    s3svm_folder_list_free(&list);
    snprintf(sub, sizeof sub, "%s/scribbles", folder);
    attempt(s3svm_folder_scribbles(sub, &list, &others, &error));
    s3svm_folder_list_free(&list);
    snprintf(sub, sizeof sub, "%s/maps", folder);
    attempt(s3svm_folder_maps(sub, &list, &others, &error));
    s3svm_folder_list_free(&list);
    attempt(s3svm_truth_survey_create(S3SVM_UNSURE_TOLD, &survey, &error));
    attempt(s3svm_truth_survey_add(survey, &numbers, "n", &error));
    attempt(s3svm_truth_survey_end(survey, true, &ALONE, &code, &error));
    attempt(s3svm_truth_decode(&numbers, &code, "n", &decoded, &error));
    attempt(s3svm_confusion_create(3, &counts, &error));
    s3svm_truth_survey_free(survey);
    s3svm_truth_free(&decoded);
    s3svm_confusion_free(&counts);
}

static void set_options(uint64_t c)
{
    (void)c;
    static s3svm_label_names names;
    typedef struct settings {
        int64_t seed;
    } settings;
    const s3svm_option option = { "seed", 0, S3SVM_SETS_INTEGER(settings, seed), "N", "seed", 0, 9 };
    const s3svm_noise_options none = s3svm_noise_options_none();
    settings s;
    attempt(s3svm_option_set(&option, &s, "7", &error));
    attempt(s3svm_noise_options_check(&none, &error));
    attempt(s3svm_label_names_default(3, &names, &error));
    attempt(s3svm_label_names_parse("sky=8080ff,grass", &names, &error));
}

void data_sets_survive(void **state)
{
    (void)state;
    check_some_allocations(open_data, 0, 120);
    set_options(0); /* which takes no memory */
}

/* ---------------------------------------------------------------- learning */

static const sos_group GROUPS[] = {
    { .name = "colour", .kind = SOS_GROUP_FREE, .size = 2 },
    { .name = "pair", .kind = SOS_GROUP_TABLE, .size = 2 },
};

static sos_status nothing_violates(void *user, size_t i, const double w[], double difference[], double *loss, double *missed,
                                   sos_error *error)
{
    const size_t *weights = user;
    (void)w, (void)error;
    for (size_t k = 0; k < *weights; k++) difference[k] = k == i ? 1 : 0;
    *loss = 1;
    *missed = 0;
    return SOS_OK;
}

static sos_status example_make(void *user, size_t i, sos_example **out, sos_error *error)
{
    const sos_model *m = user;
    const double values[] = { 1, -1, 0.5, 1, -1, 2, 1, 1 };
    sos_status status = sos_example_create(m, 4, out, error);
    if (!status) status = sos_example_set_dense_features(*out, 0, values, 0, 0, error);
    if (!status) status = sos_example_set_truth(*out, i ? truth : care, NULL, error);
    if (status) sos_example_free(*out);
    return status;
}

static sos_train_settings two_rounds(void)
{
    sos_train_settings s = sos_train_defaults();
    s.rounds = 2;
    s.gap = 0;
    s.work.threads = 1;
    return s;
}

/* An example from grids; then problems and models in files. */
static void write_and_read_a_problem(uint64_t c)
{
    static const sos_group GRID[] = { { .name = "pairs", .kind = SOS_GROUP_NONNEGATIVE, .size = 1 },
                                      { .name = "patch", .kind = SOS_GROUP_TABLE, .size = 4 },
                                      { .name = "cube", .kind = SOS_GROUP_TABLE, .size = 8 } };
    (void)c;
    sos_model *m = NULL, *again = NULL;
    sos_example *x = NULL, **read = NULL;
    uint32_t number;
    size_t count = 0, length = 0;
    char *text = NULL;
    static double phi[4 * 12];
    attempt(sos_model_create(2, &m, &error));
    for (size_t g = 0; g < 3; g++) attempt(sos_model_add_group(m, &GRID[g], &number, &error));
    attempt(sos_example_create(m, 12, &x, &error));
    attempt(sos_example_add_grid_pairs(x, 0, 4, 3, 4, phi, &error));
    attempt(sos_example_add_patches(x, 1, 4, 3, 2, 2, NULL, &error));
    attempt(sos_example_add_volume_patches(x, 2, 2, 2, 3, 2, 2, 2, NULL, &error));
    attempt(sos_example_set_scale(x, 2, &error));
    attempt(sos_example_set_truth(x, truth, NULL, &error));
    attempt(sos_problem_write(m, 1, &x, path_of("p.txt"), &error));
    attempt(sos_problem_read(path_of("p.txt"), NULL, &again, &count, &read, &error));
    sos_example_free(read[0]);
    free(read);
    sos_model_free(again);
    attempt(sos_problem_write_memory(m, 1, &x, &text, &length, &error));
    attempt(sos_problem_parse(text, length, "p", NULL, &again, &count, &read, &error));
    free(text);
    sos_example_free(read[0]);
    free(read);
    sos_model_free(again);
    again = NULL;
    attempt(sos_model_write(m, path_of("m.json"), &error));
    if (sos_has("models")) attempt(sos_model_read(path_of("m.json"), &again, &error));
    sos_model_free(again);
    again = NULL;
    attempt(sos_model_write_memory(m, &text, &length, &error));
    if (sos_has("models")) attempt(sos_model_parse(text, length, "m", &again, &error));
    free(text);
    sos_model_free(again);
    sos_example_free(x);
    sos_model_free(m);
}

static void train_otherwise(uint64_t c)
{
    (void)c;
    sos_model *m = NULL;
    sos_example *examples[2] = { NULL };
    const sos_train_settings s = two_rounds();
    const double values[] = { 1, 10 };
    double losses[2];
    size_t best, weights;
    uint32_t number;
    sos_error built;
    check_ok(sos_model_create(2, &m, &built), built);
    for (size_t g = 0; g < 2; g++) check_ok(sos_model_add_group(m, &GROUPS[g], &number, &built), built);
    weights = sos_model_weight_count(m);
    for (size_t i = 0; i < 2; i++) check_ok(example_make(m, i, &examples[i], &built), built);
    const sos_oracle answers = { .examples = 2, .user = &weights, .violate = nothing_violates };
    const sos_example_source source = { .count = 2, .user = m, .make = example_make };
    attempt(sos_train_oracle(m, &answers, &s, NULL, &error));
    attempt(sos_train_source(m, &source, &s, NULL, &error));
    attempt(sos_train_folds(m, 2, examples, 2, 2, values, &s, losses, &best, &error));
    for (size_t i = 0; i < 2; i++) sos_example_free(examples[i]);
    sos_model_free(m);
}

void other_ways_to_learn_survive(void **state)
{
    (void)state;
    check_some_allocations(write_and_read_a_problem, 0, 150);
    check_some_allocations(train_otherwise, 0, 120);
}

/* ---------------------------------------------------------------- tasks */

static void restore(uint64_t c)
{
    (void)c;
    sos_model *m = NULL;
    s3svm_denoise_model *prepared = NULL;
    sos_example *x = NULL;
    uint8_t labels[PIXELS];
    const s3svm_denoise_input in = { .noisy = &noisy, .truth = truth };
    attempt(s3svm_denoise_create(S3SVM_DENOISE_FAR_COUNTS, 1, &noisy, truths, NULL, &m, &error));
    attempt(s3svm_denoise_model_create(m, &prepared, &error));
    attempt(s3svm_denoise_model_predict(prepared, &noisy, labels, &error));
    attempt(s3svm_denoise_model_predict_input(prepared, &in, labels, &error));
    attempt(s3svm_denoise_model_example_input(prepared, &in, true, &x, &error));
    sos_example_free(x);
    attempt(s3svm_denoise_model_examples(prepared, 1, &noisy, truths, true, &ALONE, &x, &error));
    sos_example_free(x);
    s3svm_denoise_model_free(prepared);
    sos_model_free(m);
}

void models_of_drawings_survive(void **state)
{
    (void)state;
    if (sos_has("models")) check_some_allocations(restore, 0, 80);
}

static void trace(uint64_t c)
{
    (void)c;
    sos_model *m = NULL;
    s3svm_trace_model *prepared = NULL;
    sos_example *x = NULL;
    uint8_t labels[PIXELS];
    const s3svm_trace_pictures pictures = { .count = 1, .images = &photograph, .truths = truths, .maps = &maps };
    const s3svm_maps_settings odds_of_label = { .kind = S3SVM_MAPS_WEIGHTS };
    s3svm_trace_settings s = s3svm_trace_defaults();
    size_t channels = 0;
    s.alone = true;
    s.work = ALONE;
    attempt(s3svm_trace_create(S3SVM_TRACE_PAIRS, &pictures, &s, &m, &error));
    attempt(s3svm_maps_learn(m, &odds_of_label, 1, &maps, &error));
    attempt(s3svm_maps_needed(m, &channels, &error));
    attempt(s3svm_trace_model_create(m, &prepared, &error));
    attempt(s3svm_trace_model_example(prepared, &photograph, &maps, &x, &error));
    sos_example_free(x);
    attempt(s3svm_trace_model_examples(prepared, &pictures, true, &ALONE, &x, &error));
    attempt(s3svm_trace_model_predict(prepared, &photograph, &maps, labels, &error));
    sos_example_free(x);
    s3svm_trace_model_free(prepared);
    sos_model_free(m);
}

static void find_centre_lines(uint64_t c)
{
    (void)c;
    s3svm_centre_lines lines;
    char *text = NULL;
    size_t length;
    attempt(s3svm_centre_lines_find(WIDTH, HEIGHT, truth, &lines, &error));
    attempt(s3svm_centre_lines_write_svg(&lines, WIDTH, HEIGHT, path_of("l.svg"), &error));
    attempt(s3svm_centre_lines_write_geojson(&lines, path_of("l.geojson"), &error));
    attempt(s3svm_centre_lines_encode_svg(&lines, WIDTH, HEIGHT, &text, &length, &error));
    free(text);
    attempt(s3svm_centre_lines_encode_geojson(&lines, &text, &length, &error));
    free(text);
    s3svm_centre_lines_free(&lines);
}

void models_of_thin_structures_survive(void **state)
{
    (void)state;
    check_some_allocations(find_centre_lines, 0, 60);
    if (sos_has("models")) check_some_allocations(trace, 0, 60);
}

static void label_with_maps(uint64_t c)
{
    (void)c;
    static s3svm_label_names names;
    const s3svm_label_pictures pictures = { .count = 1, .labels = 2, .pictures = &photograph, .truths = truths };
    const s3svm_label_design design = s3svm_label_design_of(S3SVM_LABEL_PAIRWISE);
    const s3svm_label_input in = { .picture = &photograph };
    s3svm_label_learning s = s3svm_label_learning_defaults();
    s3svm_label_features *features = NULL;
    s3svm_label_model *prepared = NULL;
    sos_model *m = NULL;
    sos_example *x = NULL;
    uint8_t labels[PIXELS];
    sos_error built;
    s.clusters = 2;
    s.epochs = 1;
    s.work = ALONE;
    check_ok(s3svm_label_names_default(2, &names, &built), built);
    attempt(s3svm_label_features_learn(&pictures, &s, &features, &error));
    attempt(s3svm_label_create(&design, features, &names, &m, &error));
    s3svm_label_features_free(features);
    attempt(s3svm_label_model_create(m, &prepared, &error));
    attempt(s3svm_label_model_example(prepared, &pictures, 0, true, &x, &error));
    attempt(s3svm_label_model_predict_input(prepared, &in, labels, &error));
    sos_example_free(x);
    s3svm_label_model_free(prepared);
    sos_model_free(m);
}

/* Of a photograph of each other number, so that there are some to learn from. */
static void photographs_make(size_t count, s3svm_marked out[])
{
    for (size_t i = 0; i < count; i++)
        out[i] = (s3svm_marked){ .photograph = photograph, .marks = marks, .truth = truth, .care = care };
}

static void learn_to_segment(uint64_t c)
{
    s3svm_segment_settings s = s3svm_segment_defaults();
    s3svm_marked photographs[2], copy = { 0 };
    sos_model *m = NULL;
    s3svm_segment_model *prepared = NULL;
    sos_example *x[2 * S3SVM_SEGMENT_MOMENTS] = { NULL };
    const s3svm_segment_input in = { .photograph = &photograph, .marks = &marks, .threads = 1 };
    s.method = S3SVM_SEGMENT_AMN;
    s.features = c ? S3SVM_SEGMENT_FULL : S3SVM_SEGMENT_PAPER;
    s.dialogues = c;
    s.samples = 40;
    s.work = ALONE;
    photographs_make(2, photographs);
    attempt(s3svm_segment_create(&s, 2, photographs, &m, &error));
    attempt(s3svm_segment_model_create(m, &prepared, &error));
    attempt(s3svm_segment_model_example(prepared, &in, truth, care, &x[0], &error));
    sos_example_free(x[0]);
    attempt(s3svm_segment_model_examples(prepared, 2, photographs, NULL, NULL, &ALONE, x, &error));
    for (size_t i = 0; i < 2; i++) sos_example_free(x[i]);
    if (c) {
        attempt(s3svm_segment_model_dialogues(prepared, 2, photographs, 1, NULL, &ALONE, x, &error));
        for (size_t i = 0; i < sizeof x / sizeof *x; i++) sos_example_free(x[i]);
        attempt(s3svm_segment_outline_learn(m, 2, photographs, NULL, &ALONE, &error));
    }
    sos_error built;
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 3, &copy.photograph, &built), built);
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 1, &copy.marks, &built), built);
    memset(copy.photograph.pixels, 1, 3 * PIXELS);
    memset(copy.marks.pixels, 0, PIXELS);
    attempt(s3svm_marked_shrink(&copy, 2, &error));
    s3svm_marked_free(&copy);
    s3svm_segment_model_free(prepared);
    sos_model_free(m);
}

static void adapt(uint64_t c)
{
    (void)c;
    s3svm_marked photographs[PHOTOGRAPHS];
    s3svm_adapt_settings s = s3svm_adapt_defaults();
    sos_model *from = NULL, *m = NULL;
    s.folds = 0;
    s.work = ALONE;
    photographs_make(PHOTOGRAPHS, photographs);
    attempt(s3svm_embedded_model("segment-amn", &from, &error));
    attempt(s3svm_segment_adapt(from, PHOTOGRAPHS, photographs, &s, &m, NULL, &error));
    sos_model_free(m);
    sos_model_free(from);
}

void models_of_photographs_survive(void **state)
{
    (void)state;
    if (!sos_has("models")) return;
    check_some_allocations(label_with_maps, 0, 60);
    for (uint64_t c = 0; c < 2; c++) check_some_allocations(learn_to_segment, c, 40);
    check_some_allocations(adapt, 0, 8);
}

static void segment(uint64_t c)
{
    (void)c;
    s3svm_segment_model *model = NULL;
    s3svm_segmenter *s = NULL;
    s3svm_segmentation_settings settings = s3svm_segmentation_defaults();
    s3svm_grabcut_settings cut = s3svm_grabcut_defaults();
    s3svm_confidence found;
    s3svm_image own = { 0 };
    uint8_t labels[PIXELS];
    float unary[PIXELS];
    const s3svm_point places[] = { { 5, 5 }, { 7, 6 } };
    const s3svm_mark stroke = { .label = S3SVM_MARK_OBJECT, .radius = 1, .count = 2, .points = places };
    sos_error built;
    settings.work = cut.work = ALONE;
    settings.maps = &maps;
    attempt(s3svm_segmenter_model("amn", &model, &error));
    attempt(s3svm_segmenter_create(model, &photograph, &settings, &s, &error));
    attempt(s3svm_segmenter_propose(s, &error));
    attempt(s3svm_segmenter_mark(s, 1, &stroke, &error));
    attempt(s3svm_segmenter_replay(s, dialogue, 1, &error));
    attempt(s3svm_segmenter_step(s, dialogue, 0, &error));
    attempt(s3svm_segmenter_odds(s, unary, &error));
    attempt(s3svm_segmenter_confidence(s, unary, &found, &error));
    attempt(s3svm_photograph_segment(model, &photograph, dialogue, &settings, labels, NULL, &error));
    check_ok(s3svm_image_create(WIDTH, HEIGHT, 1, &own, &built), built);
    memcpy(own.pixels, mark_numbers, PIXELS);
    attempt(s3svm_grabcut(&photograph, &own, &cut, NULL, &error));
    s3svm_image_free(&own);
    s3svm_segmenter_free(s);
    s3svm_segment_model_free(model);
}

void segmenters_survive(void **state)
{
    (void)state;
    if (sos_has("models")) check_some_allocations(segment, 0, 60);
}

static void run_a_task(uint64_t c)
{
    (void)c;
    const s3svm_task *task = NULL;
    s3svm_task_model *model = NULL;
    s3svm_task_result result;
    sos_model *m = NULL;
    sos_example *x = NULL;
    uint8_t labels[PIXELS];
    char folder[400], out[420], *const outputs[] = { out };
    s3svm_dataset d = { 0 };
    sos_error built;
    snprintf(folder, sizeof folder, "%.300s/data", scratch_folder());
    snprintf(out, sizeof out, "%s.png", folder);
    check_ok(s3svm_embedded_model("denoise", &m, &built), built);
    check_ok(s3svm_dataset_open(folder, S3SVM_IMAGES_REQUIRED, false, &d, &built), built);
    attempt(s3svm_task_of(m, &task, &error));
    attempt(s3svm_task_model_create(task, m, &model, &error));
    const s3svm_task_input in = { .width = WIDTH, .height = HEIGHT, .grey = noisy };
    attempt(s3svm_task_model_predict(model, &in, labels, &error));
    attempt(s3svm_task_model_example(model, &in, &x, &error));
    if (s3svm_image_has_png()) attempt(s3svm_task_model_write(model, &numbers, out, &error));
    const s3svm_task_job job = {
        .model = model, .count = 1, .items = d.items, .outputs = s3svm_image_has_png() ? outputs : NULL, .work.threads = 1
    };
    attempt(s3svm_task_run(&job, &result, &error));
    sos_example_free(x);
    s3svm_task_model_free(model);
    s3svm_dataset_free(&d);
    sos_model_free(m);
}

static void make_a_lesson(uint64_t c)
{
    (void)c;
    const s3svm_task *task = s3svm_task_find("denoise");
    void *settings = s3svm_form_create(task->form);
    s3svm_lesson made = { 0 };
    const s3svm_task_picture picture = { .name = "one",
                                         .in = { .width = WIDTH, .height = HEIGHT, .grey = noisy },
                                         .labels = grey };
    const s3svm_lesson_data data = { .count = 1, .pictures = &picture };
    sos_error built;
    check(settings != NULL);
    check_ok(s3svm_option_set(s3svm_option_find(task->form->options, "model"), settings, "paper", &built), built);
    attempt(s3svm_lesson_make(task, settings, NULL, &data, NULL, &ALONE, &made, &error));
    s3svm_lesson_free(&made);
    free(settings);
}

void tasks_survive(void **state)
{
    (void)state;
    if (!sos_has("models")) return;
    check_some_allocations(run_a_task, 0, 60);
    check_some_allocations(make_a_lesson, 0, 60);
}

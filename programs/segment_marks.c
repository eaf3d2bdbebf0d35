/* segment_marks.c - s3svm segment: what is marked in a photograph, by scribbles, a list, a rectangle or clicks. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "segment.h"

bool rectangle_parse(const char *text, long rectangle[4])
{
    s3svm_reals r;
    if (!s3svm_reals_parse(text, 4, &r) || r.count != 4) return false;
    for (int i = 0; i < 4; i++) {
        if (r.values[i] != rint(r.values[i]) || fabs(r.values[i]) > 1e9) return false;
        rectangle[i] = (long)r.values[i];
    }
    return rectangle[2] > 0 && rectangle[3] > 0;
}

bool click_parse(const char *text, s3svm_point *point)
{
    s3svm_reals r;
    if (!s3svm_reals_parse(text, 2, &r) || r.count != 2) return false;
    for (int i = 0; i < 2; i++)
        if (!(fabs(r.values[i]) <= S3SVM_DIALOGUE_COORDINATE_MAX)) return false;
    *point = (s3svm_point){ (float)r.values[0], (float)r.values[1] };
    return true;
}

/* A rectangle is a box between the centres of its outermost pixels, and a step of its own.  Boxes that end far outside of the
 * photograph are cut where all of it is inside. */
static sos_status rectangle_add(photograph *p, sos_error *error)
{
    const double most = S3SVM_DIALOGUE_COORDINATE_MAX;
    long r[4];
    rectangle_parse(p->r->rectangle, r); /* it was checked */
    const double left = fmax((double)r[0], -most), top = fmax((double)r[1], -most);
    const double right = fmin((double)r[0] + (double)r[2] - 1, most), bottom = fmin((double)r[1] + (double)r[3] - 1, most);
    if (right < 0 || bottom < 0 || left >= (double)p->image.width || top >= (double)p->image.height)
        return sos_fail(error, SOS_ERR_ARGUMENT, "the rectangle %ld,%ld,%ld,%ld has no pixel of a photograph of %zu by %zu",
                        r[0], r[1], r[2], r[3], p->image.width, p->image.height);
    const s3svm_point corners[2] = { { (float)left, (float)top }, { (float)right, (float)bottom } };
    return s3svm_dialogue_add(p->dialogue, 1, &(s3svm_mark){ .shape = S3SVM_SHAPE_BOX, .count = 2, .points = corners }, error);
}

/* Of the size of the clicks that models learn from, up to half a megapixel; in larger photographs it grows with the sides. */
static float click_radius(const s3svm_image *image)
{
    enum { RADIUS = 5, PIXELS = 500000 };
    return (float)(RADIUS * sqrt(fmax(1, (double)s3svm_image_size(image) / PIXELS)));
}

/* Each is a step, as on the page: labels are looked at, and the next one corrects them. */
static sos_status click_add(photograph *p, bool object, const char *text, sos_error *error)
{
    s3svm_point at;
    click_parse(text, &at); /* it was checked */
    if (!(at.x > -0.5f && at.y > -0.5f && at.x < (float)p->image.width - 0.5f && at.y < (float)p->image.height - 0.5f))
        return sos_fail(error, SOS_ERR_ARGUMENT, "the click %.40s is outside of the photograph, which has %zu by %zu pixels",
                        text, p->image.width, p->image.height);
    const s3svm_mark mark = { .shape = S3SVM_SHAPE_STROKE,
                              .label = object ? S3SVM_MARK_OBJECT : S3SVM_MARK_BACKGROUND,
                              .radius = click_radius(&p->image),
                              .count = 1,
                              .points = &at };
    return s3svm_dialogue_add(p->dialogue, 1, &mark, error);
}

static sos_status clicks_add(photograph *p, sos_error *error)
{
    const s3svm_sequence *clicks = &p->r->clicks;
    sos_status status = SOS_OK;
    for (size_t i = 0; i < clicks->count && !status; i++) {
        const bool object = !strcmp(clicks->items[i].option->name, "click");
        status = click_add(p, object, clicks->items[i].text, error);
        p->k->clicks[object]++;
    }
    return status;
}

static sos_status rectangle_take(photograph *p, sos_error *error)
{
    size_t counts[S3SVM_MARKS];
    sos_status status = rectangle_add(p, error);
    if (!status) status = s3svm_dialogue_draw(p->dialogue, SIZE_MAX, &p->marks, error);
    if (status) return status;
    s3svm_marks_count(&p->marks, counts);
    p->k->rectangle_is_all = counts[S3SVM_MARK_BACKGROUND] == 0 && counts[S3SVM_MARK_OBJECT] == 0;
    return SOS_OK;
}

sos_status photograph_mark(photograph *p, sos_error *error)
{
    const request *r = p->r;
    const s3svm_scribbles_settings settings = {
        .convention = r->marks ? S3SVM_CONVENTION_LIST : (s3svm_convention)r->convention,
        .object = (s3svm_stroke)r->object,
        .background = (s3svm_stroke)r->background,
    };
    cutting *k = p->k;
    sos_status status = k->scribbles
                            ? s3svm_dialogue_read_scribbles(k->scribbles, &p->image, &settings, &p->dialogue, &k->found, error)
                            : s3svm_dialogue_create(p->image.width, p->image.height, &p->dialogue, error);
    if (!status) status = s3svm_image_create(p->image.width, p->image.height, 1, &p->marks, error);
    if (!status) status = s3svm_dialogue_draw(p->dialogue, SIZE_MAX, &p->marks, error);
    if (!status && k->scribbles) s3svm_marks_count(&p->marks, k->counts);
    if (!status && r->rectangle) status = rectangle_take(p, error);
    if (status || !r->clicks.count) return status;
    status = clicks_add(p, error);
    if (!status) status = s3svm_dialogue_draw(p->dialogue, SIZE_MAX, &p->marks, error);
    return status;
}

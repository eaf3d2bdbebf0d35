#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* RLIMIT_AS */
#endif

#include "picture_wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/error.h"

enum { PROFILE_MOST = 1 << 22 }; /* bytes of a colour profile that is heard */

bool wire_write(int to, const void *from, size_t length)
{
    const char *at = from;
    while (length) {
        const ssize_t taken = write(to, at, length);
        if (taken < 0 && errno != EINTR) return false;
        if (taken > 0) at += taken, length -= (size_t)taken;
    }
    return true;
}

bool wire_read(int from, void *to, size_t length)
{
    char *at = to;
    while (length) {
        const ssize_t got = read(from, at, length);
        if (!got || (got < 0 && errno != EINTR)) return false;
        if (got > 0) at += got, length -= (size_t)got;
    }
    return true;
}

/* ---------------------------------------------------------------- limits */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* as gcc says */
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#if !defined(SOS_COVERAGE)
static void limit_set(int what, rlim_t most)
{
    const struct rlimit limit = { most, most };
    setrlimit(what, &limit);
}

void wire_end(int code) { _exit(code); }
#else
/* A build that counts lines writes its counts into files when a process ends, which takes the limits off. */
void __gcov_dump(void);

static void limit_set(int what, rlim_t most)
{
    struct rlimit limit;
    if (getrlimit(what, &limit)) return;
    limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
    setrlimit(what, &limit);
}

static void limit_lift(int what)
{
    struct rlimit limit;
    if (getrlimit(what, &limit)) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(what, &limit);
}

void wire_end(int code)
{
    const int limited[] = { RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_NOFILE };
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++) limit_lift(limited[i]);
    __gcov_dump();
    _exit(code);
}
#endif

void wire_limits(size_t memory, unsigned seconds)
{
#if !defined(SANITIZED)
    limit_set(RLIMIT_AS, memory);
#else
    (void)memory;
#endif
    limit_set(RLIMIT_CPU, seconds);
    limit_set(RLIMIT_CORE, 0);
    limit_set(RLIMIT_FSIZE, 0);
}

void wire_forbid_files(void)
{
#if !defined(SANITIZED) /* which opens some to report */
    limit_set(RLIMIT_NOFILE, 0);
#endif
}

/* ---------------------------------------------------------------- telling */

/* What is said first; pixels and profile follow. */
typedef struct report {
    sos_error error; /* only where it failed */
    size_t width, height, channels, profile_length;
    bool deep, note;
} report;

static bool contents_tell(int to, const s3svm_picture *p)
{
    const size_t values = s3svm_image_size(&p->image) * p->image.channels;
    return wire_write(to, p->image.pixels, values) && (!p->deep || wire_write(to, p->deep, values * sizeof *p->deep)) &&
           (!p->profile || wire_write(to, p->profile, p->profile_length));
}

bool wire_tell(int to, const s3svm_picture *p, bool note, const sos_error *error)
{
    report said = { .note = note };
    if (error->status) {
        said.error = *error;
        return wire_write(to, &said, sizeof said);
    }
    said.width = p->image.width;
    said.height = p->image.height;
    said.channels = p->image.channels;
    said.profile_length = p->profile ? p->profile_length : 0;
    said.deep = p->deep;
    return wire_write(to, &said, sizeof said) && contents_tell(to, p);
}

/* ---------------------------------------------------------------- hearing */

/* The process may have been brought to say anything. */
static bool is_possible(const report *said, size_t pixels_most)
{
    const bool sides = said->width && said->height && said->width <= S3SVM_IMAGE_SIDE_MAX &&
                       said->height <= S3SVM_IMAGE_SIDE_MAX && said->height <= pixels_most / said->width;
    const bool channels = said->channels == 1 || said->channels == 3 || said->channels == 4;
    return sides && channels && said->profile_length <= PROFILE_MOST;
}

static sos_status contents_hear(int from, const report *said, const char *name, s3svm_picture *p, sos_error *error)
{
    const size_t values = said->width * said->height * said->channels;
    const sos_status status = s3svm_image_create(said->width, said->height, said->channels, &p->image, error);
    if (status) return status;
    if (said->deep) p->deep = malloc(values * sizeof *p->deep);
    if (said->profile_length) p->profile = malloc(said->profile_length);
    p->profile_length = said->profile_length;
    if ((said->deep && !p->deep) || (said->profile_length && !p->profile))
        return sos_fail(error, SOS_ERR_MEMORY, "%.200s: no memory for %zu by %zu pixels", name, said->width, said->height);
    const bool whole = wire_read(from, p->image.pixels, values) &&
                       (!p->deep || wire_read(from, p->deep, values * sizeof *p->deep)) &&
                       (!p->profile || wire_read(from, p->profile, p->profile_length));
    return whole ? SOS_OK : sos_fail(error, SOS_ERR_FORMAT, "%.200s: cannot be read: its decoder ended early", name);
}

static bool is_failure(const sos_error *error)
{
    return error->status == SOS_ERR_MEMORY || error->status == SOS_ERR_RANGE || error->status == SOS_ERR_IO ||
           error->status == SOS_ERR_ARGUMENT || error->status == SOS_ERR_FORMAT;
}

sos_status wire_hear(int from, const char *name, const char *library, size_t pixels_most, s3svm_picture *out, bool *note,
                     sos_error *error)
{
    report said;
    s3svm_picture p = { 0 };
    if (!wire_read(from, &said, sizeof said) ||
        (said.error.status ? !is_failure(&said.error) : !is_possible(&said, pixels_most)))
        return sos_fail(error, SOS_ERR_FORMAT, "%.200s: cannot be read: %s fails at it", name, library);
    said.error.message[sizeof said.error.message - 1] = '\0';
    if (said.error.status) return sos_fail(error, said.error.status, "%s", said.error.message);
    const sos_status status = contents_hear(from, &said, name, &p, error);
    if (status) {
        s3svm_picture_free(&p);
        return status;
    }
    *out = p;
    if (note) *note = said.note;
    return SOS_OK;
}

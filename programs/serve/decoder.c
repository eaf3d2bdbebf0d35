#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* fork, control messages */
#endif

#include "decoder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "jpeg_strip.h"
#include "picture_wire.h"

enum {
    PIXEL_BYTES_MOST =
        32,            /* that decoding takes for a pixel: of 16 bits with opacity, or progressive, and once more stripped */
    SECONDS_MOST = 60, /* of a processor, for one picture */
    SILENCE_MOST = 120 /* seconds without a byte */
};
static const size_t MEMORY_BASE = (size_t)1 << 30; /* bytes besides: the file, twice, and the program */

enum { KIND_PICTURE = -1 }; /* in the place of an s3svm_image_kind */

/* What is asked; the bytes of the file follow. */
typedef struct order {
    int kind;
    bool strip;
    size_t length, pixels_most;
    char name[256];
} order;

static int control = -1; /* where processes are asked for */
static pid_t keeper = -1;

/* ---------------------------------------------------------------- a process that decodes */

/* Whether the file shows the same without its notes: a photograph that is to be turned does not. */
static bool strips(const order *o, const uint8_t bytes[], const s3svm_picture *p)
{
    s3svm_image again;
    uint8_t *file = o->strip ? malloc(o->length) : NULL;
    const size_t kept = file ? jpeg_strip(bytes, o->length, file) : 0;
    bool same = false;
    if (kept && p->image.channels == 3 && !s3svm_image_parse(file, kept, o->name, S3SVM_IMAGE_COLOUR, &again, NULL)) {
        same = again.width == p->image.width && again.height == p->image.height && again.channels == 3 &&
               !memcmp(again.pixels, p->image.pixels, 3 * s3svm_image_size(&again));
        s3svm_image_free(&again);
    }
    free(file);
    return same;
}

static sos_status order_decode(const order *o, const uint8_t bytes[], s3svm_picture *out, sos_error *error)
{
    size_t width, height;
    const sos_status status = s3svm_image_measure(bytes, o->length, o->name, &width, &height, error);
    if (status) return status;
    if (height > o->pixels_most / width)
        return sos_fail(error, SOS_ERR_RANGE, "%zu by %zu pixels are more than %zu", width, height, o->pixels_most);
    if (o->kind == KIND_PICTURE) return s3svm_picture_parse(bytes, o->length, o->name, out, error);
    return s3svm_image_parse(bytes, o->length, o->name, (s3svm_image_kind)o->kind, &out->image, error);
}

static bool order_do(int line)
{
    order o;
    sos_error error = { .status = SOS_OK };
    s3svm_picture p = { 0 };
    if (!wire_read(line, &o, sizeof o)) return false;
    uint8_t *bytes = malloc(o.length ? o.length : 1);
    if (!bytes) {
        (void)!sos_fail(&error, SOS_ERR_MEMORY, "%.200s: no memory for its %zu bytes", o.name, o.length);
        return wire_tell(line, &p, false, &error);
    }
    if (!wire_read(line, bytes, o.length)) return false;
    if (!order_decode(&o, bytes, &p, &error)) error.status = SOS_OK;
    return wire_tell(line, &p, !error.status && strips(&o, bytes, &p), &error);
}

/* ---------------------------------------------------------------- the process that has one forked for each picture */

/* A line to somebody who wants a picture decoded; -1: nobody will any more. */
static int line_receive(void)
{
    char word;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } beside;
    struct iovec data = { &word, 1 };
    struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &beside, .msg_controllen = sizeof beside };
    ssize_t got;
    do got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return -1;
    const struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    int line;
    if (!head || head->cmsg_type != SCM_RIGHTS) return -1;
    memcpy(&line, CMSG_DATA(head), sizeof line);
    return line;
}

static void keeper_prepare(void)
{
    const int heard[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD }; /* its end is that of the server; nobody is waited for */
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (size_t i = 0; i < sizeof heard / sizeof *heard; i++) signal(heard[i], SIG_IGN);
    for (int i = 0; i < 3 && nothing >= 0; i++) dup2(nothing, i);
}

static _Noreturn void keeper_run(size_t pixels_most)
{
    int line;
    keeper_prepare();
    while ((line = line_receive()) >= 0) {
        if (!fork()) {
            close(control);
            wire_limits(MEMORY_BASE + PIXEL_BYTES_MOST * pixels_most, SECONDS_MOST);
            wire_forbid_files();
            wire_end(!order_do(line));
        }
        close(line); /* where there is no process, whoever waits at the other end is told nothing, and says so */
    }
    wire_end(0);
}

sos_status decoder_begin(size_t pixels_most, sos_error *error)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return sos_fail(error, SOS_ERR_IO, "no socket for the decoder of pictures: %s", strerror(errno));
    fflush(NULL);
    keeper = fork();
    if (!keeper) {
        close(ends[0]);
        control = ends[1];
        keeper_run(pixels_most);
    }
    const int number = errno;
    close(ends[1]);
    control = ends[0];
    if (keeper > 0) return SOS_OK;
    decoder_end();
    return sos_fail(error, SOS_ERR_IO, "no process for the decoder of pictures: %s", strerror(number));
}

void decoder_end(void)
{
    if (control >= 0) close(control);
    control = -1;
    if (keeper > 0) waitpid(keeper, NULL, 0);
    keeper = -1;
}

/* ---------------------------------------------------------------- asking */

static bool line_send(int line)
{
    char word = 1;
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(sizeof(int))];
    } beside = { 0 };
    struct iovec data = { &word, 1 };
    struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1, .msg_control = &beside, .msg_controllen = sizeof beside };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof line);
    memcpy(CMSG_DATA(head), &line, sizeof line);
    ssize_t sent;
    do sent = sendmsg(control, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == 1;
}

/* A line to a process of its own; -1: there is none. */
static int line_open(sos_error *error)
{
    const struct timeval silence = { .tv_sec = SILENCE_MOST };
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) {
        (void)!sos_fail(error, SOS_ERR_IO, "no socket for a decoder of pictures: %s", strerror(errno));
        return -1;
    }
    const bool sent = line_send(ends[1]);
    close(ends[1]);
    if (sent) {
        setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
        setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof silence);
        return ends[0];
    }
    close(ends[0]);
    (void)!sos_fail(error, SOS_ERR_IO, "the decoder of pictures is gone: the server must be started again");
    return -1;
}

static sos_status order_send(order *o, const void *bytes, const char *name, s3svm_picture *out, bool *note, sos_error *error)
{
    snprintf(o->name, sizeof o->name, "%s", name);
    const int line = line_open(error);
    if (line < 0) return SOS_ERR_IO;
    if (wire_write(line, o, sizeof *o)) (void)!wire_write(line, bytes, o->length); /* it may have refused it, and says why */
    const sos_status status = wire_hear(line, name, "its decoder", o->pixels_most, out, note, error);
    close(line);
    return status;
}

sos_status decoder_picture(const void *bytes, size_t length, const char *name, size_t pixels_most, s3svm_picture *out,
                           bool *strips, sos_error *error)
{
    order o = { .kind = KIND_PICTURE, .strip = strips, .length = length, .pixels_most = pixels_most };
    s3svm_picture p;
    const sos_status status = order_send(&o, bytes, name, &p, strips, error);
    if (status) return status;
    if (p.image.channels == 3 || p.image.channels == 4) {
        *out = p;
        return SOS_OK;
    }
    s3svm_picture_free(&p);
    return sos_fail(error, SOS_ERR_FORMAT, "%.200s: cannot be read: its decoder fails at it", name);
}

sos_status decoder_image(const void *bytes, size_t length, const char *name, size_t pixels_most, s3svm_image_kind kind,
                         s3svm_image *out, sos_error *error)
{
    order o = { .kind = (int)kind, .length = length, .pixels_most = pixels_most };
    s3svm_picture p;
    const sos_status status = order_send(&o, bytes, name, &p, NULL, error);
    if (status) return status;
    const size_t channels = kind == S3SVM_IMAGE_COLOUR ? 3 : 1;
    if (p.image.channels == channels && !p.deep) {
        *out = p.image;
        p.image = (s3svm_image){ 0 };
    }
    const bool fits = !p.image.pixels;
    s3svm_picture_free(&p);
    return fits ? SOS_OK : sos_fail(error, SOS_ERR_FORMAT, "%.200s: cannot be read: its decoder fails at it", name);
}

#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE
#endif

#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"

enum { BACKLOG = 1024 };

typedef union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_storage room;
} address;

static bool is_loopback(const address *a)
{
    if (a->any.sa_family == AF_INET) return ntohl(a->four.sin_addr.s_addr) >> 24 == 127;
    return a->any.sa_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&a->six.sin6_addr);
}

static int port_of(const address *a) { return ntohs(a->any.sa_family == AF_INET ? a->four.sin_port : a->six.sin6_port); }

/* For a link: an address of all interfaces is none that one can go to. */
static void host_print(const address *a, char host[80])
{
    char text[INET6_ADDRSTRLEN] = "";
    const bool six = a->any.sa_family == AF_INET6;
    inet_ntop(a->any.sa_family, six ? (const void *)&a->six.sin6_addr : (const void *)&a->four.sin_addr, text, sizeof text);
    if (!strcmp(text, "0.0.0.0") || !strcmp(text, "::")) {
        if (!gethostname(host, 79) && *host) return;
        snprintf(text, sizeof text, "127.0.0.1");
    }
    snprintf(host, 80, strchr(text, ':') ? "[%s]" : "%s", text);
}

static int socket_open(const struct addrinfo *found)
{
    const int one = 1, s = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s < 0) return -1;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (!bind(s, found->ai_addr, found->ai_addrlen) && !listen(s, BACKLOG)) return s;
    const int number = errno;
    close(s);
    errno = number;
    return -1;
}

sos_status listen_begin(const char *host, int port, listening *out, sos_error *error)
{
    const struct addrinfo wanted = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    const char *name = host ? host : "127.0.0.1";
    char text[16];
    address a = { 0 };
    socklen_t length = sizeof a;
    snprintf(text, sizeof text, "%d", port);
    const int code = getaddrinfo(name, text, &wanted, &found);
    if (code) return sos_fail(error, SOS_ERR_ARGUMENT, "--host %.80s: %s", name, gai_strerror(code));
    const int s = socket_open(found);
    const int number = errno;
    freeaddrinfo(found);
    if (s < 0 && number == EADDRINUSE)
        return sos_fail(error, SOS_ERR_IO, "port %d of %.80s is in use: --port names another one, 0 takes any that is free",
                        port, name);
    if (s < 0) return sos_fail(error, SOS_ERR_IO, "cannot listen at %.80s, port %d: %s", name, port, strerror(number));
    if (getsockname(s, &a.any, &length)) {
        close(s);
        return sos_fail(error, SOS_ERR_IO, "cannot listen at %.80s: %s", name, strerror(errno));
    }
    *out = (listening){ .socket = s, .port = port_of(&a), .loopback = is_loopback(&a) };
    host_print(&a, out->host);
    return SOS_OK;
}

void listening_address(const listening *l, const char *token, size_t room, char text[])
{
    snprintf(text, room, "http://%s:%d/%s%s", l->host, l->port, token ? "?token=" : "", token ? token : "");
}

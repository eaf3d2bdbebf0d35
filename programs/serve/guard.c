#if !defined(_DEFAULT_SOURCE)
#define _DEFAULT_SOURCE /* getentropy */
#endif

#include "guard.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool digits_random(size_t count, char digits[])
{
    unsigned char bytes[64];
    if (count > 2 * sizeof bytes || getentropy(bytes, (count + 1) / 2)) return false;
    for (size_t i = 0; i < count; i++) digits[i] = "0123456789abcdef"[bytes[i / 2] >> 4 * (i % 2) & 15];
    digits[count] = '\0';
    return true;
}

/* ---------------------------------------------------------------- Host */

/* The name that Host says, without brackets and port; false: it says none. */
static bool host_name(const char *host, char name[80])
{
    const bool bracket = *host == '[';
    const char *end = bracket ? strchr(host, ']') : host + strcspn(host, ":");
    if (!end) return false;
    const char *port = end + bracket, *start = host + bracket;
    const size_t length = (size_t)(end - start);
    if (!length || length >= 80 || (*port && *port != ':')) return false;
    if (*port && (!port[1] || strlen(port) > 6 || port[1 + strspn(port + 1, "0123456789")])) return false;
    memcpy(name, start, length);
    name[length] = '\0';
    return true;
}

/* Numbers of an address, which nobody can make lead elsewhere. */
static bool is_address(const char *name, bool bracket)
{
    return bracket ? !name[strspn(name, "0123456789abcdefABCDEF:.")] : !name[strspn(name, "0123456789.")];
}

bool host_is_ours(const guard *g, const char *host)
{
    char name[80];
    if (!host || !host_name(host, name)) return false;
    const bool bracket = *host == '[';
    if (bracket ? !strcmp(name, "::1") : !strcmp(name, "127.0.0.1") || !strcasecmp(name, "localhost")) return true;
    if (!g->open) return false;
    return is_address(name, bracket) || !strcasecmp(name, g->address) || !strcasecmp(name, g->machine);
}

/* Pages of this server, and programs, which say no origin. */
static bool origin_is_ours(const request *q)
{
    if (q->site && strcmp(q->site, "same-origin") != 0 && strcmp(q->site, "none") != 0) return false;
    return !q->origin || (!strncmp(q->origin, "http://", 7) && !strcasecmp(q->origin + 7, q->host));
}

/* ---------------------------------------------------------------- token */

bool token_is_right(const guard *g, const char *token)
{
    unsigned differ = 0;
    if (!token || strlen(token) != TOKEN_LENGTH) return false;
    for (size_t i = 0; i < TOKEN_LENGTH; i++) differ |= (unsigned)(token[i] ^ g->token[i]); /* time tells nothing */
    return !differ;
}

static bool cookie_find(const char *cookies, const char *name, char value[TOKEN_LENGTH + 1])
{
    const size_t length = strlen(name);
    while (cookies && *cookies) {
        while (*cookies == ' ' || *cookies == ';') cookies++;
        if (!strncmp(cookies, name, length) && cookies[length] == '=') {
            const char *from = cookies + length + 1;
            if (strcspn(from, "; ") != TOKEN_LENGTH) return false;
            memcpy(value, from, TOKEN_LENGTH);
            value[TOKEN_LENGTH] = '\0';
            return true;
        }
        cookies = strchr(cookies, ';');
    }
    return false;
}

bool token_is_sent(const guard *g, const char *cookies, const char *authorization)
{
    char value[TOKEN_LENGTH + 1];
    if (authorization && !strncasecmp(authorization, "Bearer ", 7)) return token_is_right(g, authorization + 7);
    return cookie_find(cookies, g->cookie, value) && token_is_right(g, value);
}

/* ---------------------------------------------------------------- all of it */

/* The page may be reached by a link of somebody else's page: it shows nothing that was not asked for here. */
static bool is_visit(const request *q) { return q->verb == VERB_GET && !strcmp(q->path, "/"); }

void guard_check(const guard *g, const request *q, bool changes, response *a)
{
    if (q->twice) { /* who reads the first would let in what others take for something else */
        response_fail(a, 400, "header", "the header %s stands twice", q->twice);
        return;
    }
    if (!host_is_ours(g, q->host)) {
        response_fail(a, 403, "host", "this server has another name: use the address that it printed");
        return;
    }
    if (!is_visit(q) && !origin_is_ours(q)) {
        response_fail(a, 403, "origin", "requests from pages of others are refused");
        return;
    }
    if (g->open && is_visit(q) && q->token && token_is_right(g, q->token)) {
        response_static(a, "text/plain", "", 0);
        a->status = 303;
        a->location = "/";
        snprintf(a->cookie, sizeof a->cookie, "%s=%s; Path=/; SameSite=Strict; HttpOnly", g->cookie, g->token);
        return;
    }
    if (g->open && !token_is_sent(g, q->cookie, q->authorization)) {
        response_fail(a, 403, "token", "the token is missing or wrong: use the address that the server printed");
        return;
    }
    if (changes && (!q->mark || strcmp(q->mark, "1") != 0))
        response_fail(a, 403, "mark", "requests that change something carry the header X-S3SVM: 1");
}

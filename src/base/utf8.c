/* utf8.c - characters in UTF-8. */
#include "base/utf8.h"

/* How many bytes follow a first byte, and the bits it holds itself; -1 where none may start so. */
static int lead_read(unsigned char c, uint32_t *code)
{
    const int more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : -1;
    if (more >= 0) *code = more ? c & (0x3fU >> more) : c;
    return more;
}

uint32_t sos_utf8_next(const char **text)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 }; /* of a form; a longer form of fewer bits is refused */
    const unsigned char *p = (const unsigned char *)*text;
    if (!*p) return 0;
    uint32_t code = 0;
    const int more = lead_read(*p, &code);
    (*text)++;
    if (more < 0) return SOS_UTF8_REPLACEMENT;
    for (int i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) return SOS_UTF8_REPLACEMENT;
        code = code << 6 | (p[i] & 0x3f);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    if (code < least[more] || code > 0x10ffff || surrogate) return SOS_UTF8_REPLACEMENT;
    *text += more;
    return code;
}

bool sos_utf8_is_valid(const char *text)
{
    for (const char *from = text; sos_utf8_next(&text); from = text)
        if (text == from + 1 && (unsigned char)*from >= 0x80) return false; /* no character of one byte has that bit */
    return true;
}

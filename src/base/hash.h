/* hash.h - FNV-1a, to recognise content; not cryptographic. */
#ifndef SOS_BASE_HASH_H
#define SOS_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SOS_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t sos_hash(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A number, the same wherever it is: its lowest byte first. */
static inline uint64_t sos_hash_number(uint64_t hash, uint64_t x)
{
    unsigned char bytes[8];
    for (unsigned i = 0; i < 8; i++) bytes[i] = (unsigned char)(x >> 8 * i);
    return sos_hash(hash, bytes, sizeof bytes);
}

#endif

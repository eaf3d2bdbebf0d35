/* format_binary.c - the compact binary form of an energy, version 1 (docs/formats.md).
 *
 * Numbers are little-endian.  A list of costs is stored as integers of 1, 2 or 4 bytes where that gives back the same doubles.
 * Cliques that are copies of one shape, such as patches of an image, are stored as that shape and runs of first members. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "energy/energy.h"
#include "energy/format.h"

enum { VERSION = 1, BLOCK = 1 << 14 };

/* Cliques that runs may stand for, per byte of the file: more than volumes with 26 neighbours need, and so few that no file
 * makes the reader take more than a bounded multiple of its own size. */
enum { CLIQUES_PER_BYTE = 8 };

enum { ONE_TABLE = 0, LISTED_MEMBERS = 0, MEMBERS_IN_RUNS = 1, REAL = 8 };

bool sos_format_is_binary(const char *bytes, size_t length)
{
    static const unsigned char MAGIC[8] = { SOS_BINARY_MARK, 's', 'o', 's', '\r', '\n', 0x1A, '\n' };
    return length >= sizeof MAGIC && !memcmp(bytes, MAGIC, sizeof MAGIC);
}

/* ---------------------------------------------------------------- reading */

typedef struct reader {
    const unsigned char *begin, *at, *end;
    const char *name;
    sos_energy *e;
    uint32_t *members, *tables; /* of a block of cliques, or of a concave clique */
    double *numbers;
    size_t members_room, tables_room, numbers_room;
    uint64_t unfolded; /* cliques that came of runs */
    sos_error *error;
} reader;

__attribute__((format(printf, 3, 4))) static sos_status refuse(const reader *r, sos_status status, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return sos_fail(r->error, status, "%.200s: byte %zu: %s", r->name, (size_t)(r->at - r->begin), message);
}

static sos_status blame(const reader *r, const sos_error *inner)
{
    return refuse(r, inner->status == SOS_ERR_ARGUMENT ? SOS_ERR_FORMAT : inner->status, "%s", inner->message);
}

static sos_status binary_no_memory(const reader *r) { return refuse(r, SOS_ERR_MEMORY, "no memory to read further"); }

/* Are there count things of so many bytes? */
static sos_status room_check(const reader *r, uint64_t count, size_t bytes, const char *what)
{
    const size_t left = (size_t)(r->end - r->at);
    if (count <= left / bytes) return SOS_OK;
    return refuse(r, SOS_ERR_FORMAT,
                  "%llu %s do not fit into the remaining %zu bytes: the file is truncated, or the number is wrong",
                  (unsigned long long)count, what, left);
}

static uint64_t bytes_at(const unsigned char *p, unsigned bytes)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < bytes; i++) x |= (uint64_t)p[i] << 8 * i;
    return x;
}

static double real_at(const unsigned char *p)
{
    const uint64_t bits = bytes_at(p, 8);
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static sos_status take(reader *r, unsigned bytes, uint64_t *x)
{
    const sos_status status = room_check(r, 1, bytes, "number");
    if (status) return status;
    *x = bytes_at(r->at, bytes);
    r->at += bytes;
    return SOS_OK;
}

static sos_status take_real(reader *r, double *x)
{
    const sos_status status = room_check(r, 1, 8, "number");
    if (status) return status;
    *x = real_at(r->at);
    if (!isfinite(*x)) return refuse(r, SOS_ERR_FORMAT, "a number that is not finite");
    r->at += 8;
    return SOS_OK;
}

static inline __attribute__((always_inline)) void unfold_integers(const unsigned char *p, unsigned bytes, size_t count,
                                                                  double out[])
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t x = (uint32_t)bytes_at(p + i * bytes, bytes), sign = UINT32_C(1) << (8 * bytes - 1);
        out[i] = (double)((int64_t)(x ^ sign) - (int64_t)sign);
    }
}

/* The kind of a list of count numbers, which then are there. */
static sos_status take_kind(reader *r, uint64_t count, unsigned *kind)
{
    uint64_t x;
    sos_status status = take(r, 1, &x);
    if (status) return status;
    if (x != 1 && x != 2 && x != 4 && x != REAL)
        return refuse(r, SOS_ERR_FORMAT, "unknown encoding of numbers: %u", (unsigned)x);
    *kind = (unsigned)x;
    return room_check(r, count, *kind, "numbers");
}

static sos_status unfold_numbers(reader *r, unsigned kind, size_t count, double out[])
{
    if (kind == 1) unfold_integers(r->at, 1, count, out);
    if (kind == 2) unfold_integers(r->at, 2, count, out);
    if (kind == 4) unfold_integers(r->at, 4, count, out);
    bool finite = true;
    for (size_t i = 0; kind == REAL && i < count; i++) {
        out[i] = real_at(r->at + 8 * i);
        finite &= isfinite(out[i]) != 0;
    }
    if (!finite) return refuse(r, SOS_ERR_FORMAT, "a number that is not finite");
    r->at += count * kind;
    return SOS_OK;
}

/* So many numbers into memory of the reader's, behind those that are there. */
static sos_status take_numbers(reader *r, size_t count, size_t behind)
{
    unsigned kind;
    const sos_status status = take_kind(r, count, &kind);
    if (status) return status;
    if (!sos_grow(&r->numbers, &r->numbers_room, behind + count)) return binary_no_memory(r);
    return unfold_numbers(r, kind, count, r->numbers + behind);
}

static sos_status take_table(reader *r, size_t number)
{
    uint64_t k;
    sos_status status = take(r, 4, &k);
    if (!status && (k < 1 || k > SOS_TABLE_MEMBERS_MAX))
        return refuse(r, SOS_ERR_FORMAT, "table %zu has %llu members", number, (unsigned long long)k);
    if (!status) status = take_numbers(r, (size_t)1 << k, 0);
    if (status) return status;
    sos_error inner;
    uint32_t added;
    if (!sos_energy_add_table(r->e, (size_t)k, r->numbers, &added, &inner)) return SOS_OK;
    return refuse(r, inner.status, "table %zu: %s", number, inner.message);
}

/* A group of cliques of one size: where its parts are. */
typedef struct group {
    uint64_t count;
    size_t k;
    unsigned table_bytes; /* of each clique's table number, or ONE_TABLE */
    uint32_t table;
    const unsigned char *tables, *weights;
    unsigned weight_kind; /* 0: none */
    bool runs;
    uint32_t segments, segment; /* in runs: how many, which, */
    const unsigned char *shape; /* its offsets, */
    uint32_t run_count, run;    /* runs left in it, and cliques left in the run */
    uint32_t first;             /* member of the next clique */
} group;

static sos_status take_tables(reader *r, group *g)
{
    uint64_t x;
    sos_status status = take(r, 1, &x);
    if (status) return status;
    if (x != ONE_TABLE && x != 1 && x != 2 && x != 4)
        return refuse(r, SOS_ERR_FORMAT, "table numbers of %u bytes", (unsigned)x);
    g->table_bytes = (unsigned)x;
    if (g->table_bytes == ONE_TABLE) {
        status = take(r, 4, &x);
        g->table = (uint32_t)x;
        return status;
    }
    status = room_check(r, g->count, g->table_bytes, "table numbers");
    if (status) return status;
    g->tables = r->at;
    r->at += g->count * g->table_bytes;
    return SOS_OK;
}

static sos_status take_weights(reader *r, group *g)
{
    uint64_t x;
    sos_status status = take(r, 1, &x);
    if (status || !x) return status;
    if (x != 1) return refuse(r, SOS_ERR_FORMAT, "the flag for weights is %u; it must be 0 or 1", (unsigned)x);
    status = take_kind(r, g->count, &g->weight_kind);
    if (status) return status;
    g->weights = r->at;
    r->at += g->count * g->weight_kind;
    return SOS_OK;
}

static sos_status take_group(reader *r, uint64_t most, group *g)
{
    uint64_t k, x;
    *g = (group){ 0 };
    sos_status status = take(r, 4, &k);
    if (!status) status = take(r, 8, &g->count);
    if (status) return status;
    if (k < 1 || k > SOS_TABLE_MEMBERS_MAX || !g->count || g->count > most)
        return refuse(r, SOS_ERR_FORMAT, "%llu cliques of %llu members", (unsigned long long)g->count, (unsigned long long)k);
    g->k = (size_t)k;
    status = take_tables(r, g);
    if (!status) status = take_weights(r, g);
    if (!status) status = take(r, 1, &x);
    if (status) return status;
    if (x != LISTED_MEMBERS && x != MEMBERS_IN_RUNS) return refuse(r, SOS_ERR_FORMAT, "members of kind %u", (unsigned)x);
    g->runs = x == MEMBERS_IN_RUNS;
    if (!g->runs) return room_check(r, g->count, 4 * g->k, "cliques");
    const uint64_t bytes = (uint64_t)(r->end - r->begin);
    r->unfolded += g->count; /* no more than most, so that sums cannot overflow */
    if (r->unfolded / CLIQUES_PER_BYTE > bytes)
        return refuse(r, SOS_ERR_FORMAT, "%llu cliques in runs, more than %d per byte", (unsigned long long)r->unfolded,
                      CLIQUES_PER_BYTE);
    status = take(r, 4, &x);
    g->segments = (uint32_t)x;
    return status;
}

/* The next run; a segment says its shape first. */
static sos_status next_run(reader *r, group *g)
{
    uint64_t x;
    sos_status status = SOS_OK;
    while (!status && !g->run_count) {
        if (g->segment == g->segments) return refuse(r, SOS_ERR_FORMAT, "the runs end before the last clique");
        status = room_check(r, g->k - 1, 4, "offsets");
        if (status) return status;
        g->shape = r->at;
        r->at += 4 * (g->k - 1);
        status = take(r, 4, &x);
        g->run_count = (uint32_t)x;
        g->segment++;
    }
    if (!status) status = take(r, 4, &x);
    if (status) return status;
    g->first = (uint32_t)x;
    status = take(r, 4, &x);
    if (status) return status;
    g->run = (uint32_t)x;
    g->run_count--;
    return g->run ? SOS_OK : refuse(r, SOS_ERR_FORMAT, "a run of no cliques");
}

static sos_status unfold_members(reader *r, group *g, size_t count)
{
    const size_t k = g->k;
    if (!g->runs) {
        for (size_t i = 0; i < count * k; i++) r->members[i] = (uint32_t)bytes_at(r->at + 4 * i, 4);
        r->at += 4 * count * k;
        return SOS_OK;
    }
    for (size_t c = 0; c < count; c++) {
        const sos_status status = g->run ? SOS_OK : next_run(r, g);
        if (status) return status;
        r->members[c * k] = g->first;
        for (size_t i = 1; i < k; i++) r->members[c * k + i] = g->first + (uint32_t)bytes_at(g->shape + 4 * (i - 1), 4);
        g->first++;
        g->run--;
    }
    return SOS_OK;
}

static void unfold_tables(reader *r, const group *g, uint64_t done, size_t count)
{
    for (size_t c = 0; c < count; c++)
        r->tables[c] = g->tables ? (uint32_t)bytes_at(g->tables + (done + c) * g->table_bytes, g->table_bytes) : g->table;
}

/* Weights stand before the members, so that their place is not that of the reader. */
static sos_status unfold_weights(reader *r, const group *g, uint64_t done, size_t count)
{
    if (!g->weights) return SOS_OK;
    reader there = *r;
    there.at = g->weights + done * g->weight_kind;
    return unfold_numbers(&there, g->weight_kind, count, r->numbers);
}

static sos_status take_cliques(reader *r, uint64_t cliques)
{
    sos_error inner;
    if (!sos_grow(&r->members, &r->members_room, (size_t)BLOCK * SOS_TABLE_MEMBERS_MAX) ||
        !sos_grow(&r->tables, &r->tables_room, BLOCK) || !sos_grow(&r->numbers, &r->numbers_room, BLOCK))
        return binary_no_memory(r);
    for (uint64_t left = cliques; left;) {
        group g;
        sos_status status = take_group(r, left, &g);
        left -= g.count;
        for (uint64_t done = 0; !status && done < g.count;) {
            const size_t count = g.count - done < BLOCK ? (size_t)(g.count - done) : BLOCK;
            unfold_tables(r, &g, done, count);
            for (size_t c = 0; c < count && !status; c++) {
                size_t k = 0;
                if (r->tables[c] < sos_energy_tables(r->e)) sos_energy_table(r->e, r->tables[c], &k);
                if (k != g.k)
                    status = refuse(r, SOS_ERR_FORMAT, "a clique of %zu members has table %u", g.k, (unsigned)r->tables[c]);
            }
            if (!status) status = unfold_members(r, &g, count);
            if (!status) status = unfold_weights(r, &g, done, count);
            if (!status && !done && sos_energy_reserve(r->e, r->tables[0], (size_t)g.count, &inner)) status = blame(r, &inner);
            if (!status && sos_energy_add_listed(r->e, count, r->tables, r->members, g.weights ? r->numbers : NULL, &inner))
                status = blame(r, &inner);
            done += count;
        }
        if (!status && g.runs && (g.run || g.run_count || g.segment < g.segments))
            status = refuse(r, SOS_ERR_FORMAT, "the runs continue after the last clique");
        if (status) return status;
    }
    return SOS_OK;
}

static sos_status take_concave(reader *r)
{
    uint64_t k, knots, amounts;
    double weight;
    sos_status status = take(r, 4, &k);
    if (!status) status = take(r, 4, &knots);
    if (!status) status = take(r, 1, &amounts);
    if (!status) status = take_real(r, &weight);
    if (!status) status = room_check(r, k, 4, "members of a concave clique");
    if (status) return status;
    if (amounts > 1 || (amounts && !knots)) return refuse(r, SOS_ERR_FORMAT, "a count function without knots");
    const size_t members = (size_t)k, places = (size_t)knots;
    if (!sos_grow(&r->members, &r->members_room, members + 1)) return binary_no_memory(r);
    for (size_t i = 0; i < members; i++) r->members[i] = (uint32_t)bytes_at(r->at + 4 * i, 4);
    r->at += 4 * members;
    const size_t before = amounts ? members : 0;
    if (amounts) status = take_numbers(r, members, 0);
    if (!status && knots) status = take_numbers(r, places, before);
    if (!status) status = take_numbers(r, knots ? places : members + 1, before + places);
    if (status) return status;
    sos_error inner;
    const double *x = r->numbers, *values = x + before + places;
    if (knots ? sos_energy_add_pieces(r->e, members, r->members, amounts ? x : NULL, places, x + before, values, weight, &inner)
              : sos_energy_add_concave(r->e, members, r->members, values, weight, &inner))
        return blame(r, &inner);
    return SOS_OK;
}

static sos_status take_fixed(reader *r, uint64_t count)
{
    uint64_t last = 0, x;
    sos_error inner;
    for (uint64_t i = 0; i < count; i++) {
        const sos_status status = take(r, 4, &x);
        if (status) return status;
        if (i && x / 2 <= last / 2) return refuse(r, SOS_ERR_FORMAT, "fixed variables are not in increasing order");
        if (sos_energy_fix(r->e, (size_t)(x / 2), (int)(x & 1), &inner)) return blame(r, &inner);
        last = x;
    }
    return SOS_OK;
}

/* The fewest bytes that each thing takes: its numbers, and its costs in the least kind, one byte each behind that of the kind.
 */
enum {
    VARIABLE_LEAST = 2,                        /* two costs */
    TABLE_LEAST = 4 + 1 + 2,                   /* k; two costs */
    CONCAVE_LEAST = 4 + 4 + 1 + 8 + 4 + 1 + 2, /* k, knots, whether there are amounts, weight; one member; two costs */
    FIXED_LEAST = 4
};

typedef struct header {
    uint64_t version, tables, variables, cliques, concaves, fixed;
    double constant;
} header;

static sos_status take_header(reader *r, header *h)
{
    sos_status status = take(r, 8, &h->version); /* the mark, which is known */
    if (!status) status = take(r, 4, &h->version);
    if (!status && h->version != VERSION)
        return refuse(r, SOS_ERR_FORMAT, "version %u; this library reads %d", (unsigned)h->version, VERSION);
    if (!status) status = take(r, 4, &h->tables);
    if (!status) status = take(r, 8, &h->variables);
    if (!status) status = take(r, 8, &h->cliques);
    if (!status) status = take(r, 8, &h->concaves);
    if (!status) status = take(r, 8, &h->fixed);
    if (!status) status = take_real(r, &h->constant);
    if (!status) status = room_check(r, h->variables, VARIABLE_LEAST, "variables");
    if (!status) status = room_check(r, h->tables, TABLE_LEAST, "tables");
    if (!status) status = room_check(r, h->concaves, CONCAVE_LEAST, "concave cliques");
    if (!status) status = room_check(r, h->fixed, FIXED_LEAST, "fixed variables");
    return status;
}

static sos_status take_body(reader *r, const header *h)
{
    unsigned kind;
    sos_error inner;
    if (sos_energy_add_constant(r->e, h->constant, &inner)) return blame(r, &inner);
    sos_status status = take_kind(r, 2 * h->variables, &kind);
    if (!status) status = unfold_numbers(r, kind, 2 * (size_t)h->variables, r->e->unary);
    for (uint64_t t = 0; !status && t < h->tables; t++) status = take_table(r, (size_t)t);
    if (!status) status = take_cliques(r, h->cliques);
    for (uint64_t c = 0; !status && c < h->concaves; c++) status = take_concave(r);
    if (!status) status = take_fixed(r, h->fixed);
    if (!status && r->at < r->end) status = refuse(r, SOS_ERR_FORMAT, "unexpected bytes after the end of the energy");
    return status;
}

sos_status sos_format_binary_read(const char *bytes, size_t length, const char *name, sos_energy **out, sos_error *error)
{
    const unsigned char *begin = (const unsigned char *)bytes;
    reader r = { .begin = begin, .at = begin, .end = begin + length, .name = name, .error = error };
    header h = { 0 };
    sos_error inner;
    if (!sos_format_is_binary(bytes, length)) return refuse(&r, SOS_ERR_FORMAT, "not an energy in binary form");
    sos_status status = take_header(&r, &h);
    if (status) return status;
    if (sos_energy_create((size_t)h.variables, &r.e, &inner)) return blame(&r, &inner);
    status = take_body(&r, &h);
    free(r.members);
    free(r.tables);
    free(r.numbers);
    if (status)
        sos_energy_free(r.e);
    else
        *out = r.e;
    return status;
}

/* ---------------------------------------------------------------- writing */

static void put(sos_output *o, uint64_t x, unsigned bytes)
{
    unsigned char p[8] = { 0 };
    for (unsigned i = 0; i < bytes; i++) p[i] = (unsigned char)(x >> 8 * i);
    fwrite(p, 1, bytes, o->file);
}

static void put_real(sos_output *o, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    put(o, bits, 8);
}

/* The fewest bytes of integers that give back the same doubles, -0 included. */
static unsigned kind_of(size_t count, const double x[])
{
    double least = 0, most = 0;
    bool whole = true;
    for (size_t i = 0; i < count && whole; i++) {
        least = fmin(least, x[i]);
        most = fmax(most, x[i]);
        whole = x[i] == rint(x[i]) && !(x[i] == 0 && signbit(x[i]));
    }
    if (!whole) return REAL;
    return least >= INT8_MIN && most <= INT8_MAX     ? 1
           : least >= INT16_MIN && most <= INT16_MAX ? 2
           : least >= INT32_MIN && most <= INT32_MAX ? 4
                                                     : REAL;
}

static void put_numbers(sos_output *o, size_t count, const double x[])
{
    const unsigned kind = kind_of(count, x);
    put(o, kind, 1);
    for (size_t i = 0; i < count; i++)
        if (kind == REAL)
            put_real(o, x[i]);
        else
            put(o, (uint64_t)(int64_t)x[i], kind);
}

/* Do two cliques have the same shape: all members as far from the first? */
static bool same_shape(size_t k, const uint32_t a[], const uint32_t b[])
{
    bool same = true;
    for (size_t i = 1; i < k; i++) same &= a[i] - a[0] == b[i] - b[0];
    return same;
}

/* The end of the segment, or of the run, that begins at clique c. */
static size_t segment_end(const sos_pool *pool, size_t k, size_t c)
{
    const uint32_t *first = pool->variables + c * k;
    do c++;
    while (c < pool->count && same_shape(k, first, pool->variables + c * k));
    return c;
}

static size_t run_end(const sos_pool *pool, size_t k, size_t c, size_t end)
{
    do c++;
    while (c < end && pool->variables[c * k] == pool->variables[(c - 1) * k] + 1);
    return c;
}

typedef struct runs {
    size_t segments, runs;
} runs;

static runs count_runs(const sos_pool *pool, size_t k)
{
    runs found = { 0, 0 };
    for (size_t c = 0; c < pool->count; found.segments++)
        for (const size_t end = segment_end(pool, k, c); c < end; found.runs++) c = run_end(pool, k, c, end);
    return found;
}

static void put_runs(sos_output *o, const sos_pool *pool, size_t k, size_t segments)
{
    put(o, MEMBERS_IN_RUNS, 1);
    put(o, segments, 4);
    for (size_t c = 0; c < pool->count;) {
        const size_t end = segment_end(pool, k, c);
        const uint32_t *first = pool->variables + c * k;
        size_t count = 0;
        for (size_t i = 1; i < k; i++) put(o, first[i] - first[0], 4);
        for (size_t at = c; at < end; count++) at = run_end(pool, k, at, end);
        put(o, count, 4);
        while (c < end) {
            const size_t next = run_end(pool, k, c, end);
            put(o, pool->variables[c * k], 4);
            put(o, next - c, 4);
            c = next;
        }
    }
}

static void put_tables(sos_output *o, const sos_pool *pool)
{
    uint32_t largest = 0;
    bool one = true;
    for (size_t c = 0; c < pool->count; c++) {
        largest = pool->tables[c] > largest ? pool->tables[c] : largest;
        one &= pool->tables[c] == pool->tables[0];
    }
    const unsigned bytes = one ? ONE_TABLE : largest <= UINT8_MAX ? 1 : largest <= UINT16_MAX ? 2 : 4;
    put(o, bytes, 1);
    if (one) put(o, pool->tables[0], 4);
    for (size_t c = 0; !one && c < pool->count; c++) put(o, pool->tables[c], bytes);
}

/* In runs where that takes less, and never so little that a reader would refuse it: the variables alone take 2 bytes each. */
static void put_pool(sos_output *o, const sos_energy *e, size_t k, uint64_t *unfolded)
{
    const sos_pool *pool = &e->pools[k];
    put(o, k, 4);
    put(o, pool->count, 8);
    put_tables(o, pool);
    put(o, pool->weights != NULL, 1);
    if (pool->weights) put_numbers(o, pool->count, pool->weights);
    const runs found = count_runs(pool, k);
    const size_t bytes = 4 + found.segments * 4 * k + found.runs * 8;
    if (bytes < pool->count * k * 4 && *unfolded + pool->count <= (uint64_t)CLIQUES_PER_BYTE * 2 * e->n) {
        *unfolded += pool->count;
        put_runs(o, pool, k, found.segments);
        return;
    }
    put(o, LISTED_MEMBERS, 1);
    for (size_t i = 0; i < pool->count * k; i++) put(o, pool->variables[i], 4);
}

static void put_concave(sos_output *o, const sos_energy *e, size_t c)
{
    const sos_pieces p = sos_energy_pieces(e, c);
    put(o, p.k, 4);
    put(o, p.place ? p.knots : 0, 4);
    put(o, p.amounts != NULL, 1);
    put_real(o, p.weight);
    for (size_t i = 0; i < p.k; i++) put(o, p.variables[i], 4);
    if (p.amounts) put_numbers(o, p.k, p.amounts);
    if (p.place) put_numbers(o, p.knots, p.place);
    put_numbers(o, p.knots, p.value);
}

sos_status sos_format_binary_write(const sos_energy *e, sos_output *o)
{
    uint64_t fixed = 0, unfolded = 0;
    for (size_t i = 0; e->fixed && i < e->n; i++) fixed += e->fixed[i] != SOS_FREE;
    fwrite((const unsigned char[]){ SOS_BINARY_MARK, 's', 'o', 's', '\r', '\n', 0x1A, '\n' }, 1, 8, o->file);
    put(o, VERSION, 4);
    put(o, e->table_count, 4);
    put(o, e->n, 8);
    put(o, e->clique_count, 8);
    put(o, e->concave_count, 8);
    put(o, fixed, 8);
    put_real(o, e->constant);
    put_numbers(o, 2 * e->n, e->unary);
    for (size_t t = 0; t < e->table_count; t++) {
        put(o, e->tables[t].k, 4);
        put_numbers(o, (size_t)1 << e->tables[t].k, sos_table_costs(e, (uint32_t)t));
    }
    for (size_t k = 1; k <= SOS_TABLE_MEMBERS_MAX; k++)
        if (e->pools[k].count) put_pool(o, e, k, &unfolded);
    for (size_t c = 0; c < e->concave_count; c++) put_concave(o, e, c);
    for (size_t i = 0; fixed && i < e->n; i++)
        if (e->fixed[i] != SOS_FREE) put(o, 2 * i + e->fixed[i], 4);
    return SOS_OK;
}

#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* mkstemp, access */
#endif

#include "tasks/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"

/* Before the data in a file. */
typedef struct header {
    char magic[8];
    s3svm_cache_key key;
    uint64_t bytes, check;
} header;

static const char MAGIC[8] = { 's', '3', 's', 'v', 'm', 'c', 'a', '1' };

/* The second part begins elsewhere and sees the first, so that both must agree by chance for a mistake. */
void s3svm_cache_key_add(s3svm_cache_key *key, const void *data, size_t bytes)
{
    const uint64_t size = bytes;
    key->parts[0] = sos_hash(key->parts[0], &size, sizeof size);
    key->parts[1] = sos_hash(key->parts[1], &key->parts[0], sizeof key->parts[0]);
    key->parts[0] = sos_hash(key->parts[0], data, bytes);
    key->parts[1] = sos_hash(key->parts[1], data, bytes);
}

void s3svm_cache_key_add_number(s3svm_cache_key *key, uint64_t number) { s3svm_cache_key_add(key, &number, sizeof number); }

s3svm_cache_key s3svm_cache_key_of(const char *computation, uint64_t version)
{
    s3svm_cache_key key = { { SOS_HASH_START, ~SOS_HASH_START } };
    s3svm_cache_key_add(&key, computation, strlen(computation));
    s3svm_cache_key_add_number(&key, version);
    return key;
}

char *s3svm_cache_usual(void)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base && *base == '/') return sos_path_join(base, "s3svm", "");
    return home && *home == '/' ? sos_path_join(home, ".cache/s3svm", "") : NULL;
}

sos_status s3svm_cache_open(const char *folder, sos_error *error)
{
    const sos_status status = sos_folder_create(folder, error);
    if (status) return status;
    return access(folder, W_OK | X_OK) ? sos_fail(error, SOS_ERR_IO, "cannot write into the cache '%.200s'", folder) : SOS_OK;
}

/* The path of a key's file with this ending, to free; or NULL. */
static char *key_path(const char *folder, const s3svm_cache_key *key, const char *ending)
{
    char name[40];
    snprintf(name, sizeof name, "%016" PRIx64 "%016" PRIx64, key->parts[0], key->parts[1]);
    return sos_path_join(folder, name, ending);
}

static header header_of(const s3svm_cache_key *key, const void *data, size_t bytes)
{
    header h = { .key = *key, .bytes = bytes, .check = sos_hash(SOS_HASH_START, data, bytes) };
    memcpy(h.magic, MAGIC, sizeof h.magic);
    return h;
}

static bool is_read(FILE *file, const s3svm_cache_key *key, void *data, size_t bytes)
{
    header found;
    if (fread(&found, sizeof found, 1, file) != 1 || found.bytes != bytes) return false;
    if (fread(data, 1, bytes, file) != bytes || getc(file) != EOF) return false;
    const header expected = header_of(key, data, bytes);
    return !memcmp(&found, &expected, sizeof found);
}

bool s3svm_cache_find(const char *folder, const s3svm_cache_key *key, void *data, size_t bytes)
{
    if (!folder) return false;
    char *path = key_path(folder, key, "");
    FILE *file = path ? fopen(path, "rb") : NULL;
    const bool found = file && is_read(file, key, data, bytes);
    if (file) fclose(file);
    free(path);
    return found;
}

static bool is_written(FILE *file, const s3svm_cache_key *key, const void *data, size_t bytes)
{
    const header h = header_of(key, data, bytes);
    const bool whole = fwrite(&h, sizeof h, 1, file) == 1 && fwrite(data, 1, bytes, file) == bytes;
    return fclose(file) == 0 && whole;
}

static void keep_as(const char *path, char *temporary, const s3svm_cache_key *key, const void *data, size_t bytes)
{
    const int descriptor = mkstemp(temporary);
    if (descriptor < 0) return;
    FILE *file = fdopen(descriptor, "wb");
    if (!file) close(descriptor);
    if (!file || !is_written(file, key, data, bytes) || rename(temporary, path)) unlink(temporary);
}

void s3svm_cache_keep(const char *folder, const s3svm_cache_key *key, const void *data, size_t bytes)
{
    if (!folder) return;
    char *path = key_path(folder, key, ""), *temporary = key_path(folder, key, ".XXXXXX");
    if (path && temporary) keep_as(path, temporary, key, data, bytes);
    free(path);
    free(temporary);
}

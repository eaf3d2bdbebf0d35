/* fuzz_npy.c - any bytes as an array of NumPy's: read or refused.  What is read has finite numbers only. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "vision/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = fuzz_copy(data, size);
    s3svm_maps maps = { 0 };
    sos_error error;
    if (!s3svm_npy_parse(copy, size, "input", &maps, &error)) {
        fuzz_accepted++;
        const size_t count = maps.width * maps.height * maps.channels;
        fuzz_check(count && count <= size);
        for (size_t i = 0; i < count; i++) fuzz_check(isfinite(maps.values[i]));
    } else {
        fuzz_check(strstr(error.message, "input") && !maps.values);
    }
    s3svm_maps_free(&maps);
    free(copy);
    return 0;
}

/* An array as NumPy writes it. */
static fuzz_bytes array(unsigned version, const char *header, size_t bytes)
{
    char file[400] = "\x93NUMPY";
    const size_t length = strlen(header), head = version == 1 ? 10 : 12;
    file[6] = (char)version;
    file[8] = (char)length;
    memcpy(file + head, header, length);
    for (size_t i = 0; i < bytes; i++) file[head + length + i] = (char)(i % 8 < 6 ? 0 : 0x3f);
    return (fuzz_bytes){ fuzz_copy(file, head + length + bytes), head + length + bytes };
}

bool fuzz_seed(size_t i, fuzz_bytes *out)
{
    switch (i) {
    case 0: *out = array(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n", 24); return true;
    case 1: *out = array(1, "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3, 2), }\n", 96); return true;
    case 2: *out = array(2, "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2, 3), }\n", 24); return true;
    case 3: *out = array(1, "{'descr': '>f8', 'fortran_order': False, 'shape': (2, 2), }\n", 32); return true;
    default: return false;
    }
}

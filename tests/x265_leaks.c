/* x265_leaks.c - what libx265 leaks, by which libheif writes pictures for tests, is not reported by the leak sanitizer. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void) { return "leak:libx265\n"; }

/* x265_leaks.c - tells the leak sanitizer that what libx265 forgets, when libheif writes pictures for tests by it, is not ours. */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
    return "leak:libx265\n";
}

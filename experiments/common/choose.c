/* choose.c - chooses named things. */
#include "experiments/common/choose.h"

#include <string.h>

#include "base/error.h"

static size_t word_find(const char *text, size_t length, size_t count, s3svm_word_of *word)
{
    size_t i = 0;
    while (i < count && (strlen(word(i)) != length || memcmp(word(i), text, length) != 0)) i++;
    return i;
}

sos_status s3svm_choose(const char *option, const char *list, size_t count, s3svm_word_of *word, const char *words,
                        bool chosen[], sos_error *error)
{
    for (const char *at = list; *at;) {
        const size_t length = strcspn(at, ","), which = word_find(at, length, count, word);
        if (which == count)
            return sos_fail(error, SOS_ERR_ARGUMENT, "%s takes a list of %s, not '%.200s'", option, words, list);
        chosen[which] = true;
        at += length + (at[length] == ',');
    }
    return *list ? SOS_OK : sos_fail(error, SOS_ERR_ARGUMENT, "%s: a list of %s", option, words);
}

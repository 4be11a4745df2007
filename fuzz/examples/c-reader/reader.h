// A small reader of programs, in place of the reader that you want to fuzz.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Returns the number of methods of the program at `file`, or -1 if the reader rejects it.
int read_program(const uint8_t *file, size_t size);

// A crash that you know and have not fixed yet: while you fuzz, the reader reports its condition once and returns -1, so that
// it neither hides later crashes nor costs a restart. Other builds are not changed. Remove the line together with the defect.
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#include <stdio.h>
#define KNOWN_CRASH(condition)                                    \
    do {                                                          \
        if (condition) {                                          \
            static int reported;                                  \
            if (!reported) fputs("known: " #condition "\n", stderr); \
            reported = 1;                                         \
            return -1;                                            \
        }                                                         \
    } while (0)
#else
#define KNOWN_CRASH(condition) ((void)0)
#endif

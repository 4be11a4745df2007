/* The C ABI of a reader in a shared library: `torchproof run --reader lib:PATH.so`.

   A library exports two functions: one describes the reader, the other reads one case. The host process loads the library and
   calls torchproof_hello() once. It then forks a child process for each case:

   - A case cannot affect the memory of the next one, so nothing needs to be freed.
   - A signal, an abort or an exit ends only the child, and counts as a crash of the reader. Do not catch them. Convert only the
     reader's own errors into rejections.
   - Both functions are noexcept in C++. An exception that leaves one of them calls std::terminate(), which prints its message to
     stderr and counts as a crash. In torchproof_hello() it makes the library unusable, in torchproof_read() it ends the case.
   - An abort after a failed malloc() counts as out-of-memory only if stderr says so, as operator new, Rust and most runtimes
     do ("std::bad_alloc", "memory allocation of ..."). Otherwise it counts as a crash, like an assertion. A reader that detects
     the lack of memory and returns an error rejects the file.
   - State from loading the library or from torchproof_hello() exists in every case, except threads.
   - Output on stdout goes to stderr. Reports show the end of stderr after a crash. */

#ifndef TORCHPROOF_H
#define TORCHPROOF_H

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
#define TORCHPROOF_FUNCTION extern "C" __attribute__((visibility("default")))
#define TORCHPROOF_NOEXCEPT noexcept /* an exception ends the child and prints its message */
#else
#define TORCHPROOF_FUNCTION __attribute__((visibility("default")))
#define TORCHPROOF_NOEXCEPT
#endif

/* The role of a file. */
enum {
    TORCHPROOF_ROLE_PROGRAM = 0, /* .pte */
    TORCHPROOF_ROLE_DATA = 1,    /* .ptd */
    TORCHPROOF_ROLE_BUNDLED = 2  /* .bpte; only for a reader with the capability "bundled" */
};

/* The stages of reading, in order. */
enum {
    TORCHPROOF_STAGE_UNKNOWN = -1,
    TORCHPROOF_STAGE_OPEN = 0,
    TORCHPROOF_STAGE_HEADER = 1,
    TORCHPROOF_STAGE_STRUCTURE = 2,
    TORCHPROOF_STAGE_META = 3,
    TORCHPROOF_STAGE_METHOD = 4,
    TORCHPROOF_STAGE_DATA = 5
};

/* The value that an accept must contain; more than a verdict only for a reader with the capability. */
enum {
    TORCHPROOF_WANT_VERDICT = 0, /* nothing */
    TORCHPROOF_WANT_VALUE = 1,   /* capability "value": the canonical JSON */
    TORCHPROOF_WANT_LOADED = 2   /* capability "loaded": what the reader's API returns */
};

/* The outcome of a case. */
enum {
    TORCHPROOF_ACCEPT = 0,      /* read up to the requested stage */
    TORCHPROOF_REJECT = 1,      /* rejected with an error */
    TORCHPROOF_UNSUPPORTED = 2, /* the reader does not support this kind of file */
    TORCHPROOF_ERROR = 3        /* the library failed, for example to read the whole file; not the reader's fault */
};

/* One file of a case. It is in memory at `bytes` or on disk at `path`; the other pointer is NULL.

   In memory it may begin at any address, even an odd one, and end at an unreadable page. The memory is read-only.
   `bytes` is not NULL for an empty file. */
struct torchproof_file {
    int32_t role;
    const char *path; /* absolute */
    const unsigned char *bytes;
    uint64_t offset; /* the offset of the file at `path`; a multiple of every page size */
    uint64_t size;   /* the size of the file, in memory or from `offset` on */
    /* For a data file with TORCHPROOF_WANT_LOADED: the indices of its entries with a tensor layout. Else NULL. */
    const uint64_t *layouts;
    uint64_t layout_count;
};

/* A request to read these files together, up to `stage`. */
struct torchproof_request {
    const struct torchproof_file *files; /* the program first */
    uint64_t file_count;                 /* at least one */
    int32_t stage;
    int32_t want;
};

/* Details of the outcome. On entry the stage is unknown and both strings are NULL.

   Strings have a NUL terminator and must stay valid after torchproof_read() returns: use a literal, a static object, or memory
   that is never freed. */
struct torchproof_answer {
    /* For a rejection: the stage of the error, one that "hello" lists or TORCHPROOF_STAGE_OPEN; unknown only if "hello" lists
       none. For an accept: request->stage or unknown, which means the same; another stage is a protocol violation. Ignored for
       other outcomes. */
    int32_t stage;
    const char *message; /* the reason, for people */
    const char *value;   /* for an accept: the requested JSON */
};

/* Returns the "hello" reply of the reader protocol (see the page "Reader protocol" of the book), such as
   {"protocol":1,"name":"toy","formats":["pte","ptd"],"stages":["header","data"]}.

   "protocol" is also the version of these declarations. Without "deliveries" the files are always in memory, with each of the
   deliveries "mmap", "buffer", "unaligned" and "guard". A reader that opens files itself lists "file", and "file-at-offset" if
   it supports an offset. The string must stay valid. Called once. */
TORCHPROOF_FUNCTION const char *torchproof_hello(void) TORCHPROOF_NOEXCEPT;

/* Reads a case, and returns TORCHPROOF_ACCEPT, TORCHPROOF_REJECT, TORCHPROOF_UNSUPPORTED or TORCHPROOF_ERROR. */
TORCHPROOF_FUNCTION int32_t torchproof_read(const struct torchproof_request *request,
                                            struct torchproof_answer *answer) TORCHPROOF_NOEXCEPT;

/* Prints the start of a stage to stderr. The last such line is the stage that reports give for a crash, so call it before the first
   call into the reader that belongs to the stage. */
static inline void torchproof_enter(int32_t stage) {
    static const char *const lines[] = {"torchproof-stage: open\n",      "torchproof-stage: header\n",
                                        "torchproof-stage: structure\n", "torchproof-stage: meta\n",
                                        "torchproof-stage: method\n",    "torchproof-stage: data\n"};
    if (stage < TORCHPROOF_STAGE_OPEN || stage > TORCHPROOF_STAGE_DATA) return;
    /* Unbuffered, because a crash would lose a buffer. */
    if (write(STDERR_FILENO, lines[stage], strlen(lines[stage])) < 0) return;
}

#endif

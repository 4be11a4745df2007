/* The C ABI of a reader in a shared library: `torchproof run --reader lib:PATH.so`.

   A library exports two functions: torchproof_hello() describes the reader, and torchproof_read() reads one case. The host
   process loads the library, calls torchproof_hello() once, and forks a child process for each case. Therefore:

   - A case cannot affect the memory of later cases, so the library need not free memory.
   - A signal, an abort or an exit ends only the child, and counts as a crash of the reader, so do not prevent them. Convert
     only the reader's own errors into rejections.
   - Both functions are noexcept in C++. If an exception leaves one, std::terminate() prints its message to stderr, and it
     counts as a crash. After a crash in torchproof_hello(), the library is unusable; after one in torchproof_read(), the next
     case runs.
   - An abort after a failed malloc() counts as out-of-memory only if stderr has a message such as "std::bad_alloc" or "memory
     allocation of ...", which operator new, Rust and most runtimes print; otherwise, it is a crash. If the reader detects the
     lack of memory and returns an error, this is a rejection.
   - Every case begins with the state after torchproof_hello(), but without its threads.
   - Output on stdout is redirected to stderr, whose end reports show after a crash. */

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

/* The stages of reading a file, in order. */
enum {
    TORCHPROOF_STAGE_UNKNOWN = -1,
    TORCHPROOF_STAGE_OPEN = 0,
    TORCHPROOF_STAGE_HEADER = 1,
    TORCHPROOF_STAGE_STRUCTURE = 2,
    TORCHPROOF_STAGE_META = 3,
    TORCHPROOF_STAGE_METHOD = 4,
    TORCHPROOF_STAGE_DATA = 5,
    TORCHPROOF_STAGE_EXECUTE = 6
};

/* The value that an accept must contain. A reader is asked for a value only if it has the capability named here. */
enum {
    TORCHPROOF_WANT_VERDICT = 0, /* no value */
    TORCHPROOF_WANT_VALUE = 1,   /* capability "value": the canonical JSON of the file */
    TORCHPROOF_WANT_LOADED = 2   /* capability "loaded": the results of the reader's API */
};

/* The outcome of a case. */
enum {
    TORCHPROOF_ACCEPT = 0,      /* the reader read all files up to the requested stage */
    TORCHPROOF_REJECT = 1,      /* the reader rejected a file with an error */
    TORCHPROOF_UNSUPPORTED = 2, /* the reader does not support this kind of file */
    TORCHPROOF_ERROR = 3        /* the library failed, for example because a file is incomplete; the reader is not at fault */
};

/* One file of a case, either in memory at `bytes` or on disk at `path`; the unused pointer is NULL.

   A file in memory is read-only, may begin at any address, even an odd one, and may end at an unreadable page. If it is empty,
   `bytes` is still not NULL. */
struct torchproof_file {
    int32_t role;
    const char *path; /* absolute */
    const unsigned char *bytes;
    uint64_t offset; /* the offset at which the file begins in `path`; a multiple of every page size */
    uint64_t size;   /* the size of the file in bytes */
    /* The indices of the entries with a tensor layout, for a data file with TORCHPROOF_WANT_LOADED; otherwise NULL. */
    const uint64_t *layouts;
    uint64_t layout_count;
};

/* A request to read these files together, up to `stage`. */
struct torchproof_request {
    const struct torchproof_file *files; /* the first file is the program, if there is one */
    uint64_t file_count;                 /* at least one */
    int32_t stage;
    int32_t want;
};

/* Details of the outcome. When the host calls torchproof_read(), the stage is TORCHPROOF_STAGE_UNKNOWN and both strings are NULL.

   Strings have a NUL terminator and must stay valid after torchproof_read() returns: use a literal, a static object, or memory
   that is never freed. */
struct torchproof_answer {
    /* For a rejection, set the stage of the error: a stage that "hello" lists, or TORCHPROOF_STAGE_OPEN. Leave the stage unknown
       only if "hello" lists no stages. For an accept, leave the stage unknown or set it to request->stage; any other stage is a
       protocol violation. For other outcomes, the stage is ignored. */
    int32_t stage;
    const char *message; /* the reason, for people */
    const char *value;   /* for an accept: the requested value as JSON */
};

/* Returns the "hello" reply of the reader protocol (see the page "Reader protocol" of the book), such as
   {"protocol":1,"name":"toy","formats":["pte","ptd"],"stages":["header","data"]}.

   "protocol" is also the version of these declarations. Without "deliveries", the files are always in memory, and the library
   supports the deliveries "mmap", "buffer", "unaligned" and "guard". If the reader opens files itself, list "file" in
   "deliveries"; if it also supports an offset, list "file-at-offset" too. The string must stay valid after the function
   returns. The host calls this function once. */
TORCHPROOF_FUNCTION const char *torchproof_hello(void) TORCHPROOF_NOEXCEPT;

/* Reads a case, and returns TORCHPROOF_ACCEPT, TORCHPROOF_REJECT, TORCHPROOF_UNSUPPORTED or TORCHPROOF_ERROR. */
TORCHPROOF_FUNCTION int32_t torchproof_read(const struct torchproof_request *request,
                                            struct torchproof_answer *answer) TORCHPROOF_NOEXCEPT;

/* Prints the start of a stage to stderr. Call this function before the first call of the reader in a stage, because reports use
   the last printed one as the stage of a crash. */
static inline void torchproof_enter(int32_t stage) {
    static const char *const lines[] = {"torchproof-stage: open\n",      "torchproof-stage: header\n",
                                        "torchproof-stage: structure\n", "torchproof-stage: meta\n",
                                        "torchproof-stage: method\n",    "torchproof-stage: data\n",
                                        "torchproof-stage: execute\n"};
    if (stage < TORCHPROOF_STAGE_OPEN || stage > TORCHPROOF_STAGE_EXECUTE) return;
    /* Use write(), because a crash would lose the content of a stdio buffer. */
    if (write(STDERR_FILENO, lines[stage], strlen(lines[stage])) < 0) return;
}

#endif

/* The C ABI of a reader in a shared library: `torchproof run --reader lib:PATH.so`.

   A library has two functions: one says who the reader is, the other reads one case. Each case is read in a child process of
   its own, forked from one that has loaded the library and asked who it is, so that:

   - nothing that a case does to memory is there for the next one; nothing has to be freed;
   - a signal, an abort and an exit end the child alone, and count as a crash of the reader. Do not catch them: turn what is the
     reader's way to refuse a file, and nothing else, into a rejection;
   - both functions are noexcept in C++: no exception may leave them. One that does ends the child by std::terminate(), with its
     words on stderr, and so is a crash too: that of torchproof_hello() ends the library's use, that of torchproof_read() the case;
   - so does an abort where malloc() gives NULL: it is out-of-memory only where stderr says so, as operator new, Rust and most
     runtimes do ("std::bad_alloc", "memory allocation of ..."), and a crash where nothing is said, since nobody could tell it from
     an assertion. A reader that notices that it has no memory and refuses the file rejects it;
   - what is set up in torchproof_hello() or while the library is loaded is there in every case, but for threads;
   - what is printed to stdout goes to stderr, of which the end is shown beside a crash. */

#ifndef TORCHPROOF_H
#define TORCHPROOF_H

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#ifdef __cplusplus
#define TORCHPROOF_FUNCTION extern "C" __attribute__((visibility("default")))
#define TORCHPROOF_NOEXCEPT noexcept /* an exception ends the child with its own words on stderr */
#else
#define TORCHPROOF_FUNCTION __attribute__((visibility("default")))
#define TORCHPROOF_NOEXCEPT
#endif

/* What a file is. */
enum {
    TORCHPROOF_ROLE_PROGRAM = 0, /* .pte */
    TORCHPROOF_ROLE_DATA = 1,    /* .ptd */
    TORCHPROOF_ROLE_BUNDLED = 2  /* .bpte; only for a reader with the capability "bundled" */
};

/* How far a reader gets into a file, in order. */
enum {
    TORCHPROOF_STAGE_UNKNOWN = -1,
    TORCHPROOF_STAGE_OPEN = 0,
    TORCHPROOF_STAGE_HEADER = 1,
    TORCHPROOF_STAGE_STRUCTURE = 2,
    TORCHPROOF_STAGE_META = 3,
    TORCHPROOF_STAGE_METHOD = 4,
    TORCHPROOF_STAGE_DATA = 5
};

/* What an accept has to carry; more than a verdict is asked only of a reader with the capability. */
enum {
    TORCHPROOF_WANT_VERDICT = 0, /* nothing */
    TORCHPROOF_WANT_VALUE = 1,   /* capability "value": the canonical JSON */
    TORCHPROOF_WANT_LOADED = 2   /* capability "loaded": what the reader's interface says */
};

/* What came of a case. */
enum {
    TORCHPROOF_ACCEPT = 0,      /* read as far as asked */
    TORCHPROOF_REJECT = 1,      /* refused with a clean error */
    TORCHPROOF_UNSUPPORTED = 2, /* the reader does not do this kind of file */
    TORCHPROOF_ERROR = 3        /* the library could not do its part, as to read a file to its end; says nothing of the reader */
};

/* One file of a case. Either `bytes` or `path` is NULL: the file is in memory, or has to be read from where it is.

   In memory it may begin at any address, also an odd one, and end where nothing may be read behind it; nobody may write to it.
   `bytes` is not NULL for a file of no bytes either. */
struct torchproof_file {
    int32_t role;
    const char *path; /* absolute */
    const unsigned char *bytes;
    uint64_t offset; /* where the file begins in what is at `path`; a multiple of every page size */
    uint64_t size;   /* how long the file is, in memory or from `offset` on */
    /* Where TORCHPROOF_WANT_LOADED asks for a data file: which of its entries have a tensor layout. Else NULL. */
    const uint64_t *layouts;
    uint64_t layout_count;
};

/* Read these files together, and no further than `stage`. */
struct torchproof_request {
    const struct torchproof_file *files; /* the program first */
    uint64_t file_count;                 /* at least one */
    int32_t stage;
    int32_t want;
};

/* What there is to say of it besides; on entry the stage is unknown and both strings are NULL.

   Strings end with a NUL, and have to stay where they are after torchproof_read() has returned: a literal, a static object, or
   memory that nobody frees. */
struct torchproof_answer {
    /* Of a rejection: the stage that objected, one of those that the hello names or TORCHPROOF_STAGE_OPEN. It may stay unknown only
       where the hello names none; otherwise the case has no answer. Of an accept: request->stage, or unknown, which is taken for
       that; to accept at another is no answer, since to accept is to have read as far as was asked. Else it says nothing. */
    int32_t stage;
    const char *message; /* why, for people */
    const char *value;   /* of an accept: the JSON that was wanted */
};

/* Who the reader is: the JSON object that a worker answers to "hello", as conformance/src/reader/protocol.rs describes it, as in
   {"protocol":1,"name":"toy","formats":["pte","ptd"],"stages":["header","data"]}.

   "protocol" is the version of these declarations too. Without "deliveries" the files are always in memory, in each of the ways
   "mmap", "buffer", "unaligned" and "guard"; a reader that opens files itself names "file", and "file-at-offset" if it can begin
   in the middle of one. The string has to stay. Called once. */
TORCHPROOF_FUNCTION const char *torchproof_hello(void) TORCHPROOF_NOEXCEPT;

/* Reads a case, and returns TORCHPROOF_ACCEPT, TORCHPROOF_REJECT, TORCHPROOF_UNSUPPORTED or TORCHPROOF_ERROR. */
TORCHPROOF_FUNCTION int32_t torchproof_read(const struct torchproof_request *request,
                                            struct torchproof_answer *answer) TORCHPROOF_NOEXCEPT;

/* Says on stderr which stage begins. The last such line is the stage that a crash gets booked under, so call it before the first
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

/* The call of the reader, its memory, and the switches of the defects.

   Without the environment variable PLANTED all defects are live. With PLANTED=N only the defect N is, and with PLANTED=0 none. In
   every case the first trigger of a defect in a file writes `planted: NAME` to stderr. If PLANTED_REPORTS names a file, the first
   trigger in a process also appends the name and the monotonic time to it, as the first planted reader does. */

#include "reader.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static jmp_buf rejection;
static const char *why;
static void **blocks;
static uint64_t block_count, block_room;
static bool told[32]; /* in this call */

bool defect(enum defect which) {
#define DEFECT_NAME(number, name, summary) #name,
    static const char *const names[] = {NULL, DEFECTS(DEFECT_NAME)};
    static bool reported[32];
    const char *only = getenv("PLANTED"), *reports = getenv("PLANTED_REPORTS");
    if (!told[which]) dprintf(STDERR_FILENO, "planted: %s\n", names[which]);
    told[which] = true;
    if (reports != NULL && !reported[which]) {
        struct timespec now = {0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        const int out = open(reports, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (out < 0 || dprintf(out, "%s %lld.%09ld\n", names[which], (long long)now.tv_sec, now.tv_nsec) < 0) abort();
        close(out);
        reported[which] = true;
    }
    return only == NULL || atoi(only) == (int)which;
}

void must(bool holds, const char *reason) {
    if (holds) return;
    why = reason;
    longjmp(rejection, 1);
}

void *grab(uint64_t count, uint64_t size) {
    if (block_count == block_room) {
        void **more = realloc(blocks, (2 * block_room + 64) * sizeof *blocks);
        must(more != NULL, "out of memory");
        blocks = more;
        block_room = 2 * block_room + 64;
    }
    void *block = calloc(count == 0 ? 1 : count, size);
    must(block != NULL, "out of memory");
    return blocks[block_count++] = block;
}

static void free_all(void) {
    for (uint32_t i = 0; i < file.method_count; ++i) {
        struct method *method = file.methods + i;
        for (uint32_t j = 0; j < method->value_count; ++j) {
            if (!method->values[j].freed) free(method->values[j].strides);
        }
    }
    while (block_count > 0) free(blocks[--block_count]);
}

const char *reader_read(const uint8_t *bytes, uint64_t size, bool program, void (*use)(void *, bool), void *context) {
    memset(told, 0, sizeof told);
    file = (struct file){.bytes = bytes, .end = size, .size = size};
    why = NULL;
    if (setjmp(rejection) == 0) {
        if (program) read_program();
        else read_data_file();
        if (use != NULL) use(context, program);
    }
    free_all();
    return why;
}

/* Without these, the end of the process would report what a rejection leaves, and a report of UBSan would have no stack. */
const char *__asan_default_options(void) { return "detect_leaks=0:detect_stack_use_after_return=0"; }
const char *__ubsan_default_options(void) { return "print_stacktrace=1:halt_on_error=1"; }

#ifdef PLANTED_FUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    reader_read(data, size, size < 8 || memcmp(data + 4, "FT01", 4) != 0, NULL, NULL);
    return 0;
}
#endif

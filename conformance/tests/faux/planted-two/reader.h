/* A second reader of programs and data files with twenty planted defects, for measurements of fuzzers. Its author had not seen the
   mutator or the attacks.

       defects.c      the call of the reader, the switches of the defects, and with -DPLANTED_FUZZER a target of libFuzzer
       flatbuffer.c   verifies tables, vectors and strings; then returns fields
       segments.c     headers, segments, keys and shapes, which programs and data files share
       program.c      methods: values, tensors, instructions and delegates
       worker.cpp     a worker of torchproof, which converts the results to the loaded form

   The reader checks every rule up to the stage `data`. A check that a defect leaves out is written as
   `must(holds || defect(NAME), ...)`, so defect() is called exactly if a file triggers the defect. The reader then takes the wrong
   path if the defect is live, and otherwise continues on the correct path. The host must be little-endian. */

#ifndef READER_H
#define READER_H

#include <stdbool.h>
#include <stdint.h>

/* D(number, name, what the reader does wrong). The defects 1 to 10 break memory or hang, 11 to 18 give wrong verdicts, and 19 and 20
   return wrong values of valid files. */
#define DEFECTS(D)                                                                                                       \
    D(1, initial_value_wraps, "adds the offset of an initial value to its size without a check for a sum that wraps")    \
    D(2, operator_past_end, "takes an op_index equal to the number of operators")                                        \
    D(3, vtable_past_end, "compares only the first word of a vtable with the end of the FlatBuffer")                     \
    D(4, list_in_list, "follows a list inside a list without a limit, although a list can contain itself")               \
    D(5, freed_twice, "keeps the pointer after a FreeCall, so a second FreeCall frees it again")                         \
    D(6, constant_truncated, "compares only the low 32 bits of a constant's size with its segment")                      \
    D(7, device_before_start, "compares a signed buffer_idx only with the number of buffers, so it can be negative")     \
    D(8, product_wraps, "multiplies the sizes of a data file's tensor without a check for a product that wraps")         \
    D(9, name_unterminated, "copies an operator's name of 100 bytes or more without a NUL")                              \
    D(10, jumps_in_circle, "follows unconditional jumps to their last target, although jumps can form a circle")         \
    D(11, overlap_unsorted, "compares each segment only with the next one of the table")                                 \
    D(12, header_length_ignored, "never compares the length of a program's header with 24")                              \
    D(13, location_unknown, "treats every location of a blob other than INLINE as SEGMENT")                              \
    D(14, first_key_wins, "takes the first of two equal keys")                                                           \
    D(15, list_absent, "treats an absent list of booleans or numbers as empty")                                          \
    D(16, half_aligned, "accepts 8-byte numbers at multiples of 4")                                                      \
    D(17, size_rounded, "rounds the end of the segment data up to a multiple of 16")                                     \
    D(18, halves_swapped, "swaps the halves of a 64-bit memory offset if the high half is not 0")                        \
    D(19, base_rounded, "rounds the base of segments down to a multiple of 16")                                          \
    D(20, order_unknown, "expects only row-major tensors below four dimensions, and ignores other orders of them")

#define DEFECT_NUMBER(number, name, summary) name = number,
enum defect { DEFECTS(DEFECT_NUMBER) };

/* Reports that a file has triggered the defect, and returns whether the defect is live. */
bool defect(enum defect which);

/* A vector of a verified FlatBuffer. */
struct list {
    bool present;
    uint32_t count;
    uint64_t at; /* the position of the first element */
};

struct bytes {
    const uint8_t *data;
    uint64_t size;
};

/* It has no padding, because shapes are compared by their bytes. */
struct shape {
    uint64_t nbytes, width;
    int32_t type;
    uint32_t rank;
    int32_t sizes[16];
    uint8_t order[16];
};

struct value {
    unsigned type;
    uint64_t table;
    /* only for a tensor: */
    struct shape shape;
    struct list name;
    bool planned, constant, external, freed;
    uint32_t buffer; /* the planned buffer, and the position in it */
    uint64_t offset;
    const uint8_t *data; /* the constant or the initial value; NULL if the file has none */
    uint64_t *strides;
};

struct operator_entry {
    uint64_t table;
    char *name; /* the full name, if a call uses the operator */
};

struct method {
    uint64_t plan;
    struct list inputs, outputs, sizes, delegates; /* `sizes` are those of the planned buffers */
    uint32_t value_count, instruction_count;
    struct value *values;
    struct bytes *blobs;  /* the blob of each delegate */
    struct operator_entry *operators;
    int8_t (*devices)[2]; /* the type and index of the device of each planned buffer */
};

struct entry {
    struct list key;
    struct bytes data;
    uint64_t layout; /* the table; 0 if absent */
    struct shape shape;
};

/* The file of the current call. */
struct file {
    const uint8_t *bytes;
    uint64_t end, size; /* the ends of the file and of the FlatBuffer */
    uint64_t base, data_size;
    uint64_t tables; /* the number of visited tables */
    struct bytes *segments;
    struct entry *entries;
    uint32_t segment_count, entry_count, method_count;
    bool has_segments;
    struct method *methods;
    struct bytes constant_data; /* the segment of `constants` */
    struct list constants;      /* the offsets of the constants */
};
extern struct file file;

/* Ends the call with a rejection unless the condition holds. */
void must(bool holds, const char *why);
/* Returns zeroed memory that lives until the end of the call. */
void *grab(uint64_t count, uint64_t size);

uint64_t load(uint64_t at, unsigned width);
void verify(char root);
uint64_t root_table(void);
uint64_t field(uint64_t table, unsigned slot);
uint64_t number(uint64_t table, unsigned slot, unsigned width);
int32_t index_of(uint64_t table, unsigned slot);
uint64_t child(uint64_t table, unsigned slot);
struct list list_of(uint64_t table, unsigned slot);
uint64_t table_in(struct list list, uint32_t at);
int32_t index_in(struct list list, uint32_t at);
struct bytes bytes_of(struct list list);

void read_program_header(void);
void read_data_header(void);
void read_segments(uint64_t root, unsigned slot);
struct bytes segment(uint64_t index);
void compare_entries(struct entry *entries, uint32_t count);
void read_entries(uint64_t root, unsigned slot, bool layouts);
void read_shape(struct shape *shape, int8_t type, struct list sizes, struct list order, bool data_file);
void fill_strides(const struct shape *shape, uint64_t *strides);
void touch(const struct shape *shape, const uint8_t *data);

void read_program(void);
void read_data_file(void);

/* Reads a file, and calls `use` with `context` after it was accepted. Returns NULL, or the reason for a rejection. */
const char *reader_read(const uint8_t *bytes, uint64_t size, bool program, void (*use)(void *context, bool program), void *context);

#endif

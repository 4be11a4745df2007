/* FlatBuffers: the verification of all tables, and the fields of verified tables. Also the memory of a call. */

#include "reader.h"

#include <stdlib.h>
#include <string.h>

/* The slots of each table: 1, 4 and 8 are scalars of that width, s is a string, and b, i and q are vectors of scalars of 1, 4 and 8
   bytes. A table has the sign `.` and its letter, a vector of tables `*` and its letter. `V` and `J` are the types and values of the
   unions of values and instructions; a union takes two slots. */
static const char *const tables[128] = {
    ['P'] = "4*M*B*B*S.O*O*N",
    ['M'] = "s.C*Eii*H*F*Gq*D",
    ['C'] = "ss",
    ['B'] = "b",
    ['S'] = "88",
    ['O'] = "4q",
    ['N'] = "s4",
    ['E'] = "V",
    ['H'] = "ii*Z*L",
    ['Z'] = "J",
    ['L'] = "*R",
    ['R'] = "s4ss",
    ['F'] = "ss",
    ['G'] = "s.X*Y",
    ['X'] = "14",
    ['Y'] = "sb",
    ['D'] = "411",
    ['A'] = "444",
    ['U'] = "8s111",
    ['T'] = "4*S*K",
    ['K'] = "s4.W",
    ['W'] = "1ib",
};
static const char *const values[] = {NULL, "", "8", "1", "8", "14ib14.A11.U", "s", "q", "q", "b", "i", "i"};
static const char *const instructions[] = {NULL, "4i", "4i", "44", "44", "4"};

struct file file;

uint64_t load(uint64_t at, unsigned width) {
    uint64_t result = 0;
    memcpy(&result, file.bytes + at, width);
    return result;
}

static uint64_t vtable_of(uint64_t table) { return (uint64_t)((int64_t)table - (int32_t)load(table, 4)); }

uint64_t field(uint64_t table, unsigned slot) {
    const uint64_t vtable = vtable_of(table), at = 4 + 2 * slot;
    const uint64_t offset = at + 2 <= load(vtable, 2) ? load(vtable + at, 2) : 0;
    return offset == 0 ? 0 : table + offset;
}

uint64_t number(uint64_t table, unsigned slot, unsigned width) {
    const uint64_t at = field(table, slot);
    return at == 0 ? 0 : load(at, width);
}

int32_t index_of(uint64_t table, unsigned slot) { return (int32_t)number(table, slot, 4); }

uint64_t child(uint64_t table, unsigned slot) {
    const uint64_t at = field(table, slot);
    return at == 0 ? 0 : at + load(at, 4);
}

struct list list_of(uint64_t table, unsigned slot) {
    const uint64_t at = child(table, slot);
    if (at == 0) return (struct list){0};
    return (struct list){true, (uint32_t)load(at, 4), at + 4};
}

uint64_t table_in(struct list list, uint32_t at) {
    const uint64_t element = list.at + 4 * (uint64_t)at;
    return element + load(element, 4);
}

int32_t index_in(struct list list, uint32_t at) { return (int32_t)load(list.at + 4 * (uint64_t)at, 4); }

struct bytes bytes_of(struct list list) { return (struct bytes){file.bytes + list.at, list.count}; }

uint64_t root_table(void) { return load(0, 4); }

static void inside(uint64_t at, unsigned width) {
    must(at <= file.size && width <= file.size - at, "a field ends after the FlatBuffer");
    must(at % width == 0 || (width == 8 && at % 4 == 0 && defect(half_aligned)), "a number is misaligned");
}

/* Returns the target of the offset at a position. */
static uint64_t follow(uint64_t at) {
    inside(at, 4);
    const uint64_t offset = load(at, 4);
    must(offset > 0 && offset < 0x80000000, "an offset is 0, or 2^31 or more");
    inside(at + offset, 4);
    return at + offset;
}

static uint32_t verify_vector(uint64_t at, unsigned width) {
    const uint32_t count = (uint32_t)load(at, 4);
    must((uint64_t)count * width <= file.size - at - 4, "a vector ends after the FlatBuffer");
    if (count > 0) inside(at + 4, width);
    return count;
}

static void verify_table(uint64_t table, const char *slots);

static void verify_union(uint64_t table, unsigned slot, const char *const *types, unsigned count) {
    const uint64_t at = field(table, slot), value = field(table, slot + 1);
    if (at != 0) inside(at, 1);
    const unsigned type = (unsigned)number(table, slot, 1);
    must(type != 0 || value == 0, "a union of type NONE has a value");
    must(type == 0 || value != 0 || (types == values && type == 1), "a union has a type but no value");
    if (value == 0) return;
    const uint64_t target = follow(value);
    if (type < count) verify_table(target, types[type]);
}

static void verify_table(uint64_t table, const char *slots) {
    /* Tables can be shared, so a small file can name many. */
    must(++file.tables <= 1000000, "more than 1,000,000 tables");
    const int64_t vtable = (int64_t)table - (int32_t)load(table, 4);
    must(vtable >= 0 && vtable % 2 == 0 && (uint64_t)vtable + 4 <= file.size, "a vtable is outside the FlatBuffer or misaligned");
    uint64_t length = load((uint64_t)vtable, 2);
    must(length >= 4 && length % 2 == 0, "a vtable has an odd length, or one below 4");
    must(length <= file.size - (uint64_t)vtable || defect(vtable_past_end), "a vtable ends after the FlatBuffer");
    /* Absent slots at the end need no visit. */
    while (length > 4 && load((uint64_t)vtable + length - 2, 2) == 0) length -= 2;
    if (length == 4) return;
    for (unsigned slot = 0; *slots != 0; ++slots, ++slot) {
        const char kind = *slots, of = kind == '.' || kind == '*' ? *++slots : 0;
        if (kind == 'V' || kind == 'J') {
            verify_union(table, slot, kind == 'V' ? values : instructions, kind == 'V' ? 12 : 6);
            return;
        }
        const uint64_t at = field(table, slot);
        if (at == 0) continue;
        if (kind <= '9' && kind >= '0') {
            inside(at, (unsigned)(kind - '0'));
            continue;
        }
        const uint64_t target = follow(at);
        if (kind == '.') verify_table(target, tables[(int)of]);
        else if (kind == 'q') verify_vector(target, 8);
        else if (kind == 'i') verify_vector(target, 4);
        else if (kind == '*') {
            const uint32_t count = verify_vector(target, 4);
            for (uint32_t i = 0; i < count; ++i) verify_table(follow(target + 4 + 4 * (uint64_t)i), tables[(int)of]);
        } else {
            const uint64_t end = target + 4 + verify_vector(target, 1);
            must(kind == 'b' || (end < file.size && file.bytes[end] == 0), "a string has no NUL");
        }
    }
}

/* Verifies the FlatBuffer, whose root table has the letter `root`. */
void verify(char root) {
    must(file.size >= 12 && file.size < 0x80000000, "the FlatBuffer has fewer than 12 bytes, or 2^31 or more");
    const uint64_t table = load(0, 4);
    must(table >= 8 && table <= file.size - 4 && table % 4 == 0, "the root offset is outside the FlatBuffer or misaligned");
    verify_table(table, tables[(int)root]);
}

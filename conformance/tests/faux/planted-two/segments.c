/* What programs and data files share: headers, segments, entries and the shapes of tensors. */

#include "reader.h"

#include <stdlib.h>
#include <string.h>

static bool magic(const char *letters) {
    const uint8_t *at = file.bytes + 8;
    return file.end >= 12 && memcmp(at, letters, 2) == 0 && at[2] >= '0' && at[2] <= '9' && at[3] >= '0' && at[3] <= '9';
}

static void bound_of_data(void) {
    uint64_t end;
    must(!__builtin_add_overflow(file.base, file.data_size, &end) && end <= file.end, "the segment data ends after the file");
}

void read_program_header(void) {
    must(file.end >= 12 && memcmp(file.bytes + 4, "ET12", 4) == 0, "expected the identifier ET12");
    if (!magic("eh")) return;
    must(memcmp(file.bytes + 10, "00", 2) == 0, "the header has an unknown version");
    must(file.end >= 32, "the header is truncated");
    const uint64_t length = load(12, 4);
    must(length >= 24 || defect(header_length_ignored), "the header has fewer than 24 bytes");
    must(length < 32 || file.end >= 40, "the header is truncated");
    file.size = load(16, 8);
    must(file.size >= 32 && file.size <= file.end, "the program's size is below 32 or above the file's");
    file.base = load(24, 8);
    must(file.base == 0 || (file.base >= file.size && file.base <= file.end), "the base is before the program's end or after the file's");
    file.data_size = length >= 32 ? load(32, 8) : 0;
    bound_of_data();
}

void read_data_header(void) {
    must(file.end >= 12 && memcmp(file.bytes + 4, "FT01", 4) == 0, "expected the identifier FT01");
    must(magic("FH") && memcmp(file.bytes + 10, "01", 2) == 0, "expected the header FH01");
    must(file.end >= 48 && load(12, 4) >= 40, "the header has fewer than 40 bytes");
    must(!__builtin_add_overflow(load(16, 8), load(24, 8), &file.size) && file.size <= file.end, "the FlatBuffer ends after the file");
    file.base = load(32, 8);
    file.data_size = load(40, 8);
    must(file.base >= file.size || (file.base == 0 && file.data_size == 0), "the base is before the FlatBuffer's end");
    bound_of_data();
}

/* The offset and size of a segment, relative to the base. */
struct range {
    uint64_t offset, size;
};

static int by_offset(const void *one, const void *other) {
    const struct range *a = one, *b = other;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

static bool overlap(const struct range *ranges, uint32_t count) {
    for (uint32_t i = 1; i < count; ++i) {
        const struct range *a = ranges + i - 1, *b = ranges + i;
        if (a->offset < b->offset + b->size && b->offset < a->offset + a->size) return true;
    }
    return false;
}

void read_segments(uint64_t root, unsigned slot) {
    const struct list list = list_of(root, slot);
    file.has_segments = list.present;
    file.segment_count = list.count;
    file.segments = grab(list.count, sizeof *file.segments);
    struct range *ranges = grab(list.count, sizeof *ranges);
    const bool program = slot == 4;
    uint32_t used = 0;
    for (uint32_t i = 0; i < list.count; ++i) {
        const uint64_t table = table_in(list, i), offset = number(table, 0, 8), size = number(table, 1, 8);
        uint64_t end, absolute;
        must(!__builtin_add_overflow(offset, size, &end), "the end of a segment exceeds 64 bits");
        must(!__builtin_add_overflow(file.base, end, &absolute), "the position of a segment exceeds 64 bits");
        file.segments[i] = (struct bytes){file.bytes, size};
        must(file.base != 0 || (size == 0 && end <= file.end), "a segment has bytes, but the file has no segment data");
        if (file.base == 0) continue;
        const bool fits = end <= file.data_size || (program && file.data_size == 0 && absolute <= file.end);
        const bool near = end <= ((file.data_size + 15) & ~UINT64_C(15)) && absolute <= file.end;
        must(fits || (near && defect(size_rounded)), "a segment ends after the segment data");
        const uint64_t base = file.base % 16 != 0 && defect(base_rounded) ? file.base - file.base % 16 : file.base;
        file.segments[i].data += base + offset;
        if (size > 0) ranges[used++] = (struct range){offset, size};
    }
    const bool neighbors = overlap(ranges, used);
    must(!neighbors, "two segments overlap");
    qsort(ranges, used, sizeof *ranges, by_offset);
    must(!overlap(ranges, used) || defect(overlap_unsorted), "two segments overlap");
}

struct bytes segment(uint64_t index) {
    must(index < file.segment_count, "a segment index is outside the list of segments");
    return file.segments[index];
}

static int by_key(const void *one, const void *other) {
    const struct list a = ((const struct entry *)one)->key, b = ((const struct entry *)other)->key;
    const int order = memcmp(bytes_of(a).data, bytes_of(b).data, a.count < b.count ? a.count : b.count);
    return order != 0 ? order : (a.count > b.count) - (a.count < b.count);
}

/* Sorts entries, and checks that those with one key have the same bytes and the same layout. */
void compare_entries(struct entry *entries, uint32_t count) {
    qsort(entries, count, sizeof *entries, by_key);
    for (struct entry *a = entries, *b = entries + 1; b < entries + count; ++a, ++b) {
        const bool equal = a->data.size == b->data.size && memcmp(a->data.data, b->data.data, a->data.size) == 0;
        const bool same = equal && !a->layout == !b->layout && memcmp(&a->shape, &b->shape, sizeof a->shape) == 0;
        must(same || by_key(a, b) != 0 || defect(first_key_wins), "a key has two values");
    }
}

/* Reads the named data of a program or a data file. */
void read_entries(uint64_t root, unsigned slot, bool layouts) {
    const struct list list = list_of(root, slot);
    must(!list.present || file.has_segments, "a file with named data has no list of segments");
    file.entry_count = list.count;
    file.entries = grab(list.count, sizeof *file.entries);
    for (uint32_t i = 0; i < list.count; ++i) {
        struct entry *entry = file.entries + i;
        const uint64_t table = table_in(list, i);
        entry->key = list_of(table, 0);
        must(entry->key.present, "an entry has no key");
        entry->data = segment(number(table, 1, 4));
        entry->layout = layouts ? child(table, 2) : 0;
        if (entry->layout == 0) continue;
        const uint64_t layout = entry->layout;
        read_shape(&entry->shape, (int8_t)number(layout, 0, 1), list_of(layout, 1), list_of(layout, 2), true);
        must(entry->shape.nbytes <= entry->data.size, "a tensor is longer than its segment");
        touch(&entry->shape, entry->data.data);
    }
    struct entry *sorted = grab(list.count, sizeof *sorted);
    memcpy(sorted, file.entries, list.count * sizeof *sorted);
    compare_entries(sorted, list.count);
}

/* Reads the type, sizes and dim order of a tensor. */
void read_shape(struct shape *shape, int8_t type, struct list sizes, struct list order, bool data_file) {
    static const uint8_t widths[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 4, 8};
    must(type >= 0 && type < 30, "a scalar type is unknown");
    must(sizes.present && order.present, "a tensor has no sizes or no dim order");
    must(sizes.count <= 16 && sizes.count == order.count, "a tensor has more than 16 dimensions, or a dim order of another length");
    shape->type = type;
    shape->width = widths[type];
    shape->rank = sizes.count;
    uint64_t elements = 1;
    uint32_t seen = 0;
    bool empty = false, wraps = false;
    for (unsigned i = 0; i < shape->rank; ++i) {
        shape->sizes[i] = index_in(sizes, i);
        must(shape->sizes[i] >= 0, "a size is negative");
        wraps |= __builtin_mul_overflow(elements, (uint64_t)shape->sizes[i], &elements) || elements > INT64_MAX;
        empty |= shape->sizes[i] == 0;
        shape->order[i] = file.bytes[order.at + i];
        must(shape->order[i] < shape->rank && (seen >> shape->order[i] & 1) == 0, "a dim order is not a permutation");
        seen |= 1u << shape->order[i];
    }
    wraps |= __builtin_mul_overflow(elements, shape->width, &shape->nbytes);
    must(!wraps || empty || (data_file && defect(product_wraps)), "the size of a tensor exceeds 64 bits");
    if (empty) shape->nbytes = 0;
    bool rows = true;
    for (unsigned i = 0; i < shape->rank; ++i) rows &= shape->order[i] == i;
    if (shape->rank < 4 && !rows && defect(order_unknown)) {
        for (unsigned i = 0; i < shape->rank; ++i) shape->order[i] = (uint8_t)i;
    }
}

/* Computes the strides in elements, from the innermost dimension outwards. */
void fill_strides(const struct shape *shape, uint64_t *strides) {
    uint64_t stride = 1;
    for (unsigned i = shape->rank; i-- > 0;) {
        const unsigned dimension = shape->order[i];
        strides[dimension] = stride;
        stride *= shape->sizes[dimension] > 1 ? (uint64_t)shape->sizes[dimension] : 1;
    }
}

/* Loads a byte of each outermost row, so that the pages of a mapped file are in memory before the method runs. */
void touch(const struct shape *shape, const uint8_t *data) {
    volatile uint8_t last;
    uint64_t strides[16];
    for (unsigned i = 0; i < shape->rank; ++i) {
        if (shape->sizes[i] == 0) return;
    }
    fill_strides(shape, strides);
    const uint64_t rows = shape->rank == 0 ? 1 : (uint64_t)shape->sizes[shape->order[0]];
    const uint64_t row = shape->rank == 0 ? 0 : strides[shape->order[0]] * shape->width;
    for (uint64_t i = 0; i < rows; ++i) last = *(const uint8_t *)((uintptr_t)data + i * row);
    (void)last;
}

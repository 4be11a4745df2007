#include "reader.h"

#include <string.h>

static const size_t NOWHERE = SIZE_MAX;

static size_t number(const uint8_t *file, size_t size, size_t at, size_t width) {
    size_t value = 0;
    if (at > size || size - at < width) {
        return NOWHERE;
    }
    for (size_t i = width; i-- > 0;) {
        value = value << 8 | file[at + i];
    }
    return value;
}

static size_t follow(const uint8_t *file, size_t size, size_t at) {
    size_t offset = number(file, size, at, 4);
    return offset == NOWHERE || offset >= size - at ? NOWHERE : at + offset;
}

// Returns the position of a field, or `NOWHERE` if it is absent.
static size_t field(const uint8_t *file, size_t size, size_t table, size_t slot) {
    size_t back = number(file, size, table, 4);
    if (back == NOWHERE) {
        return NOWHERE;
    }
    size_t vtable = table - (size_t)(ptrdiff_t)(int32_t)back;
    size_t length = number(file, size, vtable, 2);
    if (length == NOWHERE || length < 4 + 2 * (slot + 1)) {
        return NOWHERE;
    }
    size_t offset = number(file, size, vtable + 4 + 2 * slot, 2);
    return offset == NOWHERE || offset == 0 ? NOWHERE : table + offset;
}

int read_program(const uint8_t *file, size_t size) {
    if (size < 12 || memcmp(file + 4, "ET12", 4) != 0) {
        return -1;
    }
    size_t methods = field(file, size, follow(file, size, 0), 1);
    size_t list = methods == NOWHERE ? NOWHERE : follow(file, size, methods);
    size_t count = number(file, size, list, 4);
    if (count == NOWHERE) {
        return -1;
    }
    KNOWN_CRASH(count > 1u << 20);  // in place of a crash of your reader
    for (size_t i = 0; i < count; i++) {
        size_t method = follow(file, size, list + 4 + 4 * i);
        size_t name = field(file, size, method, 0);
        size_t text = name == NOWHERE ? NOWHERE : follow(file, size, name);
        size_t length = number(file, size, text, 4);
        if (length == NOWHERE || length >= size - text - 4 || file[text + 4 + length] != 0) {
            return -1;
        }
    }
    return (int)count;
}

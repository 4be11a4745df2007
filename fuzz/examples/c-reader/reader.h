// A small reader of programs, in place of the reader that you want to fuzz.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Returns the number of methods of the program at `file`, or -1 if the reader rejects the program.
int read_program(const uint8_t *file, size_t size);

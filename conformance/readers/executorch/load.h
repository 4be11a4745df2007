/* The C ABI of libtorchproof_executorch.so, for the benchmarks: the runtime loads a file from memory. */

#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if Program::load with the verification InternalConsistency accepts the `len` bytes at `data`, else 0. `data` must be
   16-byte aligned, and the file trusted. */
int torchproof_load_program(const unsigned char* data, size_t len);

#ifdef __cplusplus
}
#endif

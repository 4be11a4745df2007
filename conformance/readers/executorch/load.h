/* The C ABI of libtorchproof_executorch.so, for the benchmarks: the runtime loads a file from memory. */

#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if Program::load accepts the `len` bytes at `data`, else 0. `data` must be 16-byte aligned. If
   `internal_consistency` is 0, Program::load checks only the header and the identifier; otherwise, it also runs the verifier.
   Call this function only with trusted files. */
int torchproof_load_program(const unsigned char* data, size_t len, int internal_consistency);

/* Returns 1 if FlatTensorDataMap::load accepts the bytes and, unless `key` is null, the map has data for `key`; else 0. */
int torchproof_load_data(const unsigned char* data, size_t len, const char* key);

#ifdef __cplusplus
}
#endif

/* The C ABI of libtorchproof_executorch.so, for the benchmarks: the runtime loads a file from memory. */

#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if Program::load accepts the `len` bytes at `data`, else 0. `data` must be 16-byte aligned. With
   `internal_consistency` it runs the verifier, otherwise it checks only header and identifier. Only for trusted files. */
int torchproof_load_program(const unsigned char* data, size_t len, int internal_consistency);

/* Returns 1 if FlatTensorDataMap::load accepts the bytes and, unless `key` is null, has data for `key`; else 0. As above. */
int torchproof_load_data(const unsigned char* data, size_t len, const char* key);

#ifdef __cplusplus
}
#endif

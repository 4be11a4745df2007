/* The C ABI of libtorchproof_executorch.so: what the runtime does with a file that is in memory, for the benchmarks. */

#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* 1 if Program::load takes the `len` bytes at `data`, which begin at a multiple of 16, else 0. With `internal_consistency`
   it verifies the FlatBuffer; without, it looks at the header and the identifier. Not for files that are not trusted. */
int torchproof_load_program(const unsigned char* data, size_t len, int internal_consistency);

/* 1 if FlatTensorDataMap::load takes the bytes, and under `key`, unless that is null, it has data; else 0. As above. */
int torchproof_load_data(const unsigned char* data, size_t len, const char* key);

#ifdef __cplusplus
}
#endif

/* The C ABI of libtorchproof_flatbuffers_cpp.so: the C++ FlatBuffers verifier with this project's schemas. */

#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TORCHPROOF_PROGRAM = 0,          /* program.fbs */
    TORCHPROOF_FLAT_TENSOR = 1,      /* flat_tensor.fbs */
    TORCHPROOF_FLAT_TENSOR_LEGACY = 2, /* flat_tensor_legacy.fbs */
    TORCHPROOF_BUNDLED_PROGRAM = 3     /* bundled_program.fbs */
};

/* Returns 1 if the `len` bytes at `data` are a FlatBuffer with this schema and its identifier, within the verifier's default
   limits; else 0. The caller must determine where the FlatBuffer ends in a file. The function is safe for any bytes and any schema
   number, and several threads may call it at the same time. */
int torchproof_verify(const unsigned char* data, size_t len, int schema);

#ifdef __cplusplus
}
#endif

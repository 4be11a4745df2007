/* The C ABI of libtorchproof_flatbuffers_cpp.so: the C++ FlatBuffers verifier over this project's schemas. */

#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    TORCHPROOF_PROGRAM = 0,          /* program.fbs */
    TORCHPROOF_FLAT_TENSOR = 1,      /* flat_tensor.fbs */
    TORCHPROOF_FLAT_TENSOR_OLDER = 2 /* flat_tensor_older.fbs */
};

/* Returns 1 if the `len` bytes at `data` are a FlatBuffer of that schema, identifier included, within the verifier's default
   limits; else 0. The bytes are only the FlatBuffer; the caller must find its end in a file. Safe for any bytes and any schema
   number, and from any number of threads. */
int torchproof_verify(const unsigned char* data, size_t len, int schema);

#ifdef __cplusplus
}
#endif

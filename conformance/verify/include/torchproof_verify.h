// Verifies ExecuTorch .pte and .ptd files before a program loads them. Link libtorchproof_verify.a.

#ifndef TORCHPROOF_VERIFY_H
#define TORCHPROOF_VERIFY_H

// cbindgen writes this file from conformance/verify/src/lib.rs. Do not edit it.

#include <stddef.h>
#include <stdint.h>

// The answer of a verification. Only `TORCHPROOF_VERDICT_GOOD` means that a program may load the file.
typedef enum torchproof_verdict {
  // The file breaks no rule.
  TORCHPROOF_VERDICT_GOOD = 0,
  // The file breaks a rule, or uses a feature that this library does not know. Run `torchproof check` to learn which.
  TORCHPROOF_VERDICT_LOOK_CLOSER = 1,
  // The file needs more scratch memory than the caller provides. The number of words that always suffices is the number of
  // bytes of the file.
  TORCHPROOF_VERDICT_MORE_SCRATCH = 2,
} torchproof_verdict;

// Options of a verification. All members may be zero.
typedef struct torchproof_verify_options {
  // Memory for `scratch_words` numbers. If null, the functions use 1 KiB of the stack. This is enough for 36 names and 36 segments.
  // A list of inputs or outputs needs three words for each item.
  uint64_t *scratch;
  // The number of 64-bit words at `scratch`.
  size_t scratch_words;
  // The number of bytes that the device has for the planned memory of one method; 0 for 2^40 bytes. On a 32-bit processor, the
  // limit is at most 2^32 - 1 bytes.
  uint64_t planned_memory;
} torchproof_verify_options;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Verifies a program: the `size` bytes at `data` are a whole .pte file.
//
// `options` may be null. The function reads no data file, so it does not compare the program with its data file. Several threads
// may call the function at the same time with different scratch memory.
//
// If `size` is not 0, `data` must point to `size` readable bytes that do not change during the call. If `options` is not null and
// `options->scratch` is not null, `options->scratch` must point to `options->scratch_words` writable words, aligned to 8 bytes.
enum torchproof_verdict torchproof_verify_program(const uint8_t *data,
                                                  size_t size,
                                                  const struct torchproof_verify_options *options);

// Verifies a data file: the `size` bytes at `data` are a whole .ptd file. Otherwise the same as `torchproof_verify_program`.
enum torchproof_verdict torchproof_verify_data_file(const uint8_t *data,
                                                    size_t size,
                                                    const struct torchproof_verify_options *options);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TORCHPROOF_VERIFY_H */

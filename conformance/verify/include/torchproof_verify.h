// Verifies ExecuTorch .pte and .ptd files before a program loads them. Link libtorchproof_verify.a.

#ifndef TORCHPROOF_VERIFY_H
#define TORCHPROOF_VERIFY_H

// cbindgen writes this file from conformance/verify/src/lib.rs. Do not edit it.

#include <stddef.h>
#include <stdint.h>

// A verification's answer. Load a file only if it is `TORCHPROOF_ANSWER_VALID`.
typedef enum torchproof_answer {
  // The file breaks no must-rule.
  TORCHPROOF_ANSWER_VALID = 0,
  // The file breaks a must-rule.
  TORCHPROOF_ANSWER_INVALID = 1,
  // The file was not fully examined: it exceeds a limit, its format is not covered by the rules, it was passed as a
  // data file but is none, or its pointer or size is impossible.
  TORCHPROOF_ANSWER_UNEXAMINED = 2,
  // The verification needs more scratch memory, or the scratch memory is not aligned as `uint64_t` must be.
  TORCHPROOF_ANSWER_SCRATCH = 3,
} torchproof_answer;

// What a verification found, for messages and for the next call.
typedef struct torchproof_details {
  // The number of the must-rule that an invalid file breaks first. `torchproof_rule_name` returns its name.
  uint32_t rule;
  // The offset of the bytes that break it.
  uint64_t offset;
  // The number of 64-bit words of scratch memory that the verification needs to continue; 0 if the given memory is
  // misaligned or its size is impossible. One word for each byte of all files together always suffices.
  size_t scratch_words;
  // The file that the answer is about: 0 for the program or the only file, 1 for the first data file.
  size_t file;
} torchproof_details;

// A file whose bytes are all in memory.
//
// If `size` is not 0, `data` must point to `size` readable bytes that do not change during the verification.
typedef struct torchproof_file {
  // The first byte.
  const uint8_t *data;
  // The number of bytes.
  size_t size;
} torchproof_file;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Verifies a program: the `size` bytes at `data` are a whole .pte file. Valid means that the program breaks no must-rule by itself.
//
// It reads no data file: for a program with data files, call `torchproof_verify_program_with_data_files`. Several threads may call
// it at the same time with different scratch memory.
//
// If `size` is not 0, `data` must point to `size` readable bytes that do not change during the call. `scratch` points to
// `scratch_words` writable 64-bit words; if it is null, the function uses 512 bytes of the stack, which is enough for a few
// dozen names and segments. `details` may be null.
enum torchproof_answer torchproof_verify_program(const uint8_t *data,
                                                 size_t size,
                                                 uint64_t *scratch,
                                                 size_t scratch_words,
                                                 struct torchproof_details *details);

// Verifies a data file: the `size` bytes at `data` are a whole .ptd file. Otherwise like `torchproof_verify_program`.
enum torchproof_answer torchproof_verify_data_file(const uint8_t *data,
                                                   size_t size,
                                                   uint64_t *scratch,
                                                   size_t scratch_words,
                                                   struct torchproof_details *details);

// Verifies a program with all its data files. Valid means that no file breaks a must-rule by itself, that the data files have all
// external tensors with the layout that the program expects, and that no two files have the same key.
//
// `data_files` must point to `data_file_count` files; if the count is 0, it may be null. Otherwise like
// `torchproof_verify_program`.
enum torchproof_answer torchproof_verify_program_with_data_files(const uint8_t *data,
                                                                 size_t size,
                                                                 const struct torchproof_file *data_files,
                                                                 size_t data_file_count,
                                                                 uint64_t *scratch,
                                                                 size_t scratch_words,
                                                                 struct torchproof_details *details);

// Writes the name of a rule, such as `eh-length-min`, and a NUL to `buffer`, as far as `size` bytes permit. Returns the length of the
// name, or 0 for an unknown number. `torchproof explain NAME` describes the rule.
//
// The names take several kilobytes, which the linker leaves out of a program that does not call this function.
//
// `buffer` must point to `size` writable bytes; if `size` is 0, it may be null.
size_t torchproof_rule_name(uint32_t rule,
                            uint8_t *buffer,
                            size_t size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TORCHPROOF_VERIFY_H */

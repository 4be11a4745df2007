// Mutates ExecuTorch .pte and .ptd files for fuzzers. Link libtorchproof_mutator.a or libtorchproof_mutator.so.

#ifndef TORCHPROOF_MUTATOR_H
#define TORCHPROOF_MUTATOR_H

// cbindgen writes this file from fuzz/mutator/c/src/lib.rs. Do not edit it.

#include <stddef.h>
#include <stdint.h>

// One violation of a rule. The strings are valid only during the call of the function that receives the finding.
typedef struct torchproof_finding {
  // The id of the rule, such as `eh-length-min`.
  const char *rule;
  // The path of the field, such as `execution_plan[0].name`; empty for the whole file.
  const char *path;
  // A sentence that states the value found and the value expected.
  const char *message;
  // The position of the first wrong byte in its file.
  uint64_t offset;
  // The number of wrong bytes.
  uint64_t size;
  // 1 if the rule is a must-rule, otherwise 0.
  int must;
  // 1 if the finding is in the data file of a pair, otherwise 0.
  int in_data;
} torchproof_finding;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// libFuzzer calls this function instead of its own mutation.
//
// Mutates the first `size` bytes of `data` in place, and returns the new size, which is at most `max_size`. `data` must point to
// `max_size` bytes. If the program is linked with libFuzzer, a share of the mutations is libFuzzer's own.
//
// # Safety
//
// `data` must be null or point to `max_size` bytes that nothing else uses during the call.
size_t LLVMFuzzerCustomMutator(uint8_t *data,
                               size_t size,
                               size_t max_size,
                               unsigned int seed);

// libFuzzer calls this function to combine two inputs.
//
// Writes the first input with a part of the second input to `out`, and returns the number of written bytes, which is at most
// `max_size`.
//
// # Safety
//
// Each pointer must be null or point to as many bytes as the next parameter states. `out` must not overlap the inputs.
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1,
                                 size_t size1,
                                 const uint8_t *data2,
                                 size_t size2,
                                 uint8_t *out,
                                 size_t max_size,
                                 unsigned int seed);

// AFL++ calls this function once, and passes the result to the other functions for AFL++.
//
// The mutator does not use `afl`, the state of AFL++. Returns null after an error.
void *afl_custom_init(void *afl, unsigned int seed);

// AFL++ calls this function to mutate an input.
//
// Sets `*out` to the mutated input, which is valid until the next call, and returns its size, which is at most `max_size`. The
// second input `add` may be null. `*out` is never null; the size 0 means that AFL++ skips the input.
//
// # Safety
//
// `state` must be a result of `afl_custom_init`. Each other pointer must be null or point to as many bytes as its size states, and
// `out` must point to a pointer.
size_t afl_custom_fuzz(void *state,
                       uint8_t *data,
                       size_t size,
                       uint8_t **out,
                       uint8_t *add,
                       size_t add_size,
                       size_t max_size);

// AFL++ calls this function before it runs an input.
//
// Repairs sizes in the header that exceed the input, for about half of all such inputs; the content of an input decides. Sets `*out`
// to the result, which is valid until the next call, and returns its size. `*out` is never null.
//
// # Safety
//
// The requirements of `afl_custom_fuzz` apply.
size_t afl_custom_post_process(void *state,
                               uint8_t *data,
                               size_t size,
                               uint8_t **out);

// AFL++ calls this function at its end. Frees the state.
//
// # Safety
//
// `state` must be null or a result of `afl_custom_init`, and must not be used after the call.
void afl_custom_deinit(void *state);

// Mutates an input, without libFuzzer's own mutations.
//
// Writes the mutated input to `out`, and returns its size, which is at most `max_size`. The result depends only on the input, the
// seed and `max_size`. If `name` is not null, writes the name of the mutation, such as `edit/offset`, and a NUL terminator to
// `name`; a name that exceeds `name_size` is cut.
//
// # Safety
//
// Each pointer must be null or point to as many bytes as its size states. `out` must not overlap the input.
size_t torchproof_mutate(const uint8_t *data,
                         size_t size,
                         uint64_t seed,
                         uint8_t *out,
                         size_t max_size,
                         char *name,
                         size_t name_size);

// Creates a program, a data file or a bundled program, or a pair if `pair` is not 0.
//
// Writes the input to `out`, and returns its size, which is at most `max_size`. Returns 0 if `max_size` is too small for a pair.
//
// # Safety
//
// `out` must be null or point to `max_size` bytes.
size_t torchproof_generate(uint64_t seed,
                           int pair,
                           uint8_t *out,
                           size_t max_size);

// Checks an input: a file, or a pair.
//
// Returns 1 if the input breaks no must-rule, 0 if the input breaks a must-rule, and -1 if the check is incomplete.
//
// # Safety
//
// `data` must be null or point to `size` bytes.
int torchproof_check(const uint8_t *data,
                     size_t size);

// Describes what is wrong with an input: calls `receive` for each violation of a rule, and passes `context` to it.
//
// Returns the number of findings. If `receive` is null, the findings are only counted.
//
// # Safety
//
// `data` must be null or point to `size` bytes. `receive` must not unwind.
size_t torchproof_describe(const uint8_t *data,
                           size_t size,
                           void (*receive)(const struct torchproof_finding *finding, void *context),
                           void *context);

// Splits a pair into its program and its data file, without a copy.
//
// A pair begins with the eight bytes `TPPAIR01`, followed by the length of the program as a little-endian 64-bit number, the
// program, and the data file. Returns 1 and sets the four results if the input is a pair, otherwise 0. Copy each file to its own
// buffer before you read it: the copy detects reads past the end, and has the alignment that readers require.
//
// # Safety
//
// `input` must be null or point to `size` bytes. Each other pointer must be null or point to a variable.
int torchproof_pair_split(const uint8_t *input,
                          size_t size,
                          const uint8_t **program,
                          size_t *program_size,
                          const uint8_t **data,
                          size_t *data_size);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TORCHPROOF_MUTATOR_H */

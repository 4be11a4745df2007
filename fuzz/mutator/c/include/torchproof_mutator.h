// Mutates ExecuTorch .pte and .ptd files for fuzzers.
//
// Link a libFuzzer program with libtorchproof_mutator.a: with the shared library, the mutator does not use libFuzzer's own
// mutations. AFL++ loads libtorchproof_mutator.so.
//
// Several threads may call the functions at the same time, with two exceptions: a state of AFL++ serves one thread at a time, and
// libFuzzer calls its functions from its own thread. An internal error is a bug in the mutator. The function prints the error to
// stderr and returns the result that its comment gives, or the unchanged input. Then report the input.

#ifndef TORCHPROOF_MUTATOR_H
#define TORCHPROOF_MUTATOR_H

// cbindgen writes this file from fuzz/mutator/c/src/lib.rs. Do not edit it.

#include <stddef.h>
#include <stdint.h>

// One violation of a rule. The strings are valid only until the function that receives the finding returns.
typedef struct torchproof_finding {
  // The rule's id, such as `eh-length-min`.
  const char *rule;
  // The field's path, such as `execution_plan[0].name`; empty for the whole file.
  const char *path;
  // A sentence that says what was found and what was expected.
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
// Mutates the first `size` bytes of `data` in place, and returns the new size, which is at most `max_size`. If the program is linked
// with libFuzzer, a share of the mutations is libFuzzer's own. libFuzzer allows such a call only from its own thread.
//
// `data` must be null or point to `max_size` bytes that nothing else uses during the call.
size_t LLVMFuzzerCustomMutator(uint8_t *data,
                               size_t size,
                               size_t max_size,
                               unsigned int seed);

// Among this many calls of the next function, one combines the inputs: libFuzzer calls it for every second mutation.
//
// Writes the first input with part of the second one to `out`, and returns how many bytes it wrote, at most
// `max_size`. If the program is linked with libFuzzer, most calls only mutate the first input, as
// `LLVMFuzzerCustomMutator` does.
//
// Each pointer must be null or point to as many bytes as the next parameter says. `out` must not overlap the inputs.
size_t LLVMFuzzerCustomCrossOver(const uint8_t *data1,
                                 size_t size1,
                                 const uint8_t *data2,
                                 size_t size2,
                                 uint8_t *out,
                                 size_t max_size,
                                 unsigned int seed);

// AFL++ calls this function once, and passes the result to the other functions for AFL++.
//
// The mutator does not use `afl`, the state of AFL++. Returns null after an internal error. Only one thread at a time may use a
// result. `afl_custom_deinit` frees the result.
void *afl_custom_init(void *afl,
                      unsigned int seed);

// AFL++ calls this function to mutate an input.
//
// Sets `*out` to the mutated input, and returns its size, which is at most `max_size`. `*out` is never null; the size 0 means that
// AFL++ skips the input. `*out` is valid until the next call of this function or of `afl_custom_deinit` with the same state. If
// `state` is null, and after an internal error, `*out` is `data`, and is only valid as long as `data` is.
//
// `state` must be null or a result of `afl_custom_init`. `data` and `add` must be null or point to as many bytes as the next parameter
// says. `out` must be null or point to a pointer. `data` may be a result of a function for AFL++; `add` must not be.
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
// to the repaired input, or to `data` if nothing was repaired. Returns the size of the input, which a repair does not change. `*out`
// is never null. A repaired input is valid until the next call of this function or of `afl_custom_deinit` with the same state.
//
// The parameters must satisfy the requirements of `afl_custom_fuzz`.
size_t afl_custom_post_process(void *state,
                               uint8_t *data,
                               size_t size,
                               uint8_t **out);

// AFL++ calls this function at its end, to free the state.
//
// `state` must be null or a result of `afl_custom_init`. After the call, the state and all its results are invalid.
void afl_custom_deinit(void *state);

// Mutates an input, without libFuzzer's own mutations.
//
// Writes the mutated input to `out`, and returns its size, which is at most `max_size`. The result depends only on the input, the
// seed and `max_size`. If `name` is not null, writes the name of the mutation, such as `edit/offset`, and a NUL terminator to
// `name`; a name that exceeds `name_size` is cut. After an internal error, the result is the start of the input, and the name is
// empty.
//
// `data`, `out` and `name` must be null or point to `size`, `max_size` and `name_size` bytes. The buffers must not overlap.
size_t torchproof_mutate(const uint8_t *data,
                         size_t size,
                         uint64_t seed,
                         uint8_t *out,
                         size_t max_size,
                         char *name,
                         size_t name_size);

// Creates a program, a data file or a bundled program, or a pair if `pair` is not 0.
//
// Writes a whole file or a whole pair that `torchproof_check` accepts to `out`, and returns its size, which is at most `max_size`.
// Returns 0 if no file or pair of this seed fits, and after an internal error. A `max_size` of at least 16,384 is recommended: all
// files and almost all pairs fit. The result depends only on the parameters.
//
// `out` must be null or point to `max_size` bytes.
size_t torchproof_generate(uint64_t seed,
                           int pair,
                           uint8_t *out,
                           size_t max_size);

// Checks an input: a file, or a pair.
//
// Returns 1 if the input breaks no must-rule, and 0 if the input breaks a must-rule. Returns -1 if the check is incomplete because
// the input exceeds a limit, and after an internal error.
//
// `data` must be null or point to `size` bytes.
int torchproof_check(const uint8_t *data,
                     size_t size);

// Describes what is wrong with an input: calls `receive` for each violation of a rule, and passes `context` to it.
//
// The function passes the first 1,000 violations in each input file. Returns their number, or `SIZE_MAX` after an
// internal error. If `receive` is null, the violations are only counted.
//
// `data` must be null or point to `size` bytes. `receive` runs on the thread of the caller. It must return, so it must
// neither throw an exception nor call `longjmp`.
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

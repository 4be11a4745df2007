#ifndef TORCHPROOF_VERIFY_H
#define TORCHPROOF_VERIFY_H
#include <stddef.h>
#include <stdint.h>
typedef enum { TORCHPROOF_GOOD = 0, TORCHPROOF_LOOK_CLOSER = 1, TORCHPROOF_MORE_SCRATCH = 2 } torchproof_verdict;
typedef struct torchproof_verify_options { uint64_t *scratch; size_t scratch_words; uint64_t planned_memory; } torchproof_verify_options;
#ifdef __cplusplus
extern "C" {
#endif
torchproof_verdict torchproof_verify_program(const uint8_t *data, size_t size, const torchproof_verify_options *options);
torchproof_verdict torchproof_verify_data_file(const uint8_t *data, size_t size, const torchproof_verify_options *options);
#ifdef __cplusplus
}
#endif
#endif

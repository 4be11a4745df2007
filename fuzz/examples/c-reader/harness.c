// The harness: libFuzzer and AFL++ call this function with each input.
#include "reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    read_program(data, size);
    return 0;
}

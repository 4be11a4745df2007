#include "load.h"

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

using ::executorch::extension::BufferDataLoader;
using ::executorch::runtime::Program;

extern "C" __attribute__((visibility("default"))) int torchproof_load_program(const unsigned char* data, size_t len) {
    static const bool initialized = (::executorch::runtime::runtime_init(), true);
    (void)initialized;
    BufferDataLoader loader(data, len);
    return Program::load(&loader, Program::Verification::InternalConsistency).ok();
}

#include "load.h"

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

using ::executorch::extension::BufferDataLoader;
using ::executorch::extension::FlatTensorDataMap;
using ::executorch::runtime::Program;

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

void initialise() {
    static const bool initialised = (::executorch::runtime::runtime_init(), true);
    (void)initialised;
}

}  // namespace

EXPORTED int torchproof_load_program(const unsigned char* data, size_t len, int internal_consistency) {
    initialise();
    BufferDataLoader loader(data, len);
    const auto level =
        internal_consistency ? Program::Verification::InternalConsistency : Program::Verification::Minimal;
    return Program::load(&loader, level).ok();
}

EXPORTED int torchproof_load_data(const unsigned char* data, size_t len, const char* key) {
    initialise();
    BufferDataLoader loader(data, len);
    const auto map = FlatTensorDataMap::load(&loader);
    return map.ok() && (key == nullptr || map.get().get_data(key).ok());
}

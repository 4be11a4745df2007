// Backends that compute nothing: they read all that a delegate hands them, and agree to it.
//
// What is in a blob is between the exporter and its backend. How it is handed over is the program's format.

#pragma once

#include <executorch/runtime/backend/interface.h>

#include "runtime.hpp"

namespace reader {

class StubBackend final : public ::executorch::runtime::BackendInterface {
public:
    using Handle = ::executorch::runtime::DelegateHandle;

    bool is_available() const override { return true; }

    Result<Handle*> init(::executorch::runtime::BackendInitContext&, ::executorch::runtime::FreeableBuffer* processed,
                         ::executorch::runtime::ArrayRef<::executorch::runtime::CompileSpec> specs) const override {
        touch(processed->data(), processed->size());
        for (const auto& spec : specs) {
            touch(std::string_view(spec.key));
            touch(spec.value.buffer, spec.value.nbytes);
        }
        return static_cast<Handle*>(processed);
    }

    Error execute(::executorch::runtime::BackendExecutionContext&, Handle*,
                  ::executorch::runtime::Span<::executorch::runtime::EValue*>) const override {
        return Error::NotSupported;
    }
};

// One of the corpus, and those whose exporters are public. The runtime has room for 16.
inline constexpr const char* stub_ids[] = {
    "ExampleBackend",  "CoreMLBackend", "CudaBackend",  "EnnBackend",        "EthosUBackend",
    "MLXBackend",      "MPSBackend",    "MetalBackend", "NeuropilotBackend", "NeutronBackend",
    "OpenvinoBackend", "QnnBackend",    "VgfBackend",   "VulkanBackend",     "XnnpackBackend",
};

inline bool register_stub_backends() {
    static StubBackend stub;
    return std::all_of(std::begin(stub_ids), std::end(stub_ids), [](const char* id) {
        return ::executorch::runtime::register_backend({id, &stub}) == Error::Ok;
    });
}

}  // namespace reader

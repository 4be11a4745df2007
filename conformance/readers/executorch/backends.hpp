// Stub backends. A stub reads all data of a delegate, accepts the delegate, executes it without an error and computes nothing.
//
// The file format does not define the content of a blob; only the exporter and the backend can interpret the content.

#pragma once

#include <executorch/runtime/backend/interface.h>

#include <list>

#include "loaded.hpp"
#include "runtime.hpp"

namespace reader {

// The data of a method's delegates, in the order of their preparation. The stubs record data only while such a list exists.
inline std::optional<std::vector<std::string>> handed;

class StubBackend final : public ::executorch::runtime::BackendInterface {
public:
    using Handle = ::executorch::runtime::DelegateHandle;

    explicit StubBackend(const char* id) : id_(id) {}

    bool is_available() const override { return true; }

    Result<Handle*> init(::executorch::runtime::BackendInitContext&, ::executorch::runtime::FreeableBuffer* processed,
                         ::executorch::runtime::ArrayRef<::executorch::runtime::CompileSpec> specs) const override {
        touch(processed->data(), processed->size());
        for (const auto& spec : specs) {
            touch(std::string_view(spec.key));
            touch(spec.value.buffer, spec.value.nbytes);
        }
        if (handed) handed->push_back(json_of_delegate(id_, processed->data(), processed->size(), specs));
        return static_cast<Handle*>(processed);
    }

    Error execute(::executorch::runtime::BackendExecutionContext&, Handle*,
                  ::executorch::runtime::Span<::executorch::runtime::EValue*>) const override {
        return Error::Ok;
    }

private:
    const char* id_;
};

// The ids of the backend in the corpus and of all backends with public exporters. The runtime supports at most 16 backends.
inline constexpr const char* stub_ids[] = {
    "ExampleBackend",  "CoreMLBackend", "CudaBackend",  "EnnBackend",        "EthosUBackend",
    "MLXBackend",      "MPSBackend",    "MetalBackend", "NeuropilotBackend", "NeutronBackend",
    "OpenvinoBackend", "QnnBackend",    "VgfBackend",   "VulkanBackend",     "XnnpackBackend",
};

// Registers a stub for each id that has no backend yet.
inline bool register_stub_backends() {
    static std::list<StubBackend> stubs;
    return std::all_of(std::begin(stub_ids), std::end(stub_ids), [](const char* id) {
        if (::executorch::runtime::get_backend_class(id) != nullptr) return true;
        return ::executorch::runtime::register_backend({id, &stubs.emplace_back(id)}) == Error::Ok;
    });
}

}  // namespace reader

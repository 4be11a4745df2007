// Stub backends. A stub reads all data of a delegate, accepts and executes it without an error, and computes nothing, because
// only the exporter and the real backend can interpret the content of a blob.

#pragma once

#include <executorch/runtime/backend/interface.h>

#include <list>

#include "loaded.hpp"
#include "reported.hpp"
#include "runtime.hpp"
#include "stubs.hpp"

namespace reader {

// The data of a method's delegates, in the order of their preparation, recorded only while such a list exists.
inline std::optional<std::vector<std::string>> handed;

class StubBackend final : public ::executorch::runtime::BackendInterface {
public:
    using Handle = ::executorch::runtime::DelegateHandle;

    explicit StubBackend(const char* id) : id_(id) {}

    bool is_available() const override { return true; }

    Result<Handle*> init(::executorch::runtime::BackendInitContext& context, ::executorch::runtime::FreeableBuffer* processed,
                         ::executorch::runtime::ArrayRef<::executorch::runtime::CompileSpec> specs) const override {
        if (const auto* named_data = context.get_named_data_map(); named_data != nullptr && with_second_walk) {
            report_absent_key(*named_data, "BackendInitContext");
            report_other_keys(*named_data, "BackendInitContext");
        }
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

inline bool with_stub_backends = false;

// The runtime supports at most 16 backends, one of which can be real.
inline StubNames<15> backend_names;

inline bool register_stub_backends() {
    static std::list<StubBackend> stubs;
    for (std::size_t i = 0; i < backend_names.size(); ++i) {
        const char* id = backend_names.at(i);
        if (::executorch::runtime::register_backend({id, &stubs.emplace_back(id)}) != Error::Ok) return false;
    }
    return true;
}

// Provides a stub for each backend that is not registered.
inline void stub_backends(const std::set<std::string>& ids) {
    backend_names.assign(ids, [](const char* id) { return ::executorch::runtime::get_backend_class(id) != nullptr; });
}

}  // namespace reader

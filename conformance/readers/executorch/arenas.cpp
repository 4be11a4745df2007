// Prints the smallest arena with which each method of a program loads, for runtimes that have no adapter: `arenas PROGRAM [DATA]`.
//
// arenas.sh links the file with such a runtime. The functions below replace the registries, so that every operator and
// backend has a stub, which takes nothing from the arena.

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>

#include <iostream>  // prepares the streams into which the runtimes inside Python modules write their log

#include "arena.hpp"

namespace executorch::runtime {

namespace {

class Stub final : public BackendInterface {
public:
    bool is_available() const override { return true; }
    Result<DelegateHandle*> init(BackendInitContext&, FreeableBuffer*, ArrayRef<CompileSpec>) const override { return nullptr; }
    Error execute(BackendExecutionContext&, DelegateHandle*, Span<EValue*>) const override { return Error::NotSupported; }
};

}  // namespace

BackendInterface* get_backend_class(const char*) {
    static Stub stub;
    return &stub;
}

Result<OpFunction> get_op_function_from_registry(const char*, Span<const TensorMeta>) {
    return OpFunction([](KernelRuntimeContext&, Span<EValue*>) {});
}

Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> tensors, Span<const Kernel>) {
    return get_op_function_from_registry(name, tensors);
}

#ifdef TORCHPROOF_EXECUTORCH_1_1
// `load_method` of 1.1 lacks the last two parameters, and its `Method` has no list of kernels.
struct OldResult {
    alignas(Method) unsigned char method_or_error[sizeof(Method) - sizeof(Span<const Kernel>)];
    bool has_method;
};

OldResult load_method(const Program*, const char*, MemoryManager*, EventTracer*, const NamedDataMap*) asm(
    "_ZNK10executorch7runtime7Program11load_methodEPKcPNS0_13MemoryManagerEPNS0_11EventTracerEPKNS0_12NamedDataMapE");

// Ends the process, because the caller is a child process that would only return the code too.
Result<Method> Program::load_method(const char* name, MemoryManager* memory, EventTracer* tracer, const NamedDataMap* data,
                                    const LoadBackendOptionsMap*, Span<const Kernel>) const {
    const OldResult result = ::executorch::runtime::load_method(this, name, memory, tracer, data);
    Error error;
    std::memcpy(&error, result.method_or_error, sizeof error);
    ::_exit(result.has_method ? 0 : static_cast<int>(error));
}
#endif

}  // namespace executorch::runtime

int main(int argc, char** argv) {
    using namespace reader;
    if (argc < 2) return 2;
    ::executorch::runtime::runtime_init();
    try {
        measurement.emplace();
        auto loader = must(::executorch::extension::FileDataLoader::from(argv[1]), "FileDataLoader::from");
        const Program program = must(Program::load(&loader), "Program::load");
        std::optional<::executorch::extension::FileDataLoader> data;
        std::optional<::executorch::extension::FlatTensorDataMap> map;
        if (argc > 2) {
            data.emplace(must(::executorch::extension::FileDataLoader::from(argv[2]), "FileDataLoader::from"));
            map.emplace(must(::executorch::extension::FlatTensorDataMap::load(&*data), "FlatTensorDataMap::load"));
        }
        for (std::size_t i = 0; i < program.num_methods(); ++i) {
            const auto bytes = smallest_arena(program, i, map ? &*map : nullptr);
            std::printf("%s %u\n", must(program.get_method_name(i), "Program::get_method_name", i), static_cast<unsigned>(bytes));
            std::fflush(stdout);  // a child process would print it again
        }
    } catch (const Rejected& error) {
        std::fprintf(stderr, "%s\n", error.message.c_str());
        return 1;
    } catch (const Unsupported& error) {
        std::fprintf(stderr, "%s\n", error.message.c_str());
        return 2;
    }
}

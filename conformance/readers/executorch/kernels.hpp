// Stub kernels. A stub reads all bytes of its tensor arguments, writes its last tensor argument, and computes nothing.
//
// Real kernels would check their own arguments, and different builds of the runtime have different kernels. With stubs, every
// result of the stage `execute` depends only on the runtime and the file.

#pragma once

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <cstring>
#include <iterator>
#include <vector>

#include "runtime.hpp"

namespace reader {

using ::executorch::aten::Tensor;
using ::executorch::runtime::EValue;
using ::executorch::runtime::Kernel;
using ::executorch::runtime::KernelRuntimeContext;
using ::executorch::runtime::Span;

inline void read_tensor(const Tensor& tensor) { touch(tensor.const_data_ptr(), tensor.nbytes()); }

inline void run_stub(KernelRuntimeContext&, Span<EValue*> arguments) {
    for (const EValue* argument : arguments) {
        if (argument->isTensor()) read_tensor(argument->toTensor());
        if (argument->isTensorList()) {
            for (const Tensor& tensor : argument->toTensorList()) read_tensor(tensor);
        }
    }
    if (arguments.empty()) return;
    const EValue& last = *arguments[arguments.size() - 1];
    if (last.isTensor()) std::memset(last.toTensor().mutable_data_ptr(), 0, last.toTensor().nbytes());
}

// The operators of the corpus and of the generator, without the operators that the runtime's own library registers.
inline constexpr const char* stub_operators[] = {
#include "operators.inc"
};

inline bool register_stub_kernels() {
    std::vector<Kernel> kernels;
    for (const char* name : stub_operators) kernels.emplace_back(name, run_stub);
    return ::executorch::runtime::register_kernels({kernels.data(), kernels.size()}) == Error::Ok;
}

}  // namespace reader

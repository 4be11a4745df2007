// Stub kernels. A stub reads all bytes of its tensor arguments, writes its last tensor argument, and computes nothing.
//
// Real kernels would check their own arguments, and builds of the runtime have different ones. With stubs, every result of
// the stage `execute` depends only on the runtime and the file.

#pragma once

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "runtime.hpp"
#include "stubs.hpp"

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

// The registry has space for 2000 kernels.
inline StubNames<512> kernel_names;

inline bool register_stub_kernels() {
    std::vector<Kernel> kernels;
    for (std::size_t i = 0; i < kernel_names.size(); ++i) kernels.emplace_back(kernel_names.at(i), run_stub);
    return ::executorch::runtime::register_kernels({kernels.data(), kernels.size()}) == Error::Ok;
}

// Hides the kernels of the operators in `hidden`. The registry never removes an entry, so they get a name that no stub has,
// and that is too long for a program.
inline void hide_kernels() {
    static const std::string nameless(max_name, 'x');
    for (const Kernel& kernel : ::executorch::runtime::get_registered_kernels()) {
        if (hidden.count(kernel.name_) != 0) const_cast<Kernel&>(kernel).name_ = nameless.c_str();
    }
}

// Provides a stub for each operator without a kernel in the runtime's own library.
inline void stub_operators(const std::set<std::string>& operators) {
    kernel_names.assign(operators, [](const char* name) {
        const auto kernels = ::executorch::runtime::get_registered_kernels();
        const auto has_name = [name](const Kernel& kernel) { return std::strcmp(kernel.name_, name) == 0; };
        return std::any_of(kernels.begin(), kernels.end(), has_name);
    });
}

}  // namespace reader

// Checks of what the runtime's own kernels computed. One that succeeds although its arguments do not fit returns a result that
// the application cannot tell from a right one, so the second walk ends the process then.

#pragma once

#include <executorch/runtime/kernel/kernel_runtime_context.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "reported.hpp"
#include "runtime.hpp"

namespace reader {

using ::executorch::aten::Tensor;
using ::executorch::runtime::EValue;
using ::executorch::runtime::Kernel;
using ::executorch::runtime::KernelRuntimeContext;
using ::executorch::runtime::OpFunction;
using ::executorch::runtime::Span;

// The sizes of a tensor.
using Sizes = std::vector<::executorch::aten::SizesType>;

// The view has the data, type and elements of its tensor, and the sizes of the list, of which one may be −1.
inline bool is_view(Span<EValue*> arguments, const Sizes&) {
    if (arguments.size() != 3) return false;
    const Tensor &self = arguments[0]->toTensor(), &out = arguments[2]->toTensor();
    const auto sizes = arguments[1]->toIntList();
    if (self.scalar_type() != out.scalar_type() || self.numel() != out.numel()) return false;
    if (self.const_data_ptr() != out.const_data_ptr()) return false;
    if (static_cast<std::size_t>(out.dim()) != sizes.size()) return false;
    int replaced = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) replaced += sizes[i] == -1 ? 1 : sizes[i] == out.size(i) ? 0 : 2;
    return replaced <= 1;
}

// The last slice of the destination has the type and the sizes of the source, and only the number of slices changed.
inline bool is_slice(Span<EValue*> arguments, const Sizes& before) {
    if (arguments.size() != 3) return false;
    const Tensor &to = arguments[0]->toTensor(), &from = arguments[1]->toTensor();
    if (to.scalar_type() != from.scalar_type() || to.dim() != from.dim() + 1) return false;
    return to.size(0) - 1 == arguments[2]->toInt() && std::equal(from.sizes().begin(), from.sizes().end(), before.begin() + 1);
}

inline bool has_element(Span<EValue*> arguments, const Sizes&) {
    return arguments.size() == 2 && arguments[0]->toTensor().numel() > 0;
}

// Calls a kernel of the runtime, and then `holds` with the earlier sizes of the first tensor if it succeeded.
template <bool (*holds)(Span<EValue*>, const Sizes&)>
struct Checked {
    static inline OpFunction kernel = nullptr;

    static void run(KernelRuntimeContext& context, Span<EValue*> arguments) {
        Sizes before;
        if (!arguments.empty() && arguments[0]->isTensor()) {
            const auto sizes = arguments[0]->toTensor().sizes();
            before.assign(sizes.begin(), sizes.end());
        }
        kernel(context, arguments);
        if (context.failure_state() == Error::Ok && !holds(arguments, before)) give_up("a kernel succeeded, but its result is wrong");
    }

    static void replace(const char* name) {
        for (const Kernel& registered : ::executorch::runtime::get_registered_kernels()) {
            if (std::strcmp(registered.name_, name) != 0) continue;
            kernel = registered.op_;
            const_cast<Kernel&>(registered).op_ = run;
        }
    }
};

inline void check_own_kernels() {
    Checked<is_view>::replace("executorch_prim::et_view.default");
    Checked<is_slice>::replace("executorch_prim::et_copy_index.tensor");
    Checked<has_element>::replace("aten::_local_scalar_dense");
}

}  // namespace reader

// Prepares a method for execution, reads the method's values, and executes the method.

#pragma once

#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>

#include <list>

#include "backends.hpp"
#include "loaded.hpp"
#include "memory.hpp"
#include "reported.hpp"
#include "runtime.hpp"

namespace reader {

using ::executorch::aten::DimOrderType;
using ::executorch::aten::SizesType;
using ::executorch::aten::StridesType;
using ::executorch::aten::Tensor;
using ::executorch::aten::TensorImpl;
using ::executorch::runtime::EValue;
using ::executorch::runtime::Method;
using ::executorch::runtime::NamedDataMap;
using ::executorch::runtime::Program;

inline void touch_tensor(const Tensor& tensor) {
    touch_layout(tensor);
    touch_all(tensor.strides());
    // An input or an output can have no memory until the caller provides it.
    if (tensor.const_data_ptr() != nullptr) touch(tensor.const_data_ptr(), tensor.nbytes());
}

// Reads an output of an executed method. Each tensor with elements must now have memory, so an application does not check
// this.
inline void touch_output(const Tensor& tensor) {
    touch_layout(tensor);
    touch(tensor.const_data_ptr(), tensor.nbytes());
}

inline void touch_value(const EValue& value) {
    if (value.isTensor()) touch_tensor(value.toTensor());
    if (value.isString()) touch(value.toString());
    if (value.isInt()) sink = static_cast<std::uint64_t>(value.toInt());
    if (value.isDouble()) sink = value.toDouble() != 0;
    if (value.isBool()) sink = value.toBool();
}

inline bool lacks_backend(const MethodMeta& meta) {
    for (std::size_t i = 0; i < meta.num_backends(); ++i) {
        const auto id = meta.get_backend_name(i);
        if (id.ok() && ::executorch::runtime::get_backend_class(id.get()) == nullptr) return true;
    }
    return false;
}

// Returns what the adapter lacks, if this causes the error of a call that loads a method; null if the program causes it.
inline const char* what_lacks(Error error, const MethodMeta& meta, bool has_data_files) {
    switch (error) {
        case Error::OperatorMissing: return "an operator has no stub kernel";
        case Error::NotFound: return lacks_backend(meta) ? "a delegate has no backend" : nullptr;
        case Error::InvalidState:
        case Error::InvalidExternalData: return has_data_files ? nullptr : "external tensors have no data file";
        default: return nullptr;
    }
}

class PreparedMethod {
public:
    // `external` is null if the request contains no data files.
    PreparedMethod(const Program& program, std::size_t index, const NamedDataMap* external, const Fill& fill)
        : name_(must(program.get_method_name(index), "Program::get_method_name", index)),
          meta_(must(program.method_meta(name_), "Program::method_meta", index)),
          pool_(fill),
          planned_(meta_),
          allocator_(planned_.allocator()),
          manager_(&pool_, &allocator_),
          method_(load(program, index, external)) {}

    // Reads the tensors that the API returns: inputs, outputs and named tensors.
    void look() {
        for (std::size_t i = 0; i < method_.inputs_size(); ++i) touch_value(input(i));
        for (std::size_t i = 0; i < method_.outputs_size(); ++i) touch_value(method_.get_output(i));
        if (with_metadata) look_at_attributes();
    }

    void look_at_attributes() {
        for (std::size_t i = 0; i < meta_.num_attributes(); ++i) {
            const auto info = must(meta_.attribute_tensor_meta(i), "MethodMeta::attribute_tensor_meta", i);
            touch_tensor(must(method_.get_attribute(info.name()), "Method::get_attribute", i));
        }
    }

    // Executes the method once. Returns false if inputs or outputs need more memory than the adapter provides.
    bool execute() { return set_inputs() && run(); }

    // Executes the method again, one instruction at a time. The runtime limits only `execute`, so the steps are limited here.
    void execute_in_steps() {
        if (!set_inputs()) return;
        for (int i = 0; i < 10'000; ++i) {
            const Error error = method_.step();
            if (error == Error::EndOfMethod) {
                must(method_.reset_execution(), "Method::reset_execution");
                read_outputs(outputs());
                return;
            }
            must(error, "Method::step");
        }
    }

    // Sets inputs of zeros, with the shapes in the program. A dynamic input whose upper bound fits into no memory gets one
    // element, as an application also passes less than the bound.
    bool set_inputs() {
        std::vector<EValue> inputs;
        std::list<TensorImpl> tensors;
        std::list<std::pair<std::vector<SizesType>, std::vector<StridesType>>> shapes;
        for (std::size_t i = 0; i < method_.inputs_size(); ++i) {
            inputs.push_back(input(i));
            if (!inputs[i].isTensor()) continue;
            const Tensor& own = inputs[i].toTensor();
            const auto dynamism = own.unsafeGetTensorImpl()->shape_dynamism();
            const bool is_static = dynamism == ::executorch::aten::TensorShapeDynamism::STATIC;
            auto& [sizes, strides] = shapes.emplace_back(std::vector<SizesType>(own.dim(), 1), std::vector<StridesType>(own.dim(), 1));
            if (is_static || fits(own)) {
                std::copy(own.sizes().begin(), own.sizes().end(), sizes.begin());
                std::copy(own.strides().begin(), own.strides().end(), strides.begin());
            }
            tensors.emplace_back(own.scalar_type(), own.dim(), sizes.data(), nullptr,
                                 const_cast<DimOrderType*>(own.dim_order().data()), strides.data(), dynamism);
            inputs[i] = EValue(Tensor(&tensors.back()));
        }
        if (!GuardedBuffers::fit(sizes_of(inputs)) || !GuardedBuffers::fit(sizes_of(outputs()))) return false;
        input_memory_.emplace(sizes_of(inputs));
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (!inputs[i].isTensor()) continue;
            inputs[i].toTensor().unsafeGetTensorImpl()->set_data(input_memory_->spans()[i].data());
        }
        must(method_.set_inputs({inputs.data(), inputs.size()}), "Method::set_inputs");
        return true;
    }

    // Gives memory to each output that has none. Returns false if these need more than the adapter provides.
    bool set_outputs() {
        const std::vector<EValue> outputs = this->outputs();
        if (!GuardedBuffers::fit(sizes_of(outputs))) return false;
        output_memory_.emplace(sizes_of(outputs));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (!outputs[i].isTensor() || outputs[i].toTensor().const_data_ptr() != nullptr) continue;
            const auto& memory = output_memory_->spans()[i];
            must(method_.set_output_data_ptr(memory.data(), memory.size(), i), "Method::set_output_data_ptr");
        }
        return true;
    }

    // Executes the method with the inputs that are set, and reads the outputs. Returns false if these need more memory than
    // the adapter provides.
    bool run() {
        if (!set_outputs()) return false;
        const Error error = method_.execute();
        if (with_second_walk && !planned_.intact()) give_up("Method::execute wrote outside the planned buffers");
        must(error, "Method::execute");
        std::vector<EValue> outputs = this->outputs();
        must(method_.get_outputs(outputs.data(), outputs.size()), "Method::get_outputs");
        read_outputs(outputs);
        return true;
    }

    // This call is deprecated because it permits changes, but there is no other way to read the initial value of an input.
    const EValue& input(std::size_t index) const {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        return method_.get_input(index);
#pragma GCC diagnostic pop
    }

    Method& get() { return method_; }
    const char* name() const { return name_; }

    // Returns the inputs, outputs and named tensors, and the data of the delegates, as JSON.
    std::string loaded() {
        std::vector<std::string> inputs, outputs, attributes;
        for (std::size_t i = 0; i < method_.inputs_size(); ++i) inputs.push_back(json_of_value(input(i)));
        for (std::size_t i = 0; i < method_.outputs_size(); ++i) {
            outputs.push_back(json_of_value(method_.get_output(i)));
        }
        for (std::size_t i = 0; i < meta_.num_attributes(); ++i) {
            const auto info = must(meta_.attribute_tensor_meta(i), "MethodMeta::attribute_tensor_meta", i);
            attributes.push_back(json_of_tensor(must(method_.get_attribute(info.name()), "Method::get_attribute", i)));
        }
        return json::object({{"inputs", json_list(inputs)},
                             {"outputs", json_list(outputs)},
                             {"attributes", json_list(attributes)},
                             {"delegates", json_list(handed.value_or(std::vector<std::string>()))}});
    }

private:
    static void read_outputs(const std::vector<EValue>& outputs) {
        for (const EValue& output : outputs) {
            // A valid program may free its output, so only the second walk does not check.
            with_second_walk && output.isTensor() ? touch_output(output.toTensor()) : touch_value(output);
        }
    }

    std::vector<EValue> outputs() const {
        std::vector<EValue> outputs;
        for (std::size_t i = 0; i < method_.outputs_size(); ++i) outputs.push_back(method_.get_output(i));
        return outputs;
    }

    // Returns whether the adapter has memory for a tensor, whose byte count in the runtime can have wrapped.
    static bool fits(const Tensor& tensor) {
        std::size_t bytes = tensor.element_size();
        for (const SizesType size : tensor.sizes()) {
            if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(size), &bytes)) return false;
        }
        return GuardedBuffers::fit({bytes});
    }

    // Returns the number of bytes of each Tensor, and 0 for other values.
    static std::vector<std::size_t> sizes_of(const std::vector<EValue>& values) {
        std::vector<std::size_t> sizes;
        for (const EValue& value : values) sizes.push_back(value.isTensor() ? value.toTensor().nbytes() : 0);
        return sizes;
    }

    Method load(const Program& program, std::size_t index, const NamedDataMap* external) {
        static constexpr const char* call = "Program::load_method";
        Result<Method> method = program.load_method(name_, &manager_, nullptr, external);
        if (const char* lack = what_lacks(method.error(), meta_, external != nullptr)) {
            throw Unsupported{describe(call, index, method.error()) + ", " + lack};
        }
        return must(std::move(method), call, index);
    }

    const char* name_;
    MethodMeta meta_;
    MethodPool pool_;
    PlannedMemory planned_;
    HierarchicalAllocator allocator_;
    MemoryManager manager_;
    std::optional<GuardedBuffers> input_memory_;
    std::optional<GuardedBuffers> output_memory_;  // for outputs without planned memory
    Method method_;  // declared after all members to which the method points
};

}  // namespace reader

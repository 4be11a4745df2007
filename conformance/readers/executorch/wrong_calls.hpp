// Calls with arguments that the runtime's documentation forbids, and that it must refuse. No file is at fault for their results.

#pragma once

#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>

#include <string>
#include <vector>

#include "method.hpp"
#include "reported.hpp"

namespace reader {

using ::executorch::runtime::Tag;

inline bool with_wrong_calls = false;

template <class Call>
void must_refuse(const std::string& name, Call call) {
    report(name, [&] { return text_of(must_fail(call(), name)); });
}

inline void call_program_wrongly(const Program& program) {
    must_refuse("Program::get_method_name after the last", [&] { return program.get_method_name(program.num_methods()).error(); });
    must_refuse("Program::check_header of too few bytes", [&] {
        const unsigned char bytes[Program::kMinHeadBytes] = {};
        const bool is_short = Program::check_header(bytes, sizeof bytes - 1) == Program::ShortData;
        return is_short ? Error::InvalidArgument : Error::Ok;
    });
}

inline void call_metadata_wrongly(const MethodMeta& meta) {
    const auto after_last = [](const char* function, auto call) {
        must_refuse(std::string("MethodMeta::") + function + " after the last", [&] { return call().error(); });
    };
    after_last("input_tag", [&] { return meta.input_tag(meta.num_inputs()); });
    after_last("input_tensor_meta", [&] { return meta.input_tensor_meta(meta.num_inputs()); });
    after_last("output_tag", [&] { return meta.output_tag(meta.num_outputs()); });
    after_last("output_tensor_meta", [&] { return meta.output_tensor_meta(meta.num_outputs()); });
    after_last("attribute_tensor_meta", [&] { return meta.attribute_tensor_meta(meta.num_attributes()); });
    const std::size_t buffers = meta.num_memory_planned_buffers();
    after_last("memory_planned_buffer_size", [&] { return meta.memory_planned_buffer_size(buffers); });
    after_last("memory_planned_buffer_device", [&] { return meta.memory_planned_buffer_device(buffers); });
    after_last("get_backend_name", [&] { return meta.get_backend_name(meta.num_backends()); });
    for (std::size_t i = 0; i < meta.num_inputs(); ++i) {
        const auto tag = meta.input_tag(i);
        if (!tag.ok() || tag.get() == Tag::Tensor) continue;
        must_refuse("MethodMeta::input_tensor_meta of another type", [&] { return meta.input_tensor_meta(i).error(); });
    }
    for (std::size_t i = 0; i < meta.num_outputs(); ++i) {
        const auto tag = meta.output_tag(i);
        if (!tag.ok() || tag.get() == Tag::Tensor) continue;
        must_refuse("MethodMeta::output_tensor_meta of another type", [&] { return meta.output_tensor_meta(i).error(); });
    }
}

// Sets an input to another type and, unless it is a Tensor, to another value, which a method cannot take.
inline void set_input_wrongly(Method& method, const EValue& own, std::size_t index) {
    const auto set = [&](const char* what, const EValue& value) {
        must_refuse(std::string("Method::set_input to ") + what, [&] { return method.set_input(value, index); });
    };
    static ::executorch::aten::ArrayRef<char> text(absent_key.data(), absent_key.size());
    if (own.isTensor() || own.isInt() || own.isDouble() || own.isBool()) set("another type", EValue());
    if (own.isInt()) set("another Int", EValue(own.toInt() ^ 1));
    if (own.isBool()) set("another Bool", EValue(!own.toBool()));
    if (own.isDouble() && own.toDouble() == own.toDouble()) set("another Double", EValue(own.toDouble() == 0.5 ? 1.5 : 0.5));
    if (own.isString()) set("another String", EValue(&text));
}

// Gives an output memory of the caller where the method has its own or the value has none, or too little of it.
inline void set_output_wrongly(Method& method, std::size_t index) {
    const EValue& output = method.get_output(index);
    const auto meta = method.method_meta().output_tensor_meta(index);
    if (output.isTensor() && !meta.ok()) return;
    const std::size_t nbytes = output.isTensor() ? output.toTensor().nbytes() : 0;
    std::vector<unsigned char> memory(std::min(nbytes, max_touched) + 1);
    const bool is_open = output.isTensor() && !meta->is_memory_planned();
    if (is_open && nbytes == 0) return;
    must_refuse(is_open ? "Method::set_output_data_ptr with too little memory" : "Method::set_output_data_ptr of planned memory",
                [&] { return method.set_output_data_ptr(memory.data(), is_open ? nbytes - 1 : nbytes, index); });
}

// Calls the functions of a method that is prepared, in a wrong order and with wrong arguments.
inline void call_method_wrongly(PreparedMethod& prepared) {
    Method& method = prepared.get();
    const std::size_t inputs = method.inputs_size(), outputs = method.outputs_size();
    std::vector<EValue> values(std::max(inputs, outputs) + 1);
    must_refuse("Method::set_input after the last", [&] { return method.set_input(EValue(), inputs); });
    must_refuse("Method::set_inputs with one more", [&] { return method.set_inputs({values.data(), inputs + 1}); });
    unsigned char memory[1] = {};
    must_refuse("Method::set_output_data_ptr after the last", [&] { return method.set_output_data_ptr(memory, sizeof memory, outputs); });
    must_refuse("Method::reset_execution at the start", [&] { return method.reset_execution(); });
    if (inputs > 0) {
        must_refuse("Method::execute without inputs", [&] { return method.execute(); });
        must_refuse("Method::get_inputs into too few", [&] { return method.get_inputs(values.data(), inputs - 1); });
    }
    if (outputs > 0) must_refuse("Method::get_outputs into too few", [&] { return method.get_outputs(values.data(), outputs - 1); });
    for (std::size_t i = 0; i < inputs; ++i) set_input_wrongly(method, prepared.input(i), i);
    for (std::size_t i = 0; i < outputs; ++i) set_output_wrongly(method, i);
    if (!prepared.set_inputs() || !prepared.set_outputs() || method.step() != Error::Ok) return;
    if (inputs > 0) must_refuse("Method::set_input after a step", [&] { return method.set_input(prepared.input(0), 0); });
    if (method.in_progress()) must_refuse("Method::execute after a step", [&] { return method.execute(); });
}

}  // namespace reader

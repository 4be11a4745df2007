// A program file.

#pragma once

#include <executorch/runtime/executor/program.h>

#include "data.hpp"
#include "method.hpp"
#include "runtime.hpp"

namespace reader {

using ::executorch::runtime::Tag;
using ::executorch::runtime::TensorInfo;

// The stages are called in order, each once.
class ProgramFile {
public:
    ProgramFile(const std::string& path, Program::Verification level) : loader_(open_loader(path)), level_(level) {}
    ProgramFile(const ProgramFile&) = delete;
    ProgramFile& operator=(const ProgramFile&) = delete;

    void structure() { program_.emplace(must(Program::load(&loader_, level_), "Program::load")); }

    void meta() const {
        for (std::size_t i = 0; i < program_->num_methods(); ++i) {
            const char* name = must(program_->get_method_name(i), "Program::get_method_name", i);
            touch(std::string_view(name));
            describe_method(must(program_->method_meta(name), "Program::method_meta", i));
        }
    }

    // One at a time, so that the memory lent need not do for all.
    void method(const NamedDataMap* external) const {
        for (std::size_t i = 0; i < program_->num_methods(); ++i) PreparedMethod(*program_, i, external).look();
    }

    void data() const {
        Result<const NamedDataMap*> map = program_->get_named_data_map();
        if (map.error() == Error::NotFound) return;  // a program without named data is a whole program
        read_every_blob(*must(std::move(map), "Program::get_named_data_map"));
    }

private:
    static void describe_tensor(const TensorInfo& tensor) {
        touch_layout(tensor);
        touch(tensor.name());
        sink = tensor.is_memory_planned();
    }

    static void describe_method(const MethodMeta& meta) {
        for (std::size_t i = 0; i < meta.num_inputs(); ++i) {
            if (must(meta.input_tag(i), "MethodMeta::input_tag", i) != Tag::Tensor) continue;
            describe_tensor(must(meta.input_tensor_meta(i), "MethodMeta::input_tensor_meta", i));
        }
        for (std::size_t i = 0; i < meta.num_outputs(); ++i) {
            if (must(meta.output_tag(i), "MethodMeta::output_tag", i) != Tag::Tensor) continue;
            describe_tensor(must(meta.output_tensor_meta(i), "MethodMeta::output_tensor_meta", i));
        }
        for (std::size_t i = 0; i < meta.num_attributes(); ++i) {
            describe_tensor(must(meta.attribute_tensor_meta(i), "MethodMeta::attribute_tensor_meta", i));
        }
        for (std::size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
            must(meta.memory_planned_buffer_size(i), "MethodMeta::memory_planned_buffer_size", i);
            must(meta.memory_planned_buffer_device(i), "MethodMeta::memory_planned_buffer_device", i);
        }
        for (std::size_t i = 0; i < meta.num_backends(); ++i) {
            touch(std::string_view(must(meta.get_backend_name(i), "MethodMeta::get_backend_name", i)));
        }
    }

    FileDataLoader loader_;  // before the program, which points to it
    Program::Verification level_;
    std::optional<Program> program_;
};

}  // namespace reader

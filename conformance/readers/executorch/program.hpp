// The stages of reading a program file.

#pragma once

#include <executorch/runtime/executor/program.h>

#include "arena.hpp"
#include "backends.hpp"
#include "data.hpp"
#include "kernels.hpp"
#include "loaded.hpp"
#include "method.hpp"
#include "reported.hpp"
#include "runtime.hpp"
#include "wrong_calls.hpp"

namespace reader {

using ::executorch::runtime::Tag;
using ::executorch::runtime::TensorInfo;

// Returns whether this build of the runtime loads a valid program with constants inside the FlatBuffer.
inline bool loads_constant_buffer() {
    alignas(std::max_align_t) static constexpr unsigned char valid[] = {
#include "constant_buffer.inc"
    };
    BufferDataLoader loader(valid, sizeof valid);
    return Program::load(&loader).ok();
}

// The stages of reading a program file. Call the function of each one once, in order.
class ProgramFile {
public:
    ProgramFile(const torchproof::File& file, Delivery delivery, Program::Verification level, const Fill& fill)
        : loader_(file, delivery), level_(level), fill_(fill) {}
    // A program in memory.
    ProgramFile(const void* data, std::size_t size, Program::Verification level, const Fill& fill)
        : loader_(data, size), level_(level), fill_(fill) {}
    ProgramFile(const ProgramFile&) = delete;
    ProgramFile& operator=(const ProgramFile&) = delete;

    void report_open() const { report_header(*loader_.get()); }

    void structure() {
        program_.emplace(must(Program::load(loader_.get(), level_), "Program::load"));
        const Names names = names_in(*loader_.get());
        stub_operators(names.operators);
        if (with_stub_backends) stub_backends(names.backends);
    }

    void meta() const {
        for (std::size_t i = 0; i < program_->num_methods(); ++i) {
            const char* name = must(program_->get_method_name(i), "Program::get_method_name", i);
            touch(std::string_view(name));
            describe_method(must(program_->method_meta(name), "Program::method_meta", i));
        }
    }

    void report_meta() const {
        for (std::size_t i = 0; i < program_->num_methods(); ++i) {
            const char* name = must(program_->get_method_name(i), "Program::get_method_name", i);
            report_metadata(*program_, i, must(program_->method_meta(name), "Program::method_meta", i));
        }
    }

    // Prepares only one method at a time, to limit the use of memory.
    void method(const NamedDataMap* external, bool keep) {
        for (std::size_t i = 0; i < program_->num_methods(); ++i) {
            if (measurement) {
                prepared_.push_back(std::to_string(smallest_arena(*program_, i, external)));
                continue;
            }
            handed.reset();
            if (keep) handed.emplace();
            PreparedMethod method(*program_, i, external, fill_);
            method.look();
            if (keep) prepared_.push_back(method.loaded());
        }
    }

    void data() const {
        if (const NamedDataMap* map = named_data()) read_every_blob(*map);
    }

    void report_data() const {
        if (const NamedDataMap* map = named_data()) report_absent_key(*map, "PteDataMap");
    }

    // The execution of a method changes its values, so each is prepared again.
    void execute(const NamedDataMap* external) const {
        for (std::size_t i = 0; i < program_->num_methods(); ++i) {
            PreparedMethod(*program_, i, external, fill_).execute();
        }
    }

    // Executes every method twice without asking for metadata of its inputs and outputs.
    void execute_directly(const NamedDataMap* external) const {
        if (const NamedDataMap* map = named_data()) {
            report_absent_key(*map, "PteDataMap");
            report_other_keys(*map, "PteDataMap");
        }
        for (std::size_t i = 0; i < program_->num_methods(); ++i) {
            torchproof::enter(torchproof::Stage::method);
            if (external != nullptr) load_without_data(i);
            PreparedMethod method(*program_, i, external, fill_);
            torchproof::enter(torchproof::Stage::execute);
            if (with_wrong_calls) call_wrongly(i, external);
            if (!method.execute()) continue;
            method.look_at_attributes();
            method.execute_in_steps();
            method.look_at_attributes();
        }
    }

    const Program& get() const { return *program_; }

    // Returns the map of the program's named data, if it has any.
    const NamedDataMap* named_data() const {
        Result<const NamedDataMap*> map = program_->get_named_data_map();
        if (map.error() == Error::NotFound) return nullptr;
        return must(std::move(map), "Program::get_named_data_map");
    }

    std::string loaded(bool with_data) const {
        std::vector<std::string> methods;
        for (std::size_t i = 0; i < program_->num_methods(); ++i) {
            const char* name = must(program_->get_method_name(i), "Program::get_method_name", i);
            const MethodMeta meta = must(program_->method_meta(name), "Program::method_meta", i);
            const std::string prepared = i < prepared_.size() ? prepared_[i] : "null";
            methods.push_back(json::object({{"meta", json_of_meta(meta)}, {"prepared", prepared}}));
        }
        return json::object({{"methods", json_list(methods)},
                             {"constants", json_of_constants(*program_)},
                             {"named_data", json_of_named_data(with_data)}});
    }

private:
    // Loads a method without the data files of the request. An error is right, unless the method uses none of them.
    void load_without_data(std::size_t index) const try {
        PreparedMethod(*program_, index, nullptr, fill_);
    } catch (const Rejected&) {
    } catch (const Unsupported&) {
    }

    // Wrong calls change a method, so it is prepared again.
    void call_wrongly(std::size_t index, const NamedDataMap* external) const {
        PreparedMethod method(*program_, index, external, fill_);
        call_method_wrongly(method);
        call_metadata_wrongly(must(program_->method_meta(method.name()), "Program::method_meta", index));
        call_program_wrongly(*program_);
    }

    std::string json_of_named_data(bool with_data) const {
        const NamedDataMap* map = named_data();
        if (map == nullptr) return "[]";
        const auto no_layout = [](std::string_view, std::uint32_t) { return std::string("null"); };
        return json_of_map(*map, with_data, no_layout);
    }

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
            const auto size = must(meta.memory_planned_buffer_size(i), "MethodMeta::memory_planned_buffer_size", i);
            if (size < 0) give_up("MethodMeta::memory_planned_buffer_size returned " + std::to_string(size));
            must(meta.memory_planned_buffer_device(i), "MethodMeta::memory_planned_buffer_device", i);
        }
        for (std::size_t i = 0; i < meta.num_backends(); ++i) {
            touch(std::string_view(must(meta.get_backend_name(i), "MethodMeta::get_backend_name", i)));
        }
    }

    Loader loader_;  // declared before the program, which points to this loader
    Program::Verification level_;
    const Fill& fill_;
    std::optional<Program> program_;
    std::vector<std::string> prepared_;  // the JSON of each prepared method, if requested
};

}  // namespace reader

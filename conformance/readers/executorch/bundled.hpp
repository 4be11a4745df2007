// Bundled programs: a program with its test cases.
//
// The wheel has no header of the API for bundled programs. The declarations below match the functions that a library of the
// wheel exports.

#pragma once

#include <executorch/runtime/executor/method.h>

#include <cstring>
#include <optional>

#include "../common/delivery.hpp"
#include "memory.hpp"
#include "method.hpp"
#include "program.hpp"
#include "reported.hpp"
#include "tables.hpp"

namespace executorch::bundled_program {

bool is_bundled_program(void* file_data, std::size_t file_data_len);
runtime::Error get_program_data(void* file_data, std::size_t file_data_len, const void** out_program_data,
                                std::size_t* out_program_data_len);
runtime::Error load_bundled_input(runtime::Method& method, const void* bundled_program, std::size_t testset_idx);
runtime::Error verify_method_outputs(runtime::Method& method, const void* bundled_program, std::size_t testset_idx,
                                     double rtol, double atol);

}  // namespace executorch::bundled_program

namespace reader {

namespace bundled_program = ::executorch::bundled_program;

// Counts test cases, because no call of the runtime returns the number of test cases.
class TestCases {
public:
    TestCases(const std::uint8_t* start, std::size_t size) : tables_(start, size) {}

    // Returns the number of test cases of a method. If a list or a name is missing or outside the file, returns 1, so that the
    // runtime reads the defective part.
    std::size_t count(std::string_view method) const {
        try {
            const std::size_t suites = tables_.field(tables_.target(0), 1);
            for (std::size_t i = 0; i < tables_.number<std::uint32_t>(suites); ++i) {
                const std::size_t suite = tables_.target(suites + 4 + 4 * i);
                if (tables_.text(tables_.field(suite, 0)) == method) {
                    return tables_.number<std::uint32_t>(tables_.field(suite, 1));
                }
            }
            return 0;
        } catch (const Tables::Missing&) {
            return 1;
        }
    }

private:
    Tables tables_;
};

// The stages of reading a bundled program. Call the function of each stage once, in order.
class BundledFile {
public:
    BundledFile(const torchproof::File& file, Delivery delivery, Program::Verification level, const Fill& fill)
        : BundledFile(torchproof::Memory(file, delivery), level, fill) {}
    BundledFile(const BundledFile&) = delete;
    BundledFile& operator=(const BundledFile&) = delete;

    void structure() {
        if (!bundled_program::is_bundled_program(start(), size_)) throw Rejected{"is_bundled_program: false"};
        const void* program = nullptr;
        std::size_t program_size = 0;
        must(bundled_program::get_program_data(start(), size_, &program, &program_size), "get_program_data");
        program_.emplace(program, program_size, level_, fill_);
        program_->structure();
    }

    void meta() const { program_->meta(); }
    void report_meta() const { program_->report_meta(); }

    void method() {
        program_->method(nullptr, false);
        each_test_case([](PreparedMethod&, std::size_t) {});
    }

    void data() const { program_->data(); }
    void report_data() const { program_->report_data(); }

    void execute() {
        each_test_case([](PreparedMethod& method, std::size_t) { method.run(); });
    }

    // The stub kernels compute nothing, so the outputs of a valid file can differ from the expected outputs.
    void report_execute() try {
        each_test_case([this](PreparedMethod& method, std::size_t index) {
            if (!method.run()) return;
            report("verify_method_outputs(" + std::to_string(index) + ')', [&] {
                return text_of(bundled_program::verify_method_outputs(method.get(), start(), index, 1e-5, 1e-8));
            });
        });
    } catch (const Rejected&) {
        // `execute` can have changed elements of inputs, so a second execution can fail.
    }

private:
    BundledFile(const torchproof::Memory& memory, Program::Verification level, const Fill& fill)
        : size_(memory.size()), copy_({size_}), level_(level), fill_(fill) {
        std::memcpy(start(), memory.data(), size_);
    }

    std::uint8_t* start() { return copy_.spans()[0].data(); }

    // Prepares every method once for each of its test cases, and sets the inputs of the test case.
    template <class Use>
    void each_test_case(Use use) {
        const TestCases cases(start(), size_);
        const Program& program = program_->get();
        for (std::size_t i = 0; i < program.num_methods(); ++i) {
            const char* name = must(program.get_method_name(i), "Program::get_method_name", i);
            const std::size_t count = cases.count(name);
            for (std::size_t at = 0; at < count; ++at) {
                PreparedMethod method(program, i, nullptr, fill_);
                const Error error = bundled_program::load_bundled_input(method.get(), start(), at);
                if (error != Error::Ok) throw Rejected{describe("load_bundled_input", at, error)};
                use(method, at);
            }
        }
    }

    std::size_t size_;
    // A writable copy, because the runtime uses elements of inputs in place, and an instruction can change these elements.
    GuardedBuffers copy_;
    Program::Verification level_;
    const Fill& fill_;
    std::optional<ProgramFile> program_;
};

}  // namespace reader

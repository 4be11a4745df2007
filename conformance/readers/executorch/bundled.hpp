// Bundled programs: a program with its test cases.
//
// The wheel has no header of this API. The declarations below match the functions that one of its libraries exports.

#pragma once

#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <executorch/runtime/executor/method.h>

#include <cstring>
#include <optional>

#include "../common/delivery.hpp"
#include "memory.hpp"
#include "method.hpp"
#include "program.hpp"
#include "reported.hpp"
#include "tables.hpp"
#include "wrong_calls.hpp"

namespace executorch::bundled_program {

bool is_bundled_program(void* file_data, std::size_t file_data_len);
runtime::Error get_program_data(void* file_data, std::size_t file_data_len, const void** out_program_data,
                                std::size_t* out_program_data_len);
runtime::Error load_bundled_input(runtime::Method& method, const void* bundled_program, std::size_t testset_idx);
runtime::Error verify_method_outputs(runtime::Method& method, const void* bundled_program, std::size_t testset_idx,
                                     double rtol, double atol);

struct ErrorStats {
    runtime::Error status;
    double mean_abs_error, max_abs_error, mean_relative_error, max_relative_error;
};
ErrorStats compute_method_output_error_stats(runtime::Method& method, const void* bundled_program, std::size_t testset_idx);

}  // namespace executorch::bundled_program

namespace reader {

namespace bundled_program = ::executorch::bundled_program;

// Counts test cases and finds expected outputs, which no call of the runtime returns.
class TestCases {
public:
    TestCases(const std::uint8_t* start, std::size_t size) : tables_(start, size) {}

    // Returns the number of test cases of a method. If a list or a name is missing or outside the file, returns 1, so that
    // the runtime reads the defective part.
    std::size_t count(std::string_view method) const {
        try {
            const auto suite = suite_of(method);
            return suite ? tables_.number<std::uint32_t>(tables_.field(*suite, 1)) : 0;
        } catch (const Tables::Missing&) {
            return 1;
        }
    }

    // Gives each output the sizes and the elements that a test case expects, as a right kernel would. Returns false if it
    // expects none. What is missing in a damaged file stays as it is.
    bool fill_outputs(Method& method, std::string_view name, std::size_t test_case) const {
        try {
            const auto suite = suite_of(name);
            if (!suite) return true;
            const std::size_t outputs = tables_.field(item(tables_.field(*suite, 1), test_case), 1);
            for (std::size_t i = 0; i < std::min<std::size_t>(tables_.number<std::uint32_t>(outputs), method.outputs_size()); ++i) {
                const std::size_t value = item(outputs, i);
                if (method.get_output(i).isTensor()) fill(method.get_output(i).toTensor(), tables_.field(value, 1));
            }
            return tables_.number<std::uint32_t>(outputs) > 0;
        } catch (const Tables::Missing&) {
            return true;
        }
    }

private:
    std::size_t item(std::size_t list, std::size_t index) const { return tables_.target(list + 4 + 4 * index); }

    std::optional<std::size_t> suite_of(std::string_view method) const {
        const std::size_t suites = tables_.field(tables_.target(0), 1);
        for (std::size_t i = 0; i < tables_.number<std::uint32_t>(suites); ++i) {
            if (tables_.text(tables_.field(item(suites, i), 0)) == method) return item(suites, i);
        }
        return std::nullopt;
    }

    void fill(Tensor output, std::size_t expected) const {
        const std::size_t sizes = tables_.field(expected, 1);
        std::vector<SizesType> shape(std::min<std::size_t>(tables_.number<std::uint32_t>(sizes), output.dim()));
        for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = tables_.number<std::int32_t>(sizes + 4 + 4 * i);
        // A shape that the output cannot have is a defect that the runtime must find.
        (void)::executorch::runtime::resize_tensor(output, {shape.data(), shape.size()});
        const std::string_view bytes = tables_.text(tables_.field(expected, 2));
        std::memcpy(output.mutable_data_ptr(), bytes.data(), std::min(bytes.size(), output.nbytes()));
    }

    Tables tables_;
};

// The stages of reading a bundled program. Call the function of each one once, in order.
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

    // The stub kernels compute nothing, so the adapter fills the outputs before the runtime compares them.
    void execute() {
        each_test_case([this](PreparedMethod& method, std::size_t index) {
            if (!method.run()) return;
            if (!TestCases(start(), size_).fill_outputs(method.get(), method.name(), index)) {
                if (with_wrong_calls) must_refuse_all("without expected outputs", method.get(), start(), index);
                return;
            }
            must(bundled_program::verify_method_outputs(method.get(), start(), index, 1e-5, 1e-8), "verify_method_outputs");
            report_statistics(method.get(), index);
            if (with_wrong_calls) call_wrongly(method.get(), index);
        });
    }

private:
    BundledFile(const torchproof::Memory& memory, Program::Verification level, const Fill& fill)
        : size_(memory.size()), copy_({size_}), level_(level), fill_(fill) {
        std::memcpy(start(), memory.data(), size_);
    }

    std::uint8_t* start() { return copy_.spans()[0].data(); }

    // Asks for the statistics of the errors, which the runtime computes for floats, and for a test case after the last one.
    void report_statistics(Method& method, std::size_t index) {
        for (std::size_t i = 0; i < method.outputs_size(); ++i) {
            const EValue& output = method.get_output(i);
            if (!output.isTensor() || output.toTensor().scalar_type() != ::executorch::aten::ScalarType::Float) return;
        }
        const auto statistics = [&](std::size_t at) {
            return bundled_program::compute_method_output_error_stats(method, start(), at).status;
        };
        report("compute_method_output_error_stats", [&] { return text_of(statistics(index)); });
        constexpr std::size_t absent = std::size_t{1} << 31;
        report("load_bundled_input of an absent test case", [&] {
            return text_of(must_fail(bundled_program::load_bundled_input(method, start(), absent), "load_bundled_input"));
        });
        must_refuse_all("of an absent test case", method, start(), absent);
    }

    // Compares the outputs with a test case, which must fail.
    static void must_refuse_all(const std::string& what, Method& method, void* file, std::size_t test_case) {
        must_refuse("verify_method_outputs " + what, [&] {
            return bundled_program::verify_method_outputs(method, file, test_case, 1e-5, 1e-8);
        });
        must_refuse("compute_method_output_error_stats " + what, [&] {
            return bundled_program::compute_method_output_error_stats(method, file, test_case).status;
        });
    }

    // Compares outputs of which one has a wrong element, and gives the runtime a file that is no bundled program.
    void call_wrongly(Method& method, std::size_t index) {
        std::vector<std::uint8_t> other(start(), start() + size_);
        std::fill(other.begin() + 4, other.begin() + 8, std::uint8_t{'?'});
        must_refuse_all("of another file", method, other.data(), index);
        must_refuse("load_bundled_input of another file", [&] { return bundled_program::load_bundled_input(method, other.data(), index); });
        for (std::size_t i = 0; i < method.outputs_size(); ++i) {
            const EValue& output = method.get_output(i);
            if (!output.isTensor() || output.toTensor().nbytes() == 0) continue;
            // The exponent of a number, or its most significant bits.
            auto& last = static_cast<std::uint8_t*>(output.toTensor().mutable_data_ptr())[output.toTensor().nbytes() - 1];
            last ^= 0x40;
            for (const double tolerance : {0.0, 1e-5}) {
                must_refuse("verify_method_outputs of a wrong element", [&] {
                    return bundled_program::verify_method_outputs(method, start(), index, tolerance, tolerance);
                });
            }
            last ^= 0x40;
        }
    }

    // Prepares every method once for each of its test cases, and sets the inputs.
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
    // Writable, because the runtime uses elements of inputs in place, and an instruction can change them.
    GuardedBuffers copy_;
    Program::Verification level_;
    const Fill& fill_;
    std::optional<ProgramFile> program_;
};

}  // namespace reader

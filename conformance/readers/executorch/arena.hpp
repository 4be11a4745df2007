// Measures the smallest arena of the method allocator with which a method loads.

#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "memory.hpp"
#include "method.hpp"
#include "runtime.hpp"

namespace reader {

// How the adapter loads methods while it measures: with a temporary arena of this size, or without a temporary allocator.
struct Measurement {
    std::optional<std::uint32_t> temporary;

    // Parses the argument of `--measure-arenas`: `none`, or a number of bytes.
    static Measurement of(const std::string& text) {
        if (text == "none") return {};
        return {static_cast<std::uint32_t>(std::strtoul(text.c_str(), nullptr, 10))};
    }
};

// No value unless the adapter measures.
inline std::optional<Measurement> measurement;

// Loads a method in a child process, because the runtime can crash after a failed allocation. Returns the exit code: 0 for
// success, the code of the runtime's error, or 255 after a crash.
template <typename Load>
int exit_code_of(const Load& load) {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(static_cast<int>(load()));
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child) throw Unsupported{"the adapter cannot start a process"};
    return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

// Returns the size of the smallest arena, by loading the method with different ones.
inline std::uint32_t smallest_arena(const Program& program, std::size_t index, const NamedDataMap* external) {
    const char* name = must(program.get_method_name(index), "Program::get_method_name", index);
    const MethodMeta meta = must(program.method_meta(name), "Program::method_meta", index);
    PlannedMemory planned(meta);
    constexpr std::uint32_t most = std::uint32_t{128} << 20;
    const Pages pages(most, PROT_READ | PROT_WRITE);
    const Pages temporary_pages(std::max<std::size_t>(measurement->temporary.value_or(0), page), PROT_READ | PROT_WRITE);
    const auto load = [&](std::uint32_t size) {
        MemoryAllocator arena(size, pages.start());
        MemoryAllocator temporary(measurement->temporary.value_or(0), temporary_pages.start());
        HierarchicalAllocator buffers = planned.allocator();
        MemoryManager manager(&arena, &buffers, measurement->temporary ? &temporary : nullptr);
        return program.load_method(name, &manager, nullptr, external).error();
    };
    if (const int code = exit_code_of([&] { return load(most); })) {
        const std::string message = describe("Program::load_method", index, static_cast<Error>(code));
        const char* lack = what_lacks(static_cast<Error>(code), meta, external != nullptr);
        if (lack != nullptr) throw Unsupported{message + ", " + lack};
        throw Rejected{message};
    }
    std::uint32_t fails = 0, enough = most;
    for (std::uint32_t next = 512; enough - fails > 1;) {
        (exit_code_of([&] { return load(next); }) == 0 ? enough : fails) = next;
        next = fails + (enough - fails) / 2;
        if (fails > 0) next = std::min(next, fails * 2);
    }
    return enough;
}

}  // namespace reader

// The names of the stub kernels and stub backends, which are those in a program.

#pragma once

#include <executorch/runtime/core/data_loader.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "tables.hpp"

namespace reader {

// The runtime cannot resolve an operator with a name of so many bytes.
inline constexpr std::size_t max_name = 100;

// The operators and backends that the adapter hides, as if the build did not have them.
inline std::set<std::string> hidden;

// The names of a fixed number of stubs. A registry is small and never removes an entry, but only refers to its name, so the
// stubs are registered once and renamed for each program.
template <std::size_t count>
class StubNames {
public:
    StubNames() { clear(); }

    static constexpr std::size_t size() { return count; }
    const char* at(std::size_t index) const { return names_[index]; }

    // Gives the stubs the names for which `is_registered` returns false, as far as there are stubs.
    template <class IsRegistered>
    void assign(const std::set<std::string>& names, IsRegistered is_registered) {
        clear();
        std::size_t next = 0;
        for (const std::string& name : names) {
            if (next == count) return;
            if (name.empty() || name.size() >= max_name || hidden.count(name) != 0 || is_registered(name.c_str())) continue;
            std::memcpy(names_[next++], name.c_str(), name.size() + 1);
        }
    }

private:
    // Gives every stub a name that is too long.
    void clear() {
        for (std::size_t i = 0; i < count; ++i) {
            std::snprintf(names_[i], sizeof names_[i], "%0*zu", static_cast<int>(max_name), i);
        }
    }

    char names_[count][max_name + 1];
};

struct Names {
    std::set<std::string> operators;  // full names, including the overload
    std::set<std::string> backends;
};

// Returns the names in a program. A small hostile program can share a list between many methods, so their number is limited.
// A missing part has no names; the runtime judges the program.
inline Names names_in(const Tables& program) {
    Names names;
    std::size_t left = std::size_t{1} << 16;
    // The runtime reads a name up to a NUL byte, and cannot resolve a long name.
    const auto until_nul = [](std::string_view text) {
        text = text.substr(0, max_name);
        return std::string(text.substr(0, text.find('\0')));
    };
    const auto add_operator = [&](std::size_t entry) {
        const std::string name = until_nul(program.text(program.field(entry, 0)));
        const std::string_view overload = program.has(entry, 1) ? program.text(program.field(entry, 1)) : "";
        names.operators.insert(overload.empty() ? name : name + '.' + until_nul(overload));
    };
    const auto add_backend = [&](std::size_t entry) {
        names.backends.insert(until_nul(program.text(program.field(entry, 0))));
    };
    program.each(program.root(), 1, left, [&](std::size_t method) {
        program.each(method, 6, left, add_operator);
        program.each(method, 7, left, add_backend);
    });
    return names;
}

// Returns the names in the program of a loader, or none if the loader fails.
inline Names names_in(::executorch::runtime::DataLoader& loader) {
    using ::executorch::runtime::DataLoader;
    const auto load = [&](std::size_t size) {
        return loader.load(0, size, DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Program));
    };
    std::size_t size = loader.size().ok() ? loader.size().get() : 0;
    constexpr std::size_t head_size = 24;
    if (size < head_size) return {};
    if (const auto head = load(head_size); head.ok()) {
        std::uint64_t program_size;
        std::memcpy(&program_size, static_cast<const char*>(head->data()) + 16, sizeof program_size);
        const bool has_header = std::memcmp(static_cast<const char*>(head->data()) + 8, "eh", 2) == 0;
        if (has_header) size = std::min<std::uint64_t>(size, program_size);
    }
    const auto program = load(size);
    return program.ok() ? names_in(Tables(program->data(), program->size())) : Names{};
}

}  // namespace reader

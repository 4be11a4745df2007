// Calls that an application makes, but whose results the adapter only reports, because they never change an answer.
//
// The adapter prints a line to stderr before each call, and the result after it, so after a crash its last line names the
// call. A result that gives an application wrong bytes without an error ends the process, as a failed assertion of the
// application would.

#pragma once

#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/executor/program.h>

#include <cstdlib>
#include <vector>

#include "../common/worker.hpp"
#include "runtime.hpp"

namespace reader {

using ::executorch::extension::merged_data_map::MergedDataMap;
using ::executorch::runtime::DataLoader;
using ::executorch::runtime::MethodMeta;
using ::executorch::runtime::NamedDataMap;
using ::executorch::runtime::Program;

template <class Call>
void report(const std::string& name, Call call) {
    torchproof::write_all(STDERR_FILENO, "executorch-worker: calling " + name + '\n');
    torchproof::write_all(STDERR_FILENO, "executorch-worker: " + name + " returned " + call() + '\n');
}

[[noreturn]] inline void give_up(const std::string& reason) {
    torchproof::write_all(STDERR_FILENO, "executorch-worker: " + reason + '\n');
    std::abort();
}

inline std::string text_of(Error error) {
    char code[16];
    std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned>(error));
    return code;
}

// Ends the process unless the call failed, as it must for a wrong argument, such as a key that the files do not contain.
inline Error must_fail(Error error, const std::string& call) {
    if (error == Error::Ok) give_up(call + " succeeded, but it must fail");
    return error;
}

// `Program::check_header` needs at least `kMinHeadBytes` bytes.
inline void report_header(DataLoader& loader) {
    const auto size = loader.size();
    if (!size.ok() || size.get() < Program::kMinHeadBytes) return;
    const DataLoader::SegmentInfo info(DataLoader::SegmentInfo::Type::Program);
    const auto head = loader.load(0, Program::kMinHeadBytes, info);
    if (!head.ok()) return;
    report("Program::check_header", [&] {
        return std::to_string(Program::check_header(head.get().data(), Program::kMinHeadBytes));
    });
}

inline void report_metadata(const Program& program, std::size_t index, const MethodMeta& meta) {
    const std::string of = '(' + std::to_string(index) + ')';
    report("MethodMeta::num_instructions" + of, [&] { return std::to_string(meta.num_instructions()); });
    // The runtime compares this name with that of every delegate.
    report("MethodMeta::uses_backend" + of, [&] { return std::to_string(meta.uses_backend("AbsentBackend")); });
    report("Program::get_output_flattening_encoding" + of, [&] {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        const auto text = program.get_output_flattening_encoding(meta.name());
#pragma GCC diagnostic pop
        if (text.ok()) touch(std::string_view(text.get()));
        return text_of(text.error());
    });
}

inline constexpr std::string_view absent_key = "torchproof: a key that no file contains";

inline void report_absent_key(const NamedDataMap& map, const std::string& name, std::string_view key = absent_key) {
    const auto ask = [&](const char* function, auto call) {
        const std::string text = name + "::" + function + " of an absent key";
        report(text, [&] { return text_of(must_fail(call(), text)); });
    };
    ask("get_data", [&] { return map.get_data(key).error(); });
    ask("get_tensor_layout", [&] { return map.get_tensor_layout(key).error(); });
    ask("load_data_into", [&] {
        unsigned char memory[64] = {};
        return map.load_data_into(key, memory, sizeof memory);
    });
}

// Asks for the key after the last one, and for keys that differ from a stored one only after a NUL, which a runtime that
// compares C strings takes for it. Few keys are enough, because the comparison is the same for all.
inline void report_other_keys(const NamedDataMap& map, const std::string& name) {
    const auto count = map.get_num_keys();
    if (!count.ok()) return;
    report(name + "::get_key after the last", [&] {
        return text_of(must_fail(map.get_key(count.get()).error(), name + "::get_key after the last"));
    });
    for (std::uint32_t i = 0; i < std::min<std::uint32_t>(count.get(), 4); ++i) {
        const auto stored = map.get_key(i);
        if (!stored.ok() || stored.get() == nullptr) continue;
        std::string key(stored.get());
        key += '\0';
        // The stored key may go on after its NUL, so only some lengths are equal to its own. No key in UTF-8 has this byte.
        for (int length = 0; length < 8; ++length) report_absent_key(map, name, key += '\xFF');
    }
}

// Loads a tensor into a buffer that is one byte shorter or longer, with space after it, so that a runtime that ignores the
// size overwrites no other memory of the adapter. An overrun ends the process if the option asks for it and the file has only
// this tensor; otherwise, it is only reported, because nearly every case about data files would fail for this one reason.
inline bool with_short_buffers = false;

inline void report_other_buffers(const NamedDataMap& map, std::string_view key, std::size_t nbytes, bool alone) {
    static constexpr unsigned char untouched = 0xA5;
    if (nbytes == 0 || nbytes > max_touched) return;
    for (const std::size_t size : {nbytes + 1, nbytes - 1}) {
        const std::string call = "NamedDataMap::load_data_into of " + std::to_string(nbytes) + " bytes into " + std::to_string(size);
        report(call, [&] {
            std::vector<unsigned char> memory(nbytes + 1, untouched);
            const Error error = map.load_data_into(key, memory.data(), size);
            const bool overrun = memory[size < nbytes ? size : nbytes] != untouched;
            if (overrun && alone && with_short_buffers) give_up(call + ": the byte after the buffer is written");
            return text_of(error) + (overrun ? ", and the byte after the buffer is written" : "");
        });
    }
}

// Merges all maps of a request: the named data of programs and the data files.
inline void report_merged(std::vector<const NamedDataMap*> maps) {
    if (maps.empty()) return;
    report("MergedDataMap::load of " + std::to_string(maps.size()), [&] {
        const auto merged = MergedDataMap::load({maps.data(), maps.size()});
        if (!merged.ok()) return text_of(merged.error());
        const auto count = merged.get().get_num_keys();
        if (!count.ok()) return text_of(count.error());
        std::uint32_t found = 0;
        for (std::uint32_t i = 0; i < count.get(); ++i) {
            const auto key = merged.get().get_key(i);
            if (key.ok() && key.get() != nullptr) touch(std::string_view(key.get())), ++found;
        }
        report_absent_key(merged.get(), "MergedDataMap");
        report_other_keys(merged.get(), "MergedDataMap");
        return std::to_string(found) + " of " + std::to_string(count.get()) + " keys";
    });
}

}  // namespace reader

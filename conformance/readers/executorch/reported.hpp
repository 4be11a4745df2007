// Calls whose results the adapter only reports. An application makes these calls, but their results never change an answer.
//
// The adapter makes these calls at the end of each stage. The adapter prints a line to stderr before each call, and the result
// after the call. After a crash in such a call, the last line of the adapter therefore names the call.

#pragma once

#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/executor/program.h>

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

inline std::string text_of(Error error) {
    char code[8];
    std::snprintf(code, sizeof code, "0x%02x", static_cast<unsigned>(error));
    return code;
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
    // The runtime compares this name with the name of every delegate.
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

inline void report_absent_key(const NamedDataMap& map, const std::string& name) {
    report(name + "::get_data of an absent key", [&] { return text_of(map.get_data(absent_key).error()); });
    report(name + "::get_tensor_layout of an absent key",
           [&] { return text_of(map.get_tensor_layout(absent_key).error()); });
}

// Loads one byte less than the tensor has. The memory has space for the whole tensor. A runtime that ignores the size therefore
// does not overwrite other memory of the adapter. The result states whether the runtime has written the last byte.
inline void report_short_buffer(const NamedDataMap& map, std::string_view key, std::size_t nbytes) {
    if (nbytes == 0 || nbytes > max_touched) return;
    report("NamedDataMap::load_data_into of all bytes but the last", [&] {
        static constexpr unsigned char untouched = 0xA5;
        std::vector<unsigned char> memory(nbytes, untouched);
        const Error error = map.load_data_into(key, memory.data(), nbytes - 1);
        return text_of(error) + (memory.back() == untouched ? "" : ", and the last byte is written");
    });
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
        return text_of(merged.get().get_data(absent_key).error()) + ", " + std::to_string(found) + " of " +
               std::to_string(count.get()) + " keys";
    });
}

}  // namespace reader

// A data file, and what it has in common with a program: a map of named data.

#pragma once

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/core/named_data_map.h>

#include "runtime.hpp"

namespace reader {

using ::executorch::extension::FileDataLoader;
using ::executorch::extension::FlatTensorDataMap;
using ::executorch::runtime::FreeableBuffer;
using ::executorch::runtime::NamedDataMap;

inline FileDataLoader open_loader(const std::string& path) {
    return must(FileDataLoader::from(path.c_str()), "FileDataLoader::from");
}

inline std::string_view key_at(const NamedDataMap& map, std::uint32_t index) {
    const char* key = must(map.get_key(index), "NamedDataMap::get_key", index);
    if (key == nullptr) throw Rejected{"NamedDataMap::get_key(" + std::to_string(index) + "): null"};
    return key;
}

inline void read_every_blob(const NamedDataMap& map) {
    const std::uint32_t count = must(map.get_num_keys(), "NamedDataMap::get_num_keys");
    for (std::uint32_t i = 0; i < count; ++i) {
        const FreeableBuffer blob = must(map.get_data(key_at(map, i)), "NamedDataMap::get_data", i);
        touch(blob.data(), blob.size());
    }
}

// The stages are called in order, each once.
class DataFile {
public:
    explicit DataFile(const std::string& path) : loader_(open_loader(path)) {}
    DataFile(const DataFile&) = delete;
    DataFile& operator=(const DataFile&) = delete;

    void structure() { map_.emplace(must(FlatTensorDataMap::load(&loader_), "FlatTensorDataMap::load")); }

    // With the layouts or without: beside a program it is the method that asks for layouts, of the names it has.
    void meta(bool layouts) const {
        const std::uint32_t count = must(map_->get_num_keys(), "NamedDataMap::get_num_keys");
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::string_view key = key_at(*map_, i);
            touch(key);
            if (layouts) layout_of(key, i);
        }
    }

    void data() const { read_every_blob(*map_); }

    const NamedDataMap& map() const { return *map_; }

private:
    void layout_of(std::string_view key, std::uint32_t index) const {
        const auto layout = map_->get_tensor_layout(key);
        if (layout.ok()) {
            touch_layout(layout.get());
        } else if (layout.error() != Error::NotFound) {
            throw Rejected{describe("NamedDataMap::get_tensor_layout", index, layout.error())};
        }
        // NotFound is tolerated as the clean way to say that a blob has no layout. If it is the key that was not found,
        // get_data says so again at the last stage.
    }

    FileDataLoader loader_;  // before the map, which points to it
    std::optional<FlatTensorDataMap> map_;
};

}  // namespace reader

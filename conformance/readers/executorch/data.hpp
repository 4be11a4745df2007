// Data files, and the named data of data files and programs.

#pragma once

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/core/named_data_map.h>

#include <cstddef>
#include <memory>

#include "../common/delivery.hpp"
#include "../common/worker.hpp"
#include "loaded.hpp"
#include "reported.hpp"
#include "runtime.hpp"

namespace reader {

using ::executorch::extension::BufferDataLoader;
using ::executorch::extension::FileDataLoader;
using ::executorch::extension::FlatTensorDataMap;
using ::executorch::extension::MmapDataLoader;
using ::executorch::runtime::DataLoader;
using ::executorch::runtime::FreeableBuffer;
using ::executorch::runtime::NamedDataMap;
using torchproof::Delivery;

// The runtime's loader for a file, a memory mapping, or memory.
class Loader {
public:
    Loader(const torchproof::File& file, Delivery delivery) {
        switch (delivery) {
            case Delivery::mmap: take(MmapDataLoader::from(file.path.c_str()), "MmapDataLoader::from"); break;
            case Delivery::buffer:
            case Delivery::guard: lend(file, delivery); break;
            default: take(FileDataLoader::from(file.path.c_str()), "FileDataLoader::from");
        }
    }
    Loader(const void* data, std::size_t size) : loader_(std::make_unique<BufferDataLoader>(data, size)) {}
    Loader(const Loader&) = delete;
    Loader& operator=(const Loader&) = delete;

    DataLoader* get() const { return loader_.get(); }

private:
    template <class Opened>
    void take(Result<Opened> opened, const char* call) {
        loader_ = std::make_unique<Opened>(must(std::move(opened), call));
    }

    void lend(const torchproof::File& file, Delivery delivery) {
        // The runtime requires this alignment, so an application must also align the memory of a file.
        constexpr std::size_t alignment = alignof(std::max_align_t);
        memory_.emplace(file, delivery);
        if (memory_->size() % alignment != 0 && delivery == Delivery::guard) {
            throw Unsupported{"the size is not a multiple of 16, so an aligned file cannot end at a guard page"};
        }
        loader_ = std::make_unique<BufferDataLoader>(memory_->data(), memory_->size());
    }

    std::optional<torchproof::Memory> memory_;  // declared before the loader, which points to this memory
    std::unique_ptr<DataLoader> loader_;
};

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

// Returns every key with its bytes and the result of `layout` as JSON.
template <class Layout>
std::string json_of_map(const NamedDataMap& map, bool with_data, Layout layout) {
    std::vector<std::string> entries;
    const std::uint32_t count = must(map.get_num_keys(), "NamedDataMap::get_num_keys");
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::string_view key = key_at(map, i);
        std::string data = "null";
        if (with_data) {
            const FreeableBuffer blob = must(map.get_data(key), "NamedDataMap::get_data", i);
            data = json_of_bytes(blob.data(), blob.size());
        }
        entries.push_back(
            json::object({{"key", json_of_text(key)}, {"tensor_layout", layout(key, i)}, {"data", data}}));
    }
    return json_list(entries);
}

// The stages of reading a data file. Call the function of each one once, in order.
class DataFile {
public:
    DataFile(const torchproof::File& file, Delivery delivery) : loader_(file, delivery), with_layout_(file.layouts) {}
    DataFile(const DataFile&) = delete;
    DataFile& operator=(const DataFile&) = delete;

    void structure() { map_.emplace(must(FlatTensorDataMap::load(loader_.get()), "FlatTensorDataMap::load")); }

    // Reads the layouts of the entries that the request lists; otherwise all of them, or none if `layouts` is false. It is
    // false if the request contains a program, because its methods ask for the layouts that they use.
    void meta(bool layouts) {
        const std::uint32_t count = must(map_->get_num_keys(), "NamedDataMap::get_num_keys");
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::string_view key = key_at(*map_, i);
            touch(key);
            if (with_layout_ ? has_layout(i) : layouts) layout_of(key, i);
        }
    }

    void data() const { read_every_blob(*map_); }

    void report_data() const { report_absent_key(*map_, "FlatTensorDataMap"); }

    // Asks first for keys that the file does not contain, and then loads a tensor into buffers of other sizes.
    void look_up() {
        report_data();
        report_other_keys(*map_, "FlatTensorDataMap");
    }

    void load_into_other_buffers() {
        meta(true);
        if (sized_) report_other_buffers(*map_, sized_->first, sized_->second, must(map_->get_num_keys(), "get_num_keys") == 1);
    }

    const NamedDataMap& map() const { return *map_; }

    std::string loaded(bool with_data) const {
        const auto layout = [this](std::string_view key, std::uint32_t index) {
            if (!has_layout(index)) return std::string("null");
            return json_of_layout(must(map_->get_tensor_layout(key), "NamedDataMap::get_tensor_layout", index));
        };
        return json_of_map(*map_, with_data, layout);
    }

private:
    bool has_layout(std::uint32_t index) const {
        return with_layout_ && std::find(with_layout_->begin(), with_layout_->end(), index) != with_layout_->end();
    }

    void layout_of(std::string_view key, std::uint32_t index) {
        const auto layout = map_->get_tensor_layout(key);
        if (layout.ok()) {
            touch_layout(layout.get());
            if (!sized_ && layout.get().nbytes() > 0) sized_.emplace(key, layout.get().nbytes());
        } else if (layout.error() != Error::NotFound) {
            throw Rejected{describe("NamedDataMap::get_tensor_layout", index, layout.error())};
        }
        // A blob has no layout, so NotFound is no error. If the key is missing, get_data fails at the last stage.
    }

    Loader loader_;  // declared before the map, which points to this loader
    std::optional<FlatTensorDataMap> map_;
    std::optional<std::vector<std::uint64_t>> with_layout_;
    std::optional<std::pair<std::string, std::size_t>> sized_;  // the first key of a nonempty tensor, and the tensor's size
};

}  // namespace reader

// ExecuTorch's C++ runtime as a reader: the calls that an application makes before it loads a method.
//
//     open        FileDataLoader::from
//     structure   Program::load, FlatTensorDataMap::load; both read the header, too
//     meta        a program's methods and what each says of itself; a data file's keys and layouts
//     data        the bytes under every key
//
// All files of a request take a stage together before any takes the next, so that the stages come in order.

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../common/worker.hpp"

// setup.sh passes the version of the wheel it pins.
#ifndef TORCHPROOF_READER_VERSION
#define TORCHPROOF_READER_VERSION "unknown"
#endif

namespace {

using executorch::extension::FileDataLoader;
using executorch::extension::FlatTensorDataMap;
using executorch::runtime::Error;
using executorch::runtime::FreeableBuffer;
using executorch::runtime::MethodMeta;
using executorch::runtime::NamedDataMap;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::Tag;
using executorch::runtime::TensorInfo;
using executorch::runtime::runtime_init;

// An error that a call returned. It never passes through the runtime's frames.
struct Rejected {
    std::string message;
};

// "Program::load: 0x23", or "MethodMeta::input_tag(4): 0x12".
std::string describe(const char* call, std::optional<std::size_t> index, Error error) {
    char code[16];
    std::snprintf(code, sizeof code, ": 0x%02x", static_cast<unsigned>(error));
    return call + (index ? '(' + std::to_string(*index) + ')' : std::string()) + code;
}

template <class T>
T must(Result<T> result, const char* call, std::optional<std::size_t> index = std::nullopt) {
    if (!result.ok()) throw Rejected{describe(call, index, result.error())};
    return std::move(result.get());
}

// Where read bytes go: without it the compiler would see that nobody wants them, and drop the reads that are to fault.
volatile std::uint64_t sink;

// Past this many bytes of a blob only the last one is read: by then a wrong length has met the end of its buffer.
constexpr std::size_t max_touched = std::size_t{64} << 20;

void touch(const void* start, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(start);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < std::min(size, max_touched); ++i) sum += bytes[i];
    if (size > 0) sum += bytes[size - 1];
    sink = sum;
}

void touch(std::string_view text) { touch(text.data(), text.size()); }

// Both TensorInfo and TensorLayout.
template <class Layout>
void touch_layout(const Layout& layout) {
    touch(layout.sizes().data(), layout.sizes().size() * sizeof(std::int32_t));
    touch(layout.dim_order().data(), layout.dim_order().size());
    sink = layout.nbytes();
}

void touch_tensor(const TensorInfo& tensor) {
    touch_layout(tensor);
    touch(tensor.name());
    sink = tensor.is_memory_planned();
}

std::string_view key_at(const NamedDataMap& map, std::uint32_t index) {
    const char* key = must(map.get_key(index), "NamedDataMap::get_key", index);
    if (key == nullptr) throw Rejected{"NamedDataMap::get_key(" + std::to_string(index) + "): null"};
    return key;
}

void read_every_blob(const NamedDataMap& map) {
    const std::uint32_t count = must(map.get_num_keys(), "NamedDataMap::get_num_keys");
    for (std::uint32_t i = 0; i < count; ++i) {
        const FreeableBuffer blob = must(map.get_data(key_at(map, i)), "NamedDataMap::get_data", i);
        touch(blob.data(), blob.size());
    }
}

// One file of a request. The stages are called in order, each once.
class OpenFile {
public:
    virtual ~OpenFile() = default;
    virtual void structure() = 0;
    virtual void meta() = 0;
    virtual void data() = 0;
};

class OpenProgram final : public OpenFile {
public:
    OpenProgram(FileDataLoader loader, Program::Verification level) : loader_(std::move(loader)), level_(level) {}

    void structure() override { program_.emplace(must(Program::load(&loader_, level_), "Program::load")); }

    void meta() override {
        for (std::size_t i = 0; i < program_->num_methods(); ++i) {
            const char* name = must(program_->get_method_name(i), "Program::get_method_name", i);
            touch(std::string_view(name));
            method(must(program_->method_meta(name), "Program::method_meta", i));
        }
    }

    void data() override {
        Result<const NamedDataMap*> map = program_->get_named_data_map();
        if (map.error() == Error::NotFound) return;  // a program without named data is a whole program
        read_every_blob(*must(std::move(map), "Program::get_named_data_map"));
    }

private:
    static void method(const MethodMeta& meta) {
        for (std::size_t i = 0; i < meta.num_inputs(); ++i) {
            if (must(meta.input_tag(i), "MethodMeta::input_tag", i) != Tag::Tensor) continue;
            touch_tensor(must(meta.input_tensor_meta(i), "MethodMeta::input_tensor_meta", i));
        }
        for (std::size_t i = 0; i < meta.num_outputs(); ++i) {
            if (must(meta.output_tag(i), "MethodMeta::output_tag", i) != Tag::Tensor) continue;
            touch_tensor(must(meta.output_tensor_meta(i), "MethodMeta::output_tensor_meta", i));
        }
        for (std::size_t i = 0; i < meta.num_attributes(); ++i) {
            touch_tensor(must(meta.attribute_tensor_meta(i), "MethodMeta::attribute_tensor_meta", i));
        }
        for (std::size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
            must(meta.memory_planned_buffer_size(i), "MethodMeta::memory_planned_buffer_size", i);
        }
    }

    FileDataLoader loader_;  // before the program, which points to it
    Program::Verification level_;
    std::optional<Program> program_;
};

class OpenData final : public OpenFile {
public:
    explicit OpenData(FileDataLoader loader) : loader_(std::move(loader)) {}

    void structure() override { map_.emplace(must(FlatTensorDataMap::load(&loader_), "FlatTensorDataMap::load")); }

    void meta() override {
        const std::uint32_t count = must(map_->get_num_keys(), "NamedDataMap::get_num_keys");
        for (std::uint32_t i = 0; i < count; ++i) {
            const auto layout = map_->get_tensor_layout(key_at(*map_, i));
            if (layout.ok()) {
                touch_layout(layout.get());
            } else if (layout.error() != Error::NotFound) {
                throw Rejected{describe("NamedDataMap::get_tensor_layout", i, layout.error())};
            }
            // NotFound is tolerated as the clean way to say that a blob has no layout. If it is the key that was not
            // found, get_data says so again at the next stage.
        }
    }

    void data() override { read_every_blob(*map_); }

private:
    FileDataLoader loader_;  // before the map, which points to it
    std::optional<FlatTensorDataMap> map_;
};

std::unique_ptr<OpenFile> open_file(const torchproof::File& file, Program::Verification level) {
    FileDataLoader loader = must(FileDataLoader::from(file.path.c_str()), "FileDataLoader::from");
    if (file.role == torchproof::File::Role::program) return std::make_unique<OpenProgram>(std::move(loader), level);
    return std::make_unique<OpenData>(std::move(loader));
}

torchproof::Answer walk(const torchproof::Request& request, Program::Verification level) {
    using torchproof::Stage;
    static constexpr std::pair<Stage, void (OpenFile::*)()> steps[] = {
        {Stage::structure, &OpenFile::structure},
        {Stage::meta, &OpenFile::meta},
        {Stage::data, &OpenFile::data},
    };
    Stage reached = Stage::open;
    try {
        torchproof::enter(reached);
        std::vector<std::unique_ptr<OpenFile>> files;
        for (const torchproof::File& file : request.files) files.push_back(open_file(file, level));
        for (const auto& [stage, step] : steps) {
            if (stage > request.until) break;
            reached = stage;
            torchproof::enter(reached);
            for (const auto& file : files) (file.get()->*step)();
        }
        return torchproof::Answer::accept(reached);
    } catch (const Rejected& error) {
        return torchproof::Answer::reject(reached, error.message);
    }
}

}  // namespace

int main(int argc, char** argv) {
    using torchproof::Stage;
    const std::string_view name = argc == 3 && argv[1] == std::string_view("--verification") ? argv[2] : "";
    if (name != "minimal" && name != "internal-consistency") {
        std::fputs("usage: executorch-worker --verification minimal|internal-consistency\n", stderr);
        return 2;
    }
    const auto level = name == "minimal" ? Program::Verification::Minimal : Program::Verification::InternalConsistency;

    runtime_init();
    const torchproof::Description reader = {
        "executorch",
        TORCHPROOF_READER_VERSION " (" + std::string(name) + ")",
        {"pte", "ptd"},
        {Stage::structure, Stage::meta, Stage::data},
        {},
    };
    return torchproof::serve(reader, [&](const torchproof::Request& request) { return walk(request, level); });
}

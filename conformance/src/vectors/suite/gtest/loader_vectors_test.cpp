// Loads each vector with ExecuTorch's C++ runtime, in a child process, because a broken file may crash or hang it.
// SPDX-License-Identifier: MIT OR Apache-2.0
//
// An "accept" vector passes if the runtime accepts it, a "reject" vector if the runtime rejects it, at the vector's stage or earlier.
// Vectors in exceptions.h may fail. If the environment variable TORCHPROOF_EXCEPTIONS=DIR is set, so may the ids in DIR/exceptions.txt,
// one per line. TORCHPROOF_RECORD=DIR appends the ids of all other failures to this file and lets them pass.

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/runtime.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exceptions.h"
#include "vectors.h"

namespace {

using executorch::extension::BufferDataLoader;
using executorch::extension::FlatTensorDataMap;
using executorch::runtime::Error;
using executorch::runtime::EValue;
using executorch::runtime::HierarchicalAllocator;
using executorch::runtime::MemoryAllocator;
using executorch::runtime::MemoryManager;
using executorch::runtime::NamedDataMap;
using executorch::runtime::Program;
using executorch::runtime::Result;
using executorch::runtime::Span;
using executorch::runtime::Tag;

constexpr unsigned seconds = 10;

// The calls that load a file, in order. `structure` includes the header, because one call reads both.
enum Stage { structure, meta, method, data };

// The exit codes of a child: accepted, rejected at a stage, or not runnable.
constexpr int accepted = 0, rejected = 10, no_room = 20;

[[noreturn]] void reject(Stage stage) { _exit(rejected + stage); }

template <class T>
T must(Result<T> result, Stage stage) {
    if (!result.ok()) reject(stage);
    return std::move(result.get());
}

void must(bool holds, Stage stage) {
    if (!holds) reject(stage);
}

volatile unsigned char sink;

// Reads all bytes, so that a wrong address from the runtime is noticed.
void touch(const void* start, size_t size) {
    for (size_t i = 0; i < size; ++i) sink = static_cast<const unsigned char*>(start)[i];
}

void touch(const char* text) { touch(text, std::strlen(text)); }

// A file at an address with the alignment that the runtime requires.
class Loaded {
  public:
    explicit Loaded(const std::string& bytes) : memory_(std::aligned_alloc(64, (bytes.size() / 64 + 1) * 64)), loader_(memory_, bytes.size()) {
        std::memcpy(memory_, bytes.data(), bytes.size());
    }
    BufferDataLoader* loader() { return &loader_; }

  private:
    void* memory_;  // freed by the end of the child
    BufferDataLoader loader_;
};

void read_blobs(const NamedDataMap& map) {
    for (uint32_t i = 0, count = must(map.get_num_keys(), data); i < count; ++i) {
        const char* key = must(map.get_key(i), data);
        must(key != nullptr, data);
        const auto blob = must(map.get_data(key), data);
        touch(blob.data(), blob.size());
    }
}

// `with_layouts`: also asks for the layouts of the tensors. Without a program, nothing else asks for them.
void read_keys(const NamedDataMap& map, bool with_layouts) {
    for (uint32_t i = 0, count = must(map.get_num_keys(), meta); i < count; ++i) {
        const char* key = must(map.get_key(i), meta);
        must(key != nullptr, meta);
        touch(key);
        if (!with_layouts) continue;
        const auto layout = map.get_tensor_layout(key);
        if (layout.error() == Error::NotFound) continue;
        must(layout.ok(), meta);
        touch(layout->sizes().data(), layout->sizes().size() * sizeof(layout->sizes()[0]));
        touch(layout->dim_order().data(), layout->dim_order().size());
    }
}

void read_meta(const Program& program) {
    for (size_t i = 0; i < program.num_methods(); ++i) {
        const char* name = must(program.get_method_name(i), meta);
        touch(name);
        const auto method_meta = must(program.method_meta(name), meta);
        const auto describe = [](const auto& info) {
            touch(info.sizes().data(), info.sizes().size() * sizeof(info.sizes()[0]));
            touch(info.dim_order().data(), info.dim_order().size());
            sink = static_cast<unsigned char>(info.nbytes());
        };
        for (size_t j = 0; j < method_meta.num_inputs(); ++j) {
            if (must(method_meta.input_tag(j), meta) == Tag::Tensor) describe(must(method_meta.input_tensor_meta(j), meta));
        }
        for (size_t j = 0; j < method_meta.num_outputs(); ++j) {
            if (must(method_meta.output_tag(j), meta) == Tag::Tensor) describe(must(method_meta.output_tensor_meta(j), meta));
        }
        for (size_t j = 0; j < method_meta.num_attributes(); ++j) describe(must(method_meta.attribute_tensor_meta(j), meta));
        for (size_t j = 0; j < method_meta.num_memory_planned_buffers(); ++j) must(method_meta.memory_planned_buffer_size(j), meta);
        for (size_t j = 0; j < method_meta.num_backends(); ++j) touch(must(method_meta.get_backend_name(j), meta));
    }
}

void touch_value(const EValue& value) {
    if (value.isString()) touch(value.toString().data(), value.toString().size());
    if (value.isTensor() && value.toTensor().const_data_ptr() != nullptr) {
        touch(value.toTensor().const_data_ptr(), value.toTensor().nbytes());
    }
}

void prepare_methods(const Program& program, const NamedDataMap* external) {
    for (size_t i = 0; i < program.num_methods(); ++i) {
        const char* name = must(program.get_method_name(i), method);
        const auto method_meta = must(program.method_meta(name), method);
        std::vector<std::vector<uint8_t>> buffers;
        std::vector<Span<uint8_t>> spans;
        for (size_t j = 0; j < method_meta.num_memory_planned_buffers(); ++j) {
            const auto size = must(method_meta.memory_planned_buffer_size(j), method);
            if (size < 0 || size > 64 << 20 || buffers.size() > 64) _exit(no_room);
            buffers.emplace_back(static_cast<size_t>(size) + 15);
            uint8_t* start = buffers.back().data();
            start += -reinterpret_cast<uintptr_t>(start) & 15;
            spans.emplace_back(start, static_cast<size_t>(size));
        }
        HierarchicalAllocator planned({spans.data(), spans.size()});
        // If the runtime leaves memory uninitialized, it contains neither null nor a valid address or type.
        std::vector<uint8_t> pool(2 << 20, 0xA5);
        MemoryAllocator allocator(static_cast<uint32_t>(pool.size()), pool.data());
        MemoryManager manager(&allocator, &planned);
        auto loaded = must(program.load_method(name, &manager, nullptr, external), method);
        for (size_t j = 0; j < loaded.outputs_size(); ++j) touch_value(loaded.get_output(j));
        for (size_t j = 0; j < method_meta.num_attributes(); ++j) {
            touch_value(EValue(must(loaded.get_attribute(must(method_meta.attribute_tensor_meta(j), method).name()), method)));
        }
    }
}

void load(const torchproof::Vector& vector) {
    std::optional<Loaded> program_file, data_file;
    for (const auto& file : vector.files) (std::strcmp(file.role, "data") == 0 ? data_file : program_file).emplace(file.bytes);
    std::optional<Program> program;
    std::optional<FlatTensorDataMap> map;
    if (program_file) program.emplace(must(Program::load(program_file->loader(), Program::Verification::InternalConsistency), structure));
    if (data_file) map.emplace(must(FlatTensorDataMap::load(data_file->loader()), structure));
    const NamedDataMap* external = map ? &*map : nullptr;
    if (program) read_meta(*program);
    if (external) read_keys(*external, !program);
    if (program) prepare_methods(*program, external);
    if (external) read_blobs(*external);
    if (!program) return;
    auto named = program->get_named_data_map();
    if (named.error() != Error::NotFound) read_blobs(*must(std::move(named), data));
}

// A backend that accepts any delegate, so that only the runtime's own checks decide.
class AnyBackend final : public executorch::runtime::BackendInterface {
  public:
    using Handle = executorch::runtime::DelegateHandle;
    bool is_available() const override { return true; }
    Result<Handle*> init(executorch::runtime::BackendInitContext&, executorch::runtime::FreeableBuffer* blob,
                         executorch::runtime::ArrayRef<executorch::runtime::CompileSpec> specs) const override {
        touch(blob->data(), blob->size());
        for (const auto& spec : specs) touch(spec.value.buffer, spec.value.nbytes);
        return reinterpret_cast<Handle*>(blob);
    }
    Error execute(executorch::runtime::BackendExecutionContext&, Handle*, Span<EValue*>) const override { return Error::Ok; }
};

void register_stubs() {
    static std::vector<executorch::runtime::Kernel> kernels;
    for (const char* name : torchproof::operators) {
        if (executorch::runtime::registry_has_op_function(name)) continue;
        kernels.emplace_back(name, [](executorch::runtime::KernelRuntimeContext&, Span<EValue*>) {});
    }
    if (executorch::runtime::register_kernels({kernels.data(), kernels.size()}) != Error::Ok) std::abort();
    static AnyBackend any;
    for (const char* name : torchproof::backends) {
        if (executorch::runtime::get_backend_class(name) == nullptr &&
            executorch::runtime::register_backend({name, &any}) != Error::Ok) std::abort();
    }
}

Stage stage_of(const std::string& name) { return name == "meta" ? meta : name == "method" ? method : name == "data" ? data : structure; }

const char* const not_run = "the planned buffers need more memory than the test provides";

// Returns what is wrong with the outcome, or an empty string.
std::string run(const torchproof::Vector& vector) {
    const pid_t child = fork();
    if (child == 0) {
        const rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        alarm(seconds);
        load(vector);
        _exit(accepted);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return "cannot start a child process";
    if (WIFSIGNALED(status)) {
        if (WTERMSIG(status) == SIGALRM) return "found a hang, expected a result within 10 s";
        return "found a crash by signal " + std::to_string(WTERMSIG(status)) + ", expected a result";
    }
    const int code = WEXITSTATUS(status);
    const bool is_rejected = code >= rejected && code <= rejected + data;
    if (code == no_room) return not_run;
    if (code != accepted && !is_rejected) return "found a crash with exit code " + std::to_string(code) + ", expected a result";
    if (vector.verdict == std::string("accept")) return is_rejected ? "the runtime rejects a valid file" : "";
    if (!is_rejected) return "the runtime accepts a broken file";
    static const std::array<const char*, 4> names = {"structure", "meta", "method", "data"};
    if (code - rejected <= stage_of(vector.stage)) return "";
    return std::string("found a rejection at stage ") + names[code - rejected] + ", expected it by stage " + vector.stage;
}

bool is_listed(const std::string& id, const char* folder) {
    std::ifstream list(std::string(folder) + "/exceptions.txt");
    std::string line;
    while (std::getline(list, line)) {
        if (line == id) return true;
    }
    return false;
}

class LoaderVectors : public testing::TestWithParam<size_t> {
  protected:
    static void SetUpTestSuite() {
        executorch::runtime::runtime_init();
        register_stubs();
    }
};

TEST_P(LoaderVectors, Load) {
    const torchproof::Vector& vector = torchproof::vectors()[GetParam()];
    const std::string problem = run(vector);
    if (problem.empty()) return;
    if (problem == not_run) GTEST_SKIP() << not_run;
    const std::string text = std::string(vector.id) + ": " + problem + "\n    " + vector.reason + "\n    rule " + vector.rule;
    for (const auto& exception : torchproof::exceptions) {
        if (vector.id == std::string(exception.id)) GTEST_SKIP() << text << "\n    " << exception.reference;
    }
    const char* folder = std::getenv("TORCHPROOF_EXCEPTIONS");
    if (folder != nullptr && is_listed(vector.id, folder)) GTEST_SKIP() << text;
    if (const char* record = std::getenv("TORCHPROOF_RECORD")) {
        std::ofstream list(std::string(record) + "/exceptions.txt", std::ios::app);
        list << vector.id << '\n' << std::flush;
        ASSERT_TRUE(list.good()) << record << ": cannot write exceptions.txt; pass a folder that exists";
        GTEST_SKIP() << text;
    }
    FAIL() << text;
}

std::string name_of(const testing::TestParamInfo<size_t>& info) {
    std::string name = torchproof::vectors()[info.param].id;
    std::replace_if(name.begin(), name.end(), [](unsigned char letter) { return !std::isalnum(letter); }, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Corpus, LoaderVectors, testing::Range(size_t{0}, torchproof::vectors().size()), name_of);

}  // namespace

// An adapter for ExecuTorch's C++ runtime; stages.hpp makes the calls.

#include "../common/worker.hpp"
#include "stages.hpp"

namespace {

using reader::Delivery;
using reader::Program;
using torchproof::Stage;

// Reads the files twice, with different content in uninitialized memory, and returns the worse answer, which is `accept`: a
// reader that uses this memory must not accept a file by accident. On request, a second walk follows all stages.
torchproof::Answer read_twice(const torchproof::Request& request, Program::Verification level) {
    torchproof::Answer first = reader::walk(request, level, reader::fill_invalid);
    const bool has_structure = first.stage && *first.stage > Stage::structure;
    if (reader::with_second_walk && request.until == Stage::execute && has_structure) {
        reader::walk_directly(request, level, reader::fill_invalid);
    }
    // Until it prepares a method, the runtime uses no such memory.
    if (request.until < Stage::method || (first.stage && *first.stage < Stage::method)) return first;
    torchproof::Answer second = reader::walk(request, level, reader::fill_tensors);
    return second.outcome == "accept" ? second : first;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string_view> options(argv + 1, argv + argc);
    const std::string_view name = options.size() >= 2 && options[0] == "--verification" ? options[1] : "";
    bool known = name == "minimal" || name == "internal-consistency";
    for (std::size_t i = 2; i < options.size(); ++i) {
        const bool has_value = i + 1 < options.size();
        if (options[i] == "--stub-backends") {
            reader::with_stub_backends = true;
        } else if (options[i] == "--application") {
            reader::as_application = true;
        } else if (options[i] == "--second-walk") {
            reader::with_second_walk = true;
        } else if (options[i] == "--short-buffers") {
            reader::with_short_buffers = true;
        } else if (options[i] == "--wrong-calls") {
            reader::with_wrong_calls = true;
        } else if (options[i] == "--no-metadata") {
            reader::with_metadata = false;
        } else if (options[i] == "--hide" && has_value) {
            reader::hidden.emplace(options[++i]);
        } else if (options[i] == "--measure-arenas" && has_value) {
            reader::measurement = reader::Measurement::of(std::string(options[++i]));
        } else {
            known = false;
        }
    }
    if (!known) {
        std::fputs("usage: executorch-worker --verification minimal|internal-consistency [--stub-backends] [--application] [--no-metadata] [--second-walk] "
                   "[--short-buffers] [--wrong-calls] [--hide OPERATOR|BACKEND]... [--measure-arenas none|BYTES]\n",
                   stderr);
        return 2;
    }
    const auto level = name == "minimal" ? Program::Verification::Minimal : Program::Verification::InternalConsistency;

    if (!reader::initialize()) {
        std::fputs("executorch-worker: cannot register the stub kernels and backends\n", stderr);
        return 1;
    }
    std::vector<std::string> capabilities = {"pairs", "bundled", "loaded"};
    if (reader::as_application) capabilities.emplace_back("xnnpack");
    if (reader::loads_constant_buffer()) capabilities.emplace_back("constant-buffer");
    std::vector<Stage> stages = {Stage::structure, Stage::meta, Stage::method, Stage::data, Stage::execute};
    if (!reader::with_metadata) stages.erase(stages.begin() + 1);
    const torchproof::Description reader = {
        "executorch",
        TORCHPROOF_READER_VERSION " (" + std::string(name) + ")",
        {"pte", "ptd"},
        stages,
        capabilities,
        {Delivery::file, Delivery::mmap, Delivery::buffer, Delivery::guard},
        reader::registry(),
    };
    return torchproof::serve(reader, [&](const torchproof::Request& request) { return read_twice(request, level); });
}

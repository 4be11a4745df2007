// The stages of the adapter: the same calls as in an application. fuzz/examples/cpp-runtime runs these stages too.
//
//     open        FileDataLoader::from, MmapDataLoader::from, or a BufferDataLoader
//     structure   Program::load, FlatTensorDataMap::load; both also read the header. For a bundled program, get_program_data
//     meta        the methods of a program and their metadata; the keys and layouts of a data file
//     method      Program::load_method of every method, with the data files of the request. For a bundled program, also
//                 load_bundled_input of every test case
//     data        the bytes under every key
//     execute     Method::set_inputs, execute and get_outputs of every method. For a bundled program, load_bundled_input instead of
//                 set_inputs
//
// The adapter finishes a stage for all files of a request before it begins the next one.

#pragma once

#include <executorch/runtime/platform/runtime.h>

#include <list>
#include <vector>

#include "../common/worker.hpp"
#include "application.hpp"
#include "backends.hpp"
#include "bundled.hpp"
#include "data.hpp"
#include "kernels.hpp"
#include "own_kernels.hpp"
#include "program.hpp"
#include "reported.hpp"
#include "runtime.hpp"

// setup.sh passes the version of the pinned wheel.
#ifndef TORCHPROOF_READER_VERSION
#define TORCHPROOF_READER_VERSION "unknown"
#endif

namespace reader {

using torchproof::Stage;

// The files of a request. Call the function of each stage once, in order.
class Files {
public:
    Files(const torchproof::Request& request, Program::Verification level, const Fill& fill)
        : request_(request), level_(level) {
        for (const torchproof::File& file : request.files) {
            const Delivery delivery = request.delivery;
            switch (file.role) {
                case torchproof::File::Role::program: programs_.emplace_back(file, delivery, level, fill); break;
                case torchproof::File::Role::data: data_.emplace_back(file, delivery); break;
                case torchproof::File::Role::bundled: bundled_.emplace_back(file, delivery, level, fill); break;
            }
        }
        if (request.loaded && !bundled_.empty()) throw Unsupported{"a bundled program has no loaded form"};
        for (const ProgramFile& program : programs_) program.report_open();
    }

    void structure() {
        for (ProgramFile& program : programs_) program.structure();
        for (DataFile& data : data_) data.structure();
        for (BundledFile& bundled : bundled_) bundled.structure();
    }

    void meta() {
        for (const ProgramFile& program : programs_) program.meta();
        for (DataFile& data : data_) data.meta(programs_.empty());
        for (const BundledFile& bundled : bundled_) bundled.meta();
        for (const ProgramFile& program : programs_) program.report_meta();
        for (const BundledFile& bundled : bundled_) bundled.report_meta();
    }

    void method() {
        for (BundledFile& bundled : bundled_) bundled.method();
        if (!with_metadata) {
            for (DataFile& data : data_) data.meta(programs_.empty());
        }
        if (programs_.empty()) return;
        if (as_application) load_as_application();
        external_ = merge();
        for (ProgramFile& program : programs_) program.method(external_, request_.loaded);
    }

    void data() {
        for (const ProgramFile& program : programs_) program.data();
        for (const DataFile& data : data_) data.data();
        for (const BundledFile& bundled : bundled_) bundled.data();
        for (const ProgramFile& program : programs_) program.report_data();
        for (const DataFile& data : data_) data.report_data();
        for (const BundledFile& bundled : bundled_) bundled.report_data();
        std::vector<const NamedDataMap*> maps = data_maps();
        for (const ProgramFile& program : programs_) {
            if (const NamedDataMap* map = program.named_data()) maps.push_back(map);
        }
        report_merged(std::move(maps));
    }

    void execute() {
        for (const ProgramFile& program : programs_) program.execute(external_);
        for (BundledFile& bundled : bundled_) bundled.execute();
    }

    // The second walk of the adapter, which needs only `structure` before it.
    void execute_directly() {
        for (DataFile& data : data_) data.look_up();
        if (programs_.empty()) {
            for (DataFile& data : data_) data.load_into_other_buffers();
            return;
        }
        external_ = merge();
        for (const ProgramFile& program : programs_) program.execute_directly(external_);
    }

    // Returns the loaded form of the files as JSON, or an empty string if it is not requested.
    std::string loaded() const {
        if (!request_.loaded) return {};
        const bool data = request_.until >= Stage::data;
        const auto of = [data](const auto& file) { return file.loaded(data); };
        return torchproof::json::object({{"programs", torchproof::json::array(programs_, of)},
                                         {"data_files", torchproof::json::array(data_, of)}});
    }

private:
    // `Module` refuses a data file without keys, which says nothing about the program, so it gets only the other files.
    void load_as_application() const {
        std::string program;
        std::vector<std::string> data;
        auto map = data_.begin();
        for (const torchproof::File& file : request_.files) {
            if (file.role == torchproof::File::Role::program) program = file.path;
            if (file.role == torchproof::File::Role::data && must((map++)->map().get_num_keys(), "get_num_keys") > 0) {
                data.push_back(file.path);
            }
        }
        load_module(program, data, level_);
    }

    std::vector<const NamedDataMap*> data_maps() const {
        std::vector<const NamedDataMap*> maps;
        for (const DataFile& data : data_) maps.push_back(&data.map());
        return maps;
    }

    // Returns the merged map of the data files, if there are any.
    const NamedDataMap* merge() {
        std::vector<const NamedDataMap*> maps = data_maps();
        if (maps.size() < 2) return maps.empty() ? nullptr : maps.front();
        merged_.emplace(must(MergedDataMap::load({maps.data(), maps.size()}), "MergedDataMap::load"));
        return &*merged_;
    }

    const torchproof::Request& request_;
    const Program::Verification level_;
    std::list<ProgramFile> programs_;
    std::list<DataFile> data_;
    std::list<BundledFile> bundled_;
    std::optional<MergedDataMap> merged_;
    const NamedDataMap* external_ = nullptr;
};

// Initializes the runtime, and registers the stub kernels and, if required, the stub backends.
inline bool initialize() {
    ::executorch::runtime::runtime_init();
    const bool has_xnnpack = as_application && hidden.count("XnnpackBackend") == 0;
    if (has_xnnpack && !load_backend_of_wheel()) return false;
    hide_kernels();
    if (with_second_walk) check_own_kernels();
    return (!with_stub_backends || register_stub_backends()) && register_stub_kernels();
}

// Returns what is registered as JSON, without the stubs, whose names are too long for an operator or a backend.
inline std::string registry() {
    std::set<std::string> operators, backends;
    for (const Kernel& kernel : ::executorch::runtime::get_registered_kernels()) operators.insert(kernel.name_);
    for (std::size_t i = 0; i < ::executorch::runtime::get_num_registered_backends(); ++i) {
        const auto name = ::executorch::runtime::get_backend_name(i);
        if (name.ok()) backends.insert(name.get());
    }
    const auto list = [](const std::set<std::string>& names) {
        std::vector<std::string> quoted;
        for (const std::string& name : names) {
            if (name.size() < max_name) quoted.push_back(json::quote(name));
        }
        return json_list(quoted);
    };
    return json::object({{"runtime", json::quote("executorch:" TORCHPROOF_READER_VERSION)},
                         {"operators", list(operators)},
                         {"backends", list(backends)}});
}

// Walks through the files like an application that asks for no metadata, for which the checks of `MethodMeta` do not stand
// in. It never learns what the runtime would refuse there, so no error of this walk changes an answer. A crash counts.
inline void walk_directly(const torchproof::Request& request, Program::Verification level, const Fill& fill) try {
    torchproof::enter(Stage::structure);
    Files files(request, level, fill);
    files.structure();
    torchproof::enter(Stage::data);
    files.execute_directly();
} catch (const Rejected& error) {
    torchproof::write_all(STDERR_FILENO, "executorch-worker: without metadata, " + error.message + '\n');
} catch (const torchproof::Undelivered&) {
} catch (const Unsupported&) {
}

// Reads the files of a request up to the requested stage.
inline torchproof::Answer walk(const torchproof::Request& request, Program::Verification level, const Fill& fill) {
    static constexpr std::pair<Stage, void (Files::*)()> steps[] = {
        {Stage::structure, &Files::structure},
        {Stage::meta, &Files::meta},
        {Stage::method, &Files::method},
        {Stage::data, &Files::data},
        {Stage::execute, &Files::execute},
    };
    Stage reached = Stage::open;
    try {
        torchproof::enter(reached);
        Files files(request, level, fill);
        for (const auto& [stage, step] : steps) {
            if (stage > request.until) break;
            if (stage == Stage::meta && !with_metadata) continue;
            reached = stage;
            torchproof::enter(reached);
            (files.*step)();
        }
        // An error here counts as one of the last stage.
        return torchproof::Answer::accept(reached, files.loaded());
    } catch (const Rejected& error) {
        return torchproof::Answer::reject(reached, error.message);
    } catch (const torchproof::Undelivered& error) {
        return torchproof::Answer::error(error.message);
    } catch (const Unsupported& error) {
        return torchproof::Answer::unsupported(error.message);
    }
}

}  // namespace reader

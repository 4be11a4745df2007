// Loads programs as an application with the default build of the runtime does.
//
// Such an application uses `Module`, which provides the memory of a method, and the XNNPACK backend of the wheel.

#pragma once

#include <dlfcn.h>
#include <executorch/extension/module/module.h>

#include <string>
#include <vector>

#include "memory.hpp"
#include "method.hpp"
#include "runtime.hpp"

namespace reader {

inline bool as_application = false;

// The library registers its backend when it is loaded. This must replace no stub, so call the function before the stubs are
// registered.
inline bool load_backend_of_wheel() { return ::dlopen("libexecutorch_backend_xnnpack.so", RTLD_NOW) != nullptr; }

// Loads every method of the program with `Module` and these data files.
inline void load_module(const std::string& program, const std::vector<std::string>& data, Program::Verification level) {
    ::executorch::extension::Module module(program, data);
    must(module.load(level), "Module::load");
    for (std::size_t i = 0; i < module.program()->num_methods(); ++i) {
        const char* name = must(module.program()->get_method_name(i), "Program::get_method_name", i);
        const MethodMeta meta = must(module.program()->method_meta(name), "Program::method_meta", i);
        PlannedMemory::require_space(meta);
        const Error error = module.load_method(name);
        if (error == Error::Ok) continue;
        const std::string message = describe("Module::load_method", i, error);
        if (const char* lack = what_lacks(error, meta, !data.empty())) throw Unsupported{message + ", " + lack};
        throw Rejected{message};
    }
}

}  // namespace reader

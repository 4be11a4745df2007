// Prints the profile of the ExecuTorch build that this file is compiled into, for `torchproof check --build`.
//
// Call torchproof::print_build_profile(stdout, "executorch:1.5.1") after all kernels and backends are registered, and save
// the output as build.json.

#pragma once

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>

#include <cstdio>
#include <set>
#include <string>

namespace torchproof {

inline void print_names(std::FILE* out, const char* member, const std::set<std::string>& names) {
    std::fprintf(out, ",\n  \"%s\": [", member);
    const char* before = "\n    \"";
    for (const std::string& name : names) {
        std::fprintf(out, "%s%s\"", before, name.c_str());
        before = ",\n    \"";
    }
    std::fputs(names.empty() ? "]" : "\n  ]", out);
}

inline void print_build_profile(std::FILE* out, const char* release) {
    namespace runtime = ::executorch::runtime;
    std::set<std::string> operators, backends;
    for (const auto& kernel : runtime::get_registered_kernels()) operators.insert(kernel.name_);
    for (std::size_t i = 0; i < runtime::get_num_registered_backends(); ++i) {
        const auto name = runtime::get_backend_name(i);
        if (name.ok()) backends.insert(name.get());
    }
    std::fprintf(out, "{\n  \"runtime\": \"%s\"", release);
    print_names(out, "operators", operators);
    print_names(out, "backends", backends);
    std::fputs("\n}\n", out);
}

}  // namespace torchproof

// Helpers for all stages. `must` throws the error of a call, and `touch` reads the bytes at a pointer.

#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace reader {

using ::executorch::runtime::Error;
using ::executorch::runtime::Result;

// An error that a call returned, never thrown through a stack frame of the runtime.
struct Rejected {
    std::string message;
};

// The adapter cannot call the runtime as an application would, so the result would not describe the file.
struct Unsupported {
    std::string message;
};

// Returns text such as "Program::load: 0x23" or "MethodMeta::input_tag(4): 0x12".
inline std::string describe(const char* call, std::optional<std::size_t> index, Error error) {
    char code[16];
    std::snprintf(code, sizeof code, ": 0x%02x", static_cast<unsigned>(error));
    return call + (index ? '(' + std::to_string(*index) + ')' : std::string()) + code;
}

template <class T>
T must(Result<T> result, const char* call, std::optional<std::size_t> index = std::nullopt) {
    if (!result.ok()) throw Rejected{describe(call, index, result.error())};
    return std::move(result.get());
}

inline void must(Error error, const char* call) {
    if (error != Error::Ok) throw Rejected{describe(call, std::nullopt, error)};
}

// Whether the adapter asks a program for metadata that execution does not need, and has the stage `meta`.
inline bool with_metadata = true;

inline bool with_second_walk = false;

// The result of every read, which serves only to detect invalid memory. Without a volatile target, the compiler would remove
// the reads.
inline volatile std::uint64_t sink;

// The maximum number of bytes that `touch` reads from the start of a blob; of a longer one, it also reads the last byte.
inline constexpr std::size_t max_touched = std::size_t{64} << 20;

inline void touch(const void* start, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(start);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < std::min(size, max_touched); ++i) sum += bytes[i];
    if (size > 0) sum += bytes[size - 1];
    sink = sum;
}

inline void touch(std::string_view text) { touch(text.data(), text.size()); }

template <class List>
void touch_all(const List& list) {
    touch(list.data(), list.size() * sizeof(*list.data()));
}

// Reads the layout of a TensorInfo, a TensorLayout or a Tensor.
template <class Layout>
void touch_layout(const Layout& layout) {
    touch_all(layout.sizes());
    touch_all(layout.dim_order());
    sink = layout.nbytes();
}

}  // namespace reader

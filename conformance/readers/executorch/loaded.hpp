// Converts the results of the runtime's API to the JSON that conformance/harness/src/reader/loaded/mod.rs describes.

#pragma once

#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/program.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "../common/json.hpp"
#include "runtime.hpp"

namespace reader {

namespace json = torchproof::json;

inline std::string json_list(const std::vector<std::string>& items) {
    return json::array(items, [](const std::string& item) { return item; });
}

template <class Numbers>
std::string json_of_numbers(const Numbers& numbers) {
    return json::array(numbers, [](auto number) { return std::to_string(number); });
}

inline std::string hex(const void* start, std::size_t size) {
    static constexpr char digits[] = "0123456789abcdef";
    const auto* bytes = static_cast<const unsigned char*>(start);
    std::string out;
    for (std::size_t i = 0; i < size; ++i) {
        out += digits[bytes[i] >> 4];
        out += digits[bytes[i] & 15];
    }
    return out;
}

// Returns a number in hex, the most significant digit first.
inline std::string hex_number(std::uint64_t number) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(number));
    return text;
}

// The maximum number of bytes that the JSON lists in full. Longer data is represented by its 64-bit FNV-1a hash.
inline constexpr std::size_t max_hex = 32;

inline std::string json_of_bytes(const void* start, std::size_t size) {
    if (size <= max_hex) return json::quote(hex(start, size));
    const auto* bytes = static_cast<const unsigned char*>(start);
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
    return json::object({{"size", std::to_string(size)}, {"fnv1a", json::quote(hex_number(hash))}});
}

// Returns a JSON string, or the bytes in hex if the text is not UTF-8.
inline std::string json_of_text(std::string_view text) {
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t length = json::utf8_length(rest);
        if (length == 0) return json::object({{"hex", json::quote(hex(text.data(), text.size()))}});
        rest.remove_prefix(length);
    }
    return json::quote(text);
}

inline std::string json_of_double(double number) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return json::quote(hex_number(bits));
}

// Returns the layout of a TensorInfo, a TensorLayout or a Tensor.
template <class Layout>
std::string json_of_layout(const Layout& layout) {
    return json::object({{"scalar_type", std::to_string(static_cast<int>(layout.scalar_type()))},
                         {"sizes", json_of_numbers(layout.sizes())},
                         {"dim_order", json_of_numbers(layout.dim_order())},
                         {"nbytes", std::to_string(layout.nbytes())}});
}

inline std::string json_of_tensor(const ::executorch::aten::Tensor& tensor) {
    const void* start = tensor.const_data_ptr();
    // An empty tensor may have a null pointer.
    const bool placed = start != nullptr || tensor.nbytes() == 0;
    return json::object({{"layout", json_of_layout(tensor)},
                         {"shape_dynamism", std::to_string(static_cast<int>(tensor.shape_dynamism()))},
                         {"data", placed ? json_of_bytes(start, tensor.nbytes()) : "null"}});
}

// Returns an input or an output of a method. The runtime's API does not support lists there.
inline std::string json_of_value(const ::executorch::runtime::EValue& value) {
    if (value.isNone()) return json::object({{"None", "null"}});
    if (value.isInt()) return json::object({{"Int", std::to_string(value.toInt())}});
    if (value.isDouble()) return json::object({{"Double", json_of_double(value.toDouble())}});
    if (value.isBool()) return json::object({{"Bool", value.toBool() ? "true" : "false"}});
    if (value.isString()) return json::object({{"String", json_of_text(value.toString())}});
    if (value.isTensor()) return json::object({{"Tensor", json_of_tensor(value.toTensor())}});
    throw Unsupported{"found an input or output of an unsupported type"};
}

inline std::string json_of_delegate(const char* id, const void* processed, std::size_t size,
                                    ::executorch::runtime::ArrayRef<::executorch::runtime::CompileSpec> specs) {
    const auto spec = [](const ::executorch::runtime::CompileSpec& item) {
        return json::object({{"key", json_of_text(item.key)},
                             {"value", json_of_bytes(item.value.buffer, item.value.nbytes)}});
    };
    return json::object({{"id", json_of_text(id)},
                         {"processed", json_of_bytes(processed, size)},
                         {"compile_specs", json::array(specs, spec)}});
}

inline std::string json_of_info(const ::executorch::runtime::TensorInfo& info) {
    return json::object({{"name", json_of_text(info.name())},
                         {"layout", json_of_layout(info)},
                         {"planned", info.is_memory_planned() ? "true" : "false"}});
}

// Returns the metadata of a method before its preparation.
inline std::string json_of_meta(const ::executorch::runtime::MethodMeta& meta) {
    using ::executorch::runtime::Tag;
    const auto slot = [](Tag tag, auto info) {
        return json::object({{"tag", json::quote(::executorch::runtime::tag_to_string(tag))},
                             {"tensor", tag == Tag::Tensor ? json_of_info(info()) : "null"}});
    };
    std::vector<std::string> inputs, outputs, attributes, buffers, backends;
    for (std::size_t i = 0; i < meta.num_inputs(); ++i) {
        inputs.push_back(slot(must(meta.input_tag(i), "MethodMeta::input_tag", i), [&] {
            return must(meta.input_tensor_meta(i), "MethodMeta::input_tensor_meta", i);
        }));
    }
    for (std::size_t i = 0; i < meta.num_outputs(); ++i) {
        outputs.push_back(slot(must(meta.output_tag(i), "MethodMeta::output_tag", i), [&] {
            return must(meta.output_tensor_meta(i), "MethodMeta::output_tensor_meta", i);
        }));
    }
    for (std::size_t i = 0; i < meta.num_attributes(); ++i) {
        attributes.push_back(json_of_info(must(meta.attribute_tensor_meta(i), "MethodMeta::attribute_tensor_meta", i)));
    }
    for (std::size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
        const auto size = must(meta.memory_planned_buffer_size(i), "MethodMeta::memory_planned_buffer_size", i);
        const auto device = must(meta.memory_planned_buffer_device(i), "MethodMeta::memory_planned_buffer_device", i);
        buffers.push_back(json::object({{"size", std::to_string(size)},
                                        {"device_type", std::to_string(static_cast<int>(device.type()))},
                                        {"device_index", std::to_string(static_cast<int>(device.index()))}}));
    }
    for (std::size_t i = 0; i < meta.num_backends(); ++i) {
        backends.push_back(json_of_text(must(meta.get_backend_name(i), "MethodMeta::get_backend_name", i)));
    }
    return json::object({{"name", json_of_text(meta.name())},
                         {"inputs", json_list(inputs)},
                         {"outputs", json_list(outputs)},
                         {"attributes", json_list(attributes)},
                         {"planned_buffers", json_list(buffers)},
                         {"backends", json_list(backends)},
                         {"instructions", std::to_string(meta.num_instructions())}});
}

// Returns the number of bytes from a constant to the end of the segment. The runtime does not return its size, but an error
// for a size past the end.
inline std::uint64_t constant_room(const ::executorch::runtime::Program& program, std::size_t index) {
    std::uint64_t room = 0;
    std::uint64_t step = 1;
    while (step < (std::uint64_t{1} << 40) && program.get_constant_buffer_data(index, room + step).ok()) {
        room += step;
        step *= 2;
    }
    for (; step > 0; step /= 2) {
        if (program.get_constant_buffer_data(index, room + step).ok()) room += step;
    }
    return room;
}

// Returns the bytes of each constant, up to the next one in memory or to the end of the segment.
inline std::string json_of_constants(const ::executorch::runtime::Program& program) {
    std::vector<const unsigned char*> starts;
    while (true) {
        const auto data = program.get_constant_buffer_data(starts.size(), 0);
        if (!data.ok()) break;
        starts.push_back(static_cast<const unsigned char*>(data.get()));
    }
    std::vector<const unsigned char*> sorted = starts;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::string> constants;
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const auto next = std::upper_bound(sorted.begin(), sorted.end(), starts[i]);
        const bool last = next == sorted.end();
        constants.push_back(json_of_bytes(starts[i], last ? constant_room(program, i) : *next - starts[i]));
    }
    return json_list(constants);
}

}  // namespace reader

// The worker of the second planted reader: turns what the reader has read into the loaded form.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "../../../readers/common/worker.hpp"

extern "C" {
#include "reader.h"
}

namespace {

namespace json = torchproof::json;
using Parts = std::vector<std::string>;

// The error for a planned tensor of more than 256 MiB, which has no loaded form.
struct TooLarge {};

std::string join(const Parts& parts) {
    return json::array(parts, [](const std::string& part) { return part; });
}

std::string hex(const std::uint8_t* bytes, std::uint64_t size) {
    std::string result;
    char digits[3];
    for (std::uint64_t i = 0; i < size; ++i) {
        std::snprintf(digits, sizeof digits, "%02x", bytes[i]);
        result += digits;
    }
    return result;
}

std::string hex_number(std::uint64_t number) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
    return json::quote(digits);
}

std::string json_of(const std::uint8_t* bytes, std::uint64_t size) {
    if (size <= 32) return json::quote(hex(bytes, size));
    std::uint64_t hash = 0xcbf29ce484222325;
    for (std::uint64_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
    return json::object({{"size", std::to_string(size)}, {"fnv1a", hex_number(hash)}});
}

std::string json_of_text(struct list list) {
    const struct bytes bytes = bytes_of(list);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data), bytes.size);
    for (std::string_view rest = text; !rest.empty();) {
        const std::size_t length = json::utf8_length(rest);
        if (length == 0) return json::object({{"hex", json::quote(hex(bytes.data, bytes.size))}});
        rest.remove_prefix(length);
    }
    return json::quote(text);
}

std::string layout(const struct shape& shape) {
    Parts sizes, order;
    for (unsigned i = 0; i < shape.rank; ++i) {
        sizes.push_back(std::to_string(shape.sizes[i]));
        order.push_back(std::to_string(shape.order[i]));
    }
    return json::object({{"scalar_type", std::to_string(shape.type)}, {"sizes", join(sizes)}, {"dim_order", join(order)},
                         {"nbytes", std::to_string(shape.nbytes)}});
}

std::string info(const struct value& tensor, struct list name) {
    const bool planned = tensor.planned || number(tensor.table, 5, 4) != 0;
    return json::object({{"name", json_of_text(name)}, {"layout", layout(tensor.shape)}, {"planned", planned ? "true" : "false"}});
}

// Returns the bytes of a tensor in memory; planned memory contains the initial values of all tensors of the method.
std::string memory(const struct method& method, const struct value& tensor) {
    const std::uint64_t size = tensor.shape.nbytes;
    if (size == 0) return "\"\"";
    if (!tensor.planned) return tensor.data == nullptr ? "null" : json_of(tensor.data, size);
    if (size > std::uint64_t{256} << 20) throw TooLarge{};
    std::vector<std::uint8_t> bytes(size);
    for (std::uint32_t i = 0; i < method.value_count; ++i) {
        const struct value& other = method.values[i];
        if (!other.planned || other.data == nullptr || other.buffer != tensor.buffer) continue;
        const std::uint64_t start = std::max(tensor.offset, other.offset);
        const std::uint64_t end = std::min(tensor.offset + size, other.offset + other.shape.nbytes);
        if (start < end) std::copy_n(other.data + (start - other.offset), end - start, bytes.data() + (start - tensor.offset));
    }
    return json_of(bytes.data(), size);
}

std::string placed(const struct method& method, const struct value& tensor) {
    return json::object({{"layout", layout(tensor.shape)}, {"data", memory(method, tensor)},
                         {"shape_dynamism", std::to_string(static_cast<std::int8_t>(number(tensor.table, 8, 1)))}});
}

std::string content(const struct method& method, const struct value& value) {
    switch (value.type) {
        case 2: return std::to_string(static_cast<std::int64_t>(number(value.table, 0, 8)));
        case 3: return number(value.table, 0, 1) != 0 ? "true" : "false";
        case 4: return hex_number(number(value.table, 0, 8));
        case 5: return placed(method, value);
        case 6: return json_of_text(list_of(value.table, 0));
        default: return "null";
    }
}

std::string json_of_method(const struct method& method, bool prepare) {
    static constexpr const char* tags[] = {"", "None", "Int", "Bool", "Double", "Tensor", "String"};
    Parts slots[2], values[2], infos, attributes, buffers, backends, delegates;
    for (const int side : {0, 1}) {
        const struct list& list = side == 0 ? method.inputs : method.outputs;
        for (std::uint32_t i = 0; i < list.count; ++i) {
            const struct value& value = method.values[index_in(list, i)];
            slots[side].push_back(json::object({{"tag", json::quote(tags[value.type])},
                                                {"tensor", value.type == 5 ? info(value, {}) : "null"}}));
            if (prepare) values[side].push_back(json::object({{tags[value.type], content(method, value)}}));
        }
    }
    for (std::uint32_t i = 0; i < method.value_count; ++i) {
        const struct value& value = method.values[i];
        if (!value.name.present) continue;
        infos.push_back(info(value, value.name));
        if (prepare) attributes.push_back(placed(method, value));
    }
    for (std::uint32_t i = 1; i < method.sizes.count; ++i) {
        const auto size = static_cast<std::int64_t>(load(method.sizes.at + 8 * std::uint64_t{i}, 8));
        buffers.push_back(json::object({{"size", std::to_string(size)}, {"device_type", std::to_string(method.devices[i][0])},
                                        {"device_index", std::to_string(method.devices[i][1])}}));
    }
    for (std::uint32_t i = 0; i < method.delegates.count; ++i) {
        const std::uint64_t delegate = table_in(method.delegates, i);
        const std::string id = json_of_text(list_of(delegate, 0));
        const struct list specs = list_of(delegate, 2);
        backends.push_back(id);
        Parts settings;
        for (std::uint32_t j = 0; j < specs.count; ++j) {
            const struct bytes value = bytes_of(list_of(table_in(specs, j), 1));
            settings.push_back(json::object({{"key", json_of_text(list_of(table_in(specs, j), 0))},
                                             {"value", json_of(value.data, value.size)}}));
        }
        delegates.push_back(json::object({{"id", id}, {"processed", json_of(method.blobs[i].data, method.blobs[i].size)},
                                          {"compile_specs", join(settings)}}));
    }
    const std::string prepared =
        json::object({{"inputs", join(values[0])}, {"outputs", join(values[1])}, {"attributes", join(attributes)},
                      {"delegates", join(delegates)}});
    const std::string meta =
        json::object({{"name", json_of_text(list_of(method.plan, 0))}, {"inputs", join(slots[0])}, {"outputs", join(slots[1])},
                      {"attributes", join(infos)}, {"planned_buffers", join(buffers)}, {"backends", join(backends)},
                      {"instructions", std::to_string(method.instruction_count)}});
    return json::object({{"meta", meta}, {"prepared", prepare ? prepared : "null"}});
}

std::string entries(bool data) {
    Parts all;
    for (std::uint32_t i = 0; i < file.entry_count; ++i) {
        const struct entry& entry = file.entries[i];
        all.push_back(json::object({{"key", json_of_text(entry.key)},
                                    {"tensor_layout", entry.layout == 0 ? "null" : layout(entry.shape)},
                                    {"data", data ? json_of(entry.data.data, entry.data.size) : "null"}}));
    }
    return join(all);
}

std::string constants() {
    const struct bytes all = file.constant_data;
    if (file.constants.count < 2 || all.size == 0) return "[]";
    std::vector<std::uint64_t> offsets;
    for (std::uint32_t i = 0; i < file.constants.count; ++i) {
        offsets.push_back(std::min(load(file.constants.at + 8 * std::uint64_t{i}, 8), all.size));
    }
    std::vector<std::uint64_t> sorted = offsets;
    std::sort(sorted.begin(), sorted.end());
    return json::array(offsets, [&](std::uint64_t offset) {
        const auto next = std::upper_bound(sorted.begin(), sorted.end(), offset);
        return json_of(all.data + offset, (next == sorted.end() ? all.size : *next) - offset);
    });
}

struct Loaded {
    torchproof::Stage until;
    std::optional<std::string> program, entries;
    bool too_large = false;  // a planned tensor, so the file has no loaded form
};

// Called with the result of a file before its memory is freed. An exception must not leave it, because its caller is C.
void convert(void* context, bool program) try {
    Loaded& loaded = *static_cast<Loaded*>(context);
    const bool data = loaded.until >= torchproof::Stage::data;
    if (!program) {
        loaded.entries = entries(data);
        return;
    }
    Parts methods;
    for (std::uint32_t i = 0; i < file.method_count; ++i) {
        methods.push_back(json_of_method(file.methods[i], loaded.until >= torchproof::Stage::method));
    }
    loaded.program = json::object({{"methods", join(methods)}, {"constants", constants()}, {"named_data", entries(data)}});
} catch (const TooLarge&) {
    static_cast<Loaded*>(context)->too_large = true;
}

std::vector<std::uint8_t> content(const std::string& path) {
    // A file is read at once, because a sanitizer makes single characters slow.
    std::ifstream stream(path, std::ios::binary | std::ios::ate);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(stream.tellg()));
    stream.seekg(0).read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

}  // namespace

// The first argument is the value of PLANTED, because the sandbox starts readers without an environment. With a second argument,
// reads only this file, and exits with 1 if the file is rejected.
int main(int count, char** arguments) {
    if (count > 1) setenv("PLANTED", arguments[1], 1);
    if (count > 2) {
        const std::string path = arguments[2];
        const std::vector<std::uint8_t> bytes = content(path);
        const bool program = path.size() < 4 || path.substr(path.size() - 4) != ".ptd";
        return reader_read(bytes.data(), bytes.size(), program, nullptr, nullptr) == nullptr ? 0 : 1;
    }
    using torchproof::Answer;
    using torchproof::Stage;
    const torchproof::Description reader = {"planted-two", "0", {"pte", "ptd"}, {Stage::data}, {"loaded", "constant-buffer"}};
    return torchproof::serve(reader, [](const torchproof::Request& request) {
        Parts programs, data_files;
        for (const torchproof::File& file : request.files) {
            const std::vector<std::uint8_t> bytes = content(file.path);
            const bool program = file.role == torchproof::File::Role::program;
            Loaded loaded{request.until, {}, {}};
            const char* why = reader_read(bytes.data(), bytes.size(), program, request.loaded ? convert : nullptr, &loaded);
            if (why != nullptr) return Answer::reject(Stage::data, why);
            if (loaded.too_large) return Answer::unsupported("a planned tensor has more than 256 MiB");
            if (loaded.program) programs.push_back(*loaded.program);
            if (loaded.entries) data_files.push_back(*loaded.entries);
        }
        std::string value;
        if (request.loaded) value = json::object({{"programs", join(programs)}, {"data_files", join(data_files)}});
        return Answer::accept(request.until, value);
    });
}

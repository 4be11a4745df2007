// A reader of programs and data files with twenty planted defects, for measurements of fuzzers.
//
// The reader checks each offset, length and type, except in the functions with the word PLANTED. Each of these functions contains
// one defect. No valid file triggers a defect. Compile the file with -fsanitize=address,undefined: as a worker of torchproof, or
// with -DPLANTED_FUZZER as a target of libFuzzer. With -DPLANTED_REPORTED, a triggered defect is reported and skipped, so that one
// frequent crash does not hide the other defects.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#define PLANTED __attribute__((noinline))

// Each function states the condition of its defect. The last argument is the result of a function that skips its defect.
#ifdef PLANTED_REPORTED

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

// Appends the name of the function and the time to the file in the environment variable, once for each process.
static void report(const char* function, bool& is_reported) {
    const char* path = std::getenv("PLANTED_REPORTS");
    if (path == nullptr || std::exchange(is_reported, true)) return;
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const std::string line = std::string(function) + " " + std::to_string(now.tv_sec + now.tv_nsec / 1e9) + "\n";
    const int file = ::open(path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (file < 0 || ::write(file, line.data(), line.size()) < 0) std::abort();
    ::close(file);
}
#define SKIP_IF(condition, ...)                 \
    if (condition) {                            \
        static bool is_reported = false;        \
        report(__func__, is_reported);          \
        return __VA_ARGS__;                     \
    }
#else
#define SKIP_IF(condition, ...)
#endif

namespace {

struct Rejected {
    const char* why;
};

void must(bool holds, const char* why) {
    if (!holds) throw Rejected{why};
}

// The checked access to the bytes of a file.
struct File {
    const std::uint8_t* data;
    std::uint64_t size;

    template <class Number>
    Number at(std::uint64_t offset) const {
        must(offset <= size && size - offset >= sizeof(Number), "a number after the end");
        Number number;
        std::memcpy(&number, data + offset, sizeof number);
        return number;
    }
};

struct Table {
    const File* file;
    std::uint64_t start;

    // Returns the offset of a field, or 0.
    std::uint64_t field(unsigned slot) const {
        const std::uint64_t vtable = start - static_cast<std::int64_t>(file->at<std::int32_t>(start));
        const auto length = file->at<std::uint16_t>(vtable);
        const unsigned entry = 4 + 2 * slot;
        if (entry + 2 > length) return 0;
        const auto offset = file->at<std::uint16_t>(vtable + entry);
        return offset == 0 ? 0 : start + offset;
    }
    template <class Number>
    Number number(unsigned slot, Number absent = 0) const {
        const std::uint64_t at = field(slot);
        return at == 0 ? absent : file->at<Number>(at);
    }
    bool has(unsigned slot) const { return field(slot) != 0; }
    std::uint64_t target(unsigned slot) const {
        const std::uint64_t at = field(slot);
        must(at != 0, "an absent field");
        return at + file->at<std::uint32_t>(at);
    }
    Table table(unsigned slot) const { return {file, target(slot)}; }
};

// A vector whose elements are inside the file.
struct List {
    const File* file;
    std::uint64_t first = 0;
    std::uint32_t count = 0;

    List(const Table& table, unsigned slot, unsigned width) : file(table.file) {
        if (!table.has(slot)) return;
        const std::uint64_t at = table.target(slot);
        count = file->at<std::uint32_t>(at);
        first = at + 4;
        must(first <= file->size && (file->size - first) / width >= count, "a vector after the end");
    }
    template <class Number>
    std::vector<Number> numbers() const {
        std::vector<Number> all;
        for (std::uint32_t i = 0; i < count; ++i) all.push_back(file->at<Number>(first + i * sizeof(Number)));
        return all;
    }
    std::vector<Table> tables() const {
        std::vector<Table> all;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint64_t at = first + 4 * std::uint64_t{i};
            all.push_back({file, at + file->at<std::uint32_t>(at)});
        }
        return all;
    }
    std::string text() const { return {reinterpret_cast<const char*>(file->data) + first, count}; }
};

// A value of a method. Only tensors own memory.
struct Value {
    std::uint8_t type = 0;
    std::unique_ptr<std::uint64_t> bytes;
};

constexpr std::uint8_t tensor_type = 5;
volatile std::uint64_t sink;  // keeps the compiler from removing reads

void use(std::uint64_t value) { sink = sink + value; }

template <class Element>
[[maybe_unused]] bool is_absent(const std::vector<Element>& list, std::int32_t index) {
    return index < 0 || static_cast<std::size_t>(index) >= list.size();
}

// Defect 1: a header that is longer than the buffer for its copy.
PLANTED void copy_header(const File& file, std::uint32_t length) {
    std::uint8_t header[64];
    must(length <= file.size - 8, "a header after the end");
    SKIP_IF(length > sizeof header)
    std::memcpy(header, file.data + 8, length);
    use(header[length / 2]);
}

// Defect 2: a segment whose end exceeds 64 bits.
PLANTED void read_segment(const File& file, std::uint64_t offset, std::uint64_t size) {
    must(offset + size <= file.size, "a segment after the end");
    SKIP_IF(size > 0 && offset >= file.size)
    if (size > 0) use(file.data[offset]);
}

// Defect 3: a name that is longer than the buffer for its copy.
PLANTED void copy_name(const std::string& name) {
    SKIP_IF(name.size() > 80)
    const auto copy = std::make_unique<char[]>(80);
    std::memcpy(copy.get(), name.data(), name.size());
    use(static_cast<std::uint8_t>(copy[0]));
}

// Defect 4: an input whose index is not the index of a value.
PLANTED void read_input(const std::vector<Value>& values, std::int32_t index) {
    SKIP_IF(is_absent(values, index))
    use(values.data()[index].type);
}

// Defect 5: an output with a negative index.
PLANTED void read_output(const std::vector<Value>& values, std::int32_t index) {
    must(index < static_cast<std::int32_t>(values.size()), "an output that is not a value");
    SKIP_IF(index < 0)
    use(values.data()[index].type);
}

// Defect 6: a call of an operator that the method does not have.
PLANTED void find_operator(const std::vector<std::uint64_t>& operators, std::int32_t index) {
    SKIP_IF(is_absent(operators, index))
    use(operators.data()[index]);
}

// Defect 7: an argument whose index is not the index of a value.
PLANTED void read_argument(const std::vector<Value>& values, std::int32_t index) {
    SKIP_IF(is_absent(values, index))
    use(values.data()[index].type);
}

// Defect 8: a call of a delegate that the method does not have.
PLANTED void find_delegate(const std::vector<std::uint64_t>& delegates, std::int32_t index) {
    SKIP_IF(is_absent(delegates, index))
    use(delegates.data()[index]);
}

// Defect 9: a move to a value that the method does not have.
PLANTED void move_value(std::vector<Value>& values, std::int32_t from, std::int32_t to) {
    must(from >= 0 && static_cast<std::size_t>(from) < values.size(), "a move from an absent value");
    SKIP_IF(is_absent(values, to))
    values.data()[to].type = values[static_cast<std::size_t>(from)].type;
}

// Defect 10: a jump to a position after the last instruction.
PLANTED void jump(const std::vector<std::uint64_t>& instructions, std::int32_t to) {
    must(to >= 0, "a jump before the first instruction");
    SKIP_IF(static_cast<std::size_t>(to) > instructions.size())
    if (static_cast<std::size_t>(to) != instructions.size()) use(instructions.data()[to]);
}

// Defect 11: the release of a value that is not a tensor. Such a value has no memory.
PLANTED void release_value(std::vector<Value>& values, std::int32_t index) {
    must(index >= 0 && static_cast<std::size_t>(index) < values.size(), "the released value is absent");
    SKIP_IF(values[static_cast<std::size_t>(index)].bytes == nullptr)
    *values[static_cast<std::size_t>(index)].bytes = 0;
}

// Defect 12: a tensor whose number of elements exceeds 63 bits.
PLANTED std::int64_t count_elements(const std::vector<std::int32_t>& sizes) {
    std::int64_t count = 1;
    for (const std::int32_t size : sizes) {
        if (size == 0) return 0;
    }
    for (const std::int32_t size : sizes) {
        [[maybe_unused]] std::int64_t product = 0;
        SKIP_IF(__builtin_mul_overflow(count, std::int64_t{size}, &product), 0)
        count *= size;
    }
    return count;
}

// Defect 13: a scalar type that is greater than the last known scalar type.
PLANTED std::uint64_t size_of_scalar(std::int8_t type) {
    static const std::uint64_t sizes[] = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4, 2,
                                          1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 1, 1, 1, 1, 1,
                                          1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    must(type >= 0, "a negative scalar type");
    SKIP_IF(static_cast<std::size_t>(type) >= sizeof sizes / sizeof *sizes, 0)
    return sizes[type];
}

// Defect 14: a dimension order that contains a dimension which the tensor does not have.
PLANTED void order_strides(const std::vector<std::uint8_t>& order) {
    const auto strides = std::make_unique<std::uint64_t[]>(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        SKIP_IF(order[i] >= order.size())
        strides[order[i]] = i;
    }
    if (!order.empty()) use(strides[0]);
}

// Defect 15: a tensor with more than sixteen dimensions.
PLANTED void copy_sizes(const std::vector<std::int32_t>& sizes) {
    std::int32_t copy[16];
    SKIP_IF(sizes.size() > 16)
    for (std::size_t i = 0; i < sizes.size(); ++i) copy[i] = sizes[i];
    if (!sizes.empty()) use(static_cast<std::uint64_t>(copy[sizes.size() - 1]));
}

// Defect 16: a planned buffer whose id is greater than the last id.
PLANTED std::uint64_t size_of_buffer(const std::vector<std::int64_t>& buffers, std::uint32_t id) {
    SKIP_IF(id >= buffers.size(), 0)
    return static_cast<std::uint64_t>(buffers.data()[id]);
}

// Defect 17: a tensor that begins after the end of its planned buffer.
PLANTED void clear_planned(std::uint64_t buffer, std::uint64_t offset) {
    if (buffer == 0 || buffer > 1 << 20) return;
    SKIP_IF(offset > buffer)
    const auto memory = std::make_unique<std::uint8_t[]>(buffer);
    memory[offset == 0 ? 0 : offset - 1] = 0;
}

// Defect 18: a constant whose index has no entry in the list of offsets.
PLANTED std::uint64_t offset_of_constant(const std::vector<std::uint64_t>& offsets, std::uint32_t index) {
    SKIP_IF(index >= offsets.size(), 0)
    return offsets.data()[index];
}

// Defect 19: named data in a segment that the file does not have.
PLANTED void find_segment(const std::vector<std::uint64_t>& segments, std::uint32_t index) {
    SKIP_IF(index >= segments.size())
    use(segments.data()[index]);
}

// Defect 20: a repeated key, which frees an entry that the list still contains.
PLANTED void read_entries(const std::vector<std::string>& keys) {
    std::map<std::string, std::unique_ptr<std::uint64_t>> entries;
    std::vector<std::uint64_t*> list;
    for (const std::string& key : keys) {
        SKIP_IF(entries.count(key) > 0)
        entries[key] = std::make_unique<std::uint64_t>(key.size());
        list.push_back(entries[key].get());
    }
    for (const std::uint64_t* entry : list) use(*entry);
}

// The parts of a program that several functions need.
struct Program {
    std::vector<std::uint64_t> offsets;  // of constants
    bool has_constants = false;
};

void read_allocation(const Table& tensor, const std::vector<std::int64_t>& buffers) {
    if (!tensor.has(6)) return;
    const Table allocation = tensor.table(6);
    const std::uint64_t low = allocation.number<std::uint32_t>(1);
    const std::uint64_t high = allocation.number<std::uint32_t>(2);
    clear_planned(size_of_buffer(buffers, allocation.number<std::uint32_t>(0)), high << 32 | low);
}

void read_shape(const Table& table, unsigned type, unsigned sizes, unsigned order) {
    const auto dimensions = List(table, sizes, 4).numbers<std::int32_t>();
    for (const std::int32_t size : dimensions) must(size >= 0, "a negative size");
    copy_sizes(dimensions);
    use(static_cast<std::uint64_t>(count_elements(dimensions)) * size_of_scalar(table.number<std::int8_t>(type)));
    order_strides(List(table, order, 1).numbers<std::uint8_t>());
}

void read_tensor(const Table& tensor, const Program& program, const std::vector<std::int64_t>& buffers) {
    read_shape(tensor, 0, 2, 3);
    const auto index = tensor.number<std::uint32_t>(5);
    const bool is_external = tensor.has(9) && tensor.table(9).number<std::int8_t>(2) == 1;
    const bool is_state = tensor.has(6);
    if (index > 0 && program.has_constants && !is_external && !is_state) use(offset_of_constant(program.offsets, index));
    read_allocation(tensor, buffers);
}

void read_instruction(const Table& instruction, std::vector<Value>& values, const std::vector<std::uint64_t>& operators,
                      const std::vector<std::uint64_t>& delegates, const std::vector<std::uint64_t>& instructions) {
    const auto kind = instruction.number<std::uint8_t>(0);
    if (kind == 0) return;
    const Table call = instruction.table(1);
    switch (kind) {
        case 1: find_operator(operators, call.number<std::int32_t>(0)); break;
        case 2: find_delegate(delegates, call.number<std::int32_t>(0)); break;
        case 3: move_value(values, call.number<std::int32_t>(0), call.number<std::int32_t>(1)); break;
        case 4: jump(instructions, call.number<std::int32_t>(1)); break;
        case 5: release_value(values, call.number<std::int32_t>(0)); break;
        default: throw Rejected{"an unknown instruction"};
    }
    if (kind > 2) return;
    for (const std::int32_t argument : List(call, 1, 4).numbers<std::int32_t>()) read_argument(values, argument);
}

std::vector<std::uint64_t> starts_of(const std::vector<Table>& tables) {
    std::vector<std::uint64_t> starts;
    for (const Table& table : tables) starts.push_back(table.start);
    return starts;
}

void read_method(const Table& plan, const Program& program) {
    copy_name(List(plan, 0, 1).text());
    const auto buffers = List(plan, 8, 8).numbers<std::int64_t>();
    std::vector<Value> values;
    for (const Table& value : List(plan, 2, 4).tables()) {
        values.emplace_back();
        values.back().type = value.number<std::uint8_t>(0);
        if (values.back().type != tensor_type) continue;
        values.back().bytes = std::make_unique<std::uint64_t>(0);
        read_tensor(value.table(1), program, buffers);
    }
    for (const std::int32_t index : List(plan, 3, 4).numbers<std::int32_t>()) read_input(values, index);
    for (const std::int32_t index : List(plan, 4, 4).numbers<std::int32_t>()) read_output(values, index);
    const auto operators = starts_of(List(plan, 6, 4).tables());
    const auto delegates = starts_of(List(plan, 7, 4).tables());
    for (const Table& chain : List(plan, 5, 4).tables()) {
        const auto instructions = List(chain, 2, 4).tables();
        for (const Table& instruction : instructions) {
            read_instruction(instruction, values, operators, delegates, starts_of(instructions));
        }
    }
}

std::vector<std::uint64_t> read_segments(const Table& root, unsigned slot, std::uint64_t base) {
    std::vector<std::uint64_t> offsets;
    for (const Table& segment : List(root, slot, 4).tables()) {
        const std::uint64_t offset = base + segment.number<std::uint64_t>(0);
        read_segment(*root.file, offset, segment.number<std::uint64_t>(1));
        offsets.push_back(offset);
    }
    return offsets;
}

void read_named(const Table& root, unsigned slot, const std::vector<std::uint64_t>& segments, bool has_layouts) {
    std::vector<std::string> keys;
    for (const Table& entry : List(root, slot, 4).tables()) {
        find_segment(segments, entry.number<std::uint32_t>(1));
        keys.push_back(List(entry, 0, 1).text());
        if (has_layouts && entry.has(2)) read_shape(entry.table(2), 0, 1, 2);
    }
    read_entries(keys);
}

// Returns the segment base from the header. For a file without a header, returns the file's size.
std::uint64_t read_header(const File& file, const char* magic, unsigned base) {
    if (file.size < 40 || std::memcmp(file.data + 8, magic, 4) != 0) return file.size;
    copy_header(file, file.at<std::uint32_t>(12));
    return file.at<std::uint64_t>(base);
}

void read_program(const File& file) {
    const std::uint64_t base = read_header(file, "eh00", 24);
    const Table root{&file, file.at<std::uint32_t>(0)};
    const auto segments = read_segments(root, 4, base);
    Program program;
    if (root.has(5)) {
        program.offsets = List(root.table(5), 1, 8).numbers<std::uint64_t>();
        program.has_constants = !program.offsets.empty();
    }
    for (const Table& plan : List(root, 1, 4).tables()) read_method(plan, program);
    read_named(root, 7, segments, false);
}

void read_data(const File& file) {
    const std::uint64_t base = read_header(file, "FH01", 32);
    const Table root{&file, file.at<std::uint32_t>(0)};
    read_named(root, 2, read_segments(root, 1, base), true);
}

// Returns the reason for a rejection, or null.
const char* read_file(const std::uint8_t* data, std::size_t size) {
    const File file{data, size};
    try {
        must(size >= 8, "too short");
        if (std::memcmp(data + 4, "ET12", 4) == 0) {
            read_program(file);
        } else {
            must(std::memcmp(data + 4, "FT01", 4) == 0, "an unknown identifier");
            read_data(file);
        }
    } catch (const Rejected& rejected) {
        return rejected.why;
    }
    return nullptr;
}

}  // namespace

// A report without the stack would not state the function.
extern "C" const char* __ubsan_default_options() { return "print_stacktrace=1:halt_on_error=1"; }
extern "C" const char* __asan_default_options() { return "detect_leaks=0:detect_stack_use_after_return=0"; }

#ifdef PLANTED_FUZZER

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    read_file(data, size);
    return 0;
}

#else

#include <fstream>

#include "../../readers/common/worker.hpp"

int main() {
    using torchproof::Answer;
    using torchproof::Stage;
    const torchproof::Description reader = {"planted", "0", {"pte", "ptd"}, {Stage::data}, {}};
    return torchproof::serve(reader, [](const torchproof::Request& request) {
        for (const torchproof::File& file : request.files) {
            // A file is read at once, because a sanitizer makes single characters slow.
            std::ifstream stream(file.path, std::ios::binary | std::ios::ate);
            std::vector<char> bytes(static_cast<std::size_t>(stream.tellg()));
            stream.seekg(0).read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
            const char* why = read_file(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
            if (why != nullptr) return Answer::reject(Stage::data, why);
        }
        return Answer::accept(Stage::data);
    });
}

#endif

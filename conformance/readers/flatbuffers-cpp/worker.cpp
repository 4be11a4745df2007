// An adapter for the C++ FlatBuffers verifier, which checks the FlatBuffer in a file against the schema. It reads the headers
// only to determine the end of the FlatBuffer, and does not check segments.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../common/delivery.hpp"
#include "../common/worker.hpp"
#include "bundled_program_generated.h"
#include "flat_tensor_legacy_generated.h"
#include "verify.h"

namespace {

using torchproof::Answer;
using torchproof::Delivery;
using torchproof::Stage;

// Bytes of a file, in memory or read from disk.
class Bytes {
public:
    Bytes(const unsigned char* data, std::size_t size) : data_(data), size_(size) {}
    explicit Bytes(std::vector<unsigned char> read) : read_(std::move(read)), data_(read_.data()), size_(read_.size()) {}
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;

    const unsigned char* data() const { return data_; }
    std::size_t size() const { return size_; }
    const unsigned char& operator[](std::size_t at) const { return data_[at]; }

private:
    std::vector<unsigned char> read_;
    const unsigned char* data_;
    std::size_t size_;
};

// An error in the file, and the stage of the error.
struct Rejected {
    Stage stage;
    std::string message;
};

class InputFile {
public:
    InputFile(const torchproof::File& file, Delivery delivery) : role_(file.role), offset_(file.offset) {
        if (delivery != Delivery::file && delivery != Delivery::file_at_offset) {
            memory_.emplace(file, delivery);
            size_ = memory_->size();
            return;
        }
        struct stat status;
        fd_ = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd_ < 0) throw torchproof::Undelivered{std::string("open: ") + std::strerror(errno)};
        const auto found = ::fstat(fd_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
        size_ = file.size.value_or(found);
    }
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    ~InputFile() {
        if (fd_ >= 0) ::close(fd_);
    }

    torchproof::File::Role role() const { return role_; }
    std::uint64_t size() const { return size_; }

    // Returns the first `count` bytes, or the whole file if it is shorter. A sparse file may have terabytes of segments, so
    // it reads no more.
    Bytes head(std::uint64_t count) const {
        if (memory_) return Bytes(memory_->data(), std::min(count, size_));
        std::vector<unsigned char> bytes(std::min(count, size_));
        for (std::size_t have = 0; have < bytes.size();) {
            const auto at = static_cast<off_t>(offset_ + have);
            const ssize_t got = ::pread(fd_, bytes.data() + have, bytes.size() - have, at);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw torchproof::Undelivered{std::string("read: ") + std::strerror(errno)};
            if (got == 0) throw torchproof::Undelivered{"read: the file got shorter during the read"};
            have += static_cast<std::size_t>(got);
        }
        return Bytes(std::move(bytes));
    }

private:
    torchproof::File::Role role_;
    std::uint64_t offset_;
    std::optional<torchproof::Memory> memory_;
    int fd_ = -1;  // only for a file that is not in memory
    std::uint64_t size_ = 0;
};

// Reads byte by byte, so that neither the alignment nor the host's byte order matters.
std::uint64_t little_endian(const Bytes& bytes, std::size_t at, int width) {
    std::uint64_t result = 0;
    for (int i = width - 1; i >= 0; --i) result = result << 8 | bytes[at + static_cast<std::size_t>(i)];
    return result;
}

// Both kinds of header begin at byte 8 with four characters, followed by the header's length, a u32, and by u64 fields from
// byte 16 on.
constexpr std::size_t magic_at = 8;
constexpr std::size_t length_at = 12;
constexpr std::size_t fields_at = 16;

bool has_magic(const Bytes& head, std::string_view magic) {
    return head.size() >= magic_at + magic.size() && std::memcmp(&head[magic_at], magic.data(), magic.size()) == 0;
}

std::uint64_t header_field(const Bytes& head, std::size_t index) {
    return little_endian(head, fields_at + 8 * index, 8);
}

void require_header_length(const Bytes& head, std::uint64_t least) {
    if (head.size() < magic_at + least) throw Rejected{Stage::structure, "the header is truncated"};
    const std::uint64_t length = little_endian(head, length_at, 4);
    if (length < least) throw Rejected{Stage::structure, "header length: found " + std::to_string(length) + ", expected at least " + std::to_string(least)};
}

// Returns the bytes of the FlatBuffer: the start of the file, up to `end`.
Bytes flatbuffer_of(const InputFile& file, std::uint64_t end) {
    if (end > file.size()) {
        throw Rejected{Stage::structure, "the FlatBuffer ends at " + std::to_string(end) + ", the file at " +
                                             std::to_string(file.size())};
    }
    if (end >= static_cast<std::uint64_t>(FLATBUFFERS_MAX_BUFFER_SIZE)) {
        throw Rejected{Stage::structure, "a FlatBuffer of " + std::to_string(end) + " bytes is too large"};
    }
    return file.head(end);
}

bool verify(const Bytes& bytes, int schema) { return torchproof_verify(bytes.data(), bytes.size(), schema) == 1; }

// Returns the end of the FlatBuffer in a program of `size` bytes that begins with `head`.
std::uint64_t end_of_flatbuffer(const Bytes& head, std::uint64_t size) {
    if (!has_magic(head, "eh00")) return size;
    require_header_length(head, 24);
    return header_field(head, 0);  // program_size
}

constexpr std::uint64_t program_head = 40;

void verify_program(const Bytes& flatbuffer) {
    if (!verify(flatbuffer, TORCHPROOF_PROGRAM)) throw Rejected{Stage::structure, "VerifyProgramBuffer: false"};
}

void read_program(const InputFile& file) {
    verify_program(flatbuffer_of(file, end_of_flatbuffer(file.head(program_head), file.size())));
}

// A bundled program is a FlatBuffer without a header, whose vector `program` contains a program file.
void read_bundled(const InputFile& file) {
    const Bytes bytes = flatbuffer_of(file, file.size());
    if (!verify(bytes, TORCHPROOF_BUNDLED_PROGRAM)) {
        throw Rejected{Stage::structure, "VerifyBundledProgramBuffer: false"};
    }
    const auto* program = torchproof::bpte::GetBundledProgram(bytes.data())->program();
    if (program == nullptr) throw Rejected{Stage::structure, "found no program"};
    const Bytes head(program->data(), std::min<std::uint64_t>(program->size(), program_head));
    const std::uint64_t end = end_of_flatbuffer(head, program->size());
    if (end > program->size()) throw Rejected{Stage::structure, "the program's FlatBuffer ends after the program"};
    verify_program(Bytes(program->data(), end));
}

// Some damaged files with the current layout match the legacy schema, because slot 1 is a number there and not an offset.
// Only the legacy layout has a slot 3, which all its writers set.
bool verify_older(const Bytes& bytes) {
    return verify(bytes, TORCHPROOF_FLAT_TENSOR_LEGACY) &&
           torchproof::ptd_legacy::GetFlatTensor(bytes.data())->segments() != nullptr;
}

void read_data(const InputFile& file) {
    const Bytes head = file.head(48);
    if (!has_magic(head, "FH01")) throw Rejected{Stage::structure, "found no FH01 header"};
    require_header_length(head, 40);
    // The end of the FlatBuffer is the size of the inserted header (flatbuffer_offset) plus the size without it
    // (flatbuffer_size).
    std::uint64_t end = 0;
    if (__builtin_add_overflow(header_field(head, 0), header_field(head, 1), &end)) {
        throw Rejected{Stage::structure, "flatbuffer_offset plus flatbuffer_size exceeds 64 bits"};
    }
    const Bytes bytes = flatbuffer_of(file, end);
    // Both layouts have the identifier FT01, so only the fields of the root table tell them apart.
    if (!verify(bytes, TORCHPROOF_FLAT_TENSOR) && !verify_older(bytes)) {
        throw Rejected{Stage::structure, "VerifyFlatTensorBuffer: false, for the current and the legacy layout"};
    }
}

Answer walk(const torchproof::Request& request) {
    using torchproof::File;
    try {
        torchproof::enter(Stage::open);
        std::list<InputFile> files;
        for (const File& file : request.files) files.emplace_back(file, request.delivery);
        if (request.until < Stage::structure) return Answer::accept(Stage::open);

        torchproof::enter(Stage::structure);
        for (const InputFile& file : files) {
            switch (file.role()) {
                case File::Role::program: read_program(file); break;
                case File::Role::data: read_data(file); break;
                case File::Role::bundled: read_bundled(file); break;
            }
        }
        return Answer::accept(Stage::structure);
    } catch (const Rejected& error) {
        return Answer::reject(error.stage, error.message);
    } catch (const torchproof::Undelivered& error) {
        return Answer::error(error.message);
    }
}

}  // namespace

int main() {
    const torchproof::Description reader = {
        "flatbuffers-cpp",
        FLATBUFFERS_STRING(FLATBUFFERS_VERSION_MAJOR) "." FLATBUFFERS_STRING(FLATBUFFERS_VERSION_MINOR) "."
            FLATBUFFERS_STRING(FLATBUFFERS_VERSION_REVISION),
        {"pte", "ptd", "ptd-legacy"},
        {Stage::structure},
        {"bundled"},
        {Delivery::file, Delivery::file_at_offset, Delivery::mmap, Delivery::buffer, Delivery::unaligned, Delivery::guard},
    };
    return torchproof::serve(reader, walk);
}

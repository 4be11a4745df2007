// The harness: runs all stages of the adapter conformance/readers/executorch on each input.

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "stages.hpp"

namespace {

using torchproof::File;

// The adapter reads files, so the harness writes each input to this anonymous file.
const int input = ::memfd_create("input", MFD_CLOEXEC);

File::Role role_of(const std::uint8_t* file, std::size_t size) {
    const auto identified = [&](const char* identifier) { return size >= 8 && std::memcmp(file + 4, identifier, 2) == 0; };
    return identified("FT") ? File::Role::data : identified("BP") ? File::Role::bundled : File::Role::program;
}

// Splits an input into files. torchproof_mutator.h describes the layout of a pair of a program and its data file.
std::vector<File> files_of(const std::uint8_t* bytes, std::size_t size) {
    const std::string path = "/proc/self/fd/" + std::to_string(input);
    constexpr std::size_t prefix = 16;
    if (size < prefix || std::memcmp(bytes, "TPPAIR01", 8) != 0) return {{role_of(bytes, size), path}};
    std::uint64_t program;
    std::memcpy(&program, bytes + 8, sizeof program);
    program = std::min<std::uint64_t>(program, size - prefix);
    return {{File::Role::program, path, std::nullopt, prefix, program},
            {File::Role::data, path, std::nullopt, prefix + program, size - prefix - program}};
}

// The runtime is compiled without AddressSanitizer, so a page detects reads past the end. A file can end at this page only if its
// size is a multiple of the alignment that the runtime requires.
torchproof::Delivery delivery_of(const std::vector<File>& files, std::size_t size) {
    const auto ends_at_page = [size](const File& file) { return file.size.value_or(size) % alignof(std::max_align_t) == 0; };
    return std::all_of(files.begin(), files.end(), ends_at_page) ? torchproof::Delivery::guard : torchproof::Delivery::buffer;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    reader::with_stub_backends = true;
    if (input < 0 || !reader::initialize()) std::abort();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    if (::ftruncate(input, 0) != 0 || ::pwrite(input, bytes, size, 0) != static_cast<ssize_t>(size)) std::abort();
    torchproof::Request request;
    request.files = files_of(bytes, size);
    request.until = torchproof::Stage::execute;
    request.delivery = delivery_of(request.files, size);
    reader::walk(request, reader::Program::Verification::InternalConsistency, reader::fill_invalid);
    return 0;
}

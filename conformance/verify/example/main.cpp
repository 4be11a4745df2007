// Verifies files and loads them with the released runtime: `load-verified FILE...`.
//
// An application would load only the valid files. To count the crashes that the verification prevents, this program also loads the
// other files. Each load is in a process of its own, which may crash or hang. The exit code is 1 if a valid file crashes the runtime,
// if no file is valid, or if no file crashes the runtime.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "stages.hpp"
#include "torchproof_verify.h"

namespace {

std::vector<std::uint8_t> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool is_data_file(const std::vector<std::uint8_t>& bytes) { return bytes.size() > 8 && bytes[4] == 'F' && bytes[5] == 'T'; }

bool is_valid(const std::vector<std::uint8_t>& bytes) {
    std::vector<std::uint64_t> scratch(bytes.size());
    const auto verify = is_data_file(bytes) ? torchproof_verify_data_file : torchproof_verify_program;
    return verify(bytes.data(), bytes.size(), scratch.data(), scratch.size(), nullptr) == TORCHPROOF_ANSWER_VALID;
}

// Loads a file as an application does: the program and its methods, or the keys and bytes of a data file. The layouts of a data file
// are not read, because only tensors have a layout, and the runtime must not be asked for the layouts of other entries.
void load(const std::string& path, bool data_file) {
    using File = torchproof::File;
    torchproof::Request request;
    request.files = {{data_file ? File::Role::data : File::Role::program, path, std::vector<std::uint64_t>{}}};
    request.until = data_file ? torchproof::Stage::data : torchproof::Stage::method;
    reader::walk(request, reader::Program::Verification::Minimal, reader::fill_invalid);
}

// Whether the runtime crashes when it loads the file, or needs more than ten seconds.
bool crashes(const std::string& path, bool data_file) {
    const pid_t child = ::fork();
    if (child == 0) {
        // Close these streams, because a crashing runtime prints to them.
        std::freopen("/dev/null", "w", stdout);
        std::freopen("/dev/null", "w", stderr);
        ::alarm(10);
        load(path, data_file);
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
}

}  // namespace

int main(int argc, char** argv) {
    reader::with_stub_backends = true;
    if (!reader::initialize()) return 2;
    int valid = 0, without = 0, with = 0;
    for (int index = 1; index < argc; ++index) {
        const std::string path = argv[index];
        const std::vector<std::uint8_t> bytes = read(path);
        const bool verified = is_valid(bytes);
        const bool crash = crashes(path, is_data_file(bytes));
        without += crash;
        valid += verified;
        with += verified && crash;
    }
    std::printf("%d files, %d of them valid; crashes without verification: %d, with verification: %d\n", argc - 1, valid, without, with);
    return with > 0 || valid == 0 || without == 0;
}

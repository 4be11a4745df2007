// Prints a line for each file: its name and whether the C++ verifier accepts it.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "shapes_generated.h"

int main(int count, char** paths) {
    for (int i = 1; i < count; ++i) {
        std::ifstream file(paths[i], std::ios::binary);
        const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
        // The verifier asserts alignment relative to the address, so the copy is aligned.
        std::vector<std::max_align_t> memory(bytes.size() / sizeof(std::max_align_t) + 1);
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(memory.data()));
        flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(memory.data()), bytes.size());
        std::printf("%s %s\n", paths[i], shapes::VerifyNodeBuffer(verifier) ? "accept" : "reject");
        std::fflush(stdout);
    }
}

// An adapter for torchproof: call your reader in `read_files`, and describe the reader in `main`.
//
// This file needs only worker.hpp and json.hpp.

#include <fstream>

#include "../common/worker.hpp"

using torchproof::Answer;
using torchproof::Stage;

// Reads the files of a case up to the requested stage. Each file has a role (program, data or bundled) and a path.
//
// A signal, or an exception that leaves this function, ends the worker and counts as a crash of your reader. Return
// Answer::reject() only for the exceptions that your reader throws to reject a file.
Answer read_files(const torchproof::Request& request) {
    torchproof::enter(Stage::header);  // reports state this stage if the reader crashes
    for (const torchproof::File& file : request.files) {
        std::ifstream stream(file.path, std::ios::binary);
        if (!stream) return Answer::error("cannot open the file");  // your reader is not at fault
        std::string head(8, '\0');
        stream.read(head.data(), static_cast<std::streamsize>(head.size()));
        const std::string identifier = head.substr(4);
        if (identifier != "ET12" && identifier != "FT01" && identifier != "BP08") {
            return Answer::reject(Stage::header, "the identifier is " + identifier);
        }
    }
    torchproof::enter(Stage::data);
    return Answer::accept(request.until);
}

int main() {
    // List the formats and the stages that your reader distinguishes. The last member lists the reader's capabilities; remove
    // "bundled" if your reader does not read bundled programs.
    const std::vector<Stage> stages = {Stage::header, Stage::structure, Stage::meta, Stage::method, Stage::data};
    const torchproof::Description reader = {"template", "0", {"pte", "ptd", "ptd-legacy"}, stages, {"bundled"}};
    return torchproof::serve(reader, read_files);
}

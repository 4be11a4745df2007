// An adapter for torchproof: put calls of your reader into `read_files`, and say what it is in `main`.
//
// The header and json.hpp beside it are all that it needs: copy the three files, and name the header where you put it.

#include <fstream>

#include "../common/worker.hpp"

using torchproof::Answer;
using torchproof::Stage;

// Reads files that are loaded together, each with its role (program or data) and its path, and no further than `until`.
//
// A signal, or an exception that leaves this function, ends the worker and counts as a crash of your reader: turn exceptions
// that are its way to refuse a file, and no others, into Answer::reject().
Answer read_files(const torchproof::Request& request) {
    torchproof::enter(Stage::header);  // a crash is told with the stage that was entered last
    for (const torchproof::File& file : request.files) {
        std::ifstream stream(file.path, std::ios::binary);
        if (!stream) return Answer::error("cannot open the file");  // which says nothing of your reader
        std::string head(8, '\0');
        stream.read(head.data(), static_cast<std::streamsize>(head.size()));
        const std::string identifier = head.substr(4);
        if (identifier != "ET12" && identifier != "FT01") {
            return Answer::reject(Stage::header, "the identifier is " + identifier);
        }
    }
    torchproof::enter(Stage::data);
    return Answer::accept(request.until);
}

int main() {
    // Of the stages, leave those that your reader can tell apart. Last come its capabilities.
    const std::vector<Stage> stages = {Stage::header, Stage::structure, Stage::meta, Stage::method, Stage::data};
    const torchproof::Description reader = {"template", "0", {"pte", "ptd", "ptd-legacy"}, stages, {}};
    return torchproof::serve(reader, read_files);
}

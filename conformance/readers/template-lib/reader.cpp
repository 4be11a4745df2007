// A library for torchproof: call your reader in torchproof_read(), and describe the reader in torchproof_hello().
//
// This file needs only torchproof.h, which is also valid C.

#include <string>

#include "../common/torchproof.h"

// List only the stages that your reader distinguishes. If the reader has other capabilities, list these capabilities too.
// Remove "bundled" if your reader does not read bundled programs.
const char *torchproof_hello() noexcept {
    return R"({"protocol": 1, "name": "template", "version": "0", "language": "c++",
               "formats": ["pte", "ptd", "ptd-legacy"],
               "stages": ["header", "structure", "meta", "method", "data"], "capabilities": ["bundled"]})";
}

// Fills in a rejection with a stage and a message. The message must stay valid until the process ends.
static int32_t reject(torchproof_answer *answer, int32_t stage, const std::string &why) {
    static std::string message;
    message = why;
    answer->stage = stage;
    answer->message = message.c_str();
    return TORCHPROOF_REJECT;
}

// Reads the files of a case up to the requested stage. Each file has a role (program, data or bundled) and bytes.
//
// A signal, or an exception that leaves this function, counts as a crash of your reader. Call reject() only for the
// exceptions that your reader throws to reject a file.
int32_t torchproof_read(const torchproof_request *request, torchproof_answer *answer) noexcept {
    torchproof_enter(TORCHPROOF_STAGE_HEADER);  // reports state this stage if the reader crashes
    for (uint64_t i = 0; i < request->file_count; ++i) {
        const torchproof_file &file = request->files[i];
        const std::string head(reinterpret_cast<const char *>(file.bytes), file.size < 8 ? file.size : 8);
        const std::string identifier = head.size() < 8 ? "" : head.substr(4);
        if (identifier != "ET12" && identifier != "FT01" && identifier != "BP08") {
            return reject(answer, TORCHPROOF_STAGE_HEADER, "the identifier is " + identifier);
        }
    }
    torchproof_enter(TORCHPROOF_STAGE_DATA);
    answer->stage = request->stage;
    return TORCHPROOF_ACCEPT;
}

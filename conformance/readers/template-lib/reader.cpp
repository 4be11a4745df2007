// A library for torchproof: put calls of your reader into torchproof_read(), and say what it is in torchproof_hello().
//
// The header is all that it needs, and is C as well: copy both files, and name the header where you put it.

#include <string>

#include "../common/torchproof.h"

// Of the stages, leave those that your reader can tell apart; name its capabilities, if it has any.
const char *torchproof_hello() noexcept {
    return R"({"protocol": 1, "name": "template", "version": "0", "language": "c++",
               "formats": ["pte", "ptd", "ptd-legacy"],
               "stages": ["header", "structure", "meta", "method", "data"], "capabilities": []})";
}

// The answer "no", at this stage for this reason; the words stay as long as the process.
static int32_t reject(torchproof_answer *answer, int32_t stage, const std::string &why) {
    static std::string message;
    message = why;
    answer->stage = stage;
    answer->message = message.c_str();
    return TORCHPROOF_REJECT;
}

// Reads files that are loaded together, each with its role (program or data) and its bytes, and no further than the stage asked.
//
// A signal, or an exception that leaves this function, counts as a crash of your reader: turn exceptions that are its way to
// refuse a file, and no others, into reject().
int32_t torchproof_read(const torchproof_request *request, torchproof_answer *answer) noexcept {
    torchproof_enter(TORCHPROOF_STAGE_HEADER);  // a crash is told with the stage that was entered last
    for (uint64_t i = 0; i < request->file_count; ++i) {
        const torchproof_file &file = request->files[i];
        const std::string head(reinterpret_cast<const char *>(file.bytes), file.size < 8 ? file.size : 8);
        const std::string identifier = head.size() < 8 ? "" : head.substr(4);
        if (identifier != "ET12" && identifier != "FT01") {
            return reject(answer, TORCHPROOF_STAGE_HEADER, "the identifier is " + identifier);
        }
    }
    torchproof_enter(TORCHPROOF_STAGE_DATA);
    answer->stage = request->stage;
    return TORCHPROOF_ACCEPT;
}

// A library for torchproof: call your reader in torchproof_read(), and describe it in torchproof_hello().
//
// It needs only torchproof.h, which is also valid C: copy both files, and adapt the path of the include.

#include <string>

#include "../common/torchproof.h"

// Keep the stages that your reader distinguishes; list its capabilities, if any.
const char *torchproof_hello() noexcept {
    return R"({"protocol": 1, "name": "template", "version": "0", "language": "c++",
               "formats": ["pte", "ptd", "ptd-legacy"],
               "stages": ["header", "structure", "meta", "method", "data"], "capabilities": []})";
}

// Rejects at this stage for this reason; the message stays valid until the process ends.
static int32_t reject(torchproof_answer *answer, int32_t stage, const std::string &why) {
    static std::string message;
    message = why;
    answer->stage = stage;
    answer->message = message.c_str();
    return TORCHPROOF_REJECT;
}

// Reads files that are loaded together, each with its role (program or data) and bytes, up to the requested stage.
//
// A signal, or an exception that leaves this function, counts as a crash of your reader. Convert only the exceptions by which
// your reader rejects a file into reject().
int32_t torchproof_read(const torchproof_request *request, torchproof_answer *answer) noexcept {
    torchproof_enter(TORCHPROOF_STAGE_HEADER);  // reports give this stage for a crash
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

/* A library for torchproof: call your reader in torchproof_read(), and describe the reader in torchproof_hello().

   This file needs only torchproof.h. */

#include "../common/torchproof.h"

/* List only the stages that your reader distinguishes. If the reader has other capabilities, list these capabilities too.
   Remove "bundled" if your reader does not read bundled programs. */
const char *torchproof_hello(void) {
    return "{\"protocol\": 1, \"name\": \"template\", \"version\": \"0\", \"language\": \"c\","
           " \"formats\": [\"pte\", \"ptd\", \"ptd-legacy\"],"
           " \"stages\": [\"header\", \"structure\", \"meta\", \"method\", \"data\"], \"capabilities\": [\"bundled\"]}";
}

/* Fills in a rejection with a stage and a message. The message must stay valid until the process ends. */
static int32_t reject(struct torchproof_answer *answer, int32_t stage, const char *message) {
    answer->stage = stage;
    answer->message = message;
    return TORCHPROOF_REJECT;
}

static int is_identifier(const char *text) {
    return strncmp(text, "ET12", 4) == 0 || strncmp(text, "FT01", 4) == 0 || strncmp(text, "BP08", 4) == 0;
}

/* Reads the files of a case up to the requested stage. Each file has a role (program, data or bundled) and bytes.

   A signal or an exit counts as a crash of your reader. Call reject() only for the errors that your reader returns to reject
   a file. */
int32_t torchproof_read(const struct torchproof_request *request, struct torchproof_answer *answer) {
    torchproof_enter(TORCHPROOF_STAGE_HEADER); /* reports state this stage if the reader crashes */
    for (uint64_t i = 0; i < request->file_count; ++i) {
        const struct torchproof_file *file = &request->files[i];
        const char *identifier = file->size < 8 ? "" : (const char *)file->bytes + 4;
        if (!is_identifier(identifier)) {
            return reject(answer, TORCHPROOF_STAGE_HEADER, "the file has no known identifier");
        }
    }
    torchproof_enter(TORCHPROOF_STAGE_DATA);
    answer->stage = request->stage;
    return TORCHPROOF_ACCEPT;
}

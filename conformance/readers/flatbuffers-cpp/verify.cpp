// The calls of the verifier, separate from the worker, so that a benchmark can make them without a process.

#include "verify.h"

#include "bundled_program_generated.h"
#include "flat_tensor_generated.h"
#include "flat_tensor_legacy_generated.h"
#include "program_generated.h"

extern "C" __attribute__((visibility("default"))) int torchproof_verify(const unsigned char* data, std::size_t len,
                                                                         int schema) {
    // The verifier would abort for a FlatBuffer above the limit, but a reader must reject the file.
    if (data == nullptr || len >= static_cast<std::size_t>(FLATBUFFERS_MAX_BUFFER_SIZE)) return 0;
    flatbuffers::Verifier verifier(data, len, flatbuffers::Verifier::Options());
    switch (schema) {
        case TORCHPROOF_PROGRAM: return torchproof::pte::VerifyProgramBuffer(verifier);
        case TORCHPROOF_FLAT_TENSOR: return torchproof::ptd::VerifyFlatTensorBuffer(verifier);
        case TORCHPROOF_FLAT_TENSOR_LEGACY: return torchproof::ptd_legacy::VerifyFlatTensorBuffer(verifier);
        case TORCHPROOF_BUNDLED_PROGRAM: return torchproof::bpte::VerifyBundledProgramBuffer(verifier);
        default: return 0;
    }
}

//! The C++ FlatBuffers verifier, loaded from the library that its set-up script builds.
#![allow(unsafe_code, reason = "a C function of a library is called")]

use libloading::{Library, Symbol};
use torchproof_oracle::Schema;

use crate::shim;

type Verify = unsafe extern "C" fn(*const u8, usize, i32) -> i32;

/// The loaded library.
pub(crate) struct CppVerifier {
    library: Library,
}

impl CppVerifier {
    /// Loads the library, or says on stderr why it is not measured.
    pub(crate) fn load() -> Option<Self> {
        shim::load("flatbuffers-cpp/libtorchproof_flatbuffers_cpp.so", "the C++ verifier")
            .map(|library| Self { library })
    }

    /// Whether the verifier accepts the FlatBuffer.
    pub(crate) fn verify(&self, region: &[u8], schema: Schema) -> bool {
        let number = match schema {
            Schema::Program => 0,
            Schema::FlatTensor => 1,
            Schema::LegacyFlatTensor => 2,
        };
        // SAFETY: the symbol has this type in verify.h, and reads only the bytes of the slice.
        unsafe {
            let verify: Symbol<'_, Verify> = self.library.get(b"torchproof_verify").expect("the shim has this symbol");
            verify(region.as_ptr(), region.len(), number) == 1
        }
    }
}

//! The C++ FlatBuffers verifier, loaded from the library that its setup script builds.
#![allow(unsafe_code, reason = "a C function of a library is called")]

use std::env;
use std::path::{Path, PathBuf};

use libloading::{Library, Symbol};
use torchproof_oracle::Schema;

type Verify = unsafe extern "C" fn(*const u8, usize, i32) -> i32;

/// The loaded library of the C++ verifier.
#[derive(Debug)]
pub struct CppVerifier {
    library: Library,
}

impl CppVerifier {
    /// Loads the library, or prints on stderr how to build the library.
    pub fn load() -> Option<Self> {
        let target = env::var_os("CARGO_TARGET_DIR")
            .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
        let path = target.join("readers/flatbuffers-cpp/libtorchproof_flatbuffers_cpp.so");
        // SAFETY: the library is part of this project, and loading the library runs only the initialisation of the C++
        // runtime.
        match unsafe { Library::new(path) } {
            Ok(library) => Some(Self { library }),
            Err(error) => {
                eprintln!(
                    "not measured: the C++ verifier ({error}); run conformance/readers/flatbuffers-cpp/setup.sh first"
                );
                None
            }
        }
    }

    /// Returns whether the verifier accepts the FlatBuffer in `region`.
    ///
    /// # Panics
    ///
    /// Panics if the library does not contain the function for `schema`.
    pub fn verify(&self, region: &[u8], schema: Schema) -> bool {
        let number = match schema {
            Schema::Program => 0,
            Schema::FlatTensor => 1,
            Schema::LegacyFlatTensor => 2,
        };
        // SAFETY: the header verify.h declares the function with this type. The function reads only the bytes of the
        // slice.
        unsafe {
            let verify: Symbol<'_, Verify> =
                self.library.get(b"torchproof_verify").expect("the library has this function");
            verify(region.as_ptr(), region.len(), number) == 1
        }
    }
}

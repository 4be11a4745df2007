//! The C++ FlatBuffers verifier and the ExecuTorch runtime, loaded from the libraries that their setup scripts build.
#![allow(unsafe_code, reason = "C functions of libraries are called")]

use std::env;
use std::path::{Path, PathBuf};

use libloading::{Library, Symbol};
use torchproof_oracle::Schema;

/// Loads a library. If it is missing, prints on stderr how to build it.
fn library(reader: &str) -> Option<Library> {
    let target = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    let name = format!("libtorchproof_{}.so", reader.replace('-', "_"));
    // SAFETY: the library is part of this project, and loading it runs only the initialization of the C++ runtime.
    match unsafe { Library::new(target.join("readers").join(reader).join(name)) } {
        Ok(library) => Some(library),
        Err(error) => {
            eprintln!("not measured: {reader} ({error}); run conformance/readers/{reader}/setup.sh first");
            None
        }
    }
}

#[derive(Debug)]
pub struct CppVerifier {
    library: Library,
}

impl CppVerifier {
    pub fn load() -> Option<Self> {
        library("flatbuffers-cpp").map(|library| Self { library })
    }

    /// Returns whether the verifier accepts the FlatBuffer. Panics if the library lacks the function for `schema`.
    pub fn verify(&self, region: &[u8], schema: Schema) -> bool {
        type Verify = unsafe extern "C" fn(*const u8, usize, i32) -> i32;
        let number = match schema {
            Schema::Program => 0,
            Schema::FlatTensor => 1,
            Schema::LegacyFlatTensor => 2,
        };
        // SAFETY: verify.h declares the function with this type, and it reads only the bytes of the slice.
        unsafe {
            let verify: Symbol<'_, Verify> =
                self.library.get(b"torchproof_verify").expect("the library has this function");
            verify(region.as_ptr(), region.len(), number) == 1
        }
    }
}

#[derive(Debug)]
pub struct Runtime {
    library: Library,
}

impl Runtime {
    pub fn load() -> Option<Self> {
        library("executorch").map(|library| Self { library })
    }

    /// Returns whether the runtime loads the program with the verification `InternalConsistency`. Panics if the file is
    /// not 16-byte aligned.
    ///
    /// # Safety
    ///
    /// The file must be valid, because the runtime can read out of bounds on an invalid file.
    pub unsafe fn load_program(&self, file: &[u8]) -> bool {
        type Load = unsafe extern "C" fn(*const u8, usize) -> i32;
        assert!(file.as_ptr().addr().is_multiple_of(16), "the file is not 16-byte aligned");
        // SAFETY: load.h declares the function with this type. The file is valid and aligned, so the runtime reads only
        // the bytes of the slice.
        unsafe {
            let load: Symbol<'_, Load> =
                self.library.get(b"torchproof_load_program").expect("the library has this function");
            load(file.as_ptr(), file.len()) == 1
        }
    }
}

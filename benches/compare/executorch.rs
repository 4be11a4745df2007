//! The ExecuTorch runtime, loaded from the library that its set-up script builds.
#![allow(unsafe_code, reason = "C functions of a library are called")]

use std::ffi::CStr;
use std::ptr;

use libloading::{Library, Symbol};

use crate::shim;

type LoadProgram = unsafe extern "C" fn(*const u8, usize, i32) -> i32;
type LoadData = unsafe extern "C" fn(*const u8, usize, *const i8) -> i32;

/// The loaded library.
pub(crate) struct ExecuTorch {
    library: Library,
}

/// How `Program::load` verifies.
#[derive(Clone, Copy)]
pub(crate) enum Verification {
    Minimal,
    InternalConsistency,
}

impl ExecuTorch {
    /// Loads the library, or says on stderr why it is not measured.
    pub(crate) fn load() -> Option<Self> {
        shim::load("executorch/libtorchproof_executorch.so", "the ExecuTorch runtime").map(|library| Self { library })
    }

    /// Whether `Program::load` takes the program, which is one that this project knows to be valid.
    pub(crate) fn load_program(&self, file: &Aligned, verification: Verification) -> bool {
        let file = file.bytes();
        // SAFETY: the symbol has this type in load.h; the bytes are aligned, outlive the call, and are a valid program's.
        unsafe {
            let load: Symbol<'_, LoadProgram> = self.library.get(b"torchproof_load_program").expect("the shim has it");
            load(file.as_ptr(), file.len(), verification as i32) == 1
        }
    }

    /// Whether `FlatTensorDataMap::load` takes the data file, and has data under `key`.
    pub(crate) fn load_data(&self, file: &Aligned, key: Option<&CStr>) -> bool {
        let file = file.bytes();
        // SAFETY: as above; the key is null or ends with a zero byte.
        unsafe {
            let load: Symbol<'_, LoadData> = self.library.get(b"torchproof_load_data").expect("the shim has it");
            load(file.as_ptr(), file.len(), key.map_or(ptr::null(), |key| key.as_ptr().cast())) == 1
        }
    }
}

/// A file that begins at a multiple of 16, as the runtime asks.
pub(crate) struct Aligned {
    held: Vec<u8>,
    start: usize,
    len: usize,
}

impl Aligned {
    pub(crate) fn new(file: &[u8]) -> Self {
        let mut held = vec![0; file.len() + 16];
        let start = held.as_ptr().align_offset(16);
        held[start..start + file.len()].copy_from_slice(file);
        Self { held, start, len: file.len() }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.held[self.start..self.start + self.len]
    }
}

//! Libraries that the set-up scripts of the readers build for the benches.
#![allow(unsafe_code, reason = "a library is loaded")]

use std::env;
use std::path::{Path, PathBuf};

use libloading::Library;

/// Loads the library at this path below `target/readers`, or says on stderr what is not measured for want of it.
pub(crate) fn load(path: &str, what: &str) -> Option<Library> {
    let target = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    // SAFETY: the library is this project's own shim; loading it runs no code but the initialisation of the C++ runtime and of
    // the library that it stands for.
    match unsafe { Library::new(target.join("readers").join(path)) } {
        Ok(library) => Some(library),
        Err(error) => {
            let reader = path.split('/').next().unwrap_or_default();
            eprintln!("not measured: {what} ({error}); conformance/readers/{reader}/setup.sh builds it");
            None
        }
    }
}

//! **Sanitized programs**: programs that are built with AddressSanitizer.
//!
//! Such a program reserves terabytes of address space and uses several times the usual memory, so it runs without a
//! memory limit.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use object::read::{Object as _, ObjectSection as _, ReadCache};

/// Returns whether the program or library at `path` uses AddressSanitizer.
///
/// The function searches the names of symbols and needed libraries. A sanitized library that another library needs does
/// not count, because the sanitizer works only if the program itself loads it first.
pub(super) fn is_sanitized(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    let cache = ReadCache::new(BufReader::new(file));
    let Ok(object) = object::File::parse(&cache) else { return false };
    let tables = [".dynstr", ".strtab"].into_iter().filter_map(|name| object.section_by_name(name)?.data().ok());
    let is_name = |name: &[u8]| {
        // A linker stores a name that ends another name only once.
        name.ends_with(b"__asan_init") || name.starts_with(b"libasan.so") || name.starts_with(b"libclang_rt.asan")
    };
    tables.flat_map(|table| table.split(|byte| *byte == 0)).any(is_name)
}

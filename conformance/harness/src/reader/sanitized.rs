//! **Programs with AddressSanitizer**, which reserve terabytes of address space and use several times the usual memory,
//! so they run without a memory limit.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};

use object::read::{Object as _, ObjectSymbol as _, ReadCache};

/// Every program with AddressSanitizer calls this function when it starts.
const SYMBOL: &[u8] = b"__asan_init";
const MAX_LIBRARIES: usize = 64;

/// Returns whether the program or library at `path` uses AddressSanitizer, directly or through a library that it needs.
///
/// The libraries in `DT_NEEDED` are searched for in `DT_RUNPATH` and `DT_RPATH`. The sanitizer's own library, which is
/// in a system folder, is recognized by its name, such as `libasan.so`.
pub(super) fn is_sanitized(path: &Path) -> bool {
    let mut pending = vec![path.to_owned()];
    let mut seen: Vec<PathBuf> = Vec::new();
    while let Some(path) = pending.pop() {
        if seen.contains(&path) || seen.len() >= MAX_LIBRARIES {
            continue;
        }
        if let Some(found) = Binary::read(&path) {
            if found.has_symbol {
                return true;
            }
            pending.extend(found.libraries);
        }
        seen.push(path);
    }
    false
}

struct Binary {
    has_symbol: bool,
    /// The existing paths of the libraries that the file needs.
    libraries: Vec<PathBuf>,
}

impl Binary {
    fn read(path: &Path) -> Option<Self> {
        let mut file = File::open(path).ok()?;
        let mut magic = [0; 4];
        file.read_exact(&mut magic).ok()?;
        if magic != *b"\x7fELF" {
            return None;
        }
        let cache = ReadCache::new(BufReader::new(file));
        let object = object::File::parse(&cache).ok()?;
        let mut symbols = object.dynamic_symbols().chain(object.symbols());
        let has_symbol = symbols.any(|symbol| symbol.name_bytes() == Ok(SYMBOL));
        let (needed, folders) = match &object {
            object::File::Elf64(elf) => dynamic(elf),
            object::File::Elf32(elf) => dynamic(elf),
            _ => return None,
        };
        let origin = path.canonicalize().ok()?;
        let origin = origin.parent()?.to_str()?;
        let folders = folders.iter().flat_map(|list| list.split(':')).filter(|folder| !folder.is_empty());
        let folders: Vec<String> =
            folders.map(|folder| folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin)).collect();
        let is_asan = needed.iter().any(|name| name.starts_with("libasan.so") || name.contains("clang_rt.asan"));
        let found = |name: &String| {
            let paths = folders.iter().map(|folder| Path::new(folder).join(name));
            paths.chain(name.contains('/').then(|| PathBuf::from(name))).find(|path| path.is_file())
        };
        Some(Self { has_symbol: has_symbol || is_asan, libraries: needed.iter().filter_map(found).collect() })
    }
}

/// Returns the names of the libraries that the file needs, and where to search for them.
fn dynamic<'d, E, R>(elf: &object::read::elf::ElfFile<'d, E, R>) -> (Vec<String>, Vec<String>)
where
    E: object::read::elf::FileHeader,
    R: object::read::ReadRef<'d>,
{
    use object::elf::{DT_NEEDED, DT_RPATH, DT_RUNPATH};
    let (endian, data) = (elf.endian(), elf.data());
    let mut found = (Vec::new(), Vec::new());
    let sections = elf.elf_section_table();
    let Ok(Some((entries, link))) = sections.dynamic(endian, data) else { return found };
    let Ok(strings) = sections.strings(endian, data, link) else { return found };
    for entry in entries {
        use object::read::elf::Dyn as _;
        let list = match entry.tag(endian) {
            DT_NEEDED => &mut found.0,
            DT_RPATH | DT_RUNPATH => &mut found.1,
            _ => continue,
        };
        if let Ok(text) = entry.string(endian, strings) {
            list.push(String::from_utf8_lossy(text).into_owned());
        }
    }
    found
}

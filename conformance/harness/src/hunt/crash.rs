//! Crash files of fuzzers, each with one file, or a program and its data file.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::FileKind;
use torchproof::Role;
use torchproof::mutate::Pair;
use walkdir::DirEntry;

use crate::disk::open::open_regular;
use crate::reader::session::role_of_file;

/// The maximum size of a crash file in bytes. By default, fuzzers create smaller files.
const MAX_FILE: u64 = 1 << 20;

/// The extensions of crash files; files from libFuzzer and AFL++ have none.
const EXTENSIONS: [&str; 4] = ["pte", "ptd", "bpte", "bin"];

/// The extensions that tell the kind of a file without an identifier.
const KINDS: [&str; 3] = ["pte", "ptd", "bpte"];

#[derive(Debug)]
pub(super) struct Crash {
    pub(super) roles: Vec<Role>,
    pub(super) files: Vec<Vec<u8>>,
    /// `true` if the content or the extension tells the file's kind.
    pub(super) is_known: bool,
}

impl Crash {
    pub(super) fn of(bytes: Vec<u8>, path: &Path) -> Self {
        if let Some(Pair { program, data }) = Pair::split(&bytes) {
            let files = vec![program.to_vec(), data.to_vec()];
            return Self { roles: vec![Role::Program, Role::Data], files, is_known: true };
        }
        let is_stated = path.extension().is_some_and(|extension| KINDS.iter().any(|own| extension == *own));
        let is_detected = !matches!(FileKind::of_head(&bytes), FileKind::Unknown | FileKind::Ptn);
        Self { roles: vec![role_of_file(&bytes, path)], files: vec![bytes], is_known: is_stated || is_detected }
    }

    /// Returns each file with its role, the program first.
    pub(super) fn roles_and_files(&self) -> Vec<(Role, &[u8])> {
        self.roles.iter().copied().zip(self.files.iter().map(Vec::as_slice)).collect()
    }

    pub(super) fn extensions(&self) -> Vec<&'static str> {
        self.roles.iter().map(|role| role.extension()).collect()
    }

    pub(super) fn size(&self) -> usize {
        self.files.iter().map(Vec::len).sum()
    }

    /// Returns a name that depends on the content.
    pub(super) fn name(&self) -> String {
        let digests: Vec<_> = self.files.iter().map(Sha256::digest).collect();
        match &digests[..] {
            [digest] => format!("file-{}", HEXLOWER.encode(&digest[..4])),
            _ => format!("pair-{}", HEXLOWER.encode(&Sha256::digest(digests.concat())[..4])),
        }
    }
}

/// Returns whether an entry of the folder can be a crash file. Fuzzers also write reports, with other extensions, and
/// `hunt` also stores each file as it was before the attack.
pub(super) fn is_crash(entry: &DirEntry) -> bool {
    let path = Path::new(entry.file_name());
    let named = match path.extension() {
        // AFL++ names files `id:000000,sig:11,…`, and hidden files belong to the fuzzer.
        None => !entry.file_name().as_encoded_bytes().starts_with(b"."),
        Some(extension) => EXTENSIONS.iter().any(|own| extension == *own),
    };
    !entry.file_type().is_dir() && named && path.file_stem() != Some(OsStr::new("base"))
}

/// Reads a regular file of acceptable size, but not through a link.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.is_symlink() {
        return Err(io::Error::other("is a symbolic link; expected a regular file"));
    }
    let mut bytes = Vec::new();
    open_regular(path)?.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(io::Error::other(format!("has more than {} MiB; shrink the file", MAX_FILE >> 20)));
    }
    Ok(bytes)
}

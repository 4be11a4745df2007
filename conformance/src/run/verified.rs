//! **Proof that files are those of the manifest**, and their bytes, so that readers are given what was proved.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::corpus::{Case, CaseFile};

use super::{Corpus, Error};

/// The bytes of files that are held at once; what is larger or comes later is read again.
const MOST_HELD: u64 = 64 << 20;

/// Files that are those of the manifest.
#[derive(Debug)]
pub(super) struct Verified<'c> {
    dir: &'c Path,
    /// Bytes by path.
    held: HashMap<&'c str, Vec<u8>>,
}

/// Where a file's bytes are.
#[derive(Debug)]
pub(super) enum Source<'a> {
    /// In memory.
    Held(&'a [u8]),
    /// In this file.
    At(PathBuf),
}

impl<'c> Verified<'c> {
    /// Proves that the files of these cases are those of the manifest.
    ///
    /// # Errors
    /// One of them is missing or holds something else, so that whatever a reader did with it would prove nothing.
    pub(super) fn of(corpus: &'c Corpus, cases: impl Iterator<Item = &'c Case>) -> Result<Self, Error> {
        let mut verified = Self { dir: corpus.dir(), held: HashMap::new() };
        let mut room = MOST_HELD;
        for case in cases {
            for file in &case.files {
                let path = corpus.dir().join(&file.path);
                let held = file.size <= room;
                let read = if held { whole(&path, file.size) } else { digest(&path).map(|told| (told, Vec::new())) };
                let ((size, digest), bytes) = read.map_err(|error| Error::Io { path: path.clone(), error })?;
                if size != file.size || digest != file.sha256 {
                    return Err(Error::Changed { path, id: case.id.clone() });
                }
                if held && verified.held.insert(&file.path, bytes).is_none() {
                    room -= size;
                }
            }
        }
        Ok(verified)
    }

    /// Where the bytes of one of them are.
    pub(super) fn source(&self, file: &CaseFile) -> Source<'_> {
        let held = self.held.get(file.path.as_str());
        held.map_or_else(|| Source::At(self.dir.join(&file.path)), |bytes| Source::Held(bytes))
    }
}

impl Source<'_> {
    /// Puts all of the bytes behind those of `to`.
    pub(super) fn copy(&self, to: &mut File) -> io::Result<()> {
        match self {
            Source::Held(bytes) => io::Write::write_all(to, bytes),
            // Shares the blocks where the file system can.
            Source::At(path) => io::copy(&mut File::open(path)?, to).map(|_| ()),
        }
    }
}

/// Size and digest of a file that should have so many bytes, and those.
fn whole(path: &Path, size: u64) -> io::Result<((u64, String), Vec<u8>)> {
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    // One more byte than there should be tells a file that has grown.
    File::open(path)?.take(size + 1).read_to_end(&mut bytes)?;
    Ok(((bytes.len() as u64, HEXLOWER.encode(&Sha256::digest(&bytes))), bytes))
}

/// The size and the SHA-256 of a file, in lower-case hex.
pub(super) fn digest(path: &Path) -> io::Result<(u64, String)> {
    hash(File::open(path)?)
}

/// The SHA-256 of a part of a file.
pub(super) fn digest_of(path: &Path, offset: u64, size: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    hash(file.take(size)).map(|(_, digest)| digest)
}

fn hash(mut bytes: impl Read) -> io::Result<(u64, String)> {
    struct Hasher(Sha256);
    impl io::Write for Hasher {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.update(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut hasher = Hasher(Sha256::new());
    let size = io::copy(&mut bytes, &mut hasher)?;
    Ok((size, HEXLOWER.encode(&hasher.0.finalize())))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use super::*;

    #[test]
    fn a_file_that_has_grown_is_another_whether_it_is_held_or_not() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        std::fs::write(&path, "four").unwrap();
        let told = digest(&path).unwrap();
        assert_eq!(told.0, 4);
        assert_eq!(whole(&path, 4).unwrap(), (told.clone(), b"four".to_vec()));
        for size in [3, 0] {
            let ((len, digest), _) = whole(&path, size).unwrap();
            assert!(len == size + 1 && (size == 3 || digest != told.1));
        }
        assert_eq!(whole(&path, 5).unwrap().0, told);
        assert_eq!(digest_of(&path, 0, 4).unwrap(), told.1);
    }

    #[test]
    fn what_is_held_and_what_is_not_is_copied_alike() {
        let dir = tempfile::tempdir().unwrap();
        let from = dir.path().join("from");
        std::fs::write(&from, "bytes").unwrap();
        for source in [Source::Held(b"bytes"), Source::At(from)] {
            let to = dir.path().join("to");
            source.copy(&mut File::create(&to).unwrap()).unwrap();
            assert_eq!(std::fs::read(&to).unwrap(), b"bytes", "{source:?}");
        }
    }
}

//! **A corpus whose files are those of its manifest**: all of them when the run begins, each again when it is copied.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::corpus::{Case, CaseFile, Corpus, CorpusError};
use crate::disk::io_error::in_words;

/// A corpus folder in which every file of a run has been compared with the manifest.
#[derive(Clone, Copy, Debug)]
pub(super) struct VerifiedCorpus<'c> {
    dir: &'c Path,
}

impl<'c> VerifiedCorpus<'c> {
    /// Compares the files of these cases with the manifest.
    ///
    /// # Errors
    /// A file is missing or differs, so that whatever a reader did with it would prove nothing.
    pub(super) fn verify(corpus: &'c Corpus, cases: impl Iterator<Item = &'c Case>) -> Result<Self, CorpusError> {
        for case in cases {
            for file in &case.files {
                let path = corpus.dir().join(&file.path);
                match copy_and_compare(&path, file, io::sink()) {
                    Ok(true) => {}
                    Ok(false) => return Err(CorpusError::Changed { path, id: case.id.clone() }),
                    Err(error) => return Err(CorpusError::Io { path, error }),
                }
            }
        }
        Ok(Self { dir: corpus.dir() })
    }

    /// Appends the bytes of a file to `to`.
    ///
    /// # Errors
    /// It cannot be read or written, or has changed since the run began.
    pub(super) fn copy(&self, file: &CaseFile, to: &mut File) -> io::Result<()> {
        let path = self.dir.join(&file.path);
        let failed = |reason: &str| io::Error::other(format!("copying {}: {reason}", path.display()));
        match copy_and_compare(&path, file, to) {
            Ok(true) => Ok(()),
            Ok(false) => Err(failed("not the file that the manifest describes any more")),
            Err(error) => Err(failed(&in_words(&error))),
        }
    }
}

/// Writes the file at `path` to `to`, at most one byte more than the manifest gives it; whether it is the manifest's.
fn copy_and_compare(path: &Path, file: &CaseFile, to: impl Write) -> io::Result<bool> {
    let mut hashed = Hashed { digest: Sha256::new(), to };
    let size = io::copy(&mut File::open(path)?.take(file.size.saturating_add(1)), &mut hashed)?;
    Ok(size == file.size && HEXLOWER.encode(&hashed.digest.finalize()) == file.sha256)
}

/// The SHA-256 of a part of a file, in lower-case hex.
pub(super) fn digest_of(path: &Path, offset: u64, size: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut hashed = Hashed { digest: Sha256::new(), to: io::sink() };
    io::copy(&mut file.take(size), &mut hashed)?;
    Ok(HEXLOWER.encode(&hashed.digest.finalize()))
}

/// Hashes what is written through it.
struct Hashed<W> {
    digest: Sha256,
    to: W,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.to.write(bytes)?;
        self.digest.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

    use std::fs;

    use super::*;

    #[test]
    fn only_the_manifest_s_file_is_copied() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "first").unwrap();
        let sha256 = digest_of(&path, 0, 5).unwrap();
        let file = CaseFile { role: torchproof::corpus::Role::Program, path: "a".to_owned(), sha256, size: 5 };
        let corpus = VerifiedCorpus { dir: dir.path() };
        let copy = || corpus.copy(&file, &mut tempfile::tempfile().unwrap()).map_err(|error| error.to_string());
        assert_eq!(copy(), Ok(()));
        for other in ["other", "first and more", "firs", ""] {
            fs::write(&path, other).unwrap();
            assert!(copy().unwrap_err().contains("/a: not the file"), "{other}");
        }
        fs::remove_file(&path).unwrap();
        assert!(copy().unwrap_err().ends_with("/a: no such file or folder"));
        // A file without end is read to its promised size.
        #[cfg(target_os = "linux")]
        {
            std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
            assert!(copy().is_err());
        }
    }
}

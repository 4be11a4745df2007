//! **Proof that files are those of the manifest**, and their bytes, so that readers are given what was proved.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::Path;
use std::thread::{self, ScopedJoinHandle};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use torchproof::corpus::{Case, CaseFile};

use super::{Corpus, Error};
use crate::io_error::in_words;

/// The bytes of files that are held at once; what finds no room is read, and proved, again each time.
const MOST_HELD: u64 = 64 << 20;
/// How many files are worth a thread of their own.
const SHARE: usize = 64;

/// Files that are those of the manifest.
#[derive(Debug)]
pub(super) struct Verified<'c> {
    /// The folder that their paths are relative to.
    dir: &'c Path,
    /// Bytes by path.
    held: HashMap<&'c str, Vec<u8>>,
}

impl<'c> Verified<'c> {
    /// Proves that the files of these cases are those of the manifest.
    ///
    /// # Errors
    /// One of them is missing or holds something else, so that whatever a reader did with it would prove nothing.
    pub(super) fn of(corpus: &'c Corpus, cases: impl Iterator<Item = &'c Case>) -> Result<Self, Error> {
        let files = cases.flat_map(|case| case.files.iter().map(|file| (case.id.as_str(), file)));
        Self::holding(corpus.dir(), files, MOST_HELD)
    }

    /// The same of files beside the id of their case, with room for so many bytes.
    pub(super) fn holding(
        dir: &'c Path,
        files: impl IntoIterator<Item = (&'c str, &'c CaseFile)>,
        room: u64,
    ) -> Result<Self, Error> {
        let files = with_room(files, room);
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(files.len().div_ceil(SHARE));
        // Neighbours are as large as each other, so that a thread gets some of all.
        let part = |first| {
            let mine = files.iter().enumerate().skip(first).step_by(threads);
            let proved = mine.map(|(at, (id, file, hold))| {
                let bytes = proved(dir, id, file, *hold).map_err(|error| (at, error))?;
                Ok((file.path.as_str(), bytes))
            });
            proved.collect::<Result<Vec<_>, (usize, Error)>>()
        };
        let parts: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..threads).map(|first| scope.spawn(move || part(first))).collect();
            let joined = threads.into_iter().map(ScopedJoinHandle::join);
            joined.map(|part| part.unwrap_or_else(|panic| resume_unwind(panic))).collect()
        });
        let mut held = HashMap::new();
        let mut failed: Option<(usize, Error)> = None;
        for part in parts {
            match part {
                Ok(files) => held.extend(files.into_iter().filter_map(|(path, bytes)| Some((path, bytes?)))),
                // Of several, the first in the order of the manifest is told.
                Err(error) if failed.as_ref().is_none_or(|other| error.0 < other.0) => failed = Some(error),
                Err(_) => {}
            }
        }
        failed.map_or(Ok(Self { dir, held }), |(_, error)| Err(error))
    }

    /// Whether all files of the case are in memory.
    pub(super) fn holds(&self, case: &Case) -> bool {
        case.files.iter().all(|file| self.held.contains_key(file.path.as_str()))
    }

    /// Puts the bytes of one of them behind those of `to`.
    ///
    /// # Errors
    /// It cannot be read or written, or it is no longer the one that was proved.
    pub(super) fn copy(&self, file: &CaseFile, to: &mut File) -> io::Result<()> {
        match self.held.get(file.path.as_str()) {
            Some(bytes) => to.write_all(bytes),
            None => {
                let path = self.dir.join(&file.path);
                let of = |reason: &str| io::Error::other(format!("copying {}: {reason}", path.display()));
                match prove(&path, file, to) {
                    Ok(true) => Ok(()),
                    Ok(false) => Err(of("not the file that the manifest describes any more")),
                    Err(error) => Err(of(&in_words(&error))),
                }
            }
        }
    }
}

/// The files beside the id of their case, and whether each is to be held: decided before any is read, so that it does not depend on
/// which thread is faster.
fn with_room<'c>(
    files: impl IntoIterator<Item = (&'c str, &'c CaseFile)>,
    mut room: u64,
) -> Vec<(&'c str, &'c CaseFile, bool)> {
    let mut named = HashSet::new();
    let files = files.into_iter().map(|(id, file)| {
        // What many cases have is held once, and proved for each: they may say different things of it.
        let hold = file.size <= room && named.insert(file.path.as_str());
        if hold {
            room -= file.size;
        }
        (id, file, hold)
    });
    files.collect()
}

/// The bytes of a file that is proved to be the one that the manifest describes, if they are to be held.
fn proved(dir: &Path, id: &str, file: &CaseFile, hold: bool) -> Result<Option<Vec<u8>>, Error> {
    let path = dir.join(&file.path);
    let mut bytes = hold.then(|| Vec::with_capacity(usize::try_from(file.size).unwrap_or(0)));
    let is_it = match &mut bytes {
        Some(bytes) => prove(&path, file, bytes),
        None => prove(&path, file, io::sink()),
    };
    match is_it {
        Ok(true) => Ok(bytes),
        Ok(false) => Err(Error::Changed { path, id: id.to_owned() }),
        Err(error) => Err(Error::Io { path, error }),
    }
}

/// Whether the file at `path` is the one that the manifest describes; its bytes go to `to`, and at most one too many.
fn prove(path: &Path, file: &CaseFile, to: impl Write) -> io::Result<bool> {
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

/// Hashes what goes through it.
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

    use torchproof::corpus::Role;

    use super::*;

    const BYTES: [&[u8]; 3] = [b"first", b"second", b"third one"];

    /// A file of each of [`BYTES`].
    fn files(dir: &Path) -> Vec<CaseFile> {
        let file = |(path, bytes): (&str, &[u8])| {
            fs::write(dir.join(path), bytes).unwrap();
            let sha256 = HEXLOWER.encode(&Sha256::digest(bytes));
            CaseFile { role: Role::Program, path: path.to_owned(), sha256, size: bytes.len() as u64 }
        };
        ["a", "b", "c"].into_iter().zip(BYTES).map(file).collect()
    }

    fn holding<'c>(dir: &'c Path, files: &'c [CaseFile], room: u64) -> Result<Verified<'c>, Error> {
        Verified::holding(dir, files.iter().chain(&files[..1]).map(|file| ("case", file)), room)
    }

    #[test]
    fn past_the_room_files_are_read_again_and_one_of_two_cases_counts_once() {
        let dir = tempfile::tempdir().unwrap();
        let (dir, files) = (dir.path(), files(dir.path()));
        for (room, wanted) in [(0, ""), (4, ""), (5, "a"), (10, "a"), (11, "ab"), (19, "ab"), (20, "abc")] {
            let verified = holding(dir, &files, room).unwrap();
            let mut held: Vec<_> = verified.held.keys().copied().collect();
            held.sort_unstable();
            assert_eq!(held.concat(), wanted, "{room}");
        }
    }

    #[test]
    fn what_was_proved_is_given_or_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let (dir, files) = (dir.path(), files(dir.path()));
        let [held, read] = [64, 0].map(|room| holding(dir, &files, room).unwrap());
        let copy = |verified: &Verified<'_>, at: usize| {
            let to = dir.join("copy");
            let copied = verified.copy(&files[at], &mut File::create(&to).unwrap());
            copied.map(|()| fs::read(to).unwrap())
        };
        for (at, bytes) in BYTES.into_iter().enumerate() {
            assert_eq!([copy(&held, at).unwrap(), copy(&read, at).unwrap()], [bytes, bytes]);
        }
        fs::write(dir.join("a"), "other").unwrap();
        fs::remove_file(dir.join("b")).unwrap();
        assert_eq!([copy(&held, 0).unwrap(), copy(&held, 1).unwrap()], [BYTES[0], BYTES[1]]);
        assert!(copy(&read, 0).unwrap_err().to_string().contains(": not the file that the manifest describes"));
        assert!(copy(&read, 1).unwrap_err().to_string().ends_with("/b: no such file or folder"));
    }

    #[test]
    fn another_file_is_told_whether_it_is_held_or_not() {
        let dir = tempfile::tempdir().unwrap();
        let (dir, files) = (dir.path(), files(dir.path()));
        for other in ["other", "first and more", "firs", ""] {
            fs::write(dir.join("a"), other).unwrap();
            for room in [0, 64] {
                assert!(matches!(holding(dir, &files, room), Err(Error::Changed { .. })), "{other}");
            }
        }
        fs::remove_file(dir.join("a")).unwrap();
        assert!(matches!(holding(dir, &files, 64), Err(Error::Io { .. })));
    }

    #[test]
    fn what_many_cases_have_is_held_once() {
        let dir = tempfile::tempdir().unwrap();
        let files = files(dir.path());
        let all = [0, 0, 1, 0, 2].map(|at| ("case", &files[at]));
        let held = |room| with_room(all, room).into_iter().map(|(_, _, hold)| hold).collect::<Vec<_>>();
        assert_eq!(held(64), [true, false, true, false, true]);
        assert_eq!(held(5), [true, false, false, false, false]);
        assert_eq!(held(0), [false; 5]);
    }

    #[test]
    fn of_many_files_all_are_held_and_the_first_that_is_another_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let names: Vec<String> = (0..5 * SHARE).map(|number| format!("{number}")).collect();
        let file = |name: &String| {
            fs::write(dir.join(name), name).unwrap();
            let sha256 = HEXLOWER.encode(&Sha256::digest(name));
            CaseFile { role: Role::Program, path: name.clone(), sha256, size: name.len() as u64 }
        };
        let files: Vec<_> = names.iter().map(file).collect();
        let all = || Verified::holding(dir, files.iter().map(|file| (file.path.as_str(), file)), MOST_HELD);
        let held = all().unwrap().held;
        assert!(held.len() == files.len() && held.iter().all(|(name, bytes)| name.as_bytes() == bytes));
        for (also, first) in [(301, 301), (300, 300), (7, 7), (200, 7)] {
            fs::write(dir.join(&names[also]), "another").unwrap();
            let error = all().unwrap_err();
            assert!(matches!(&error, Error::Changed { id, .. } if *id == names[first]), "{error:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_without_end_is_read_to_its_promised_size() {
        let dir = tempfile::tempdir().unwrap();
        let (dir, files) = (dir.path(), files(dir.path()));
        fs::remove_file(dir.join("a")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", dir.join("a")).unwrap();
        for room in [0, 64] {
            assert!(matches!(holding(dir, &files, room), Err(Error::Changed { .. })));
        }
    }
}

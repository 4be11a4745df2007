//! **A session with one reader**: one file after another, each judged once, for files that are not cases.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use torchproof::FileKind;
use torchproof::corpus::Role;

use crate::disk::scratch_dir::ScratchDir;
use crate::reader::outcome::Outcome;
use crate::reader::protocol::deepest;
use crate::reader::{Address, Reader, ReaderInput, Request, Settings};
use torchproof_protocol::{CAPABILITY_BUNDLED, CAPABILITY_PAIRS, FORMATS, Hello, Want};

/// A reader that runs, and a folder for the files that it is given.
#[derive(Debug)]
pub struct ReaderSession {
    reader: Box<dyn Reader>,
    hello: Hello,
    folder: ScratchDir,
    time: Duration,
    memory_mb: Option<u64>,
}

impl ReaderSession {
    /// Starts a reader, whose files are put into a folder of its own below `parent`, which is removed in the end.
    ///
    /// Of each file it has `time`.
    ///
    /// # Errors
    ///
    /// The reader cannot be started, or does not say who it is, or there can be no folder: the message says why.
    pub fn open(address: &Address, settings: &Settings, parent: &Path, time: Duration) -> Result<Self, String> {
        let mut reader = address.open(settings);
        let hello = reader.hello()?;
        let folder = ScratchDir::new(parent, OsStr::new("session"));
        let folder = folder.map_err(|error| format!("no folder below {}: {error}", parent.display()))?;
        Ok(Self { reader, hello, folder, time, memory_mb: settings.memory_mb })
    }

    /// What the reader says of itself.
    #[must_use]
    pub const fn hello(&self) -> &Hello {
        &self.hello
    }

    /// Whether the reader says that it reads files of this kind.
    #[must_use]
    pub fn reads(&self, kind: FileKind) -> bool {
        let [pte, ptd, legacy] = FORMATS;
        let format = match kind {
            FileKind::Pte => pte,
            FileKind::Ptd => ptd,
            FileKind::PtdLegacy => legacy,
            FileKind::Bpte => return self.hello.has(CAPABILITY_BUNDLED),
            // Who is to refuse what is no such file is to know what it was taken for.
            _ => return true,
        };
        self.hello.formats.iter().any(|have| have == format)
    }

    /// Whether the reader says that it reads files of these kinds, and, of several, together.
    #[must_use]
    pub fn reads_together(&self, kinds: &[FileKind]) -> bool {
        kinds.iter().all(|kind| self.reads(*kind)) && (kinds.len() < 2 || self.hello.has(CAPABILITY_PAIRS))
    }

    /// Runs the reader on a file, for its verdict.
    pub fn read(&mut self, bytes: &[u8], role: Role) -> Outcome {
        self.read_together([(role, bytes)])
    }

    /// Runs the reader on files that are loaded together, the program first, for its verdict.
    pub fn read_together<'f>(&mut self, files: impl IntoIterator<Item = (Role, &'f [u8])>) -> Outcome {
        let stage = |(index, (role, bytes))| self.stage(index, bytes, role);
        match files.into_iter().enumerate().map(stage).collect::<io::Result<Vec<_>>>() {
            Err(error) => Outcome::AdapterError { message: format!("cannot write the file for the reader: {error}") },
            Ok(files) => {
                let stage = deepest(&self.hello);
                let (time, memory_mb) = (self.time, self.memory_mb);
                self.reader.read(&Request {
                    files: &files,
                    stage,
                    want: Want::Verdict,
                    time,
                    memory_mb,
                    delivery: None,
                })
            }
        }
    }

    /// The file where the reader finds it: one of its own each time, since a reader may still have the one before mapped.
    fn stage(&self, index: usize, bytes: &[u8], role: Role) -> io::Result<ReaderInput> {
        // A reader may have taken it away.
        fs::create_dir_all(self.folder.path())?;
        let path = self.folder.path().join(format!("file-{index}.{}", role.extension()));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::write(&path, bytes)?,
        }
        Ok(ReaderInput { role, path, offset: 0, size: bytes.len() as u64 })
    }
}

impl Drop for ReaderSession {
    fn drop(&mut self) {
        let _ = self.reader.bye();
    }
}

/// What a file of this kind is to a reader.
#[must_use]
pub fn role_of(kind: FileKind) -> Role {
    match kind {
        FileKind::Ptd | FileKind::PtdLegacy => Role::Data,
        FileKind::Bpte => Role::Bundled,
        _ => Role::Program,
    }
}

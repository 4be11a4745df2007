//! **A session with one reader**, which reads files other than cases, one after another.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use torchproof::FileKind;
use torchproof::Role;

use crate::disk::scratch_dir::scratch_dir;
use crate::reader::outcome::Outcome;
use crate::reader::{Address, Reader, ReaderInput, Request, Settings};
use torchproof_protocol::{CAPABILITY_BUNDLED, CAPABILITY_PAIRS, FORMATS, Hello, Want};

#[derive(Debug)]
pub struct ReaderSession {
    address: Address,
    settings: Settings,
    reader: Box<dyn Reader>,
    hello: Hello,
    folder: TempDir,
    time: Duration,
    lists_layouts: bool,
    /// The kinds of files to leave out even if `hello` lists them.
    left_out: Vec<FileKind>,
}

impl ReaderSession {
    /// Starts a reader, and creates a folder for input files in `parent`. Dropping the session removes this folder.
    /// `time` is the limit for each file.
    pub fn open(address: &Address, settings: &Settings, parent: &Path, time: Duration) -> Result<Self, String> {
        let mut reader = address.open(settings);
        let hello = reader.hello()?;
        let folder = scratch_dir(parent, OsStr::new("session"));
        let folder = folder.map_err(|error| format!("{}: cannot create a folder: {error}", parent.display()))?;
        let (address, settings) = (address.clone(), settings.clone());
        Ok(Self { address, settings, reader, hello, folder, time, lists_layouts: false, left_out: Vec::new() })
    }

    /// Makes the reader [list the layouts](Reader::list_layouts) of data files.
    pub fn listing_layouts(mut self) -> Self {
        self.lists_layouts = true;
        self.reader.list_layouts();
        self
    }

    /// Replaces the reader with a new one, whose process starts at the next read.
    pub fn restart(&mut self) {
        self.reader = self.address.open(&self.settings);
        if self.lists_layouts {
            self.reader.list_layouts();
        }
    }

    pub const fn address(&self) -> &Address {
        &self.address
    }

    pub const fn hello(&self) -> &Hello {
        &self.hello
    }

    pub fn leave_out(&mut self, kinds: &[FileKind]) {
        self.left_out.extend(kinds);
    }

    /// Returns whether `hello` lists files of this kind, and the session does not leave them out.
    pub fn reads(&self, kind: FileKind) -> bool {
        if self.left_out.contains(&kind) {
            return false;
        }
        let [pte, ptd, legacy] = FORMATS;
        let format = match kind {
            FileKind::Pte => pte,
            FileKind::Ptd => ptd,
            FileKind::PtdLegacy => legacy,
            FileKind::Bpte => return self.hello.has(CAPABILITY_BUNDLED),
            // Every reader must reject files of an unknown kind.
            _ => return true,
        };
        self.hello.formats.iter().any(|have| have == format)
    }

    /// Returns whether `hello` lists all kinds and, for several files, the capability to load them together.
    pub fn reads_together(&self, kinds: &[FileKind]) -> bool {
        kinds.iter().all(|kind| self.reads(*kind)) && (kinds.len() < 2 || self.hello.has(CAPABILITY_PAIRS))
    }

    /// Runs the reader on one file, only for the verdict.
    pub fn read(&mut self, bytes: &[u8], role: Role) -> Outcome {
        self.read_together([(role, bytes)])
    }

    /// Runs the reader on files that are loaded together, only for the verdict. The program comes first.
    pub fn read_together<'f>(&mut self, files: impl IntoIterator<Item = (Role, &'f [u8])>) -> Outcome {
        let stage = |(index, (role, bytes))| self.stage(index, bytes, role);
        match files.into_iter().enumerate().map(stage).collect::<io::Result<Vec<_>>>() {
            Err(error) => Outcome::AdapterError { message: format!("cannot write the reader's input file: {error}") },
            Ok(files) => {
                let stage = self.hello.deepest();
                let (time, memory_mb) = (self.time, self.settings.memory_mb);
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

    /// Writes an input file. An old file is removed instead of overwritten, because the reader may still map it.
    fn stage(&self, index: usize, bytes: &[u8], role: Role) -> io::Result<ReaderInput> {
        // The reader may have removed the folder, so create it again.
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

/// Returns the role by the identifier in `bytes` or, if it is unknown, by the extension of `path`.
pub fn role_of_file(bytes: &[u8], path: &Path) -> Role {
    match (FileKind::of_head(bytes), path.extension().and_then(OsStr::to_str)) {
        (FileKind::Unknown, Some("ptd")) => Role::Data,
        (FileKind::Unknown, Some("bpte")) => Role::Bundled,
        (kind, _) => role_of(kind),
    }
}

pub fn role_of(kind: FileKind) -> Role {
    match kind {
        FileKind::Ptd | FileKind::PtdLegacy => Role::Data,
        FileKind::Bpte => Role::Bundled,
        _ => Role::Program,
    }
}

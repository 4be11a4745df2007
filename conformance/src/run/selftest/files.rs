//! The files that a selftest gives to a reader.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;
use torchproof::corpus::{self, Role};

use crate::reader::{Address, ReaderInput, Settings};
use torchproof_protocol::{CAPABILITY_BUNDLED, FORMATS, Hello, SELFTEST_MARKER};

/// Where a file's identifier is.
const IDENTIFIER: std::ops::Range<usize> = 4..8;
/// The accepted case that is given, of each of the [`FORMATS`].
const VALID: [&str; 3] = ["pte/valid/constants", "ptd/valid/tensors", "ptd-legacy/valid/tensors"];
/// A file of a role that few readers know.
const BUNDLED: &str = "bpte/valid/one-case";

/// What the checks have in common.
pub(super) struct AdapterUnderTest<'a> {
    pub(super) address: &'a Address,
    pub(super) settings: &'a Settings,
    pub(super) hello: &'a Hello,
    pub(super) files: &'a Files,
    pub(super) time: Duration,
}

/// Files in a folder that is gone with them.
pub(super) struct Files {
    _folder: TempDir,
    role: Role,
    /// One that every reader of the format accepts.
    pub(super) valid: ReaderInput,
    /// The same with bytes in place of identifier and root that are neither.
    pub(super) broken: ReaderInput,
    /// Half of it, and said to be all.
    pub(super) truncated: ReaderInput,
    /// Its beginning, to inside the identifier, and said to be no more.
    pub(super) cut: ReaderInput,
    /// Nothing of it.
    pub(super) empty: ReaderInput,
    /// Makes a reader with the capability `selftest` crash.
    pub(super) crash: ReaderInput,
    /// Makes a reader with the capability `selftest` sleep.
    pub(super) sleep: ReaderInput,
    /// A bundled program, for a reader that does not say that it reads them.
    pub(super) bundled: Option<ReaderInput>,
}

impl Files {
    /// Files of the first format that the reader names.
    pub(super) fn of(hello: &Hello) -> Result<Self, String> {
        let named = |format: &&str| hello.formats.iter().any(|have| have == *format);
        let (_, id) =
            FORMATS.into_iter().zip(VALID).find(|(format, _)| named(format)).ok_or_else(|| {
                format!("the reader names none of the formats that there are: {}", FORMATS.join(", "))
            })?;
        let missing = |id: &str| format!("there is no case {id}");
        let valid = corpus::find(id).ok_or_else(|| missing(id))?;
        let (role, bytes) = (valid.role(), valid.build().bytes);
        let mut broken = bytes.clone();
        // Not every reader looks at the identifier, and the adapter is not to answer for that: the root leads nowhere either.
        broken[..IDENTIFIER.start].fill(0xff);
        broken[IDENTIFIER].fill(0);
        let told = |word: &str| format!("{SELFTEST_MARKER}{word}\n").into_bytes();

        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let put = |name: &str, role: Role, bytes: &[u8]| -> Result<ReaderInput, String> {
            let path: PathBuf = folder.path().join(format!("{name}.{}", role.extension()));
            fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
            Ok(ReaderInput { role, path, offset: 0, size: bytes.len() as u64 })
        };
        let half = put("8", role, &bytes[..bytes.len() / 2])?;
        let bundled = match corpus::find(BUNDLED) {
            Some(case) if !hello.has(CAPABILITY_BUNDLED) => Some(put("7", Role::Bundled, &case.build().bytes)?),
            _ => None,
        };
        // The names tell nothing: a reader may be one that goes by them.
        Ok(Files {
            role,
            valid: put("1", role, &bytes)?,
            broken: put("2", role, &broken)?,
            truncated: ReaderInput { size: bytes.len() as u64, ..half },
            cut: put("3", role, &bytes[..IDENTIFIER.end - 1])?,
            empty: put("4", role, &[])?,
            crash: put("5", role, &told("crash"))?,
            sleep: put("6", role, &told("sleep"))?,
            bundled,
            _folder: folder,
        })
    }

    /// What people call a file of this format.
    pub(super) fn noun(&self) -> &'static str {
        if self.role == Role::Program { "program" } else { "data file" }
    }
}

//! The files of the adapter selftest.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use tempfile::TempDir;
use torchproof::Role;
use torchproof::corpus;

use crate::disk::scratch_dir::scratch_dir;
use crate::reader::{Address, ReaderInput, Settings};
use torchproof_protocol::{CAPABILITY_BUNDLED, FORMATS, Hello, SELFTEST_MARKER};

const IDENTIFIER: std::ops::Range<usize> = 4..8;
/// Three cases for each of the [`FORMATS`]: two valid files, and the first file with a single defect, which a reader
/// can detect only after `structure`.
const CASES: [[&str; 3]; 3] = [
    ["pte/valid/constants", "pte/valid/two-inputs", "pte/constants/index-past-end"],
    ["ptd/valid/tensors", "ptd/valid/external-weight", "ptd/segments/past-data"],
    ["ptd-legacy/valid/tensors", "ptd-legacy/valid/named-data", "ptd-legacy/segments/past-data"],
];
/// A valid bundled program, which few readers support.
const BUNDLED: &str = "bpte/valid/one-case";

/// The adapter, and what all checks share.
pub(super) struct AdapterUnderTest<'a> {
    pub(super) address: &'a Address,
    pub(super) settings: &'a Settings,
    pub(super) hello: &'a Hello,
    pub(super) files: &'a Files,
    pub(super) time: Duration,
}

/// The files of a selftest, in a folder that is removed on drop.
pub(super) struct Files {
    pub(super) folder: TempDir,
    role: Role,
    /// A valid file, which every reader of its format accepts.
    pub(super) valid: ReaderInput,
    /// Another valid file, with different values.
    pub(super) other: ReaderInput,
    /// A copy of the valid file, which a check replaces with the broken file.
    pub(super) replaced: ReaderInput,
    pub(super) missing: ReaderInput,
    /// A file whose only defect is at a late stage.
    pub(super) late: ReaderInput,
    /// The valid file with an invalid identifier and root offset.
    pub(super) broken: ReaderInput,
    /// The first half of the valid file. The request gives the full size.
    pub(super) truncated: ReaderInput,
    /// The valid file up to the middle of the identifier. The request gives this size.
    pub(super) cut: ReaderInput,
    pub(super) empty: ReaderInput,
    /// Makes a reader with the `selftest` capability crash.
    pub(super) crash: ReaderInput,
    /// Makes a reader with the `selftest` capability sleep.
    pub(super) sleep: ReaderInput,
    /// A bundled program, if the reader cannot read one.
    pub(super) bundled: Option<ReaderInput>,
}

impl Files {
    /// Creates the files, all in the first of the [`FORMATS`] that `hello` lists.
    pub(super) fn of(hello: &Hello) -> Result<Self, String> {
        let named = |format: &&str| hello.formats.iter().any(|have| have == *format);
        let (_, ids) =
            FORMATS.into_iter().zip(CASES).find(|(format, _)| named(format)).ok_or_else(|| {
                format!("`hello` lists no known format; expected at least one of {}", FORMATS.join(", "))
            })?;
        let case = |id: &str| corpus::find(id).ok_or_else(|| format!("the corpus has no case {id}"));
        let [valid, other, late] = [case(ids[0])?, case(ids[1])?, case(ids[2])?];
        let (role, bytes) = (valid.role(), valid.build().bytes);
        let mut broken = bytes.clone();
        // Also break the root offset, because some readers ignore the identifier.
        broken[..IDENTIFIER.start].fill(0xff);
        broken[IDENTIFIER].fill(0);
        let marker = |word: &str| format!("{SELFTEST_MARKER}{word}\n").into_bytes();

        let folder = scratch_dir(&std::env::temp_dir(), OsStr::new("torchproof-selftest"));
        let folder = folder.map_err(|error| error.to_string())?;
        let put = |name: &str, role: Role, bytes: &[u8]| -> Result<ReaderInput, String> {
            let path: PathBuf = folder.path().join(format!("{name}.{}", role.extension()));
            fs::write(&path, bytes).map_err(|error| format!("{}: cannot write: {error}", path.display()))?;
            Ok(ReaderInput { role, path, offset: 0, size: bytes.len() as u64 })
        };
        let half = put("8", role, &bytes[..bytes.len() / 2])?;
        let bundled = match corpus::find(BUNDLED) {
            Some(case) if !hello.has(CAPABILITY_BUNDLED) => Some(put("7", Role::Bundled, &case.build().bytes)?),
            _ => None,
        };
        let valid = put("1", role, &bytes)?;
        // The name is neutral, so that a reader cannot infer the expected outcome from it.
        Ok(Files {
            role,
            other: put("9", role, &other.build().bytes)?,
            late: put("10", role, &late.build().bytes)?,
            replaced: put("11", role, &bytes)?,
            missing: ReaderInput { path: folder.path().join("12").with_extension(role.extension()), ..valid.clone() },
            valid,
            broken: put("2", role, &broken)?,
            truncated: ReaderInput { size: bytes.len() as u64, ..half },
            cut: put("3", role, &bytes[..IDENTIFIER.end - 1])?,
            empty: put("4", role, &[])?,
            crash: put("5", role, &marker("crash"))?,
            sleep: put("6", role, &marker("sleep"))?,
            bundled,
            folder,
        })
    }

    /// Returns the word for the valid file in messages.
    pub(super) fn noun(&self) -> &'static str {
        if self.role == Role::Program { "program" } else { "data file" }
    }
}

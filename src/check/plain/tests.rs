//! Tests that the plain pass and the verification pass agree, and that every condition of the plain pass is needed.

mod agreement;
mod conditions;
mod edits;
mod near;

use alloc::vec::Vec;
use core::cell::Cell;
use core::ops::ControlFlow;

use super::Plain;
use crate::check::finding::{FindingRef, Reporter};
use crate::check::scratch::Scratch;
use crate::check::source::Bytes;
use crate::check::{Checked, File, Options};
use crate::flatbuffer::walk::Tally;
use crate::{FileKind, Image};

std::thread_local! {
    /// The file and the line of the condition that the pass skips.
    static SKIPPED: Cell<Option<(&'static str, u32)>> = const { Cell::new(None) };
    /// The file and the line of the last condition that failed.
    static FAILED: Cell<Option<(&'static str, u32)>> = const { Cell::new(None) };
}

/// Records that the condition at this line failed. Returns whether the test skips the condition.
pub(super) fn is_skipped(file: &'static str, line: u32) -> bool {
    let skipped = SKIPPED.get() == Some((file, line));
    if !skipped {
        FAILED.set(Some((file, line)));
    }
    skipped
}

/// Runs the plain pass alone: for data files if the identifier starts with `F`, otherwise for programs.
fn plain<'a>(file: &'a [u8], options: &Options) -> Option<Plain<'a>> {
    let (image, scratch) = (Image::whole(file), &mut Vec::new());
    let bytes = Bytes { head: file, source: &file };
    if file.get(4) == Some(&b'F') {
        super::data_file(image, bytes, options, scratch)
    } else {
        super::program(image, bytes, options, scratch)
    }
}

/// What a check found: the counts of a complete check, and the number of findings.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    kind: FileKind,
    tally: Tally,
    unresolved: u32,
    unresolved_keys: u32,
    stopped: bool,
    findings: u32,
}

/// Checks a file with or without the plain pass.
fn outcome(file: &[u8], options: &Options, ask_plain: bool) -> Outcome {
    let mut scratch = Vec::new();
    let scratch: &mut dyn Scratch = &mut scratch;
    let mut sink = |_: &FindingRef<'_>| ControlFlow::Continue(());
    let mut reporter = Reporter::new(&mut sink);
    let bytes = Bytes { head: file, source: &file };
    let checked = File { ask_plain, ..File::new(Image::whole(file), bytes, options, scratch) }.run(&mut reporter);
    let Checked { kind, tally, unresolved, unresolved_keys, stopped } = checked;
    let findings = reporter.counts().iter().sum();
    Outcome { kind, tally, unresolved, unresolved_keys, stopped: stopped.is_some(), findings }
}

/// Whether a file is plainly good. Fails with a message if the two passes disagree about a plainly good file.
fn is_plain(file: &[u8], options: &Options) -> Result<bool, alloc::string::String> {
    let Some(plain) = plain(file, options) else { return Ok(false) };
    let closer = outcome(file, options, false);
    let kind = FileKind::of_head(file);
    let expected = Outcome {
        kind,
        tally: plain.tally,
        unresolved: plain.external,
        unresolved_keys: closer.unresolved_keys,
        stopped: false,
        findings: 0,
    };
    let whole = outcome(file, options, true);
    if closer == expected && whole == expected && (plain.xnnpack.is_some() || closer.unresolved_keys == 0) {
        return Ok(true);
    }
    Err(alloc::format!("plain pass: {expected:?}\nverification pass: {closer:?}\nwhole check: {whole:?}"))
}

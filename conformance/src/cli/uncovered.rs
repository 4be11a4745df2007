//! Errors for kinds of files that a subcommand recognizes but does not support.

use torchproof::FileKind;
use torchproof_harness::disk::input::Input;
use torchproof_harness::text::escape::plain_name;

/// The error for a file that `inspect` and `meta` do not support.
pub(super) fn unshown(input: &Input) -> Option<String> {
    if FileKind::of_head(input.file_bytes().bytes()) != FileKind::Bpte {
        return uncovered(input);
    }
    let fault =
        "found a bundled program (.bpte); expected a program or a data file; `torchproof dump` prints this file";
    Some(format!("{}: {fault}", plain_name(&input.path().to_string_lossy())))
}

/// The error for a file that only `check` and `inspect --annotate` support.
pub(super) fn uncovered(input: &Input) -> Option<String> {
    let package = FileKind::of_head(input.file_bytes().bytes()) == FileKind::Ptn;
    let name = || plain_name(&input.path().to_string_lossy());
    package.then(|| format!("{}: found a .ptn package; expected a program or a data file", name()))
}

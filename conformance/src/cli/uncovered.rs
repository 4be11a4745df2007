//! Files of a kind that no subcommand reads, or that one does not show.

use torchproof::FileKind;

use crate::disk::input::Input;
use crate::text::escape::plain_name;

/// Why a file of a kind that is recognised is not shown, if that is so.
pub(super) fn unshown(input: &Input) -> Option<String> {
    if FileKind::of_head(input.image().bytes()) != FileKind::Bpte {
        return uncovered(input);
    }
    let why =
        "is a bundled program (.bpte), which `torchproof check` checks and `torchproof dump` prints, and not shown";
    Some(format!("{}: {why}", plain_name(&input.path().to_string_lossy())))
}

/// Why a file of a kind that is recognised is not read at all, if that is so.
pub(super) fn uncovered(input: &Input) -> Option<String> {
    let package = FileKind::of_head(input.image().bytes()) == FileKind::Ptn;
    let name = || plain_name(&input.path().to_string_lossy());
    package.then(|| format!("{}: is a .ptn package, which torchproof does not cover", name()))
}

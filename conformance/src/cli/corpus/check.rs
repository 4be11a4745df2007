//! `torchproof corpus check`: whether a copy of the corpus is whole.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::cli::{Done, print};
use crate::corpus::Corpus;
use crate::corpus_copy::audit;

/// Check that a copy of the corpus is whole, and nothing in it was changed.
///
/// The folder is compared with its own manifest, whichever release that is of: every file is there and has its digest, all of them
/// have the digest of the corpus, each expectation says what is in its file, the index is that of the manifest, and in the
/// generated folders there is no other file. A copy may do without dict/, real/ and what is written by hand, which no digest
/// covers.
///
/// That needs nothing but the folder, and is for those who have a copy. Whether a folder is what the case functions of this
/// program make, `torchproof corpus build --check` checks.
///
/// Exit code 0: it is whole; 1: it is not, and what is the matter is listed; 2: it could not be looked at.
#[derive(Debug, clap::Args)]
pub(super) struct CorpusCheckArgs {
    /// The corpus folder [default: `corpus` here, above, or above the program]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
}

pub(super) fn run(args: &CorpusCheckArgs) -> Done {
    let dir = args.corpus.clone().map_or_else(Corpus::find, Ok)?;
    let audit = audit(&dir)?;
    let mut text: String = audit.problems.iter().map(|problem| format!("{problem}\n")).collect();
    let place = dir.display();
    text += &match (&audit.manifest, audit.problems.len()) {
        (Some(manifest), 0) => {
            format!("{place}: {} cases of release {}, whole\n", manifest.cases.len(), manifest.version)
        }
        (_, 1) => format!("{place}: not whole: 1 problem\n"),
        (_, problems) => format!("{place}: not whole: {problems} problems\n"),
    };
    print(&text)?;
    Ok(ExitCode::from(u8::from(!audit.problems.is_empty())))
}

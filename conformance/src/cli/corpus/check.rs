//! `torchproof corpus check`: checks a copy of the corpus.

use std::path::PathBuf;
use std::process::ExitCode;

use torchproof_harness::corpus::{Corpus, audit};
use torchproof_harness::text::escape::plain_name;

use crate::cli::{CommandResult, print};

/// Verify that a copy of the corpus is complete and unchanged
///
/// The folder is compared with its own manifest, which can come from any release. Every listed file must exist and
/// match its digest, and the corpus digest must match the listed files. Each JSON file in `expect` must match its case
/// file, and the index must match the manifest. The generated folders must contain nothing else. A copy can omit the
/// handwritten files and the `dict` and `real` folders, which the corpus digest does not include.
///
/// To compare a folder with the corpus that this program generates, use `torchproof corpus build --check`.
///
/// Exits with 0 if the copy is complete and unchanged, 1 otherwise (the output lists the differences), and 2 if the
/// folder could not be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Check the corpus in the repository:
    torchproof corpus check
  Check an exported copy:
    torchproof corpus export | tar -x; torchproof corpus check --corpus torch*")]
pub(super) struct CorpusCheckArgs {
    /// The corpus folder [default: the nearest folder named `corpus` above the current folder or above this program]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
}

pub(super) fn run(args: &CorpusCheckArgs) -> CommandResult {
    let dir = args.corpus.clone().map_or_else(Corpus::find, Ok)?;
    let audit = audit(&dir)?;
    let mut text: String = audit.problems.iter().map(|problem| format!("{problem}\n")).collect();
    let place = plain_name(&dir.to_string_lossy());
    text += &match (&audit.manifest, audit.problems.len()) {
        (Some(manifest), 0) => {
            format!("{place}: complete; {} cases of release {}\n", manifest.cases.len(), manifest.version)
        }
        (_, 1) => format!("{place}: 1 problem\n"),
        (_, problems) => format!("{place}: {problems} problems\n"),
    };
    print(&text)?;
    Ok(ExitCode::from(u8::from(!audit.problems.is_empty())))
}

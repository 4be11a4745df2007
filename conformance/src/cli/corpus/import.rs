//! `torchproof corpus import`: converts crash files of a fuzzer into cases.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use torchproof_harness::hunt::shrink::Effort;
use torchproof_harness::hunt::{HuntError, import};
use torchproof_harness::reader::Address;
use torchproof_harness::reader::session::ReaderSession;
use torchproof_harness::run::results_folder;
use torchproof_harness::text::escape::plain_name;

use crate::cli::readers::LimitOptions;
use crate::cli::{CommandResult, complain, duration, number, print};

/// Turn a fuzzer's crash files into cases
///
/// Each FOLDER and its subfolders can contain files from libFuzzer and AFL++, and clusters from `torchproof hunt`. For
/// each case, you get Rust source code like that of `hunt --emit-case`, with the file names and the broken rules in a
/// comment. A pair from the mutator becomes two cases: one for the data file, and one for the program that is loaded
/// with it.
///
/// Files become one case if they break the same rules and the first broken rule is broken at the same field. The
/// smallest file is shrunk as long as neither the rules nor that field change. Shrinking may remove the cause of the
/// crash; to keep the cause, pass --reader. Files then become one case only if they also belong to the same cluster: the
/// reader crashes in the same functions, or gives the same wrong verdict. The smallest file is shrunk as long as the
/// reader fails in the same way, and files that do not make it fail are left out.
///
/// Links, files larger than 1 MiB, and files with an extension other than .pte, .ptd, .bpte and .bin are ignored, and
/// so are files of an unknown kind unless you pass --reader. Notes on stderr list the files that are left out, and
/// those that belong to another file's case.
///
/// Exits with 0 if the cases were printed, and 2 if the folders contain no crash files or the reader could not start.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Print a case for each defect in a folder:
    torchproof corpus import corpus/files/pte/identifier
  Print each defect in several folders once, without shrinking:
    cd corpus/files; torchproof corpus import {pte,ptd}/identifier --tries 0
  Shrink the files on which a reader fails:
    torchproof corpus import corpus/files/pte/memory --reader once:ls --tries 9")]
pub(super) struct CorpusImportArgs {
    /// The folders with the crash files
    #[arg(value_name = "FOLDER", required = true)]
    folders: Vec<PathBuf>,
    /// Address of the reader that fails on the files, as for `torchproof run`
    #[arg(long, value_name = "ADDR")]
    reader: Option<Address>,
    /// Maximum number of candidates for shrinking a file; 0 turns shrinking off
    #[arg(help_heading = "Limits", long, value_name = "N", default_value_t = Effort::default().tries, value_parser = number)]
    tries: u64,
    /// Time limit for shrinking a file
    #[arg(help_heading = "Limits", long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    time: Duration,
    #[command(flatten)]
    limited: LimitOptions,
}

pub(super) fn run(args: &CorpusImportArgs) -> CommandResult {
    let effort = Effort { tries: args.tries, time: args.time };
    let mut session = args.reader.as_ref().map(|address| open(args, address)).transpose()?;
    let import = import(&args.folders, session.as_mut(), effort)?;
    for message in import.merged.iter().chain(&import.left_out) {
        complain(&format!("note: {message}"));
    }
    if import.shrunk && session.is_none() {
        complain(
            "note: the shrunk files break the same rules, but can omit the cause of a crash; pass --reader to keep it",
        );
    }
    if import.shrink_incomplete {
        complain("note: shrinking stopped at the limit; pass a higher --tries or --time to continue");
    }
    print(&import.cases.concat())?;
    let counted = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    complain(&format!(
        "{}: {} from {}, {} left out",
        match &args.folders[..] {
            [folder] => plain_name(&folder.to_string_lossy()),
            folders => counted(folders.len(), "folder"),
        },
        counted(import.cases.len(), "case"),
        counted(import.files, "file"),
        import.left_out.len()
    ));
    Ok(ExitCode::SUCCESS)
}

fn open(args: &CorpusImportArgs, address: &Address) -> Result<ReaderSession, Box<dyn std::error::Error>> {
    let settings = args.limited.settings(std::slice::from_ref(address))?;
    let session = ReaderSession::open(address, &settings, &results_folder(), args.limited.file_time());
    let session = session.map_err(|message| HuntError::Reader { address: address.to_string(), message })?;
    Ok(session.listing_layouts())
}

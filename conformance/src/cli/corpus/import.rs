//! `torchproof corpus import`: converts crash files of a fuzzer into cases.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use crate::cli::readers::Limited;
use crate::cli::{Done, complain, number, print};
use crate::hunt::shrink::Effort;
use crate::hunt::{HuntError, import};
use crate::reader::Address;
use crate::reader::session::ReaderSession;
use crate::run::results_folder;
use crate::text::escape::plain_name;

/// Convert crash files of a fuzzer into cases
///
/// `import` reads the crash files in FOLDER and its subfolders: files of libFuzzer and AFL++, and the clusters of `torchproof hunt`.
/// Files that break the same rules become one case. For each case, `import` prints Rust source code as `hunt --promote` does, with
/// the file names and the broken rules as a comment.
///
/// With --reader, `import` runs the reader on each file. Files of one case then also belong to the same cluster: the reader crashes in
/// the same functions, or gives the same wrong verdict. `import` shrinks the smallest file of each case while the reader fails in the
/// same way, and leaves out files on which the reader does not fail.
///
/// `import` ignores links, files of more than 1 MiB, and names with an extension other than .pte, .ptd, .bpte and .bin. Notes on stderr
/// list the files that are left out.
///
/// Exit code 0: the folder contains crash files, and the cases were printed. Exit code 2: the folder contains no crash file, or the
/// reader could not start.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Print a case for each set of broken rules in a folder:
    torchproof corpus import corpus/files/pte/header
  Shrink the files on which a reader fails:
    torchproof corpus import corpus/files/pte/header --reader builtin:accept-all --tries 100")]
pub(super) struct CorpusImportArgs {
    /// The folder with the crash files
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Address of the reader that fails on the files, as for `torchproof run`
    #[arg(long, value_name = "ADDR")]
    reader: Option<Address>,
    /// Maximum number of candidates while a file is shrunk
    #[arg(long, value_name = "N", default_value_t = Effort::default().tries, value_parser = number, requires = "reader")]
    tries: u64,
    /// Time limit for shrinking a file, in seconds
    #[arg(long, value_name = "S", default_value_t = 10, value_parser = number, requires = "reader")]
    time: u64,
    #[command(flatten)]
    limited: Limited,
}

pub(super) fn run(args: &CorpusImportArgs) -> Done {
    let effort = Effort { tries: args.tries, time: Duration::from_secs(args.time) };
    let mut session = args.reader.as_ref().map(|address| open(args, address)).transpose()?;
    let import = import(&args.folder, session.as_mut().map(|session| (session, effort)))?;
    for message in &import.left_out {
        complain(&format!("note: {message}"));
    }
    if import.cut_short {
        complain("note: shrinking stopped at the limit; pass a higher --tries or --time to continue");
    }
    print(&import.cases.concat())?;
    let counted = |count: usize, noun: &str| format!("{count} {noun}{}", if count == 1 { "" } else { "s" });
    complain(&format!(
        "{}: {} from {}, {} left out",
        plain_name(&args.folder.to_string_lossy()),
        counted(import.cases.len(), "case"),
        counted(import.files, "file"),
        import.left_out.len()
    ));
    Ok(ExitCode::SUCCESS)
}

/// Starts the reader.
fn open(args: &CorpusImportArgs, address: &Address) -> Result<ReaderSession, Box<dyn std::error::Error>> {
    let settings = args.limited.settings(std::slice::from_ref(address))?;
    let session = ReaderSession::open(address, &settings, &results_folder(), args.limited.file_time());
    let session = session.map_err(|message| HuntError::Reader { address: address.to_string(), message })?;
    Ok(session.listing_layouts())
}

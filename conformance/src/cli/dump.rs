//! `torchproof dump`: prints a file as canonical JSON.

mod parts;

use std::error::Error;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use torchproof::view;
use torchproof_harness::disk::input::Input;
use torchproof_harness::disk::{AtomicFile, OverwritePolicy, same_place};
use torchproof_harness::text::ascii;

use super::{CommandResult, broken, folder, note_left_out, of_stdout, uncovered};
use crate::document::{EditError, LeftOutPart};
use parts::failed;

/// Print a file as JSON, which `pack` turns back into a file
///
/// The JSON contains the header, the tables as `flatc --json --strict-json --defaults-json` prints them, and a list of
/// segments with their SHA-256 digests. For a bundled program, it also contains the inner program's dump.
///
/// Pass --with-data to also write the segments' bytes, so that `torchproof pack` can restore the file. Notes on stderr
/// list what the JSON omits: fields from a newer schema, and bytes between or after the segments.
///
/// Exits with 0 if the JSON was written, 1 if the file is broken, and 2 if it could not be read, exceeds a limit, or is of
/// an unsupported kind.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  Print a file as JSON:
    torchproof dump corpus/real/linear.pte
  Write the JSON and the segments into a folder:
    torchproof dump corpus/real/linear.pte --with-data parts -o parts/spec.json
  Restore a file from its dump:
    torchproof dump --with-data d corpus/real/add.pte | torchproof pack -o a.pte")]
pub(super) struct DumpArgs {
    /// The .pte, .ptd or .bpte file
    file: PathBuf,
    /// Write each segment to a file in DIR, and name that file in the JSON. The path is relative to --output's folder
    /// (if stdout, the current folder), or absolute if DIR is outside that folder
    #[arg(long, value_name = "DIR", value_parser = folder())]
    with_data: Option<PathBuf>,
    /// Write the JSON to this file instead of stdout
    #[arg(long, short, value_name = "JSON")]
    output: Option<PathBuf>,
    /// Replace existing files, except FILE
    #[arg(long, short)]
    force: bool,
    /// Omit the segments' digests, to avoid reading the segments
    #[arg(long)]
    no_hash: bool,
    /// Print the JSON on one line
    #[arg(long)]
    compact: bool,
}

pub(super) fn run(args: &DumpArgs) -> CommandResult {
    let input = Input::open(&args.file)?;
    let Err(error) = dump(args, &input) else { return Ok(ExitCode::SUCCESS) };
    if let Some(error) = error.downcast_ref::<view::ViewError>() {
        return broken(&input, error);
    }
    match error.downcast_ref::<io::Error>() {
        // Whoever closed the pipe needs no more output.
        Some(closed) if closed.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Some(error) => Err(of_stdout(error).into()),
        None => Err(error),
    }
}

fn dump(args: &DumpArgs, input: &Input) -> Result<(), Box<dyn Error>> {
    if let Some(why) = uncovered(input) {
        return Err(why.into());
    }
    input.expect_for_tree()?;
    let mut file = view::File::open(input.file_bytes())?;
    if !args.no_hash {
        file.hash(|span, sink| Ok::<_, Box<dyn Error>>(input.read(span, sink)?))?;
    }
    let existing = if args.force { OverwritePolicy::Replace } else { OverwritePolicy::Keep };
    let output = args.output.as_deref().filter(|path| *path != Path::new("-"));
    if let Some(path) = output {
        expect_free(path, &args.file, existing)?;
    }
    note_left_out(&args.file, &LeftOutPart::of(input)?);
    if let Some(folder) = &args.with_data {
        let from = output.map(|path| path.parent().unwrap_or(Path::new("")));
        file.set_data(parts::write(input, &file.segments()?, folder, from, existing)?);
    }
    let Some(path) = output else { return Ok(print(args, &file, io::stdout().lock())?) };
    let mut new = AtomicFile::create(path, existing).map_err(|error| failed(path, error))?;
    let written = print(args, &file, new.file()).and_then(|()| new.persist());
    Ok(written.map_err(|error| failed(path, error))?)
}

/// Fails if `path` is the dumped file, a folder, or an existing file that must not be replaced.
fn expect_free(path: &Path, dumped: &Path, existing: OverwritePolicy) -> Result<(), EditError> {
    if same_place(path, dumped) {
        return Err(EditError::SamePlace { path: path.to_owned() });
    }
    if path.is_dir() {
        return Err(failed(path, io::ErrorKind::IsADirectory.into()));
    }
    if existing == OverwritePolicy::Keep && path.exists() {
        return Err(failed(path, io::ErrorKind::AlreadyExists.into()));
    }
    Ok(())
}

fn print(args: &DumpArgs, file: &view::File<'_>, out: impl Write) -> io::Result<()> {
    let out = BufWriter::new(out);
    if args.compact { ascii::write_line(out, file) } else { ascii::write_pretty(out, file) }
}

//! `torchproof pack`: makes a file of its canonical JSON.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use torchproof_conformance::edit::{Document, EditError, Existing};
use torchproof_conformance::pack;
use torchproof_conformance::report::plain_name;

use super::Done;

/// Make a .pte or .ptd file of its canonical JSON
///
/// The JSON is what `torchproof dump` prints, with the bytes of each segment under `data` in its entry of `segments`: a
/// `{"file": PATH}`, relative to SPEC and perhaps with `offset` and `len`, `{"hex": …}`, `{"base64": …}`, or `{"fill": HEX}`,
/// which is repeated up to the entry's `size`. `torchproof dump --with-data DIR` prints it with them.
///
/// What is given is kept, and what is left out is worked out: the size and the offset of a segment, and all but the tables.
/// Numbers of the header that follow from others are not looked at.
///
/// The file is put in place once it is whole and accepted by `torchproof check`.
///
/// Exit code 0: it is there; 2: it is not, and one line on stderr says why.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The JSON; - for stdin, whose files are found from here
    #[arg(default_value = "-")]
    spec: PathBuf,
    /// The file to be made; - for stdout
    #[arg(long, short)]
    output: PathBuf,
    /// Replace a file that is there
    #[arg(long, short)]
    force: bool,
    /// Write every number of the header and of the segment table as SPEC has it, and put in place whatever comes of it
    #[arg(long)]
    raw: bool,
}

pub(super) fn run(args: &Args) -> Done {
    let stdin = args.spec == Path::new("-");
    let name = if stdin { "stdin".to_owned() } else { plain_name(&args.spec.to_string_lossy()) };
    let mut json = Vec::new();
    let read = if stdin {
        io::stdin().lock().read_to_end(&mut json)
    } else {
        File::open(&args.spec).and_then(|mut file| file.read_to_end(&mut json))
    };
    read.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!("{name}: no such file"),
        _ => format!("{name}: {error}"),
    })?;
    let folder = if stdin { Path::new("") } else { args.spec.parent().unwrap_or(Path::new("")) };
    let mut document = pack::read(&json, folder, args.raw).map_err(|error| format!("{name}: {error}"))?;
    drop(json);
    let written = if args.output == Path::new("-") {
        to_stdout(&mut document)
    } else {
        document.save(&args.output, if args.force { Existing::Replace } else { Existing::Keep })
    };
    written.map_err(|error| match error {
        error @ (EditError::Output { .. } | EditError::Input(_)) => error.to_string(),
        error => format!("{name}: {}", pack::in_specification(&document, &error)),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What goes to stdout cannot be taken back, so it is made and checked as a file before.
fn to_stdout(document: &mut Document) -> Result<(), EditError> {
    let failed = |error| EditError::Output { path: "stdout".into(), error };
    let mut file = tempfile::NamedTempFile::new().map_err(failed)?;
    document.write(file.as_file_mut())?;
    document.expect_accepted(file.path())?;
    file.rewind().map_err(failed)?;
    let mut stdout = io::stdout().lock();
    match io::copy(file.as_file_mut(), &mut stdout).and_then(|_| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(failed),
    }
}

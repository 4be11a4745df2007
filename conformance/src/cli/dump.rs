//! `torchproof dump`: prints a file as canonical JSON.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use torchproof::{ErrorCode, view};

use torchproof_conformance::input::{Input, InputError};

use super::Done;

/// Print a file as canonical JSON, field for field.
///
/// The tables are printed as `flatc --json --strict-json --defaults-json` prints them, with the header in front and the
/// segments behind, each with the SHA-256 of its bytes.
///
/// Exit status: 0 printed, 1 the file is broken (one line says where), 2 the file could not be read or is too much work.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The .pte or .ptd file
    file: PathBuf,
    /// Leave the segments' digests out, and their bytes unread
    #[arg(long)]
    no_hash: bool,
    /// Print everything on one line
    #[arg(long)]
    compact: bool,
}

pub(super) fn run(args: &Args) -> Done {
    match dump(args, BufWriter::new(io::stdout().lock())) {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(Failure::Broken(error)) => {
            let message = format!("{}: {error}", args.file.display());
            if let ErrorCode::Limit(_) = error.error().code {
                return Err(message.into());
            }
            eprintln!("torchproof: {message}");
            Ok(ExitCode::FAILURE)
        }
        Err(Failure::Input(error)) => Err(error.into()),
        // Whoever read the output has seen enough and closed it.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::SUCCESS),
        Err(Failure::Output(error)) => Err(error.into()),
    }
}

fn dump(args: &Args, mut out: impl Write) -> Result<(), Failure> {
    let input = Input::open(&args.file)?;
    let mut file = view::File::open(input.image())?;
    if !args.no_hash {
        file.hash(|span, sink| input.read(span, sink).map_err(Failure::Input))?;
    }
    let written = if args.compact {
        serde_json::to_writer(&mut out, &file)
    } else {
        serde_json::to_writer_pretty(&mut out, &file)
    };
    written.map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

/// Why nothing, or not everything, was printed.
enum Failure {
    Broken(view::Error),
    Input(InputError),
    Output(io::Error),
}

impl From<view::Error> for Failure {
    fn from(error: view::Error) -> Self {
        Failure::Broken(error)
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Self {
        Failure::Input(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Output(error)
    }
}

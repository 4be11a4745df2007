//! The output, messages and exit codes of subcommands.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use torchproof::ErrorCode;
use torchproof::view::ViewError;
use torchproof_harness::disk::input::Input;
use torchproof_harness::disk::io_error::{cannot_write, in_words};
use torchproof_harness::text::escape::{plain_line, plain_name};

use crate::document::LeftOutPart;
use crate::findings::{check_hint, fault_of};
use crate::page::Page;

pub(super) type CommandResult = Result<ExitCode, Box<dyn Error>>;

/// The exit code of a subcommand that could not run.
pub(super) const COULD_NOT: u8 = 2;

pub(super) fn message(error: &(dyn Error + 'static)) -> String {
    error.downcast_ref().map_or_else(|| error.to_string(), in_words)
}

/// For a broken file, prints the first finding for a must-rule and returns exit code 1; an exceeded limit is an error.
pub(super) fn broken(input: &Input, error: &ViewError) -> CommandResult {
    let name = plain_name(&input.path().to_string_lossy());
    if let ErrorCode::Limit(_) = error.error().code {
        return Err(format!("{name}: {error}").into());
    }
    let fault = fault_of(input).unwrap_or_else(|| error.to_string());
    complain(&format!("{name}: {fault}; {}", check_hint(input.path())));
    Ok(ExitCode::FAILURE)
}

pub(super) fn complain(message: &str) {
    // If stderr cannot be written, the exit code still reports the failure.
    let _ = writeln!(io::stderr(), "torchproof: {}", plain_line(message, usize::MAX));
}

pub(super) fn note_left_out(path: &Path, left_out: &[LeftOutPart]) {
    for left_out in left_out {
        complain(&format!("note: {}: omitted {left_out}", plain_name(&path.to_string_lossy())));
    }
}

/// If stdout is not a terminal and `COLUMNS` is not set, the width is fixed, so the output is the same on every machine.
fn terminal_width() -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    given.or_else(terminal).filter(|width| *width >= MIN_WIDTH).unwrap_or(Page::MAX_WIDTH).min(Page::MAX_WIDTH)
}

/// If the terminal is narrower than this, its width is ignored.
pub(super) const MIN_WIDTH: usize = 40;

pub(super) fn page() -> Page {
    let color = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    Page { width: terminal_width(), color }
}

/// Whoever closed the pipe needs no more output.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|error| of_stdout(&error)),
    }
}

pub(super) fn of_stdout(error: &io::Error) -> io::Error {
    io::Error::other(cannot_write(Path::new("stdout"), error))
}

//! Output, messages and results of subcommands.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use torchproof::ErrorCode;
use torchproof::view::ViewError;

use crate::disk::io_error::{cannot_write, in_words};
use crate::file::LeftOut;
use crate::text::Page;
use crate::text::escape::{plain_line, plain_name};

/// The result of a subcommand: its exit code, or the error that stopped it.
pub(super) type Done = Result<ExitCode, Box<dyn Error>>;

/// The exit code of a subcommand that could not run.
pub(super) const COULD_NOT: u8 = 2;

/// The message of an error.
pub(super) fn message(error: &(dyn Error + 'static)) -> String {
    error.downcast_ref().map_or_else(|| error.to_string(), in_words)
}

/// The result for a file that is broken (exit code 1) or exceeds a limit (an error).
pub(super) fn broken(file: &Path, error: &ViewError) -> Done {
    let message = format!("{}: {error}", plain_name(&file.to_string_lossy()));
    if let ErrorCode::Limit(_) = error.error().code {
        return Err(message.into());
    }
    complain(&message);
    Ok(ExitCode::FAILURE)
}

/// Prints a message on stderr as one printable line.
pub(super) fn complain(message: &str) {
    // Ignore this error: without stderr, only the exit code reports the failure.
    let _ = writeln!(io::stderr(), "torchproof: {}", plain_line(message, usize::MAX));
}

/// Prints on stderr the parts of a file that the output omits.
pub(super) fn note_left_out(path: &Path, left_out: &[LeftOut]) {
    for left_out in left_out {
        complain(&format!("note: {}: omitted {left_out}", plain_name(&path.to_string_lossy())));
    }
}

/// The width of text in columns.
///
/// Without a terminal and `COLUMNS`, it is [`MAX_WIDTH`], so that redirected output is the same everywhere.
pub(super) fn terminal_width() -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    given.or_else(terminal).filter(|width| *width >= MIN_WIDTH).unwrap_or(MAX_WIDTH).min(MAX_WIDTH)
}

/// The maximum width of text.
pub(super) const MAX_WIDTH: usize = 100;

/// The minimum width of text; narrower terminals are ignored.
pub(super) const MIN_WIDTH: usize = 40;

/// The page for explanations and lists.
pub(super) fn page() -> Page {
    let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    Page { width: terminal_width(), colour }
}

/// Writes to stdout. A closed pipe is not an error.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|error| of_stdout(&error)),
    }
}

/// The same error with the words for stdout.
pub(super) fn of_stdout(error: &io::Error) -> io::Error {
    io::Error::other(cannot_write(Path::new("stdout"), error))
}

//! What a subcommand prints and returns.

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use torchproof::ErrorCode;
use torchproof::view::ViewError;

use crate::disk::io_error::in_words;
use crate::file::{EditError, LeftOut};
use crate::text::Page;
use crate::text::escape::{plain_line, plain_name};

/// The result of a subcommand: its exit code, or why it could not run.
pub(super) type Done = Result<ExitCode, Box<dyn Error>>;

/// The exit code of a subcommand that could not run.
pub(super) const COULD_NOT: u8 = 2;

/// The message of an error, with what to do where that helps.
pub(super) fn message(error: &(dyn Error + 'static)) -> String {
    match (error.downcast_ref(), error.downcast_ref::<io::Error>()) {
        (Some(EditError::Output { error: cause, .. }), _) if cause.kind() == io::ErrorKind::AlreadyExists => {
            format!("{error}; --force replaces it")
        }
        (_, Some(error)) => in_words(error),
        _ => error.to_string(),
    }
}

/// Why a file could not be written, with what to do if it is there.
pub(super) fn unwritten(path: &Path, error: &io::Error) -> String {
    let hint = if error.kind() == io::ErrorKind::AlreadyExists { "; --force replaces it" } else { "" };
    format!("{}: {}{hint}", plain_name(&path.to_string_lossy()), in_words(error))
}

/// The end of a subcommand whose file is broken, which is exit code 1, or too much work to read.
pub(super) fn broken(file: &Path, error: &ViewError) -> Done {
    let message = format!("{}: {error}", plain_name(&file.to_string_lossy()));
    if let ErrorCode::Limit(_) = error.error().code {
        return Err(message.into());
    }
    complain(&message);
    Ok(ExitCode::FAILURE)
}

/// Prints a message on stderr in one printable line.
pub(super) fn complain(message: &str) {
    // If stderr is closed as well, the exit code is all that is left.
    let _ = writeln!(io::stderr(), "torchproof: {}", plain_line(message, usize::MAX));
}

/// Prints on stderr which parts of a file the output lacks.
pub(super) fn note_left_out(path: &Path, left_out: &[LeftOut]) {
    for left_out in left_out {
        complain(&format!("note: {}: {left_out}: left out", plain_name(&path.to_string_lossy())));
    }
}

/// The width of text in columns.
///
/// Where nothing says how many they are, text is as wide as it may be: what goes to a file is the same everywhere.
pub(super) fn terminal_width() -> usize {
    let given = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    given.or_else(terminal).filter(|width| *width >= LEAST_WIDTH).unwrap_or(MOST_WIDTH).min(MOST_WIDTH)
}

/// Text is no wider than this, for the eye.
pub(super) const MOST_WIDTH: usize = 100;

/// Nothing can be laid out in fewer columns.
pub(super) const LEAST_WIDTH: usize = 40;

/// The page that explanations and lists are laid out for.
pub(super) fn page() -> Page {
    let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    Page { width: terminal_width(), colour }
}

/// Writes to stdout; a reader that has seen enough and closed the pipe is no error.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|error| of_stdout(&error)),
    }
}

/// The same error, as one of stdout.
pub(super) fn of_stdout(error: &io::Error) -> io::Error {
    io::Error::other(format!("stdout: {}", in_words(error)))
}

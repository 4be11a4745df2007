//! **The command line**: one file a subcommand.
//!
//! Every subcommand ends with exit code 2 and one line on stderr if it could not do its work; 0 and 1 are its own to give
//! meaning to.

mod check;
mod corpus;
mod dump;
mod inspect;
mod launch;
mod run;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use torchproof_conformance::report::plain_line;

/// Reads and checks ExecuTorch .pte and .ptd files, and puts other readers of them to the test.
#[derive(Debug, Parser)]
#[command(name = "torchproof", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Corpus(corpus::Args),
    Dump(dump::Args),
    Inspect(inspect::Args),
    Run(run::Args),
    #[command(name = torchproof_conformance::reader::SUBCOMMAND, hide = true)]
    Launch(launch::Args),
}

/// What a subcommand gives: its exit code, or why it could not do its work.
type Done = Result<ExitCode, Box<dyn Error>>;

/// The exit code of work that could not be done.
const COULD_NOT: u8 = 2;

/// The whole program.
pub(crate) fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Check(args) => check::run(&args),
        Command::Corpus(args) => corpus::run(&args),
        Command::Dump(args) => dump::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Launch(args) => return launch::run(&args),
    };
    done.unwrap_or_else(|error| {
        complain(&error.to_string());
        ExitCode::from(COULD_NOT)
    })
}

/// Says on stderr, in one printable line, what went wrong.
fn complain(message: &str) {
    // Nobody is left to tell if stderr is gone as well; the exit code stays.
    let _ = writeln!(io::stderr(), "torchproof: {}", plain_line(message, usize::MAX));
}

/// Writes to stdout; a reader that has seen enough and closed the pipe is no error.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

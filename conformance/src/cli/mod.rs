//! **The command line**: one file a subcommand.
//!
//! Every subcommand ends with exit code 2 and one line on stderr if it could not do its work; 0 and 1 are its own to give
//! meaning to.

mod adequacy;
mod attack;
mod check;
mod corpus;
mod dump;
mod explain;
mod format;
mod generate;
mod hunt;
mod inspect;
mod launch;
mod library;
mod meta;
mod pack;
mod progress;
mod readers;
mod removed;
mod rules;
mod run;
mod selftest;
mod shrink;

use std::error::Error;
use std::io::{self, IsTerminal, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Parser, Subcommand};
use torchproof::FileKind;
use torchproof_cli::disk::input::Input;
use torchproof_cli::disk::io_error::in_words;
use torchproof_cli::file::{EditError, LeftOut};
use torchproof_cli::reader::SUBCOMMAND;
use torchproof_cli::text::Page;
use torchproof_cli::text::escape::{plain_line, plain_name};

/// Reads and checks ExecuTorch .pte and .ptd files, and puts other readers of them to the test.
#[derive(Debug, Parser)]
#[command(name = "torchproof", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Adequacy(adequacy::Args),
    Attack(attack::Args),
    Check(check::Args),
    Corpus(corpus::Args),
    Dump(dump::Args),
    Explain(explain::Args),
    Generate(generate::Args),
    Hunt(hunt::Args),
    Inspect(inspect::Args),
    Meta(meta::Args),
    Pack(pack::Args),
    Rules(rules::Args),
    Run(run::Args),
    Selftest(selftest::Args),
    Shrink(shrink::Args),
    #[command(hide = true)]
    Merge(removed::Args),
    #[command(hide = true)]
    Split(removed::Args),
    #[command(name = torchproof_cli::reader::HOST_SUBCOMMAND, hide = true)]
    Library(library::Args),
}

/// What a subcommand gives: its exit code, or why it could not do its work.
type Done = Result<ExitCode, Box<dyn Error>>;

/// The exit code of work that could not be done.
const COULD_NOT: u8 = 2;

/// The whole program.
pub(crate) fn main() -> ExitCode {
    // Every start of a reader comes through here, and should not pay for the subcommands that people use.
    if std::env::args_os().nth(1).is_some_and(|word| word == SUBCOMMAND) {
        return launch::run(&launch::Args::parse_from(std::env::args_os().skip(1)));
    }
    let done = match Cli::parse().command {
        Command::Adequacy(args) => adequacy::run(&args),
        Command::Attack(args) => attack::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Corpus(args) => corpus::run(&args),
        Command::Dump(args) => dump::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Hunt(args) => hunt::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Meta(args) => meta::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Rules(args) => rules::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Selftest(args) => selftest::run(&args),
        Command::Shrink(args) => shrink::run(&args),
        Command::Merge(_) => removed::merge(),
        Command::Split(_) => removed::split(),
        Command::Library(args) => return library::run(&args),
    };
    done.unwrap_or_else(|error| {
        complain(&told(&*error));
        ExitCode::from(COULD_NOT)
    })
}

/// What a user is told of an error: also what to do where only that is missing.
fn told(error: &(dyn Error + 'static)) -> String {
    match (error.downcast_ref(), error.downcast_ref::<io::Error>()) {
        (Some(EditError::Output { error: cause, .. }), _) if cause.kind() == io::ErrorKind::AlreadyExists => {
            format!("{error}; --force replaces it")
        }
        (_, Some(error)) => in_words(error),
        _ => error.to_string(),
    }
}

/// What this program was started as, for a command that is to be run again.
fn program() -> String {
    std::env::args().next().unwrap_or_else(|| "torchproof".to_owned())
}

/// Says on stderr, in one printable line, what went wrong.
fn complain(message: &str) {
    // Nobody is left to tell if stderr is gone as well; the exit code stays.
    let _ = writeln!(io::stderr(), "torchproof: {}", plain_line(message, usize::MAX));
}

/// The place of a file that is put there whole: `-`, which elsewhere is stdout, is none.
fn new_file() -> impl TypedValueParser<Value = PathBuf> {
    not_stdout("a file is put in place whole, which stdout is not; a file of that name is ./-")
}

/// The folder that files go into: `-`, which elsewhere is stdout, is none.
fn folder() -> impl TypedValueParser<Value = PathBuf> {
    not_stdout("files go into a folder, which stdout is not; a folder of that name is ./-")
}

fn not_stdout(why: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| if path.as_os_str() == "-" { Err(why) } else { Ok(path) })
}

/// Says on stderr what of a file is not in what is written of it.
fn note_left_out(path: &Path, left_out: &[LeftOut]) {
    for left_out in left_out {
        complain(&format!("note: {}: {left_out}: left out", plain_name(&path.to_string_lossy())));
    }
}

/// Why a file of a kind that is recognised is not shown, if that is so.
fn unshown(input: &Input) -> Option<String> {
    if FileKind::of_head(input.image().bytes()) != FileKind::Bpte {
        return uncovered(input);
    }
    let why =
        "is a bundled program (.bpte), which `torchproof check` checks and `torchproof dump` prints, and not shown";
    Some(format!("{}: {why}", plain_name(&input.path().to_string_lossy())))
}

/// Why a file of a kind that is recognised is not read at all, if that is so.
fn uncovered(input: &Input) -> Option<String> {
    let package = FileKind::of_head(input.image().bytes()) == FileKind::Ptn;
    let name = || plain_name(&input.path().to_string_lossy());
    package.then(|| format!("{}: is a .ptn package, which torchproof does not cover", name()))
}

/// How much is done at once where nobody says how much: one thing a processor.
fn jobs(told: Option<NonZero<usize>>) -> NonZero<usize> {
    told.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZero::<usize>::MIN)
}

/// The columns that there are for text.
///
/// Where nothing says how many they are, text is as wide as it may be: what goes to a file is the same everywhere.
fn terminal_width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    told.or_else(terminal).filter(|width| *width >= LEAST_WIDTH).unwrap_or(MOST_WIDTH).min(MOST_WIDTH)
}

/// Text is no wider than this, for the eye.
const MOST_WIDTH: usize = 100;

/// Nothing can be laid out in fewer columns.
const LEAST_WIDTH: usize = 40;

/// What explanations and lists are laid out for.
fn page() -> Page {
    let colour = io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    Page { width: terminal_width(), colour }
}

/// Writes to stdout; a reader that has seen enough and closed the pipe is no error.
fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|error| of_stdout(&error)),
    }
}

/// The same error, as one of stdout.
fn of_stdout(error: &io::Error) -> io::Error {
    io::Error::other(format!("stdout: {}", in_words(error)))
}

//! **The command line**: parses the arguments and runs a subcommand. Each subcommand has its own module.
//!
//! Exit code 2 means that a subcommand could not run; one line on stderr states the reason. Each subcommand defines its own
//! meaning of exit codes 0 and 1.

mod arguments;
mod attack;
mod build_profile;
mod check;
mod completions;
mod corpus;
mod dump;
mod explain;
mod format;
mod gate;
mod generate;
mod hunt;
mod init;
mod inspect;
mod interrupted;
#[cfg(unix)]
mod library;
mod man;
mod meta;
mod output;
mod pack;
mod progress;
mod readers;
mod report;
mod run;
mod shrink;
mod uncovered;

use std::io::{self, Write};
use std::process::{self, ExitCode};

use clap::{CommandFactory, Parser, Subcommand};
use torchproof_harness::text::escape::plain;

use arguments::{folder, job_count, jobs, new_file, number, one_of, program, whole_number};
use output::{COULD_NOT, CommandResult, broken, complain, message, note_left_out, of_stdout, page, print};
use uncovered::{uncovered, unshown};

/// Check ExecuTorch .pte and .ptd files, and test the programs that read them
#[derive(Debug, Parser)]
#[command(name = "torchproof", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  Check a file:
    torchproof check corpus/real/linear.pte
  Explain a rule:
    torchproof explain eh-length-min
  Run a reader on part of the corpus:
    torchproof run --reader 'once:grep -qa ET12' --cases 'pte/identifier/*'")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Attack(attack::AttackArgs),
    BuildProfile(build_profile::BuildProfileArgs),
    Check(check::CheckArgs),
    Completions(completions::CompletionsArgs),
    Corpus(corpus::CorpusArgs),
    Dump(dump::DumpArgs),
    Explain(explain::ExplainArgs),
    Gate(gate::GateArgs),
    Generate(generate::GenerateArgs),
    Hunt(hunt::HuntArgs),
    Init(init::InitArgs),
    Inspect(inspect::InspectArgs),
    Man(man::ManArgs),
    Meta(meta::MetaArgs),
    Pack(pack::PackArgs),
    Report(report::ReportArgs),
    Run(run::RunArgs),
    Shrink(shrink::ShrinkArgs),
}

/// An error that quotes unprintable arguments is printed without colors, as plain text.
fn parse() -> Cli {
    Cli::try_parse().unwrap_or_else(|error| {
        let text = error.render().to_string();
        let safe = plain(&text);
        if safe == text {
            error.exit();
        }
        // Ignore the error: if the output cannot be written, the exit code still reports the failure.
        let _ = io::stderr().write_all(safe.as_bytes());
        process::exit(error.exit_code());
    })
}

/// The runner starts an internal subcommand for each reader process, so the function does not build the parser of all others.
#[cfg(unix)]
fn internal() -> Option<ExitCode> {
    use torchproof_harness::reader::{HOST_SUBCOMMAND, Launch, SUBCOMMAND};
    let mut words = std::env::args_os().skip(1).peekable();
    let word = words.peek()?;
    if word == SUBCOMMAND {
        let launch = Launch::parse(words);
        return Some(library::cannot_start(&launch.map_or_else(|complaint| complaint, |launch| launch.run())));
    }
    (word == HOST_SUBCOMMAND).then(|| library::run(words.nth(1).as_deref()))
}

#[must_use]
pub fn main() -> ExitCode {
    #[cfg(unix)]
    if let Some(done) = internal() {
        return done;
    }
    let done = match parse().command {
        Command::Attack(args) => attack::run(&args),
        Command::BuildProfile(args) => build_profile::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Completions(args) => completions::run(&args, &mut Cli::command()),
        Command::Corpus(args) => corpus::run(&args),
        Command::Dump(args) => dump::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Gate(args) => gate::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Hunt(args) => hunt::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Inspect(args) => inspect::run(&args),
        Command::Man(args) => man::run(&args, Cli::command()),
        Command::Meta(args) => meta::run(&args),
        Command::Pack(args) => pack::run(&args),
        Command::Report(args) => report::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Shrink(args) => shrink::run(&args),
    };
    done.unwrap_or_else(|error| {
        complain(&message(&*error));
        ExitCode::from(COULD_NOT)
    })
}

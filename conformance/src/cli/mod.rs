//! **The command line**: parses the arguments and runs a subcommand, each in its own module.
//!
//! Exit code 2 means that a subcommand could not run; stderr gives the reason. Each subcommand defines codes 0 and 1.

mod arguments;
mod attack;
mod build_profile;
mod check;
mod completions;
mod corpus;
mod diff;
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
mod needs;
mod output;
mod pack;
mod progress;
mod readers;
mod report;
mod run;
mod shrink;
mod uncovered;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::{self, ExitCode};

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use torchproof_harness::text::escape::plain;

use arguments::{
    PROGRAM, duration, folder, job_count, jobs, new_file, number, one_of, program, whole_number, with_unit,
};
use output::{COULD_NOT, CommandResult, broken, complain, message, note_left_out, of_stdout, page, print};
use uncovered::{uncovered, unshown};

/// Check ExecuTorch .pte and .ptd files, and test the programs that read them
#[derive(Debug, Parser)]
#[command(name = "torchproof", version, max_term_width = 80)]
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
    #[command(flatten)]
    File(FileCommand),
    #[command(flatten)]
    Reader(ReaderCommand),
    #[command(flatten)]
    Fuzz(FuzzCommand),
    #[command(flatten)]
    Gate(GateCommand),
    #[command(flatten)]
    Corpus(CorpusCommand),
}

type Augment = fn(clap::Command) -> clap::Command;

/// The help lists each enum's commands under a heading.
#[rustfmt::skip]
const HEADINGS: [(&str, Augment); 5] = [
    ("Check, show and write files", FileCommand::augment_subcommands),
    ("Test a reader", ReaderCommand::augment_subcommands),
    ("Fuzz a reader", FuzzCommand::augment_subcommands),
    ("Gate a change", GateCommand::augment_subcommands),
    ("Maintain the corpus and an installation", CorpusCommand::augment_subcommands),
];

#[derive(Debug, Subcommand)]
enum FileCommand {
    Check(check::CheckArgs),
    Explain(explain::ExplainArgs),
    Inspect(inspect::InspectArgs),
    Diff(diff::DiffArgs),
    Dump(dump::DumpArgs),
    Needs(needs::NeedsArgs),
    Pack(pack::PackArgs),
    Meta(meta::MetaArgs),
    BuildProfile(build_profile::BuildProfileArgs),
}

#[derive(Debug, Subcommand)]
enum ReaderCommand {
    Init(init::InitArgs),
    Run(Box<run::RunArgs>),
    Report(report::ReportArgs),
}

#[derive(Debug, Subcommand)]
enum FuzzCommand {
    Generate(generate::GenerateArgs),
    Attack(attack::AttackArgs),
    Hunt(hunt::HuntArgs),
    Shrink(shrink::ShrinkArgs),
}

#[derive(Debug, Subcommand)]
enum GateCommand {
    Gate(gate::GateArgs),
}

#[derive(Debug, Subcommand)]
enum CorpusCommand {
    Corpus(corpus::CorpusArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// The command line, with help that groups the commands by task.
fn definition() -> clap::Command {
    let mut commands = String::new();
    for (heading, augment) in HEADINGS {
        commands += &format!("{heading}:\n");
        for command in augment(clap::Command::new("")).get_subcommands() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            commands += &format!("  {:<13}  {about}\n", command.get_name());
        }
        commands.push('\n');
    }
    let template =
        format!("{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}Options:\n{{options}}{{after-help}}");
    Cli::command().help_template(template)
}

/// If an error quotes unprintable arguments, it is printed as plain text, without colors.
fn parse(words: &[OsString]) -> Cli {
    let parsed =
        definition().try_get_matches_from(words).and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    parsed.unwrap_or_else(|error| {
        let text = error.render().to_string();
        let safe = plain(&text);
        if safe == text {
            error.exit();
        }
        // If the output cannot be written, the exit code still reports the failure.
        let _ = io::stderr().write_all(safe.as_bytes());
        process::exit(error.exit_code());
    })
}

/// Handles the internal subcommands without building the full parser, because the runner starts one of them for each
/// reader process.
#[cfg(unix)]
fn internal(words: &[OsString]) -> Option<ExitCode> {
    use torchproof_harness::reader::{HOST_SUBCOMMAND, Launch, SUBCOMMAND};
    let word = words.get(1)?;
    if word == SUBCOMMAND {
        let launch = Launch::parse(words.iter().skip(1).cloned());
        return Some(library::cannot_start(&launch.map_or_else(|complaint| complaint, |launch| launch.run())));
    }
    let of = |at: usize| words.get(at).map(OsString::as_os_str);
    (word == HOST_SUBCOMMAND).then(|| library::run(of(2), of(3)))
}

#[must_use]
pub fn main() -> ExitCode {
    run_command(&std::env::args_os().collect::<Vec<_>>())
}

/// Runs a command line. The first word is the program's name.
#[must_use]
pub fn run_command(words: &[OsString]) -> ExitCode {
    #[cfg(unix)]
    if let Some(done) = internal(words) {
        return done;
    }
    if let Some(program) = words.first() {
        let _ = PROGRAM.set(program.to_string_lossy().into_owned());
    }
    completions::answer(words, definition);
    let done = match parse(words).command {
        Command::Fuzz(FuzzCommand::Attack(args)) => attack::run(&args),
        Command::File(FileCommand::BuildProfile(args)) => build_profile::run(&args),
        Command::File(FileCommand::Check(args)) => check::run(&args),
        Command::Corpus(CorpusCommand::Completions(args)) => completions::run(&args),
        Command::Corpus(CorpusCommand::Corpus(args)) => corpus::run(&args),
        Command::File(FileCommand::Diff(args)) => diff::run(&args),
        Command::File(FileCommand::Dump(args)) => dump::run(&args),
        Command::File(FileCommand::Explain(args)) => explain::run(&args),
        Command::Gate(GateCommand::Gate(args)) => gate::run(&args),
        Command::Fuzz(FuzzCommand::Generate(args)) => generate::run(&args),
        Command::Fuzz(FuzzCommand::Hunt(args)) => hunt::run(&args),
        Command::Reader(ReaderCommand::Init(args)) => init::run(&args),
        Command::File(FileCommand::Inspect(args)) => inspect::run(&args),
        Command::Corpus(CorpusCommand::Man(args)) => man::run(&args, definition()),
        Command::File(FileCommand::Meta(args)) => meta::run(&args),
        Command::File(FileCommand::Needs(args)) => needs::run(&args),
        Command::File(FileCommand::Pack(args)) => pack::run(&args),
        Command::Reader(ReaderCommand::Report(args)) => report::run(&args),
        Command::Reader(ReaderCommand::Run(args)) => run::run(&args),
        Command::Fuzz(FuzzCommand::Shrink(args)) => shrink::run(&args),
    };
    done.unwrap_or_else(|error| {
        complain(&message(&*error));
        ExitCode::from(COULD_NOT)
    })
}

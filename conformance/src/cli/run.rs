//! `torchproof run`: puts readers through the corpus.

mod again;

use std::fs;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use torchproof::Stage;
use torchproof_cli::corpus::{Corpus, Selection};
use torchproof_cli::reader::Address;
use torchproof_cli::report::{Again, Layout, html, json, junit, markdown, sarif, summary, text};
use torchproof_cli::run::grade::{Panics, Terms};
use torchproof_cli::run::known::{Known, Updated};
use torchproof_cli::run::{Memory, Options, run as run_corpus};
use torchproof_protocol::Delivery;

use super::readers::{Sandboxing, Starting};
use super::{Done, complain, jobs, print};

/// Run readers on the corpus.
///
/// A reader's address is builtin:NAME (reference, flatbuffers, accept-all, reject-all), once:CMD (run for each case with
/// the files as its last arguments: exit 0 accepts, 1 rejects, 2 is unsupported), exec:CMD (a worker that speaks JSON
/// lines) or lib:PATH (a shared library with two functions, each case in a forked child). CMD is split into words as a shell
/// does.
///
/// Exit code 0: nothing unexpected; 1: something was, or a reader was not tested by any case; 2: it could not run, or no reader
/// could be started. The last line of text is the command that runs again what failed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A reader; may be given many times
    #[arg(long = "reader", value_name = "ADDR", default_value = "builtin:reference")]
    readers: Vec<String>,
    /// The corpus folder [default: `corpus` here, above, or above the program]
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Only cases whose whole id matches: `pte/header/*`, `pte/**`; may be given many times
    #[arg(long, value_name = "GLOB")]
    cases: Vec<String>,
    /// Only cases of this rule; may be given many times
    #[arg(long = "rule", value_name = "R")]
    rules: Vec<String>,
    /// Only cases that must be rejected by this stage; may be given many times
    #[arg(long = "stage", value_name = "S")]
    stages: Vec<Stage>,
    /// Run every case by each of these deliveries, separated by commas: buffer, unaligned, file, file-at-offset, mmap, guard
    /// (in memory that ends at an unreadable page) [default: each reader's usual one]
    #[arg(long = "delivery", value_name = "LIST", value_delimiter = ',')]
    deliveries: Vec<Delivery>,
    /// A list of known failures, each with a reason: a listed failure is `known` and passes the run; one that passes is
    /// `fixed`, one that matches no result is stale, and both fail it
    #[arg(long, value_name = "FILE")]
    known: Option<PathBuf>,
    /// Rewrite the known-failures file from this run; the exit code still reflects the old file
    #[arg(long, requires = "known")]
    update_known: bool,
    /// Grade cases of should-rules as those of must-rules, as `check --strict` does
    #[arg(long)]
    strict: bool,
    /// How to grade a panic of a reader: as a crash, as a rejection, or not at all
    #[arg(long, value_enum, default_value_t = Panic::Fail, value_name = "AS")]
    panic: Panic,
    /// Cases under way, and readers starting, at once [default: one a processor]
    #[arg(long, value_name = "N")]
    jobs: Option<NonZero<usize>>,
    /// How to report
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Write the report to a file and the summary to stdout
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Where to append each result when it is known; readers get their files in a folder beside it [default:
    /// torchproof-run/results.jsonl under cargo's target folder]
    #[arg(long, value_name = "FILE")]
    results: Option<PathBuf>,
    /// Limit a reader's memory to N MiB whatever the case's budget is; 0 lifts the limit, which sanitizers need
    #[arg(long, value_name = "N")]
    memory_mb: Option<u64>,
    /// Multiply each case's time budget, for slow machines and instrumented readers
    #[arg(long, value_name = "X", default_value_t = 1.0)]
    time_scale: f64,
    #[command(flatten)]
    starting: Starting,
    #[command(flatten)]
    sandboxing: Sandboxing,
    /// One row a case, and every skipped one by name
    #[arg(long, short)]
    verbose: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For people, in a terminal
    Text,
    /// For programs, as schema/run.schema.json describes it
    Json,
    /// For what shows the results of tests, as schema/junit.xsd describes it
    Junit,
    /// What is unexpected, at the bytes of the cases' files, for code-scanning sites
    Sarif,
    /// Removed: `junit` replaces it
    #[value(hide = true)]
    Tap,
    /// For the summary page of a CI site
    Markdown,
    /// One page for a browser, with each case's bytes, its control's and its rule
    Html,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Panic {
    Fail,
    Reject,
    Report,
}

impl From<Panic> for Panics {
    fn from(panic: Panic) -> Self {
        match panic {
            Panic::Fail => Panics::Fail,
            Panic::Reject => Panics::Reject,
            Panic::Report => Panics::Report,
        }
    }
}

const NO_TAP: &str = "--format tap was removed; pass --format junit";

/// The width of a report where nothing says otherwise.
const WIDTH: u16 = 100;

/// In the order of first mention.
fn each_once(deliveries: &[Delivery]) -> Vec<Delivery> {
    let first = |(at, delivery): (usize, &Delivery)| (!deliveries[..at].contains(delivery)).then_some(*delivery);
    deliveries.iter().enumerate().filter_map(first).collect()
}

pub(super) fn run(args: &Args) -> Done {
    if !args.time_scale.is_finite() || args.time_scale <= 0.0 {
        return Err("--time-scale must be a number above zero".into());
    }
    if args.results.as_ref().is_some_and(|path| path.as_os_str() == "-") {
        return Err("--results must name a file, and `-` is none; the report goes to stdout".into());
    }
    let readers = args.readers.iter().map(|reader| reader.parse::<Address>()).collect::<Result<Vec<_>, _>>()?;
    let launcher = match args.format {
        Format::Text | Format::Json | Format::Html => args.sandboxing.launcher()?,
        // These have no place for it.
        Format::Junit | Format::Sarif | Format::Markdown => args.sandboxing.launcher_of(&readers)?,
        Format::Tap => return Err(NO_TAP.into()),
    };
    let options = Options {
        readers,
        selection: Selection::new(&args.cases, &args.rules, &args.stages)?,
        deliveries: each_once(&args.deliveries),
        terms: Terms { strict: args.strict, panics: args.panic.into() },
        known: args.known.as_ref().map(|path| Known::load(path, args.update_known)).transpose()?,
        jobs: jobs(args.jobs),
        time_scale: args.time_scale,
        memory: match args.memory_mb {
            None => Memory::Budget,
            Some(0) => Memory::Unlimited,
            Some(megabytes) => Memory::Fixed(megabytes),
        },
        start: args.starting.time(),
        results: args.results.clone(),
        launcher,
    };
    let corpus = Corpus::load(&args.corpus.clone().map_or_else(Corpus::find, Ok)?)?;
    let mut report = run_corpus(&corpus, &options)?;
    report.again = again::again(args, &report);

    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let layout = Layout { verbose: args.verbose, width: columns.filter(|width| *width >= 40).unwrap_or(WIDTH) };
    let printed = match args.format {
        Format::Text => text(&report, layout),
        Format::Json => json(&report)?,
        Format::Junit => junit(&report)?,
        Format::Sarif => sarif(&report, &corpus)?,
        Format::Markdown => markdown(&report, &Again::new(again::settings(args))),
        Format::Tap => return Err(NO_TAP.into()),
        Format::Html => html(&report, &corpus, &Again::new(again::settings(args)))?,
    };
    match &args.out {
        Some(path) => {
            fs::write(path, printed).map_err(|error| format!("{}: {error}", path.display()))?;
            print(&summary(&report))?;
        }
        None => print(&printed)?,
    }
    if report.none_started() {
        let why = report.readers.iter().find_map(|reader| reader.error.as_deref()).unwrap_or_default();
        return Err(format!("no reader could be started: {why}").into());
    }
    if let Some(known) = options.known.as_ref().filter(|_| args.update_known) {
        let Updated { kept, dropped, added } = known.update(&corpus.manifest().cases, &options.selection, &report)?;
        let path = known.path().display();
        complain(&format!("note: {path}: {kept} kept, {dropped} dropped or narrowed, {added} added without a reason"));
    }
    Ok(ExitCode::from(u8::from(report.is_unexpected())))
}

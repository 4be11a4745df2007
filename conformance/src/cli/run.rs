//! `torchproof run`: runs readers on the corpus.

mod again;
mod args;

use std::fs;
use std::process::ExitCode;

use torchproof_protocol::Delivery;

use super::{Done, complain, jobs, print, removed};
use crate::corpus::{CaseSelection, Corpus};
use crate::disk::io_error::cannot_write;
use crate::reader::Address;
use crate::report::{Again, Layout, html, junit, markdown, sarif, summary, text};
use crate::run::grade::Terms;
use crate::run::known::{Known, Updated};
use crate::run::record::ReaderReport;
use crate::run::{MemoryLimit, Options, run as run_corpus};
pub(super) use args::RunArgs;
use args::RunFormat;

/// The default width of a text report in columns.
const WIDTH: u16 = 100;

/// Removes duplicates from `deliveries`. The first occurrences determine the order.
fn each_once(deliveries: &[Delivery]) -> Vec<Delivery> {
    let first = |(at, delivery): (usize, &Delivery)| (!deliveries[..at].contains(delivery)).then_some(*delivery);
    deliveries.iter().enumerate().filter_map(first).collect()
}

pub(super) fn run(args: &RunArgs) -> Done {
    if args.copies.is_some() {
        return Err(removed::COPIES.into());
    }
    if args.results.as_ref().is_some_and(|path| path.as_os_str() == "-") {
        return Err("--results: expected a file, not stdout; pass ./- for a file named -".into());
    }
    let readers = args.readers.iter().map(|reader| reader.parse::<Address>()).collect::<Result<Vec<_>, _>>()?;
    let launcher = match args.format {
        RunFormat::Text | RunFormat::Json | RunFormat::Html => args.starting.launcher()?,
        // JUnit, SARIF and Markdown reports do not describe the sandbox, so `launcher_of` prints a note.
        RunFormat::Junit | RunFormat::Sarif | RunFormat::Markdown => args.starting.launcher_of(&readers)?,
        RunFormat::Tap => return Err(removed::TAP.into()),
    };
    let options = Options {
        readers,
        selection: CaseSelection::new(&args.cases, &args.rules, &args.stages)?,
        deliveries: each_once(&args.deliveries),
        terms: Terms { strict: args.strict, panics: args.panic },
        known: args.known.as_ref().map(|path| Known::load(path, args.update_known)).transpose()?,
        jobs: jobs(args.jobs),
        time_scale: args.time_scale,
        memory: match args.memory_mb {
            None => MemoryLimit::Budget,
            Some(0) => MemoryLimit::Unlimited,
            Some(megabytes) => MemoryLimit::Fixed(megabytes),
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
        RunFormat::Text => text(&report, layout),
        RunFormat::Json => serde_json::to_string_pretty(&report)? + "\n",
        RunFormat::Junit => junit(&report)?,
        RunFormat::Sarif => sarif(&report, &corpus)?,
        RunFormat::Markdown => markdown(&report, &Again::new(again::settings(args))),
        RunFormat::Tap => return Err(removed::TAP.into()),
        RunFormat::Html => html(&report, &corpus, &Again::new(again::settings(args)))?,
    };
    match &args.out {
        Some(path) => {
            fs::write(path, printed).map_err(|error| cannot_write(path, &error))?;
            print(&summary(&report))?;
        }
        None => print(&printed)?,
    }
    if report.none_started() {
        let failed = |reader: &ReaderReport| Some(format!("{}: {}", reader.address, reader.error.as_deref()?));
        return Err(report.readers.iter().find_map(failed).unwrap_or_default().into());
    }
    if let Some(known) = options.known.as_ref().filter(|_| args.update_known) {
        let Updated { kept, dropped, added } = known.update(&corpus.manifest().cases, &options.selection, &report)?;
        let path = known.path().display();
        complain(&format!("note: {path}: {kept} kept, {dropped} dropped or narrowed, {added} added without a reason"));
    }
    Ok(ExitCode::from(u8::from(report.is_unexpected())))
}

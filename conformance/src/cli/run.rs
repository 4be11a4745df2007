//! `torchproof run`: runs readers on the corpus.

mod again;
mod args;

use std::process::ExitCode;

use torchproof_protocol::Delivery;

use super::output::MAX_WIDTH;
use super::{Done, complain, jobs, print, removed, terminal_width};
use crate::corpus::{CaseSelection, Corpus};
use crate::reader::Address;
use crate::report::{Again, Layout, RunView, text};
use crate::run::grade::Terms;
use crate::run::known::{Known, Updated};
use crate::run::record::ReaderReport;
use crate::run::{MemoryLimit, Options, run as run_corpus};
pub(super) use args::RunArgs;

/// Removes duplicates from `deliveries`. The first occurrences determine the order.
fn each_once(deliveries: &[Delivery]) -> Vec<Delivery> {
    let first = |(at, delivery): (usize, &Delivery)| (!deliveries[..at].contains(delivery)).then_some(*delivery);
    deliveries.iter().enumerate().filter_map(first).collect()
}

pub(super) fn run(args: &RunArgs) -> Done {
    if args.copies.is_some() {
        return Err(removed::COPIES.into());
    }
    if args.format.is_some() {
        return Err(removed::RUN_FORMAT.into());
    }
    if args.out.is_some() {
        return Err(removed::RUN_OUT.into());
    }
    if args.results.as_ref().is_some_and(|path| path.as_os_str() == "-") {
        return Err("--results: expected a file, not stdout; pass ./- for a file named -".into());
    }
    let readers = args.readers.iter().map(|reader| reader.parse::<Address>()).collect::<Result<Vec<_>, _>>()?;
    let known = args.known.as_deref().filter(|_| args.update_known).map(|path| ("--known", path));
    let results = args.results.as_deref().map(|path| ("--results", path));
    args.files.check(&known.into_iter().chain(results).collect::<Vec<_>>())?;
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
        launcher: args.starting.launcher()?,
    };
    let corpus = Corpus::load(&args.corpus.clone().map_or_else(Corpus::find, Ok)?)?;
    let mut report = run_corpus(&corpus, &options)?;
    report.again = again::again(args, &report);

    let again = Again::new(again::settings(args));
    let layout = |width| Layout { verbose: args.verbose, width };
    let view = |width| RunView { report: &report, corpus: &corpus, again: &again, layout: layout(width) };
    print(&text(&report, layout(terminal_width())))?;
    args.files.write(&view(MAX_WIDTH))?;
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

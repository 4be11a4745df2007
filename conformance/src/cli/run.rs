//! `torchproof run`: runs readers on the corpus.

mod args;
mod rerun;
mod run_watch;

use std::error::Error;
use std::hash::BuildHasher;
use std::process::ExitCode;

use torchproof_harness::corpus::{Budget, CaseSelection, Corpus};
use torchproof_harness::reader::{Address, Settings};
use torchproof_harness::run::grade::GradingOptions;
use torchproof_harness::run::known::{KnownFailures, UpdateCounts};
use torchproof_harness::run::record::{ReaderReport, RunReport};
use torchproof_harness::run::results::{FailedResults, read_results};
use torchproof_harness::run::selftest::selftest;
use torchproof_harness::run::{MemoryLimit, Options, RunError, default_results, results_folder, run as run_corpus};
use torchproof_harness::text::escape::plain_name;
use torchproof_protocol::Delivery;

use super::interrupted::INTERRUPTED;
use super::{CommandResult, complain, jobs, print};
use crate::report::RerunCommand;
pub(super) use args::RunArgs;
use args::SelftestMode;
pub(super) use rerun::{rerun_failed, settings};
use run_watch::RunWatch;

fn each_once(deliveries: &[Delivery]) -> Vec<Delivery> {
    let first = |(at, delivery): (usize, &Delivery)| (!deliveries[..at].contains(delivery)).then_some(*delivery);
    deliveries.iter().enumerate().filter_map(first).collect()
}

pub(super) fn exit_code(report: &RunReport) -> u8 {
    u8::from(report.is_unexpected() || report.interrupted.is_some())
}

fn addresses(args: &RunArgs) -> Result<Vec<Address>, Box<dyn Error>> {
    let readers = args.readers.iter().map(|reader| reader.parse::<Address>()).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<&str> = readers.iter().filter_map(Address::given_name).collect();
    match names.iter().enumerate().find(|(at, name)| names[..*at].contains(name)) {
        Some((_, name)) => Err(format!("--reader: found the name {name} twice; give each reader its own name").into()),
        None => Ok(readers),
    }
}

pub(super) fn run(args: &RunArgs) -> CommandResult {
    let Some(path) = &args.rerun_failed else { return run_on(args, None) };
    let earlier = read_results(path)?;
    let failed = FailedResults::of(&earlier, !args.given.values::<RunArgs>().contains_key("reader"));
    if failed.is_empty() {
        return Err(
            format!("{}: no result failed; run without --rerun-failed", plain_name(&path.to_string_lossy())).into()
        );
    }
    run_on(&rerun::merged(args, &earlier.options)?, Some(failed))
}

fn selftest_passes(options: &Options) -> Result<bool, Box<dyn Error>> {
    let settings = Settings::new(options.launcher.clone(), options.start, None);
    let mut passed = true;
    for address in &options.readers {
        let report = selftest(address, &settings, options.time(Budget { ms: 2_000, memory_mib: 0 }))?;
        print(&report.text())?;
        passed &= report.is_passed();
    }
    Ok(passed)
}

fn run_on(args: &RunArgs, rerun_failed: Option<FailedResults>) -> CommandResult {
    if args.results.as_ref().is_some_and(|path| path.as_os_str() == "-") {
        return Err("--results: expected a file, not stdout; pass ./- for a file named -".into());
    }
    let readers = addresses(args)?;
    let results = args.results.clone().unwrap_or_else(|| match &rerun_failed {
        Some(_) => results_folder().join("failed.jsonl"),
        None => default_results(),
    });
    let known = args.known_failures.as_deref().filter(|_| args.update_known).map(|path| ("--known-failures", path));
    args.files.check(&known.into_iter().chain([("--results", results.as_path())]).collect::<Vec<_>>())?;
    // A random order keeps a reader from predicting the next case.
    let random = || std::hash::RandomState::new().hash_one(0);
    let order = (!args.in_order).then(|| args.seed.unwrap_or_else(random));
    let launcher = match args.selftest {
        Some(SelftestMode::Only) => args.starting.launcher_of(&readers)?,
        _ => args.starting.launcher()?,
    };
    let mut given = rerun::given(args);
    given.extend(order.map(|seed| ("seed".to_owned(), vec![seed.to_string()])));
    let options = Options {
        readers,
        selection: CaseSelection::new(&args.cases, &args.rules, &args.stages)?.with_bases(&args.bases),
        deliveries: each_once(&args.deliveries),
        grading: GradingOptions { deny_should: args.deny_should, panics: args.panic },
        known: args.known_failures.as_ref().map(|path| KnownFailures::load(path, args.update_known)).transpose()?,
        jobs: jobs(args.jobs),
        time_scale: args.time_scale,
        memory: match args.memory_mb {
            None => MemoryLimit::Budget,
            Some(0) => MemoryLimit::Unlimited,
            Some(megabytes) => MemoryLimit::Fixed(megabytes),
        },
        start: args.starting.time(),
        results: Some(results.clone()),
        launcher,
        order,
        rerun_failed,
        given,
    };
    if let Some(mode) = args.selftest {
        let passed = selftest_passes(&options)?;
        if !passed || mode == SelftestMode::Only {
            return Ok(ExitCode::from(u8::from(!passed)));
        }
    }
    // Start watching now: building this program's corpus can take seconds.
    let watching = RunWatch::start()?;
    let corpus = Corpus::open(args.corpus.as_deref())?;
    if corpus.dir().is_none() {
        complain("note: found no corpus folder; running the cases in this program, without the files in corpus/real");
    }
    let report = run_corpus(&corpus, &options, &watching);
    watching.clear();
    let mut report = match report {
        Err(RunError::Interrupted) => {
            complain(&RunError::Interrupted.to_string());
            return Ok(ExitCode::from(INTERRUPTED));
        }
        report => report?,
    };
    // A later run can read the results only from a regular file.
    if results.is_file() {
        report.again = rerun::rerun_failed(&report, &results);
    }

    args.files.write(&report, Some(&corpus), &RerunCommand::new(settings(&options.given)), args.verbose)?;
    if report.interrupted.is_some() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if report.none_started() {
        let failed = |reader: &ReaderReport| Some(format!("{}: {}", reader.address, reader.error.as_deref()?));
        return Err(report.readers.iter().find_map(failed).unwrap_or_default().into());
    }
    if let Some(known) = options.known.as_ref().filter(|_| args.update_known) {
        let cases = &corpus.manifest().cases;
        let UpdateCounts { kept, dropped, added } =
            known.update(cases, &options.selection, &report, args.reason.as_deref())?;
        let path = known.path().display();
        let without = if args.reason.is_some() { "" } else { " without a reason" };
        complain(&format!("note: {path}: {kept} kept, {dropped} dropped or narrowed, {added} added{without}"));
    }
    Ok(ExitCode::from(exit_code(&report)))
}

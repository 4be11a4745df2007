//! The command that runs again what failed.

use std::collections::BTreeMap;

use torchproof_cli::run::record::RunReport;
use torchproof_cli::text::escape::for_shell;

use super::super::program;
use super::args::{Panic, RunArgs};

/// A line for a shell that puts what failed to the same readers by the same terms; none where nothing failed.
///
/// Where more failed than cases, as a stale entry of known failures, it is the whole run again. It writes no file that the user
/// named: results of a part would take the place of those of the whole.
pub(super) fn again(args: &RunArgs, report: &RunReport) -> Option<String> {
    if !report.is_unexpected() {
        return None;
    }
    let mut words = vec![program(), "run".to_owned()];
    let mut add = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
    for reader in &args.readers {
        add("--reader", reader);
    }
    match failed(report) {
        Some(globs) => globs.iter().for_each(|glob| add("--cases", glob)),
        None => {
            args.cases.iter().for_each(|glob| add("--cases", glob));
            args.rules.iter().for_each(|rule| add("--rule", rule));
            args.stages.iter().for_each(|stage| add("--stage", &stage.to_string()));
        }
    }
    if let Some(jobs) = args.jobs {
        add("--jobs", &jobs.to_string());
    }
    if !args.deliveries.is_empty() {
        let names: Vec<&str> = args.deliveries.iter().map(|delivery| delivery.name()).collect();
        words.extend(["--delivery".to_owned(), names.join(",")]);
    }
    words.extend(settings(args));
    Some(words.iter().map(|word| for_shell(word)).collect::<Vec<_>>().join(" "))
}

/// What of the arguments bears on what becomes of a case, whichever it is.
pub(super) fn settings(args: &RunArgs) -> Vec<String> {
    let mut words = Vec::new();
    let mut add = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
    if let Some(corpus) = &args.corpus {
        add("--corpus", &corpus.to_string_lossy());
    }
    if let Some(known) = &args.known {
        add("--known", &known.to_string_lossy());
    }
    match args.panic {
        Panic::Fail => {}
        Panic::Reject => add("--panic", "reject"),
        Panic::Report => add("--panic", "report"),
    }
    if let Some(megabytes) = args.memory_mb {
        add("--memory-mb", &megabytes.to_string());
    }
    if (args.time_scale - 1.0).abs() > f64::EPSILON {
        add("--time-scale", &args.time_scale.to_string());
    }
    words.extend(args.starting.words());
    if args.strict {
        words.push("--strict".to_owned());
    }
    words.extend(args.sandboxing.words());
    words
}

/// Globs for the cases that failed with any reader, one for those that differ in the last part of the id; none where only the
/// whole run says the same again.
fn failed(report: &RunReport) -> Option<Vec<String>> {
    let stale = report.known.as_ref().is_some_and(|known| !known.stale.is_empty());
    if stale || report.readers.iter().any(torchproof_cli::run::record::ReaderReport::is_untested) {
        return None;
    }
    let mut cases: BTreeMap<&str, bool> = BTreeMap::new();
    for record in &report.results {
        *cases.entry(&record.case).or_default() |= record.grade.is_unexpected();
    }
    if cases.values().all(|failed| *failed) {
        return None;
    }
    let mut folders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for case in cases.into_iter().filter(|(_, failed)| *failed).map(|(case, _)| case) {
        let (folder, name) = case.rsplit_once('/').unwrap_or(("", case));
        folders.entry(folder).or_default().push(name);
    }
    let glob = |(folder, names): (&str, Vec<&str>)| {
        let slash = if folder.is_empty() { "" } else { "/" };
        match names[..] {
            [name] => format!("{folder}{slash}{name}"),
            _ => format!("{folder}{slash}{{{}}}", names.join(",")),
        }
    };
    Some(folders.into_iter().map(glob).collect())
}

//! The command that repeats the failed cases.

use std::collections::BTreeMap;

use super::super::program;
use super::args::RunArgs;
use crate::run::record::{ReaderReport, RunReport};
use crate::text::escape::shell_line;

/// The names of the options that affect the result of every case.
const SETTINGS: [&str; 10] = [
    "sanitized",
    "exit-code",
    "corpus",
    "known",
    "strict",
    "panic",
    "memory-mb",
    "time-scale",
    "start-ms",
    "no-sandbox",
];

/// Returns a shell command that repeats the failed cases with the same readers and settings. Returns `None` if nothing failed.
///
/// If the run failed for another reason, such as a stale entry in the list of known failures, the command repeats all selected
/// cases. The command omits `--out` and `--results`, so that partial results do not replace the results of the complete run.
pub(super) fn again(args: &RunArgs, report: &RunReport) -> Option<String> {
    if !report.is_unexpected() {
        return None;
    }
    let given = |names: &[&str]| args.given.words::<RunArgs>(names);
    let mut words = vec![program(), "run".to_owned()];
    words.extend(given(&["reader"]));
    match failed(report) {
        Some(globs) => words.extend(globs.into_iter().flat_map(|glob| ["--cases".to_owned(), glob])),
        None => words.extend(given(&["cases", "rule", "stage"])),
    }
    words.extend(given(&["jobs", "delivery"]));
    words.extend(settings(args));
    Some(shell_line(words))
}

/// Returns the options on the command line that affect the result of every case.
pub(super) fn settings(args: &RunArgs) -> Vec<String> {
    args.given.words::<RunArgs>(&SETTINGS)
}

/// Returns globs that match the cases with which at least one reader failed. Each folder with such cases has one glob.
/// Returns `None` if all selected cases must run again.
fn failed(report: &RunReport) -> Option<Vec<String>> {
    let stale = report.known.as_ref().is_some_and(|known| !known.stale.is_empty());
    if stale || report.readers.iter().any(ReaderReport::is_untested) {
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

//! **The text report**: a summary of the failures by rule, the first failures, the other results, and the totals.

mod crashes;
mod exporters;
mod failures;
mod layout;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use torchproof_harness::reader::Sandbox;
use torchproof_harness::run::grade::Grade;
use torchproof_harness::run::record::{KnownReport, ReaderReport, Record, RunReport, UNTESTED, area, count};
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::plain_line;

use super::failure::failed_cases;
pub(crate) use layout::Layout;
use layout::{grid, heading};
pub(super) use layout::{line, tally};

pub(crate) fn text(report: &RunReport, layout: Layout) -> String {
    let mut parts = Vec::new();
    let failed = failed_cases(report);
    if !failed.is_empty() {
        parts.push(crashes::exceptions(&failed));
        parts.push(crashes::by_site(&failed, layout));
        parts.push(failures::by_rule(&failed, report, layout));
        parts.push(failures::first(&failed, layout));
    }
    if layout.verbose {
        parts.push(matrix(report));
    }
    parts.push(exporters::by_exporter(report));
    parts.push(others(report, layout));
    parts.push(summary(report));
    parts.retain(|part| !part.is_empty());
    // Print no empty line after the line about the sandbox.
    let header = |sandbox: &Sandbox| if layout.verbose { sandbox.to_string() } else { sandbox.header() };
    let sandbox = report.sandbox().map_or(String::new(), |sandbox| header(sandbox) + "\n");
    sandbox + &parts.join("\n")
}

/// Shows the grades per reader and in total, then the errors of readers that could not be started. If cases failed in a
/// reader that did start, the last line is the command that repeats them. If no selected case failed, the last line
/// says what to run next.
fn summary(report: &RunReport) -> String {
    let mut out = String::new();
    if let Some(interrupted) = report.interrupted {
        line(&mut out, format_args!("{interrupted}"));
    }
    for reader in &report.readers {
        let cases = reader.grades.values().sum();
        line(
            &mut out,
            format_args!("{}: {}: {}", reader.reader, counted::<usize>(cases, "case"), tally(&reader.grades, ", ")),
        );
        if reader.is_untested() {
            line(&mut out, format_args!("{}: {UNTESTED}", reader.reader));
        }
    }
    if report.readers.len() > 1 {
        let grades = count(report.results.iter());
        let results = report.results.len();
        line(&mut out, format_args!("{}: {results} results: {}", all_of(report), tally(&grades, ", ")));
    }
    if let Some(known) = &report.known {
        line(&mut out, format_args!("{}", of_list(known)));
    }
    for (file, other) in report.unmatched_readers() {
        line(&mut out, format_args!("{file}: {other}"));
    }
    let mut named = BTreeSet::new();
    for reader in &report.readers {
        // A reader's error is the same with every delivery, so print it only once.
        if let Some(error) = reader.error.as_deref().filter(|_| named.insert(&reader.name)) {
            line(&mut out, format_args!("\n{}: {error}", plain_line(&reader.address, usize::MAX)));
        }
    }
    let selected = ["cases", "rule", "stage"].into_iter().find(|name| report.options.contains_key(*name));
    if let Some(again) = &report.again {
        line(&mut out, format_args!("\n{again}"));
    } else if let Some(option) = selected.filter(|_| report.interrupted.is_none() && !report.is_unexpected()) {
        line(
            &mut out,
            format_args!(
                "\nNo unexpected result in the selected cases. To run the others as well, leave out --{option}."
            ),
        );
    }
    out
}

/// Returns text such as `all 2 readers`, `all 3 deliveries` or `all 2 readers with 3 deliveries`.
fn all_of(report: &RunReport) -> String {
    let readers = report.readers.iter().map(|reader| reader.name.as_str()).collect::<BTreeSet<_>>().len();
    match (readers, report.readers.len() / readers.max(1)) {
        (readers, 1) => format!("all {readers} readers"),
        (1, deliveries) => format!("all {deliveries} deliveries"),
        (readers, deliveries) => format!("all {readers} readers with {deliveries} deliveries"),
    }
}

fn of_list(known: &KnownReport) -> String {
    let entries = if known.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", known.entries) };
    let mut text = format!("{}: {entries}", known.file);
    for (count, what) in [(known.stale.len(), "stale"), (known.not_selected, "not selected")] {
        if count > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, ", {count} {what}");
        }
    }
    text
}

fn matrix(report: &RunReport) -> String {
    let mut rows: BTreeMap<&str, BTreeMap<&str, Grade>> = BTreeMap::new();
    for record in &report.results {
        rows.entry(&record.case).or_default().insert(&record.reader, record.grade);
    }
    let mut table = grid(["case".to_owned()].into_iter().chain(report.readers.iter().map(|reader| {
        let name = heading(&reader.name);
        if reader.name == reader.reader { name } else { format!("{name}\nby {}", reader.delivery) }
    })));
    for (case, grades) in &rows {
        let cell = |reader: &ReaderReport| grades.get(reader.reader.as_str()).map_or("", |grade| grade.name());
        table.add_row([*case].into_iter().chain(report.readers.iter().map(cell)));
    }
    table.trim_fmt() + "\n"
}

/// Shows the results that are neither passes nor failures, then the notes, then the stale entries.
fn others(report: &RunReport, layout: Layout) -> String {
    let mut out = String::new();
    out.push_str(&quiet(report, layout));
    for reader in report.readers.iter().filter(|reader| reader.error.is_none()) {
        // The summary already says that the reader was not tested.
        for note in reader.notes.iter().filter(|note| *note != UNTESTED) {
            line(&mut out, format_args!("note  {}: {note}", reader.reader));
        }
    }
    out.push_str(&differing(report));
    if let Some(KnownReport { file, stale, .. }) = &report.known {
        for stale in stale {
            line(&mut out, format_args!("stale  {file}:{}  {}", stale.line, stale.entry));
            line(&mut out, format_args!("    {}", stale.message));
        }
    }
    out
}

/// Shows skipped cases, ungraded results, known failures, and passes with a message. Unless the report is verbose,
/// results with the same reader, grade and reason share a line, even if their deliveries differ.
fn quiet(report: &RunReport, layout: Layout) -> String {
    let (mut lines, mut folded) = (String::new(), BTreeMap::new());
    let names: BTreeMap<&str, (usize, &ReaderReport)> =
        report.readers.iter().enumerate().map(|(at, reader)| (reader.reader.as_str(), (at, reader))).collect();
    for record in report.results.iter().filter(|record| !record.grade.is_unexpected()) {
        let Some((at, reader)) = names.get(record.reader.as_str()).filter(|(_, reader)| reader.error.is_none()) else {
            continue;
        };
        let why = match record.grade {
            Grade::Pass if record.message.is_empty() => continue,
            _ if layout.verbose => None,
            Grade::Skip => Some(record.message.clone()),
            // An ungraded crash gets its own line.
            Grade::Ungraded if record.outcome != "crash" => Some(record.outcome.to_owned()),
            Grade::Known => Some(record.listed.as_ref().map(ToString::to_string).unwrap_or_default()),
            _ => None,
        };
        match why {
            Some(why) => {
                let first = report.readers.iter().position(|other| other.name == reader.name).unwrap_or(*at);
                let cases: &mut BTreeSet<&str> = folded.entry((first, record.grade, why)).or_default();
                cases.insert(&record.case);
            }
            None => {
                line(&mut lines, format_args!("{}  {}  {}", layout.grade(record.grade), record.reader, record.case));
                line(&mut lines, format_args!("    {}", reason(record, layout)));
                if let Some(listed) = &record.listed {
                    line(&mut lines, format_args!("    {listed}"));
                }
            }
        }
    }
    for ((at, grade, why), cases) in folded {
        let areas: BTreeSet<&str> = cases.iter().map(|case| area(case)).collect();
        let name = &report.readers[at].name;
        let of = match areas.iter().next() {
            Some(area) if areas.len() == 1 => format!("in {area}"),
            _ => format!("in {}", counted(areas.len(), "area")),
        };
        let grade = layout.grade(grade);
        line(&mut lines, format_args!("{grade}  {name}  {} {of}: {why}", counted(cases.len(), "case")));
    }
    lines
}

/// Lists cases for which a reader's outcome differs between deliveries, although they all pass the same bytes.
fn differing(report: &RunReport) -> String {
    let names: BTreeMap<&str, &str> = report.readers.iter().map(|reader| (&*reader.reader, &*reader.name)).collect();
    let mut cases: BTreeMap<(&str, &str), BTreeMap<&str, Vec<&str>>> = BTreeMap::new();
    for record in report.results.iter().filter(|record| record.outcome != "unsupported") {
        let Some(name) = names.get(&*record.reader) else { continue };
        let outcomes = cases.entry((name, &record.case)).or_default();
        outcomes.entry(record.outcome).or_default().push(record.delivery.name());
    }
    let mut out = String::new();
    for ((name, case), outcomes) in cases.into_iter().filter(|(_, outcomes)| outcomes.len() > 1) {
        let lines: Vec<String> =
            outcomes.iter().map(|(outcome, deliveries)| format!("{outcome} with {}", deliveries.join(", "))).collect();
        line(&mut out, format_args!("differs  {name}  {case}\n    {}", lines.join("; ")));
    }
    out
}

fn reason(record: &Record, layout: Layout) -> String {
    plain_line(&record.described(), layout.most())
}

//! **The Markdown report**: a summary for a CI page, with collapsed lists of failures.

use super::RerunCommand;
use super::failure::rule_and_place;
use super::text::{line, tally};
use crate::catalogue::book_address;
use crate::render::markdown::{code, row, table};
use std::collections::BTreeMap;

use torchproof_harness::run::grade::Grade;
use torchproof_harness::run::record::{ReaderReport, Record, RunReport, count};

/// The maximum size in bytes, because GitHub shows no step summary that is larger than 1 MiB.
const MOST: usize = 1_000_000;

/// GitHub-flavored Markdown with some HTML. Text from readers is inside `<code>`, with all markup escaped. The failing
/// readers share the size limit, and a line counts the omitted rows.
pub(super) fn markdown(report: &RunReport, rerun: &RerunCommand) -> String {
    let mut out = head(report);
    let failed: Vec<&ReaderReport> =
        report.readers.iter().filter(|reader| report.failures(reader).next().is_some()).collect();
    for (at, reader) in failed.iter().enumerate() {
        let share = MOST.saturating_sub(out.len()) / (failed.len() - at);
        out += &failures(report, reader, rerun, share);
    }
    let rest = rest(report);
    // The table of other results comes last, and only if the report still fits.
    if !rest.is_empty() && out.len() + rest.len() <= MOST {
        out += &rest;
    }
    out
}

fn head(report: &RunReport) -> String {
    let verdict = if report.interrupted.is_some() {
        "interrupted"
    } else if report.is_unexpected() {
        "unexpected results"
    } else {
        "nothing unexpected"
    };
    let mut out = format!("## torchproof: {verdict}\n\nCorpus {}, ", code(&report.corpus.version));
    line(&mut out, format_args!("digest {}\n", code(&report.corpus.digest)));
    if let Some(sandbox) = report.sandbox() {
        line(&mut out, format_args!("Readers: {}\n", code(&sandbox.to_string())));
    }
    let used = |grade: &Grade| report.readers.iter().any(|reader| reader.grades.contains_key(grade));
    let grades: Vec<Grade> = Grade::ALL.into_iter().filter(used).collect();
    let names = grades.iter().map(|grade| format!(">{grade}"));
    out += &table(&["reader".to_owned(), ">cases".to_owned()].into_iter().chain(names).collect::<Vec<_>>());
    for reader in &report.readers {
        let count = |grade| reader.grades.get(grade).map_or(String::new(), usize::to_string);
        let cases: usize = reader.grades.values().sum();
        let cells = [code(&reader.reader), cases.to_string()].into_iter().chain(grades.iter().map(count));
        out += &row(&cells.collect::<Vec<_>>());
    }
    out.push('\n');
    if let Some(interrupted) = report.interrupted {
        line(&mut out, format_args!("**{interrupted}**\n"));
    }
    for complaint in report.complaints() {
        line(&mut out, format_args!("**{}**: {}\n", code(complaint.subject), code(&complaint.message)));
    }
    for (file, other) in report.unmatched_readers() {
        line(&mut out, format_args!("{}: {}\n", code(file), code(&other.to_string())));
    }
    out
}

fn failures(report: &RunReport, reader: &ReaderReport, rerun: &RerunCommand, most: usize) -> String {
    let grades = count(report.failures(reader));
    let mut out = format!("<details>\n<summary>{}: {}</summary>\n\n", code(&reader.reader), tally(&grades, ", "));
    if let Some(record) = report.failures(reader).next() {
        line(&mut out, format_args!("Repeat the first one: {}\n", code(&rerun.of(reader, &record.case))));
    }
    out += &table(&["grade", "case", "rule and defect", "outcome"]);
    const END: &str = "\n</details>\n\n";
    let total: usize = grades.values().sum();
    for (at, record) in report.failures(reader).enumerate() {
        let row = row(&[record.grade.name(), &case(record), &defect(record), &code(&record.explained())]);
        let cut = format!("\n{} more failures are omitted; `--report json=FILE` lists all.\n", total - at);
        // Reserve space for the line about omitted rows.
        if out.len() + row.len() + cut.len() + END.len() > most {
            out += &cut;
            break;
        }
        out += &row;
    }
    out + END
}

fn case(record: &Record) -> String {
    let about = record.about.as_ref();
    let title = about.map(|about| about.title.as_str()).filter(|title| !title.is_empty());
    let explain = about.and_then(|about| about.explain.as_deref()).unwrap_or(&record.case);
    let explain = match about.and_then(|about| about.page.as_deref()) {
        None => code(explain),
        Some(path) => match book_address(path) {
            Some(address) => format!("[{}]({address})", code(explain)),
            None => format!("{} ({path})", code(explain)),
        },
    };
    title.map_or_else(|| explain.clone(), |title| format!("{}: {explain}", code(title)))
}

fn defect(record: &Record) -> String {
    let text = record.about.as_ref().map(rule_and_place).unwrap_or_default();
    if text.is_empty() { text } else { code(&text) }
}

/// Counts the results that are neither passes nor failures, by reader, grade and reason.
fn rest(report: &RunReport) -> String {
    let mut counts: BTreeMap<(&str, Grade, String), usize> = BTreeMap::new();
    for record in &report.results {
        if record.grade != Grade::Pass && !record.grade.is_unexpected() {
            let why = match &record.listed {
                Some(listed) => listed.to_string(),
                None if record.message.is_empty() => record.outcome.to_owned(),
                None => record.message.clone(),
            };
            *counts.entry((&record.reader, record.grade, why)).or_default() += 1;
        }
    }
    if counts.is_empty() {
        return String::new();
    }
    let mut out = "<details>\n<summary>Skipped and ungraded cases, known failures</summary>\n\n".to_owned();
    out += &table(&["reader", "grade", ">cases", "reason"]);
    for ((reader, grade, why), count) in counts {
        out += &row(&[&code(reader), grade.name(), &count.to_string(), &code(&why)]);
    }
    out + "\n</details>\n"
}

//! **The text report**: a matrix of areas and readers, the results that are not passes, and a summary.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use comfy_table::{ContentArrangement, LineStyle, Table, TableStyle, presets};
use textwrap::{Options, WordSplitter};

use crate::run::grade::Grade;
use crate::run::record::{KnownReport, ReaderReport, Record, RunReport, UNTESTED, area, count};
use crate::text::counted;
use crate::text::escape::plain_line;

const STYLE: TableStyle = presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─'));

/// The layout of the text report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Whether the report has a row for each case and a line for each skipped or ungraded case.
    pub verbose: bool,
    /// The width of the terminal in columns.
    pub width: usize,
}

/// Returns the complete report as text.
#[must_use]
pub fn text(report: &RunReport, layout: Layout) -> String {
    let mut out = String::new();
    if let Some(warning) = report.sandbox_warning() {
        line(&mut out, format_args!("{warning}"));
    }
    out.push_str(&matrix(report, layout));
    out.push('\n');
    let details = details(report, layout);
    if !details.is_empty() {
        out.push_str(&details);
        out.push('\n');
    }
    out.push_str(&summary(report));
    out
}

/// Returns a line for each reader and a line for all readers. Each line gives the number of results by grade.
///
/// If cases failed, the last line is the command that repeats the failed cases.
fn summary(report: &RunReport) -> String {
    let mut out = String::new();
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
    if let Some(again) = &report.again {
        line(&mut out, format_args!("\n{again}"));
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

/// Returns text with the path of the list of known failures and the number of its entries. If some entries are stale or
/// not selected, the text also gives their numbers.
fn of_list(known: &KnownReport) -> String {
    let entries = if known.entries == 1 { "1 entry".to_owned() } else { format!("{} entries", known.entries) };
    let mut text = format!("{}: {entries}", known.file);
    for (count, what) in [(known.stale.len(), "stale"), (known.not_asked, "not selected")] {
        if count > 0 {
            // Writing to a String cannot fail.
            let _ = write!(text, ", {count} {what}");
        }
    }
    text
}

/// Returns the column heading of a reader. The heading consists of the name, with line breaks between words, and the
/// delivery if the run has several deliveries.
fn heading(reader: &ReaderReport) -> String {
    let options = Options::new(18).break_words(false).word_splitter(WordSplitter::NoHyphenation);
    let heading = textwrap::fill(&reader.name, options);
    if reader.name == reader.reader { heading } else { format!("{heading}\nby {}", reader.delivery) }
}

fn matrix(report: &RunReport, layout: Layout) -> String {
    let mut rows: BTreeMap<&str, BTreeMap<&str, Vec<&Record>>> = BTreeMap::new();
    for record in &report.results {
        let row = if layout.verbose { &record.case } else { area(&record.case) };
        rows.entry(row).or_default().entry(&record.reader).or_default().push(record);
    }
    let mut table = Table::new();
    // Disable wrapping, because wrapped grades and areas are unreadable.
    table.load_style(STYLE).set_content_arrangement(ContentArrangement::Disabled);
    let readers = report.readers.iter().map(|reader| reader.reader.as_str());
    let first = if layout.verbose { vec!["case"] } else { vec!["area", "cases"] };
    let names: Vec<String> = report.readers.iter().map(heading).collect();
    table.set_header(first.into_iter().chain(names.iter().map(String::as_str)));
    for (name, cells) in &rows {
        let mut row = vec![(*name).to_owned()];
        if !layout.verbose {
            row.push(cells.values().map(Vec::len).max().unwrap_or(0).to_string());
        }
        for reader in readers.clone() {
            let records = cells.get(reader).map(Vec::as_slice).unwrap_or_default();
            row.push(match (layout.verbose, records) {
                (true, [record]) => record.grade.to_string(),
                _ => tally(&count(records.iter().copied()), "\n"),
            });
        }
        table.add_row(row);
    }
    table.trim_fmt() + "\n"
}

/// Returns the number of results with each grade as text, such as `10 pass, 2 crash`.
fn tally(grades: &BTreeMap<Grade, usize>, between: &str) -> String {
    let counts: Vec<String> = grades.iter().map(|(grade, count)| format!("{count} {grade}")).collect();
    if counts.is_empty() { "-".to_owned() } else { counts.join(between) }
}

/// Returns all results that are not passes.
fn details(report: &RunReport, layout: Layout) -> String {
    let mut out = String::new();
    for reader in &report.readers {
        let name = &reader.reader;
        if let Some(error) = &reader.error {
            // Print the error once, because all cases of the reader fail for this reason with every delivery.
            if report.readers.iter().find(|other| other.name == reader.name) == Some(reader) {
                line(&mut out, format_args!("{}: {error}", plain_line(&reader.address, usize::MAX)));
            }
            continue;
        }
        let mut quiet: BTreeMap<(Grade, String), usize> = BTreeMap::new();
        for record in report.results.iter().filter(|record| record.reader == *name) {
            match record.grade {
                Grade::Pass if record.message.is_empty() => {}
                Grade::Skip if !layout.verbose => *quiet.entry((Grade::Skip, record.message.clone())).or_default() += 1,
                // Do not count ungraded crashes in this line, because each ungraded crash has its own line.
                Grade::Info if !layout.verbose && record.outcome != "crash" => {
                    *quiet.entry((Grade::Info, record.outcome.into())).or_default() += 1;
                }
                Grade::Known if !layout.verbose => {
                    let why = record.listed.as_ref().map(ToString::to_string).unwrap_or_default();
                    *quiet.entry((Grade::Known, why)).or_default() += 1;
                }
                grade => {
                    line(&mut out, format_args!("{grade}  {name}  {}", record.case));
                    line(&mut out, format_args!("    {}", reason(record, layout)));
                    if let Some(listed) = &record.listed {
                        line(&mut out, format_args!("    {listed}"));
                    }
                }
            }
        }
        for ((grade, why), count) in quiet {
            line(&mut out, format_args!("{grade}  {name}  {}: {why}", counted(count, "case")));
        }
        // Omit the note that the reader was not tested, because the summary already contains this note.
        for note in reader.notes.iter().filter(|note| *note != UNTESTED) {
            line(&mut out, format_args!("note  {name}: {note}"));
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

/// Returns the cases for which one reader has different outcomes with different deliveries. The bytes are the same with
/// every delivery.
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

/// Returns the outcome and the message in one line.
fn reason(record: &Record, layout: Layout) -> String {
    // Unless the report is verbose, truncate the text to two lines of the terminal.
    let most = if layout.verbose { usize::MAX } else { layout.width.saturating_mul(2).saturating_sub(4) };
    plain_line(&record.described(), most)
}

pub(super) fn line(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{arguments}");
}

//! **The TAP report**: the Test Anything Protocol, version 14, a test point a case and reader.

use std::fmt::Write;

use super::{Record, Report};
use crate::grade::Grade;

/// The report as a TAP stream.
///
/// A point is `ok` unless it fails the run. What is no pass has a diagnostic block of plain YAML, in which every value is a JSON
/// string or number.
#[must_use]
pub fn tap(report: &Report) -> String {
    let complaints: Vec<_> = report.complaints().collect();
    let mut out = format!("TAP version 14\n1..{}\n", report.results.len() + complaints.len());
    for (at, record) in report.results.iter().enumerate() {
        let not = if record.grade.is_unexpected() { "not " } else { "" };
        let skip = match record.grade {
            Grade::Skip => format!(" # SKIP {}", escaped(&record.message)),
            _ => String::new(),
        };
        let name = escaped(&format!("{}: {}", record.reader, record.case));
        line(&mut out, format_args!("{not}ok {} - {name}{skip}", at + 1));
        if !matches!(record.grade, Grade::Pass | Grade::Skip) {
            diagnostics(&mut out, record);
        }
    }
    for (at, complaint) in complaints.iter().enumerate() {
        let what = if complaint.of_reader { "the reader" } else { "the list" };
        let name = escaped(&format!("{}: {what} as a whole", complaint.subject));
        line(&mut out, format_args!("not ok {} - {name}", report.results.len() + at + 1));
        block(&mut out, &[("message", &complaint.message)]);
    }
    out
}

fn diagnostics(out: &mut String, record: &Record) {
    let mut members = vec![("grade", record.grade.name()), ("outcome", record.outcome)];
    members.push(("delivery", record.delivery.name()));
    members.extend(record.stage.map(|stage| ("stage", stage.name())));
    let listed = record.listed.as_ref().map(ToString::to_string).unwrap_or_default();
    members.extend([("listed", listed.as_str()), ("message", record.message.as_str()), ("stderr", &record.stderr)]);
    members.retain(|(_, value)| !value.is_empty());
    block(out, &members);
}

fn block(out: &mut String, members: &[(&str, &str)]) {
    out.push_str("  ---\n");
    for (name, value) in members {
        // A JSON string is one of YAML too, and of one line.
        line(out, format_args!("  {name}: {}", serde_json::Value::from(*value)));
    }
    out.push_str("  ...\n");
}

/// A description in which nothing begins a directive.
fn escaped(text: &str) -> String {
    text.replace('\\', r"\\").replace('#', r"\#")
}

fn line(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a String does not fail.
    let _ = writeln!(out, "{arguments}");
}

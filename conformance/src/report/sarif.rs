//! **The SARIF report**: every unexpected result, with a location in a file of the checkout.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use serde_json::{Value, json};
use torchproof::rules;

use super::failure::rule_and_place;
use super::location::{CheckoutFile, NO_CHECKOUT_FILE, checkout_file};
use super::words::meaning;
use crate::run::record::{Record, RunReport};
use crate::sarif::{self, LogTables, descriptor, fingerprint, message, uri};

/// Returns the report as a SARIF log.
///
/// The rule id of a result is the rule of the case, or the grade if the case has no rule. `checkout_file` chooses the
/// file in which the results are located. The message and the properties name the case and the place of the defect.
///
/// # Errors
/// `sarif` does not fail for a report that [`run`](crate::run::run) returned.
pub fn sarif(report: &RunReport, at: Option<&Path>) -> io::Result<String> {
    let tables = RefCell::new(LogTables::default());
    for complaint in report.complaints() {
        tables.borrow_mut().notify("error", &format!("{}: {}", complaint.subject, complaint.message), None);
    }
    if let Some(interrupted) = report.interrupted {
        tables.borrow_mut().notify("error", &interrupted.to_string(), None);
    }
    if let Some(sandbox) = report.sandbox() {
        tables.borrow_mut().notify("note", &format!("readers: {sandbox}"), None);
    }
    let file = checkout_file(report, at);
    if file.is_none() && report.is_unexpected() {
        tables.borrow_mut().notify("warning", NO_CHECKOUT_FILE, None);
    }
    // Omit the results of an unusable reader, because all of them would have the same error.
    let unusable: BTreeSet<&str> =
        report.readers.iter().filter(|reader| reader.error.is_some()).map(|reader| reader.reader.as_str()).collect();
    let unexpected = report.results.iter().filter(|record| record.grade.is_unexpected());
    let unexpected = unexpected.filter(|record| !unusable.contains(record.reader.as_str()));
    let results = unexpected.map(|record| result(record, file.as_ref(), &mut tables.borrow_mut()));
    let exit_code = match report.interrupted {
        Some(_) => 130,
        None if report.none_started() => 2,
        None => u8::from(report.is_unexpected()),
    };
    let successful = report.interrupted.is_none() && !report.none_started();
    let mut log = Vec::new();
    sarif::write(&mut log, results, &tables, || (successful, exit_code))?;
    String::from_utf8(log).map_err(io::Error::other)
}

/// Converts a record into a SARIF result.
fn result(record: &Record, file: Option<&CheckoutFile>, tables: &mut LogTables) -> Value {
    let about = record.about.as_ref();
    let rule = about.and_then(|about| about.rule.as_deref()).and_then(rules::get);
    let grade = record.grade;
    let (rule_id, rule_index) = match rule {
        Some(rule) => (rule.id, tables.rule(rule.id, || descriptor(rule))),
        None => (grade.name(), {
            let meaning = message(meaning(grade));
            tables.rule(grade.name(), || {
                json!({
                    "id": grade.name(),
                    "shortDescription": meaning,
                    "fullDescription": meaning,
                    "help": meaning,
                    "defaultConfiguration": { "level": "error" },
                })
            })
        }),
    };
    let (reader, id) = (&record.reader, &record.case);
    let mut properties = json!({
        "case": id,
        "reader": reader,
        "grade": grade.name(),
        "outcome": record.outcome,
        "delivery": record.delivery.name(),
    });
    let mut text = format!("{reader}: {grade}: {}: {id}", record.explained());
    if let Some(about) = about {
        properties["title"] = about.title.as_str().into();
        properties["rule"] = about.rule.as_deref().into();
        properties["defect"] = about.place().into();
        properties["explain"] = about.explain.as_deref().into();
        text += &format!(" ({})", about.title);
        for part in [Some(rule_and_place(about)), about.explain.clone()].into_iter().flatten() {
            text += &if part.is_empty() { part } else { format!("; {part}") };
        }
    }
    if let Some(stage) = record.stage {
        properties["stage"] = stage.name().into();
    }
    json!({
        "ruleId": rule_id,
        "ruleIndex": rule_index,
        "level": "error",
        "message": message(&text),
        "locations": file.map(|file| location(file, record)).into_iter().collect::<Vec<_>>(),
        "partialFingerprints": { "readerAndCase/v1": fingerprint(&[reader, id]) },
        "properties": properties,
    })
}

/// Returns a location in `file`. If `file` is the list of known failures, the location has the line of the entry that
/// matches the result. Otherwise, the line is 1.
fn location(file: &CheckoutFile, record: &Record) -> Value {
    let line = file.line(record.listed.as_ref().map(|listed| listed.line));
    let field = record.about.as_ref().and_then(|about| about.path.as_deref()).unwrap_or_default();
    let mut location = sarif::location(&uri(&file.path), None, None, field);
    location["physicalLocation"]["region"] = json!({ "startLine": line });
    location
}

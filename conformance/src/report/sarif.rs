//! **The SARIF report**: every unexpected result, attached to a file of the repository.

use std::io;
use std::path::Path;

use serde_json::json;
use torchproof::rules;
use torchproof_harness::run::record::{Record, RunReport};

use super::failure::rule_and_place;
use super::location::{CheckoutFile, NO_CHECKOUT_FILE, checkout_file};
use super::words::meaning;
use crate::catalogue::address_or_path;
use crate::render::sarif::{LogTables, sarif as log};
use crate::render::{Level, Region, ReportRow, RowKind, RowPlace};

/// A result's rule id is the case's rule, or the grade. `checkout_file` chooses the file that results are attached to;
/// the message and the properties name the case and the place of the defect.
pub(super) fn sarif(report: &RunReport, at: Option<&Path>) -> io::Result<String> {
    let mut tables = LogTables::default();
    for complaint in report.complaints() {
        tables.notify(Level::Error, &format!("{}: {}", complaint.subject, complaint.message), None);
    }
    if let Some(interrupted) = report.interrupted {
        tables.notify(Level::Error, &interrupted.to_string(), None);
    }
    if let Some(sandbox) = report.sandbox() {
        tables.notify(Level::Note, &format!("readers: {sandbox}"), None);
    }
    let file = checkout_file(report, at);
    if file.is_none() && report.is_unexpected() {
        tables.notify(Level::Warning, NO_CHECKOUT_FILE, None);
    }
    let rows = report.readers.iter().flat_map(|reader| report.failures(reader));
    let rows = rows.map(|record| row(record, file.as_ref())).collect();
    let exit_code = match report.interrupted {
        Some(_) => 130,
        None if report.none_started() => 2,
        None => u8::from(report.is_unexpected()),
    };
    log(rows, tables, (report.interrupted.is_none() && !report.none_started(), exit_code))
}

fn row(record: &Record, file: Option<&CheckoutFile>) -> ReportRow {
    let Record { case, reader, grade, about, .. } = record;
    let rule = about.as_ref().and_then(|about| rules::get(about.rule.as_deref()?));
    let mut properties = json!({
        "case": case,
        "reader": reader,
        "grade": grade.name(),
        "outcome": record.outcome,
        "delivery": record.delivery.name(),
    });
    let mut message = format!("{grade}: {}: {case}", record.explained());
    if let Some(about) = about {
        properties["title"] = about.title.as_str().into();
        properties["rule"] = about.rule.as_deref().into();
        properties["defect"] = about.place().into();
        properties["explain"] = about.explain.as_deref().into();
        properties["page"] = about.page.clone().map(address_or_path).into();
        message += &format!(" ({})", about.title);
        for part in [Some(rule_and_place(about)), about.explain.clone()].into_iter().flatten() {
            message += &if part.is_empty() { part } else { format!("; {part}") };
        }
    }
    if let Some(stage) = record.stage {
        properties["stage"] = stage.name().into();
    }
    let field = about.as_ref().and_then(|about| about.path.clone()).unwrap_or_default();
    // If the file is the list of known failures, use the line of the matching entry.
    let line = |file: &CheckoutFile| Region::Line(file.line(record.listed.as_ref().map(|listed| listed.line)));
    ReportRow {
        level: Level::Error,
        kind: rule.map_or(RowKind::Grade(grade.name(), meaning(*grade)), RowKind::Rule),
        subject: reader.clone(),
        message,
        place: file.map(|file| RowPlace { field, ..RowPlace::at(&file.path, line(file)) }),
        identity: ("readerAndCase/v1", vec![reader.clone(), case.clone()]),
        properties,
        ..ReportRow::default()
    }
}

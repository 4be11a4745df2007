//! `check --format sarif`: a SARIF log of the findings.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::json;
use torchproof::{FileKind, Span};

use torchproof_model::check::{CheckedFile, bytes_of};

use super::{Tally, rows};
use crate::render::sarif::{self, LogTables};
use crate::render::{Region, ReportRow};

/// Writes the results in the given order, as soon as they are available. Only the names of all files and the findings
/// of one file are in memory at a time. `exit_code` is called after the last file.
pub(crate) fn write(
    out: impl Write,
    files: impl Iterator<Item = CheckedFile>,
    deny_should: bool,
    exit_code: impl Fn(&Tally) -> u8,
) -> io::Result<()> {
    let tables = RefCell::new(LogTables::allowing());
    let tally = Cell::new(Tally::default());
    let rows = files.flat_map(|file| {
        let mut counted = tally.get();
        counted.add(file.examined.as_ref().ok(), deny_should);
        tally.set(counted);
        enter(&mut tables.borrow_mut(), &file, deny_should)
    });
    sarif::write(out, rows, &tables, || (tally.get().unexamined == 0, exit_code(&tally.get())))
}

fn enter(tables: &mut LogTables, file: &CheckedFile, deny_should: bool) -> Vec<ReportRow> {
    let kind = file.examined.as_ref().map_or(FileKind::Unknown, |examined| examined.report.kind);
    let artifact = tables.artifact(&sarif::uri(&file.path), file.len, &json!({ "kind": kind }));
    for row in rows::problems(file, Some(artifact)) {
        tables.notify(row.level, &row.message, row.place.as_ref());
    }
    let mut alike = HashMap::<_, usize>::new();
    let mut rows = rows::rows(file, deny_should, Some(artifact));
    for row in &mut rows {
        let number = alike.entry((row.kind.id(), row.subject.clone())).or_default();
        *number += 1;
        // The identity contains no offsets, because every export of a model can move them.
        row.identity = ("ruleAndField/v1", vec![row.kind.id().to_owned(), row.subject.clone(), number.to_string()]);
        let place = row.place.as_ref();
        let len = place.and_then(|place| place.artifact).map_or(u64::MAX, |_| file.len.unwrap_or_default());
        if let Some(Region::Bytes(span)) = place.and_then(|place| place.region) {
            let bytes = if span == Span::new(0, len) { "the whole file".to_owned() } else { bytes_of(span, len) };
            row.message += &format!(" ({bytes})");
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use torchproof::check::Checker;
    use torchproof::corpus;

    use super::super::ExaminedFile;
    use super::*;

    #[test]
    fn a_notification_counts_omitted_findings() {
        let bytes = corpus::find("pte/header/length-23").unwrap().build().bytes;
        let mut report = Checker::new().check(&bytes);
        report.findings.clear();
        let examined = ExaminedFile::alone(report);
        let file = CheckedFile { path: "a.pte".into(), len: Some(64), examined: Ok(examined), runtime: Vec::new() };
        let mut log = Vec::new();
        write(&mut log, std::iter::once(file), false, Tally::exit_code).unwrap();
        let log: Value = serde_json::from_slice(&log).unwrap();
        let invocation = &log["runs"][0]["invocations"][0];
        let notification = &invocation["toolExecutionNotifications"][0];
        assert_eq!((&notification["level"], &invocation["executionSuccessful"]), (&json!("warning"), &json!(true)));
        insta::assert_snapshot!(notification["message"]["text"].as_str().unwrap());
    }
}

//! GitLab's code quality reports.

use std::collections::HashMap;
use std::io;

use serde_json::{Value, json};
use torchproof_harness::text::ascii;

use super::sarif::fingerprint;
use super::{Level, ReportRow};

/// Fingerprints must not depend on offsets, because every export of a model can move them.
pub(crate) fn gitlab(rows: &[ReportRow]) -> io::Result<String> {
    let mut numbers = HashMap::<String, usize>::new();
    let issue = |row: &ReportRow| -> Value {
        let (path, field) = row
            .place
            .as_ref()
            .map_or_else(Default::default, |place| (place.path.to_string_lossy().into_owned(), place.field.as_str()));
        let severity = match row.level {
            Level::Error => "blocker",
            Level::Warning => "minor",
            Level::Note => "info",
        };
        let number = numbers.entry(path.clone()).or_default();
        let identity = fingerprint(&[&path, row.kind.id(), field, &number.to_string()]);
        *number += 1;
        json!({
            "description": row.line(),
            "check_name": row.kind.id(),
            "fingerprint": identity,
            "severity": severity,
            "location": { "path": path, "lines": { "begin": 1 } },
        })
    };
    ascii::pretty(&rows.iter().map(issue).collect::<Vec<_>>())
}

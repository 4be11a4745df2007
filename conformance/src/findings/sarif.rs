//! `check --format sarif`: a SARIF log of the findings.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io::{self, Write};

use serde_json::{Value, json};
use torchproof::FileKind;
use torchproof::Span;
use torchproof::rules::Strength;

use super::{CheckedFile, Tally, bytes_of};
use crate::sarif::{self, LogTables, descriptor, fingerprint, level, location, message, uri};

/// Writes the results of the files in the given order, as soon as they are available.
///
/// The function keeps in memory the findings of one file and the names of all files. After the last file, the function
/// calls `exit_code` to get the exit code of the command.
///
/// # Errors
///
/// Fails if the log cannot be written.
pub fn write(
    out: impl Write,
    files: impl Iterator<Item = CheckedFile>,
    strict: bool,
    exit_code: impl Fn(&Tally) -> u8,
) -> io::Result<()> {
    let (tables, tally) = (RefCell::new(LogTables::default()), Cell::new(Tally::default()));
    let results = files.flat_map(|file| {
        let mut counted = tally.get();
        counted.add(file.examined.as_ref().ok(), strict);
        tally.set(counted);
        enter(&mut tables.borrow_mut(), file, strict)
    });
    sarif::write(out, results, &tables, || (tally.get().unexamined == 0, exit_code(&tally.get())))
}

/// Adds a checked file to the tables of the SARIF log, and returns SARIF results for its findings.
fn enter(tables: &mut LogTables, file: CheckedFile, strict: bool) -> Vec<Value> {
    let own = uri(&file.path);
    let kind = file.examined.as_ref().map_or(FileKind::Unknown, |examined| examined.report.kind);
    let artifact = tables.artifact(&own, file.len, &json!({ "kind": kind }));
    let mut notify = |level: &str, text: &str| {
        tables.notify(level, text, Some(location(&own, Some(artifact), None, "")));
    };
    let examined = match file.examined {
        Ok(examined) => examined,
        Err(error) => {
            notify("error", &error);
            return Vec::new();
        }
    };
    if let Some(reason) = examined.incomplete() {
        notify("error", &reason);
    }
    if let Some(note) = examined.note() {
        notify(if examined.data_required { "error" } else { "note" }, &note);
    }
    let hidden = examined.report.omitted();
    if hidden > 0 {
        notify("warning", &format!("{hidden} more findings are not listed"));
    }
    let mut alike = HashMap::<_, usize>::new();
    let allowed = examined.allowed.iter().map(|allowed| (&allowed.finding, Some(&*allowed.reason)));
    let found = examined.report.findings.iter().map(|found| (found, None));
    let results = found.chain(allowed).map(|(found, reason)| {
        let (rule, span) = (found.rule, found.span);
        let ordinal = alike.entry((rule.id, &found.path)).or_default();
        *ordinal += 1;
        let (place, len) = match examined.companion(found) {
            Some(companion) => (location(&uri(companion), None, Some(span), &found.path), u64::MAX),
            None => (location(&own, Some(artifact), Some(span), &found.path), file.len.unwrap_or_default()),
        };
        let field = if found.path.is_empty() { String::new() } else { format!("{}: ", found.path) };
        let bytes = if span == Span::new(0, len) { "the whole file".to_owned() } else { bytes_of(span, len) };
        json!({
            "ruleId": rule.id,
            "ruleIndex": tables.rule(rule.id, || descriptor(rule)),
            "level": if strict && rule.strength == Strength::Should { "error" } else { level(rule.strength) },
            "message": message(&format!("{field}{} ({bytes})", found.message)),
            "locations": [place],
            "suppressions": sarif::suppressions(reason),
            // The fingerprint contains no offsets, because each export of a model can produce other offsets.
            "partialFingerprints": { "ruleAndField/v1": fingerprint(&[rule.id, &found.path, &ordinal.to_string()]) },
        })
    });
    results.collect()
}

#[cfg(test)]
mod tests {
    use torchproof::check::Checker;
    use torchproof::corpus;

    use super::super::Examined;
    use super::*;

    #[test]
    fn a_notification_counts_omitted_findings() {
        let bytes = corpus::find("pte/header/length-23").unwrap().build().bytes;
        let mut report = Checker::new().check(&bytes);
        report.findings.clear();
        let examined = Examined::alone(report);
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

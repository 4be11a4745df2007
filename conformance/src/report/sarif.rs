//! **The SARIF report**: every unexpected result with a location in the case's file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::path::Path;

use serde_json::{Value, json};
use torchproof::Span;
use torchproof::rules;

use super::words::meaning;
use crate::corpus::{Case, Corpus};
use crate::run::record::{Record, RunReport};
use crate::sarif::{self, LogTables, descriptor, fingerprint, message, uri};

/// Returns the report as a SARIF log.
///
/// The rule of a result is the rule of the case. For a case without a rule, the grade is used as the rule of the
/// result. The location of a result is the defect in the case's first file. Paths below the current folder are written
/// relative to this folder.
///
/// # Errors
/// `sarif` does not fail for a report that [`run`](crate::run::run) returned.
pub fn sarif(report: &RunReport, corpus: &Corpus) -> io::Result<String> {
    let tables = RefCell::new(LogTables::default());
    for complaint in report.complaints() {
        tables.borrow_mut().notify("error", &format!("{}: {}", complaint.subject, complaint.message), None);
    }
    // Omit the results of an unusable reader, because all of them would have the same error.
    let usable = |record: &&Record| {
        let reader = report.readers.iter().find(|reader| reader.reader == record.reader);
        reader.is_none_or(|reader| reader.error.is_none())
    };
    let unexpected = report.results.iter().filter(|record| record.grade.is_unexpected()).filter(usable);
    let mut artifacts = HashMap::new();
    let results = unexpected.map(|record| result(record, corpus, &mut tables.borrow_mut(), &mut artifacts));
    let exit_code = if report.none_started() { 2 } else { u8::from(report.is_unexpected()) };
    let mut log = Vec::new();
    sarif::write(&mut log, results, &tables, || (!report.none_started(), exit_code))?;
    String::from_utf8(log).map_err(io::Error::other)
}

/// Converts a record into a SARIF result. `artifacts` contains the index of each file that the log already lists.
fn result(record: &Record, corpus: &Corpus, tables: &mut LogTables, artifacts: &mut HashMap<String, usize>) -> Value {
    let case = corpus.case(&record.case);
    let rule = case.and_then(|case| case.rule.as_deref()).and_then(rules::get);
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
    let title = case.map(|case| format!(" ({})", case.title)).unwrap_or_default();
    let (reader, id) = (&record.reader, &record.case);
    let mut properties = json!({
        "case": id,
        "reader": reader,
        "grade": grade.name(),
        "outcome": record.outcome,
        "delivery": record.delivery.name(),
    });
    if let Some(stage) = record.stage {
        properties["stage"] = stage.name().into();
    }
    json!({
        "ruleId": rule_id,
        "ruleIndex": rule_index,
        "level": "error",
        "message": message(&format!("{reader}: {grade}: {}: {id}{title}", record.explained())),
        "locations": case.and_then(|case| location(case, corpus, tables, artifacts)).into_iter().collect::<Vec<_>>(),
        "partialFingerprints": { "readerAndCase/v1": fingerprint(&[reader, id]) },
        "properties": properties,
    })
}

/// Returns the location of the defect, or of the whole file for a case without a defect.
fn location(
    case: &Case,
    corpus: &Corpus,
    tables: &mut LogTables,
    artifacts: &mut HashMap<String, usize>,
) -> Option<Value> {
    let file = case.files.first()?;
    let path = corpus.dir().join(&file.path);
    let here = std::env::current_dir().unwrap_or_default();
    // Use a relative path, because code-scanning sites match files by their path in the repository.
    let uri = uri(path.strip_prefix(here).map_or(path.as_path(), |path: &Path| path));
    let artifact = *artifacts
        .entry(file.path.clone())
        .or_insert_with(|| tables.artifact(&uri, Some(file.size), &json!({ "role": file.role })));
    let span = case.at.as_ref().map_or(Span::new(0, file.size), |at| Span::new(at.offset, at.len));
    Some(sarif::location(&uri, Some(artifact), Some(span), case.path.as_deref().unwrap_or_default()))
}

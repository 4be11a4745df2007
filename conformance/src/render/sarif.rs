//! **The objects in a SARIF 2.1.0 log**, the Static Analysis Results Interchange Format.
//!
//! A region has a byte range and the `startLine` 1, so viewers that do not support byte ranges show the result at the
//! start of the file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use data_encoding::HEXLOWER;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use torchproof::rules::Rule;
use torchproof_harness::text::ascii;

use super::stream::{DeferredValue, StreamedList};
use super::{Level, Region, ReportRow, RowKind, RowPlace};
use crate::catalogue::{book_address, markdown, rule_page};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

#[derive(Default)]
pub(crate) struct LogTables {
    rules: Vec<Value>,
    indices: HashMap<&'static str, usize>,
    artifacts: Vec<Value>,
    notifications: Vec<Value>,
    /// In SARIF, either all results of a run have a list of suppressions, or none do.
    can_allow: bool,
}

impl LogTables {
    pub(crate) fn allowing() -> Self {
        Self { can_allow: true, ..Self::default() }
    }

    fn rule(&mut self, kind: RowKind) -> usize {
        *self.indices.entry(kind.id()).or_insert_with(|| {
            self.rules.push(descriptor(kind));
            self.rules.len() - 1
        })
    }

    pub(crate) fn artifact(&mut self, uri: &str, length: Option<u64>, properties: &Value) -> usize {
        let mut artifact = json!({ "location": { "uri": uri }, "roles": ["analysisTarget"], "properties": properties });
        if let Some(length) = length {
            artifact["length"] = length.into();
        }
        self.artifacts.push(artifact);
        self.artifacts.len() - 1
    }

    /// Adds a notification: a tool error, or a warning about incomplete output.
    pub(crate) fn notify(&mut self, level: Level, text: &str, place: Option<&RowPlace>) {
        let mut notification = json!({ "level": level_name(level), "message": message(text) });
        if let Some(place) = place {
            notification["locations"] = json!([location(place)]);
        }
        self.notifications.push(notification);
    }

    fn invocation(&self, successful: bool, exit_code: u8) -> Value {
        let mut invocation = json!({ "executionSuccessful": successful, "exitCode": exit_code });
        if !self.notifications.is_empty() {
            invocation["toolExecutionNotifications"] = self.notifications.clone().into();
        }
        invocation
    }
}

/// Reads rows one by one, so that a log can be larger than memory. The results come first, because the tables and the
/// outcome are complete only after the last result.
pub(crate) fn write(
    out: impl Write,
    rows: impl Iterator<Item = ReportRow>,
    tables: &RefCell<LogTables>,
    outcome: impl Fn() -> (bool, u8),
) -> io::Result<()> {
    #[derive(Serialize)]
    struct Log<R> {
        #[serde(rename = "$schema")]
        schema: &'static str,
        version: &'static str,
        runs: [R; 1],
    }
    // Members are computed and written in this order.
    #[derive(Serialize)]
    struct Run<R, T, A, I> {
        results: R,
        tool: T,
        artifacts: A,
        invocations: I,
    }
    let run = Run {
        results: StreamedList::new(rows.map(|row| result(&row, &mut tables.borrow_mut()))),
        tool: DeferredValue(|| {
            let rules = &tables.borrow().rules;
            json!({ "driver": { "name": "torchproof", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules } })
        }),
        artifacts: DeferredValue(|| tables.borrow().artifacts.clone()),
        invocations: DeferredValue(|| {
            let (successful, exit_code) = outcome();
            [tables.borrow().invocation(successful, exit_code)]
        }),
    };
    ascii::write_pretty(out, &Log { schema: SCHEMA, version: "2.1.0", runs: [run] })
}

pub(crate) fn sarif(rows: Vec<ReportRow>, tables: LogTables, outcome: (bool, u8)) -> io::Result<String> {
    let mut log = Vec::new();
    write(&mut log, rows.into_iter(), &RefCell::new(tables), || outcome)?;
    String::from_utf8(log).map_err(io::Error::other)
}

fn result(row: &ReportRow, tables: &mut LogTables) -> Value {
    let (identity, parts) = &row.identity;
    let details: String = row.details.iter().map(|(label, detail)| format!("\n{label}: {detail}")).collect();
    let subject = if row.subject.is_empty() { String::new() } else { format!("{}: ", row.subject) };
    let mut result = json!({
        "ruleId": row.kind.id(),
        "ruleIndex": tables.rule(row.kind),
        "level": level_name(row.level),
        "message": message(&format!("{subject}{}{details}", row.message)),
        "locations": row.place.iter().map(location).collect::<Vec<_>>(),
        "partialFingerprints": { *identity: fingerprint(parts) },
    });
    if !row.properties.is_null() {
        result["properties"] = row.properties.clone();
    }
    if tables.can_allow {
        let suppression = row.allowed.iter().map(|reason| json!({ "kind": "external", "justification": reason }));
        result["suppressions"] = suppression.collect();
    }
    result
}

const fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "note",
    }
}

/// Returns a fingerprint, which identifies a result across logs.
pub(crate) fn fingerprint(parts: &[impl AsRef<str>]) -> String {
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    let digest = Sha256::digest(parts.join("\0"));
    HEXLOWER.encode(&digest[..16])
}

fn message(text: &str) -> Value {
    json!({ "text": escaped(text) })
}

/// Doubles braces, because single braces are placeholders in SARIF messages.
fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

fn descriptor(kind: RowKind) -> Value {
    match kind {
        RowKind::Rule(rule) => of_rule(rule),
        RowKind::Other(id, definition) => json!({ "id": id, "shortDescription": message(definition) }),
        RowKind::Grade(id, meaning) => {
            let meaning = message(meaning);
            json!({
                "id": id,
                "shortDescription": meaning,
                "fullDescription": meaning,
                "help": meaning,
                "defaultConfiguration": { "level": "error" },
            })
        }
    }
}

fn of_rule(rule: &Rule) -> Value {
    let known = rule.explanation();
    let mut descriptor = json!({
        "id": rule.id,
        "shortDescription": message(rule.statement),
        "fullDescription": message(known.rationale),
        "help": {
            "text": escaped(&format!("{}\n\n{}", known.rationale, known.source)),
            "markdown": escaped(&markdown::rule(rule)),
        },
        "defaultConfiguration": { "level": level_name(rule.strength.into()) },
        "properties": {
            "strength": rule.strength,
            "basis": rule.basis,
            "subject": rule.subject,
            "stage": rule.stage,
            "section": rule.section,
            "references": known.refs,
        },
    });
    if let Some(address) = book_address(&rule_page(rule.id)) {
        descriptor["helpUri"] = address.into();
    }
    descriptor
}

fn location(place: &RowPlace) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(&place.path) } });
    if let Some(artifact) = place.artifact {
        physical["artifactLocation"]["index"] = artifact.into();
    }
    if let Some(region) = place.region {
        physical["region"] = match region {
            Region::Bytes(span) => json!({ "startLine": 1, "byteOffset": span.offset, "byteLength": span.len }),
            Region::Line(line) => json!({ "startLine": line }),
            Region::Position { line, column } => json!({ "startLine": line, "startColumn": column }),
        };
    }
    let mut location = json!({ "physicalLocation": physical });
    if !place.field.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": place.field }]);
    }
    location
}

/// A relative path becomes a relative URI.
pub(crate) fn uri(path: &Path) -> String {
    let mut uri = String::new();
    let bytes = path.as_os_str().as_encoded_bytes();
    let rest = bytes.iter().position(|byte| *byte != b'/').unwrap_or(bytes.len());
    if rest > 0 {
        uri.push_str("file:///");
    }
    for byte in &bytes[rest..] {
        // Text before a colon in a relative URI could be a scheme.
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_escaped_and_keep_relative_paths() {
        for (path, address) in [
            ("models/a.pte", "models/a.pte"),
            ("./a b.pte", "./a%20b.pte"),
            ("../x:y#z?.pte", "../x%3Ay%23z%3F.pte"),
            ("/models/100%.pte", "file:///models/100%25.pte"),
            ("//models/ü.pte", "file:///models/%C3%BC.pte"),
        ] {
            assert_eq!(uri(Path::new(path)), address);
        }
    }
}

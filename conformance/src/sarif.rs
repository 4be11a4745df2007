//! **The objects of a log in SARIF 2.1.0**, the Static Analysis Results Interchange Format.
//!
//! A region has a byte range and the `startLine` 1. Viewers without support for byte ranges therefore show the result
//! at the start of the file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

use data_encoding::HEXLOWER;
use serde::Serialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use torchproof::Span;
use torchproof::rules::{Rule, Strength};

use crate::catalogue::book_address;
use crate::catalogue::markdown::{self, LinkContext};
use crate::text::ascii;
use crate::text::stream::{Late, StreamedList};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The tables of a log: rules, artifacts and notifications.
#[derive(Default)]
pub(crate) struct LogTables {
    rules: Vec<Value>,
    indices: HashMap<&'static str, usize>,
    artifacts: Vec<Value>,
    notifications: Vec<Value>,
}

impl LogTables {
    /// Returns the index of a rule. If the id is new, adds the rule that `describe` returns.
    pub(crate) fn rule(&mut self, id: &'static str, describe: impl FnOnce() -> Value) -> usize {
        *self.indices.entry(id).or_insert_with(|| {
            self.rules.push(describe());
            self.rules.len() - 1
        })
    }

    /// Adds a file to the artifacts, and returns the index of the artifact.
    pub(crate) fn artifact(&mut self, uri: &str, length: Option<u64>, properties: &Value) -> usize {
        let mut artifact = json!({ "location": { "uri": uri }, "roles": ["analysisTarget"], "properties": properties });
        if let Some(length) = length {
            artifact["length"] = length.into();
        }
        self.artifacts.push(artifact);
        self.artifacts.len() - 1
    }

    /// Adds a notification: an error of the tool, or a warning about incomplete output.
    pub(crate) fn notify(&mut self, level: &str, text: &str, location: Option<Value>) {
        let mut notification = json!({ "level": level, "message": message(text) });
        if let Some(location) = location {
            notification["locations"] = json!([location]);
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

/// Writes the log of a run. The log begins with the results, because the tables and the outcome are complete only after
/// the last result.
///
/// The outcome consists of the exit code and a flag that states whether the run succeeded.
pub(crate) fn write(
    out: impl Write,
    results: impl Iterator<Item = Value>,
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
    // Serialization computes and writes the members in this order.
    #[derive(Serialize)]
    struct Run<R, T, A, I> {
        results: R,
        tool: T,
        artifacts: A,
        invocations: I,
    }
    let run = Run {
        results: StreamedList::new(results),
        tool: Late(|| {
            let rules = &tables.borrow().rules;
            json!({ "driver": { "name": "torchproof", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules } })
        }),
        artifacts: Late(|| tables.borrow().artifacts.clone()),
        invocations: Late(|| {
            let (successful, exit_code) = outcome();
            [tables.borrow().invocation(successful, exit_code)]
        }),
    };
    ascii::write_pretty(out, &Log { schema: SCHEMA, version: "2.1.0", runs: [run] })
}

/// Returns the SARIF level of a result whose rule has the given strength.
pub(crate) const fn level(strength: Strength) -> &'static str {
    match strength {
        Strength::Must => "error",
        Strength::Should => "warning",
        Strength::May => "note",
    }
}

/// Returns a short hash of `parts` that identifies a result across logs.
pub(crate) fn fingerprint(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\0"));
    HEXLOWER.encode(&digest[..16])
}

/// Returns a message object with this text.
pub(crate) fn message(text: &str) -> Value {
    json!({ "text": escaped(text) })
}

/// Doubles braces, because single braces are placeholders in SARIF messages.
fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

/// Returns the descriptor of a rule, with the rule's text from the book.
pub(crate) fn descriptor(rule: &Rule) -> Value {
    let known = rule.explanation();
    let help: Vec<&str> =
        [known.rationale, known.readers, known.source].into_iter().filter(|text| !text.is_empty()).collect();
    let mut descriptor = json!({
        "id": rule.id,
        "shortDescription": message(rule.statement),
        "fullDescription": message(if known.rationale.is_empty() { rule.statement } else { known.rationale }),
        "help": { "text": escaped(&help.join("\n\n")), "markdown": escaped(&markdown::rule(rule, LinkContext::Elsewhere)) },
        "defaultConfiguration": { "level": level(rule.strength) },
        "properties": {
            "strength": rule.strength,
            "subject": rule.subject,
            "stage": rule.stage,
            "section": rule.section,
            "references": known.refs,
        },
    });
    if let Some(address) = book_address(&format!("formats/{}", rule.section), rule.id) {
        descriptor["helpUri"] = address.into();
    }
    descriptor
}

/// Returns the suppressions of a result. `reason` is the reason why the settings allow the result.
///
/// In SARIF, either all results of a run have this list or none has it, so a result that is not allowed has an empty list.
pub(crate) fn suppressions(reason: Option<&str>) -> Value {
    let suppression = reason.map(|reason| json!({ "kind": "external", "justification": reason }));
    suppression.into_iter().collect()
}

/// Returns a location with the file's URI and artifact index, the byte range and the field.
pub(crate) fn location(uri: &str, artifact: Option<usize>, span: Option<Span>, field: &str) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri } });
    if let Some(artifact) = artifact {
        physical["artifactLocation"]["index"] = artifact.into();
    }
    if let Some(span) = span {
        physical["region"] = json!({ "startLine": 1, "byteOffset": span.offset, "byteLength": span.len });
    }
    let mut location = json!({ "physicalLocation": physical });
    if !field.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": field }]);
    }
    location
}

/// Returns the URI of a file. A relative path becomes a relative URI.
pub(crate) fn uri(path: &Path) -> String {
    let mut uri = String::new();
    let bytes = path.as_os_str().as_encoded_bytes();
    let rest = bytes.iter().position(|byte| *byte != b'/').unwrap_or(bytes.len());
    if rest > 0 {
        uri.push_str("file:///");
    }
    for byte in &bytes[rest..] {
        // Escape colons too: in a relative URI, text before a colon could be parsed as a scheme.
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

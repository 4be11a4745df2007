//! **The static analysis results interchange format**, version 2.1.0: the objects that our logs are made of.
//!
//! A region has the bytes, and line 1 beside them: a file of bytes has no lines, and viewers that know nothing else show the
//! result at the file's beginning.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use data_encoding::HEXLOWER;
use serde::Serialize;
use sha2::{Digest, Sha256};
use torchproof::rules::{Rule, Strength, Subject};
use torchproof::{Span, Stage};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The level of a broken rule.
pub(crate) const fn level(strength: Strength) -> &'static str {
    match strength {
        Strength::Must => "error",
        Strength::Should => "warning",
        Strength::May => "note",
    }
}

/// What results are recognised by in a later log: short, and the same only for the same parts.
pub(crate) fn fingerprint(parts: &[&str]) -> String {
    let digest = Sha256::digest(parts.join("\0"));
    HEXLOWER.encode(&digest[..16])
}

/// A file's address: relative where its path is.
pub(crate) fn uri(path: &Path) -> String {
    let mut uri = String::new();
    let bytes = path.as_os_str().as_encoded_bytes();
    let rest = bytes.iter().position(|byte| *byte != b'/').unwrap_or(bytes.len());
    if rest > 0 {
        uri.push_str("file:///");
    }
    for byte in &bytes[rest..] {
        // A colon too is escaped: before the first slash it would end a scheme.
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            uri += &format!("%{byte:02X}");
        }
    }
    uri
}

#[derive(Serialize)]
pub(crate) struct Log<R> {
    #[serde(rename = "$schema")]
    pub(crate) schema: &'static str,
    pub(crate) version: &'static str,
    pub(crate) runs: [R; 1],
}

impl<R> Log<R> {
    pub(crate) fn new(run: R) -> Self {
        Self { schema: SCHEMA, version: "2.1.0", runs: [run] }
    }
}

#[derive(Serialize)]
pub(crate) struct Run<R, T, A, I> {
    pub(crate) results: R,
    pub(crate) tool: T,
    pub(crate) artifacts: A,
    pub(crate) invocations: I,
}

#[derive(Serialize)]
pub(crate) struct Tool {
    pub(crate) driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    pub(crate) semantic_version: &'static str,
    pub(crate) rules: Vec<Descriptor>,
}

impl Tool {
    pub(crate) fn new(rules: Vec<Descriptor>) -> Self {
        Self { driver: Driver { name: "torchproof", semantic_version: env!("CARGO_PKG_VERSION"), rules } }
    }
}

/// The rules that results refer to, each described once.
#[derive(Default)]
pub(crate) struct Rules {
    pub(crate) listed: Vec<Descriptor>,
    indices: HashMap<&'static str, usize>,
}

impl Rules {
    /// Where the rule of this id is listed; `describe` is asked when it is not yet.
    pub(crate) fn index(&mut self, id: &'static str, describe: impl FnOnce() -> Descriptor) -> usize {
        *self.indices.entry(id).or_insert_with(|| {
            self.listed.push(describe());
            self.listed.len() - 1
        })
    }
}

/// A rule.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    pub(crate) id: &'static str,
    pub(crate) short_description: Message,
    pub(crate) full_description: Message,
    pub(crate) help: Message,
    pub(crate) default_configuration: Configuration,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) properties: Option<DescriptorProperties>,
}

#[derive(Clone, Serialize)]
pub(crate) struct Configuration {
    pub(crate) level: &'static str,
}

#[derive(Clone, Serialize)]
pub(crate) struct DescriptorProperties {
    pub(crate) strength: Strength,
    pub(crate) subject: Subject,
    pub(crate) stage: Stage,
    pub(crate) section: &'static str,
    pub(crate) references: &'static [&'static str],
}

impl Descriptor {
    pub(crate) fn of(rule: &Rule) -> Self {
        let known = rule.explanation();
        let help: Vec<&str> =
            [known.why, known.readers, known.source].into_iter().filter(|text| !text.is_empty()).collect();
        Self {
            id: rule.id,
            short_description: Message::new(rule.statement),
            full_description: Message::new(if known.why.is_empty() { rule.statement } else { known.why }),
            help: Message::new(&help.join("\n\n")),
            default_configuration: Configuration { level: level(rule.strength) },
            properties: Some(DescriptorProperties {
                strength: rule.strength,
                subject: rule.subject,
                stage: rule.stage,
                section: rule.section,
                references: known.refs,
            }),
        }
    }
}

#[derive(Clone, Serialize)]
pub(crate) struct Message {
    pub(crate) text: String,
}

impl Message {
    /// In such a text braces are around the numbers of arguments; those that are meant as they are stand twice.
    pub(crate) fn new(text: &str) -> Self {
        Self { text: text.replace('{', "{{").replace('}', "}}") }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResultItem {
    pub(crate) rule_id: &'static str,
    pub(crate) rule_index: usize,
    pub(crate) level: &'static str,
    pub(crate) message: Message,
    pub(crate) locations: Vec<Location>,
    /// By what stays the same when the log is made anew.
    #[serde(rename = "partialFingerprints")]
    pub(crate) fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) properties: BTreeMap<&'static str, String>,
}

#[derive(Clone, Serialize)]
pub(crate) struct Location {
    #[serde(rename = "physicalLocation")]
    pub(crate) physical: Physical,
    #[serde(rename = "logicalLocations", skip_serializing_if = "Option::is_none")]
    pub(crate) logical: Option<[Logical; 1]>,
}

#[derive(Clone, Serialize)]
pub(crate) struct Physical {
    #[serde(rename = "artifactLocation")]
    pub(crate) place: ArtifactPlace,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) region: Option<Region>,
}

/// A file, by its address and by its place among the artifacts.
#[derive(Clone, Serialize)]
pub(crate) struct ArtifactPlace {
    pub(crate) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) index: Option<usize>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Region {
    pub(crate) start_line: u8,
    pub(crate) byte_offset: u64,
    pub(crate) byte_length: u64,
}

impl Region {
    pub(crate) fn of(span: Span) -> Self {
        Self { start_line: 1, byte_offset: span.offset, byte_length: span.len }
    }
}

/// The field.
#[derive(Clone, Serialize)]
pub(crate) struct Logical {
    #[serde(rename = "fullyQualifiedName")]
    pub(crate) name: String,
}

#[derive(Clone, Serialize)]
pub(crate) struct Artifact<P> {
    pub(crate) location: Uri,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) length: Option<u64>,
    pub(crate) roles: [&'static str; 1],
    pub(crate) properties: P,
}

#[derive(Clone, Serialize)]
pub(crate) struct Uri {
    pub(crate) uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invocation {
    #[serde(rename = "executionSuccessful")]
    pub(crate) successful: bool,
    pub(crate) exit_code: u8,
    #[serde(rename = "toolExecutionNotifications", skip_serializing_if = "Vec::is_empty")]
    pub(crate) notifications: Vec<Notification>,
}

/// What kept the tool from its work, or from telling all of it.
#[derive(Clone, Serialize)]
pub(crate) struct Notification {
    pub(crate) level: &'static str,
    pub(crate) message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) locations: Vec<Location>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_escaped_and_stay_relative() {
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

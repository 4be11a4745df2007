//! `check --format sarif`: the static analysis results interchange format, version 2.1.0.
//!
//! A region has the bytes, and line 1 beside them: a file of bytes has no lines, and viewers that know nothing else show the
//! result at the file's beginning.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::{Digest, Sha256};
use torchproof::check::Kind;
use torchproof::rules::{Rule, Strength, Subject};
use torchproof::{Span, Stage};

use super::stream::{Late, Stream};
use super::text::bytes_of;
use super::{Examined, Found, Tally};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// One file that was looked at.
#[derive(Debug)]
pub struct File {
    /// As it was given.
    pub path: PathBuf,
    /// In bytes, if that could be told.
    pub len: Option<u64>,
    /// What was found, or why nothing could be.
    pub examined: Result<Examined, String>,
}

/// Writes the log of files, in the order given, while they are checked.
///
/// Only what is found in the file at hand is held, and of those before it their names.
///
/// # Errors
///
/// It cannot be written.
pub fn write(mut out: impl Write, files: impl Iterator<Item = File>, strict: bool) -> io::Result<()> {
    let book = RefCell::new(Book { strict, ..Book::default() });
    let results = files.flat_map(|file| book.borrow_mut().enter(file));
    // The results come first: all the rest is known once they are written.
    let run = Run {
        results: Stream::new(results),
        tool: Late(|| Tool { driver: Driver::of(&book.borrow().rules) }),
        artifacts: Late(|| book.borrow().artifacts.clone()),
        invocations: Late(|| [book.borrow().invocation()]),
    };
    serde_json::to_writer_pretty(&mut out, &Log { schema: SCHEMA, version: "2.1.0", runs: [run] })?;
    out.write_all(b"\n")?;
    out.flush()
}

/// What is known of the files so far.
#[derive(Default)]
struct Book {
    strict: bool,
    rules: Vec<&'static Rule>,
    indices: HashMap<&'static str, usize>,
    artifacts: Vec<Artifact>,
    notifications: Vec<Notification>,
    tally: Tally,
}

impl Book {
    fn enter(&mut self, file: File) -> Vec<ResultItem> {
        self.tally.add(file.examined.as_ref().ok(), self.strict);
        let place = Place { uri: uri(&file.path), index: Some(self.artifacts.len()) };
        let kind = file.examined.as_ref().map_or(Kind::Unknown, |examined| examined.kind);
        self.artifacts.push(Artifact {
            location: Uri { uri: place.uri.clone() },
            length: file.len,
            roles: ["analysisTarget"],
            properties: ArtifactProperties { kind },
        });
        let examined = match file.examined {
            Ok(examined) => examined,
            Err(error) => {
                self.notify("error", &error, &place);
                return Vec::new();
            }
        };
        if let Some(reason) = &examined.incomplete {
            self.notify("error", reason, &place);
        }
        let hidden = examined.counts.iter().sum::<u32>() as usize - examined.findings.len();
        if hidden > 0 {
            self.notify("warning", &format!("{hidden} more findings are not listed"), &place);
        }
        let mut alike = HashMap::new();
        let results = examined.findings.into_iter().map(|found| {
            let ordinal: &mut usize = alike.entry((found.rule.id, found.path.clone())).or_default();
            *ordinal += 1;
            self.result(found, *ordinal, file.len.unwrap_or_default(), &place)
        });
        results.collect()
    }

    fn notify(&mut self, level: &'static str, text: &str, place: &Place) {
        let locations = [Location { physical: Physical { place: place.clone(), region: None }, logical: None }];
        self.notifications.push(Notification { level, message: Message::new(text), locations });
    }

    fn result(&mut self, found: Found, ordinal: usize, len: u64, place: &Place) -> ResultItem {
        let Found { rule, companion, path, span, message } = found;
        let (place, len) = match companion {
            Some(companion) => (Place { uri: uri(&companion), index: None }, u64::MAX),
            None => (place.clone(), len),
        };
        let rule_index = *self.indices.entry(rule.id).or_insert_with(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        });
        let field = if path.is_empty() { String::new() } else { format!("{path}: ") };
        let region = Region { start_line: 1, byte_offset: span.offset, byte_length: span.len };
        let fingerprint = Sha256::digest(format!("{}\0{path}\0{ordinal}", rule.id));
        ResultItem {
            rule_id: rule.id,
            rule_index,
            level: if self.strict && rule.strength == Strength::Should { "error" } else { level(rule.strength) },
            message: Message::new(&format!("{field}{message} ({})", place_of(span, len))),
            locations: [Location {
                physical: Physical { place, region: Some(region) },
                logical: (!path.is_empty()).then_some([Logical { name: path }]),
            }],
            fingerprints: Fingerprints {
                rule_and_field: fingerprint[..16].iter().map(|byte| format!("{byte:02x}")).collect(),
            },
        }
    }

    fn invocation(&self) -> Invocation {
        Invocation {
            successful: self.tally.unexamined == 0,
            exit_code: self.tally.exit_code(),
            notifications: self.notifications.clone(),
        }
    }
}

fn place_of(span: Span, len: u64) -> String {
    if span == Span::new(0, len) { "the whole file".to_owned() } else { bytes_of(span, len) }
}

const fn level(strength: Strength) -> &'static str {
    match strength {
        Strength::Must => "error",
        Strength::Should => "warning",
        Strength::Either => "note",
    }
}

/// A file's address: relative where its path is.
fn uri(path: &Path) -> String {
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
struct Log<R> {
    #[serde(rename = "$schema")]
    schema: &'static str,
    version: &'static str,
    runs: [R; 1],
}

#[derive(Serialize)]
struct Run<R, T, A, I> {
    results: R,
    tool: T,
    artifacts: A,
    invocations: I,
}

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver {
    name: &'static str,
    semantic_version: &'static str,
    rules: Vec<Descriptor>,
}

impl Driver {
    fn of(rules: &[&'static Rule]) -> Self {
        let rules = rules.iter().map(|rule| Descriptor::of(rule)).collect();
        Self { name: "torchproof", semantic_version: env!("CARGO_PKG_VERSION"), rules }
    }
}

/// A rule.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    id: &'static str,
    short_description: Message,
    full_description: Message,
    help: Message,
    default_configuration: Configuration,
    properties: DescriptorProperties,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
struct DescriptorProperties {
    strength: Strength,
    subject: Subject,
    stage: Stage,
    section: &'static str,
    references: &'static [&'static str],
}

impl Descriptor {
    fn of(rule: &Rule) -> Self {
        let known = rule.explanation();
        let help: Vec<&str> =
            [known.why, known.readers, known.source].into_iter().filter(|text| !text.is_empty()).collect();
        Self {
            id: rule.id,
            short_description: Message::new(rule.statement),
            full_description: Message::new(if known.why.is_empty() { rule.statement } else { known.why }),
            help: Message::new(&help.join("\n\n")),
            default_configuration: Configuration { level: level(rule.strength) },
            properties: DescriptorProperties {
                strength: rule.strength,
                subject: rule.subject,
                stage: rule.stage,
                section: rule.section,
                references: known.refs,
            },
        }
    }
}

#[derive(Clone, Serialize)]
struct Message {
    text: String,
}

impl Message {
    /// In such a text braces are around the numbers of arguments; those that are meant as they are stand twice.
    fn new(text: &str) -> Self {
        Self { text: text.replace('{', "{{").replace('}', "}}") }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultItem {
    rule_id: &'static str,
    rule_index: usize,
    level: &'static str,
    message: Message,
    locations: [Location; 1],
    #[serde(rename = "partialFingerprints")]
    fingerprints: Fingerprints,
}

/// What stays the same of a finding when the file is written anew: its rule, its field, and which of several it is there.
#[derive(Serialize)]
struct Fingerprints {
    #[serde(rename = "ruleAndField/v1")]
    rule_and_field: String,
}

#[derive(Clone, Serialize)]
struct Location {
    #[serde(rename = "physicalLocation")]
    physical: Physical,
    #[serde(rename = "logicalLocations", skip_serializing_if = "Option::is_none")]
    logical: Option<[Logical; 1]>,
}

#[derive(Clone, Serialize)]
struct Physical {
    #[serde(rename = "artifactLocation")]
    place: Place,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

/// A file, by its address and by its place among the artifacts.
#[derive(Clone, Serialize)]
struct Place {
    uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u8,
    byte_offset: u64,
    byte_length: u64,
}

/// The field.
#[derive(Clone, Serialize)]
struct Logical {
    #[serde(rename = "fullyQualifiedName")]
    name: String,
}

#[derive(Clone, Serialize)]
struct Artifact {
    location: Uri,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    roles: [&'static str; 1],
    properties: ArtifactProperties,
}

#[derive(Clone, Serialize)]
struct Uri {
    uri: String,
}

#[derive(Clone, Serialize)]
struct ArtifactProperties {
    kind: Kind,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    #[serde(rename = "executionSuccessful")]
    successful: bool,
    exit_code: u8,
    #[serde(rename = "toolExecutionNotifications", skip_serializing_if = "Vec::is_empty")]
    notifications: Vec<Notification>,
}

/// A file that was not examined, or what is not listed of one.
#[derive(Clone, Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
    locations: [Location; 1],
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

    #[test]
    fn what_is_not_listed_is_counted() {
        let examined =
            Examined { kind: Kind::Pte, findings: Vec::new(), counts: [0, 7, 0], incomplete: None, note: None };
        let file = File { path: PathBuf::from("a.pte"), len: Some(64), examined: Ok(examined) };
        let mut log = Vec::new();
        write(&mut log, std::iter::once(file), false).unwrap();
        let log: serde_json::Value = serde_json::from_slice(&log).unwrap();
        let invocation = &log["runs"][0]["invocations"][0];
        let notification = &invocation["toolExecutionNotifications"][0];
        assert_eq!(notification["message"]["text"], "7 more findings are not listed");
        assert_eq!((&notification["level"], &invocation["executionSuccessful"]), (&"warning".into(), &true.into()));
    }
}

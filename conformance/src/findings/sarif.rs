//! `check --format sarif`: a log of what was found in files.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use torchproof::FileKind;
use torchproof::Span;
use torchproof::check::Finding;
use torchproof::rules::Strength;

use super::span::bytes_of;
use super::stream::{Late, StreamedList};
use super::{Examined, Tally};
use crate::sarif::{
    Artifact, ArtifactPlace, Descriptor, Invocation, Location, Log, Logical, Message, Notification, Physical, Region,
    ResultItem, Rules, Run, Tool, Uri, fingerprint, level, uri,
};

/// One file that was looked at.
#[derive(Debug)]
pub struct CheckedFile {
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
pub fn write(mut out: impl Write, files: impl Iterator<Item = CheckedFile>, strict: bool) -> io::Result<()> {
    let book = RefCell::new(Book { strict, ..Book::default() });
    let results = files.flat_map(|file| book.borrow_mut().enter(file));
    // The results come first: all the rest is known once they are written.
    let run = Run {
        results: StreamedList::new(results),
        tool: Late(|| Tool::new(book.borrow().rules.listed.clone())),
        artifacts: Late(|| book.borrow().artifacts.clone()),
        invocations: Late(|| [book.borrow().invocation()]),
    };
    serde_json::to_writer_pretty(&mut out, &Log::new(run))?;
    out.write_all(b"\n")?;
    out.flush()
}

/// What is known of the files so far.
#[derive(Default)]
struct Book {
    strict: bool,
    rules: Rules,
    artifacts: Vec<Artifact<Properties>>,
    notifications: Vec<Notification>,
    tally: Tally,
}

impl Book {
    fn enter(&mut self, file: CheckedFile) -> Vec<ResultItem> {
        self.tally.add(file.examined.as_ref().ok(), self.strict);
        let place = ArtifactPlace { uri: uri(&file.path), index: Some(self.artifacts.len()) };
        let kind = file.examined.as_ref().map_or(FileKind::Unknown, |examined| examined.report.kind);
        self.artifacts.push(Artifact {
            location: Uri { uri: place.uri.clone() },
            length: file.len,
            roles: ["analysisTarget"],
            properties: Properties { kind },
        });
        let examined = match file.examined {
            Ok(examined) => examined,
            Err(error) => {
                self.notify("error", &error, &place);
                return Vec::new();
            }
        };
        if let Some(reason) = examined.incomplete() {
            self.notify("error", &reason, &place);
        }
        let hidden = examined.report.omitted();
        if hidden > 0 {
            self.notify("warning", &format!("{hidden} more findings are not listed"), &place);
        }
        let mut alike = HashMap::new();
        let results = examined.report.findings.iter().map(|found| {
            let ordinal: &mut usize = alike.entry((found.rule.id, found.path.clone())).or_default();
            *ordinal += 1;
            self.result(found, examined.companion(found), *ordinal, file.len.unwrap_or_default(), &place)
        });
        results.collect()
    }

    fn notify(&mut self, level: &'static str, text: &str, place: &ArtifactPlace) {
        let locations = vec![Location { physical: Physical { place: place.clone(), region: None }, logical: None }];
        self.notifications.push(Notification { level, message: Message::new(text), locations });
    }

    fn result(
        &mut self,
        found: &Finding,
        companion: Option<&Path>,
        ordinal: usize,
        len: u64,
        place: &ArtifactPlace,
    ) -> ResultItem {
        let Finding { rule, path, span, message, .. } = found;
        let (place, len) = match companion {
            Some(companion) => (ArtifactPlace { uri: uri(companion), index: None }, u64::MAX),
            None => (place.clone(), len),
        };
        let rule_index = self.rules.index(rule.id, || Descriptor::of(rule));
        let field = if path.is_empty() { String::new() } else { format!("{path}: ") };
        // What stays the same of a finding when the file is written anew: its rule, its field, and which of several it is there.
        let fingerprint = fingerprint(&[rule.id, path, &ordinal.to_string()]);
        ResultItem {
            rule_id: rule.id,
            rule_index,
            level: if self.strict && rule.strength == Strength::Should { "error" } else { level(rule.strength) },
            message: Message::new(&format!("{field}{message} ({})", place_of(*span, len))),
            locations: vec![Location {
                physical: Physical { place, region: Some(Region::of(*span)) },
                logical: (!path.is_empty()).then_some([Logical { name: path.clone() }]),
            }],
            fingerprints: BTreeMap::from([("ruleAndField/v1", fingerprint)]),
            properties: BTreeMap::new(),
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

#[derive(Clone, Serialize)]
struct Properties {
    kind: FileKind,
}

#[cfg(test)]
mod tests {
    use torchproof::check::Checker;

    use super::*;

    #[test]
    fn what_is_not_listed_is_counted() {
        let mut report = Checker::new().check(include_bytes!("../../../corpus/real/linear.pte"));
        report.summary.should = 7;
        let examined = Examined { report, companions: Vec::new() };
        let file = CheckedFile { path: PathBuf::from("a.pte"), len: Some(64), examined: Ok(examined) };
        let mut log = Vec::new();
        write(&mut log, std::iter::once(file), false).unwrap();
        let log: serde_json::Value = serde_json::from_slice(&log).unwrap();
        let invocation = &log["runs"][0]["invocations"][0];
        let notification = &invocation["toolExecutionNotifications"][0];
        assert_eq!(notification["message"]["text"], "7 more findings are not listed");
        assert_eq!((&notification["level"], &invocation["executionSuccessful"]), (&"warning".into(), &true.into()));
    }
}

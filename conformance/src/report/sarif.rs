//! **The SARIF report**: every unexpected result at the bytes of the case's file, for code-scanning sites and editors.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde::Serialize;
use torchproof::Span;
use torchproof::corpus::Role;
use torchproof::rules;

use super::Complaint;
use super::words::meaning;
use crate::corpus::{Case, Corpus};
use crate::run::grade::Grade;
use crate::run::record::{Record, RunReport};
use crate::sarif::{
    Artifact, ArtifactPlace, Configuration, Descriptor, Invocation, Location, Log, Logical, Message, Notification,
    Physical, Region, ResultItem, Rules, Run, Tool, Uri, fingerprint, uri,
};

/// The report as a log.
///
/// A result has the rule that its case is about, or its grade for one that is about none; its place is the case's first file,
/// and in it the defect. Files are named relative to the current folder where they are below it.
///
/// # Errors
/// Never for a report that a run made.
pub fn sarif(report: &RunReport, corpus: &Corpus) -> serde_json::Result<String> {
    let mut book = Book { corpus, rules: Rules::default(), artifacts: Vec::new(), indices: HashMap::new() };
    // Of a reader that could not be used, every result would say so.
    let usable = |record: &&Record| {
        let reader = report.readers.iter().find(|reader| reader.reader == record.reader);
        reader.is_none_or(|reader| reader.error.is_none())
    };
    let unexpected = report.results.iter().filter(|record| record.grade.is_unexpected());
    let results: Vec<ResultItem> = unexpected.filter(usable).map(|record| book.result(record)).collect();
    let invocation = Invocation {
        successful: !report.none_started(),
        exit_code: if report.none_started() { 2 } else { u8::from(report.is_unexpected()) },
        notifications: report.complaints().map(notification).collect(),
    };
    let tool = Tool::new(book.rules.listed);
    let run = Run { results, tool, artifacts: book.artifacts, invocations: [invocation] };
    let mut text = serde_json::to_string_pretty(&Log::new(run))?;
    text.push('\n');
    Ok(text)
}

/// The rules and files that results refer to.
struct Book<'a> {
    corpus: &'a Corpus,
    rules: Rules,
    artifacts: Vec<Artifact<Properties>>,
    indices: HashMap<String, usize>,
}

#[derive(Serialize)]
struct Properties {
    role: Role,
}

impl Book<'_> {
    fn result(&mut self, record: &Record) -> ResultItem {
        let corpus = self.corpus;
        let case = corpus.case(&record.case);
        let rule = case.and_then(|case| case.rule.as_deref()).and_then(rules::get);
        let grade = record.grade;
        let (rule_id, rule_index) = match rule {
            Some(rule) => (rule.id, self.rules.index(rule.id, || Descriptor::of(rule))),
            None => (grade.name(), self.rules.index(grade.name(), || of_grade(grade))),
        };
        let title = case.map(|case| format!(" ({})", case.title)).unwrap_or_default();
        let (reader, id) = (&record.reader, &record.case);
        let mut properties = BTreeMap::from([("case", id.clone()), ("reader", reader.clone())]);
        properties.extend([("grade", grade.name().to_owned()), ("outcome", record.outcome.to_owned())]);
        properties.insert("delivery", record.delivery.name().to_owned());
        properties.extend(record.stage.map(|stage| ("stage", stage.name().to_owned())));
        ResultItem {
            rule_id,
            rule_index,
            level: "error",
            message: Message::new(&format!("{reader}: {grade}: {}: {id}{title}", record.explained())),
            locations: case.and_then(|case| self.location(case)).into_iter().collect(),
            fingerprints: BTreeMap::from([("readerAndCase/v1", fingerprint(&[reader, id]))]),
            properties,
        }
    }

    /// The defect in the case's first file, or all of it.
    fn location(&mut self, case: &Case) -> Option<Location> {
        let file = case.files.first()?;
        let index = *self.indices.entry(file.path.clone()).or_insert_with(|| {
            let path = self.corpus.dir().join(&file.path);
            let here = std::env::current_dir().unwrap_or_default();
            // Sites look files up by their place in the repository.
            let path = path.strip_prefix(here).map_or(path.as_path(), |path: &Path| path);
            self.artifacts.push(Artifact {
                location: Uri { uri: uri(path) },
                length: Some(file.size),
                roles: ["analysisTarget"],
                properties: Properties { role: file.role },
            });
            self.artifacts.len() - 1
        });
        let place = ArtifactPlace { uri: self.artifacts[index].location.uri.clone(), index: Some(index) };
        let span = case.at.as_ref().map_or(Span::new(0, file.size), |at| Span::new(at.offset, at.len));
        let field = case.path.as_ref().filter(|path| !path.is_empty());
        Some(Location {
            physical: Physical { place, region: Some(Region::of(span)) },
            logical: field.map(|path| [Logical { name: path.clone() }]),
        })
    }
}

/// A grade in the place of a rule.
fn of_grade(grade: Grade) -> Descriptor {
    Descriptor {
        id: grade.name(),
        short_description: Message::new(meaning(grade)),
        full_description: Message::new(meaning(grade)),
        help: Message::new(meaning(grade)),
        default_configuration: Configuration { level: "error" },
        properties: None,
    }
}

#[allow(clippy::needless_pass_by_value, reason = "it is made for this")]
fn notification(complaint: Complaint<'_>) -> Notification {
    let text = format!("{}: {}", complaint.subject, complaint.message);
    Notification { level: "error", message: Message::new(&text), locations: Vec::new() }
}

//! `check --format json`: one object for all files, `{"files":[…]}`.

use std::io::{self, Write};

use serde::Serialize;
use torchproof::FileKind;
use torchproof::Span;
use torchproof::rules::Strength;

use super::CheckedFile;
use crate::text::stream::StreamedList;

/// Writes the report of files, in the order given, while they are checked.
///
/// # Errors
///
/// It cannot be written.
pub fn write(mut out: impl Write, files: impl Iterator<Item = CheckedFile>, strict: bool) -> io::Result<()> {
    #[derive(Serialize)]
    #[serde(bound = "I: Iterator<Item = File>")]
    struct Report<I> {
        files: StreamedList<I>,
    }
    let files = StreamedList::new(files.map(|file| File::of(file, strict)));
    serde_json::to_writer_pretty(&mut out, &Report { files })?;
    out.write_all(b"\n")?;
    out.flush()
}

/// One file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct File {
    /// As it was given.
    pub path: String,
    /// What kind of file it is.
    pub kind: FileKind,
    /// Whether it may be read.
    pub verdict: Verdict,
    /// In the order they were made.
    pub findings: Vec<Item>,
    /// Why the file was not examined, or not to the end; such a file is not accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// A note on its examination.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How many more findings there are than the list has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub omitted: Option<u32>,
}

/// A file's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No rule that counts is broken.
    Accept,
    /// One is, or the file could not be examined.
    Reject,
}

/// One finding.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Item {
    rule: &'static str,
    strength: Strength,
    /// The data file that it is in, where a program was checked together with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    companion: Option<String>,
    path: String,
    span: Span,
    message: String,
}

impl File {
    fn of(file: CheckedFile, strict: bool) -> Self {
        let path = file.path.display().to_string();
        let mut examined = match file.examined {
            Ok(examined) => examined,
            Err(error) => {
                let (kind, verdict) = (FileKind::Unknown, Verdict::Reject);
                return Self {
                    path,
                    kind,
                    verdict,
                    findings: Vec::new(),
                    error: Some(error),
                    note: None,
                    omitted: None,
                };
            }
        };
        let verdict = if examined.accepts(strict) { Verdict::Accept } else { Verdict::Reject };
        let (error, note, kind) = (examined.incomplete(), examined.note(), examined.report.kind);
        let omitted = Some(examined.report.omitted()).filter(|more| *more > 0);
        let findings = std::mem::take(&mut examined.report.findings).into_iter().map(|found| Item {
            rule: found.rule.id,
            strength: found.rule.strength,
            companion: examined.companion(&found).map(|path| path.display().to_string()),
            path: found.path,
            span: found.span,
            message: found.message,
        });
        Self { path, kind, verdict, findings: findings.collect(), error, note, omitted }
    }
}

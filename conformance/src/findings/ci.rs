//! `check --report`: the findings in the formats of CI services.

use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};
use serde_json::{Value, json};
use torchproof::check::Finding;
use torchproof::rules::Strength;

use super::{CheckVerdict, CheckedFile, Examined, Tally, json as json_format, sarif};
use crate::sarif::fingerprint;
use crate::text::ascii;
use crate::text::escape::{markdown_cell, plain_line, plain_name};

/// The format of a report on checked files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum CheckReportFormat {
    /// JUnit XML with a test case for each file.
    Junit,
    /// SARIF 2.1.0 for code scanning.
    Sarif,
    /// One JSON object, described by `schema/check.schema.json`.
    Json,
    /// Markdown for the summary page of a CI site.
    Markdown,
    /// Workflow commands of GitHub, which become annotations when a step prints them.
    Github,
    /// A code quality report of GitLab.
    Gitlab,
}

impl CheckReportFormat {
    /// Returns the report on files. `exit_code` is the exit code of the command.
    ///
    /// # Errors
    ///
    /// Fails if the report cannot be encoded, which does not happen for reports of the checker.
    pub fn render(self, files: &[CheckedFile], strict: bool, exit_code: u8) -> io::Result<String> {
        let mut out = Vec::new();
        match self {
            Self::Junit => return junit(files, strict).map_err(io::Error::other),
            Self::Markdown => return Ok(markdown(files, strict)),
            Self::Github => return Ok(github(files, strict)),
            Self::Gitlab => return gitlab(files, strict),
            Self::Sarif => sarif::write(&mut out, files.iter().cloned(), strict, |_| exit_code)?,
            Self::Json => json_format::write(&mut out, files.iter().cloned(), strict)?,
        }
        String::from_utf8(out).map_err(io::Error::other)
    }
}

/// A problem of a file, as a CI service lists it.
struct CiItem<'a> {
    file: &'a CheckedFile,
    /// The id of the broken rule, or a word such as `unexamined` if the problem is not a finding.
    id: &'static str,
    level: Strength,
    message: String,
    /// The finding, if the problem is a finding.
    finding: Option<&'a Finding>,
}

/// Returns the problems of a file: its findings, then the reasons why it is unexamined or rejected.
fn items(file: &CheckedFile, strict: bool) -> Vec<CiItem<'_>> {
    let problem = |id, message: &str| CiItem {
        file,
        id,
        level: Strength::Must,
        message: plain_line(message, usize::MAX),
        finding: None,
    };
    let examined = match &file.examined {
        Ok(examined) => examined,
        Err(error) => return vec![problem("unexamined", error)],
    };
    let findings = examined.report.findings.iter().map(|found| {
        let strong = strict && found.rule.strength == Strength::Should;
        let path = if found.path.is_empty() { String::new() } else { format!("{}: ", found.path) };
        let level = if strong { Strength::Must } else { found.rule.strength };
        let message = plain_line(&format!("{path}{}", found.message), usize::MAX);
        CiItem { file, id: found.rule.id, level, message, finding: Some(found) }
    });
    let mut items: Vec<_> = findings.collect();
    let hidden = examined.report.omitted();
    items.extend((hidden > 0).then(|| problem("omitted", &format!("{hidden} more findings are not listed"))));
    items.extend(examined.incomplete().map(|reason| problem("unexamined", &reason)));
    items.extend(examined.note().filter(|_| examined.data_required).map(|note| problem("data-required", &note)));
    items
}

fn junit(files: &[CheckedFile], strict: bool) -> Result<String, SerializeError> {
    let mut suite = TestSuite::new("torchproof check");
    suite.set_time(Duration::ZERO);
    for file in files {
        let verdict = file.examined.as_ref().map_or(CheckVerdict::Unexamined, |examined| examined.verdict(strict));
        let status = match verdict {
            CheckVerdict::Accept | CheckVerdict::Warn => TestCaseStatus::success(),
            CheckVerdict::Reject => TestCaseStatus::non_success(NonSuccessKind::Failure),
            CheckVerdict::Unexamined => TestCaseStatus::non_success(NonSuccessKind::Error),
        };
        let items = items(file, strict);
        let lines: Vec<_> = items.iter().map(|item| format!("{}: {}", item.id, item.message)).collect();
        let mut case = TestCase::new(plain_name(&file.path.to_string_lossy()), status);
        case.set_classname("torchproof check").set_time(Duration::ZERO);
        if let Some(first) = items.iter().find(|item| item.level == Strength::Must) {
            case.status.set_type(first.id).set_message(&*first.message).set_description(lines.join("\n"));
        } else if !lines.is_empty() {
            case.set_system_out(lines.join("\n"));
        }
        suite.add_test_case(case);
    }
    let mut document = Report::new("torchproof");
    document.set_time(Duration::ZERO).add_test_suite(suite);
    document.to_string()
}

/// Returns a table of the files with problems, and the counts.
fn markdown(files: &[CheckedFile], strict: bool) -> String {
    let mut tally = Tally::default();
    let mut rows = String::new();
    for file in files {
        let examined: Option<&Examined> = file.examined.as_ref().ok();
        tally.add(examined, strict);
        for item in items(file, strict) {
            let path = markdown_cell(&plain_name(&file.path.to_string_lossy()));
            let _ =
                writeln!(rows, "| {path} | {} | {} | {} |", item.level.name(), item.id, markdown_cell(&item.message));
        }
    }
    let Tally { files, rejected, warned, unexamined } = tally;
    let mut text = format!(
        "### torchproof check: {files} files, {rejected} rejected, {warned} with warnings, {unexamined} unexamined\n"
    );
    if !rows.is_empty() {
        text += "\n| file | strength | rule | finding |\n|---|---|---|---|\n";
        text += &rows;
    }
    text
}

/// Returns a line for each problem, such as `::error file=a.pte,title=RULE::MESSAGE`.
fn github(files: &[CheckedFile], strict: bool) -> String {
    let escape = |text: &str| text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    let property = |text: &str| escape(text).replace(':', "%3A").replace(',', "%2C");
    let mut lines = String::new();
    for item in files.iter().flat_map(|file| items(file, strict)) {
        let command = match item.level {
            Strength::Must => "error",
            Strength::Should => "warning",
            Strength::May => "notice",
        };
        let path = property(&item.file.path.to_string_lossy());
        let _ = writeln!(lines, "::{command} file={path},title={}::{}", property(item.id), escape(&item.message));
    }
    lines
}

/// Returns a list of issues. The fingerprint of a finding does not depend on offsets.
fn gitlab(files: &[CheckedFile], strict: bool) -> io::Result<String> {
    let issue = |(number, item): (usize, CiItem<'_>)| -> Value {
        let path = item.file.path.to_string_lossy().into_owned();
        let severity = match item.level {
            Strength::Must => "blocker",
            Strength::Should => "minor",
            Strength::May => "info",
        };
        let field = item.finding.map_or("", |found| &found.path);
        json!({
            "description": item.message,
            "check_name": item.id,
            "fingerprint": fingerprint(&[&path, item.id, field, &number.to_string()]),
            "severity": severity,
            "location": { "path": path, "lines": { "begin": 1 } },
        })
    };
    let issues: Vec<_> = files.iter().flat_map(|file| items(file, strict).into_iter().enumerate().map(issue)).collect();
    ascii::pretty(&issues)
}

#[cfg(test)]
mod tests {
    use torchproof::check::Checker;
    use torchproof::corpus;

    use super::*;

    fn checked(path: &str, id: &str) -> CheckedFile {
        let bytes = corpus::find(id).unwrap().build().bytes;
        let examined = Examined::alone(Checker::new().check(&bytes));
        CheckedFile { path: path.into(), len: Some(bytes.len() as u64), examined: Ok(examined), runtime: Vec::new() }
    }

    #[test]
    fn every_format_lists_each_problem() {
        let files = [
            checked("good.pte", "pte/valid/constants"),
            checked("a,b:100%|<i>\u{202e}.pte", "pte/header/length-23"),
            checked("warned.pte", "pte/header/gap-not-zero"),
            CheckedFile {
                path: "missing.pte".into(),
                len: None,
                examined: Err("missing.pte: no such file".to_owned()),
                runtime: Vec::new(),
            },
        ];
        for (name, format) in [
            ("junit", CheckReportFormat::Junit),
            ("markdown", CheckReportFormat::Markdown),
            ("github", CheckReportFormat::Github),
            ("gitlab", CheckReportFormat::Gitlab),
        ] {
            let report = format.render(&files, false, 1).unwrap();
            insta::assert_snapshot!(name, report);
        }
        for format in [CheckReportFormat::Sarif, CheckReportFormat::Json] {
            let report: Value = serde_json::from_str(&format.render(&files, true, 1).unwrap()).unwrap();
            assert!(report.to_string().contains("eh-length-min"));
        }
    }
}

//! `check --report`: the findings in the formats of CI services.

use std::io;

use torchproof_harness::text::escape::plain_name;
use torchproof_model::check::{CheckVerdict, CheckedFile};

use super::{Tally, json, rows, sarif};
use crate::render::github::github;
use crate::render::gitlab::gitlab;
use crate::render::junit::{JunitCase, JunitStatus, JunitSuite, junit};
use crate::render::{Level, ReportFormat, ReportRow, markdown};

/// Renders the report on files. The bool is `--deny-should`, and the number is the command's exit code.
type Renderer = fn(&[CheckedFile], bool, u8) -> io::Result<String>;

/// Returns a format's renderer, or `None` if `check` has no report in this format.
pub(crate) fn renderer(format: ReportFormat) -> Option<Renderer> {
    Some(match format {
        ReportFormat::Junit => |files, deny_should, _| of_files(files, deny_should),
        ReportFormat::Github => |files, deny_should, _| Ok(github(&all_rows(files, deny_should))),
        ReportFormat::Gitlab => |files, deny_should, _| gitlab(&all_rows(files, deny_should)),
        ReportFormat::Sarif => |files, deny_should, exit_code| {
            written(|out| sarif::write(out, files.iter().cloned(), deny_should, |_| exit_code))
        },
        ReportFormat::Json => {
            |files, deny_should, _| written(|out| json::write(out, files.iter().cloned(), deny_should))
        }
        ReportFormat::Markdown => |files, deny_should, _| Ok(table(files, deny_should)),
        ReportFormat::Text | ReportFormat::Html => return None,
    })
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> io::Result<String> {
    let mut out = Vec::new();
    write(&mut out)?;
    String::from_utf8(out).map_err(io::Error::other)
}

fn all_rows(files: &[CheckedFile], deny_should: bool) -> Vec<ReportRow> {
    files.iter().flat_map(|file| rows(file, deny_should)).collect()
}

/// The findings that the settings do not allow, then the reasons why the file is unexamined or rejected.
fn rows(file: &CheckedFile, deny_should: bool) -> Vec<ReportRow> {
    let mut rows = rows::rows(file, deny_should, None);
    rows.retain(|row| row.allowed.is_none());
    let problems = rows::problems(file, None).into_iter().filter(|row| row.level != Level::Note);
    rows.extend(problems.map(|row| ReportRow { level: Level::Error, ..row }));
    rows.iter_mut().flat_map(|row| &mut row.place).for_each(|place| place.path.clone_from(&file.path));
    rows
}

fn of_files(files: &[CheckedFile], deny_should: bool) -> io::Result<String> {
    let cases = files.iter().map(|file| {
        let rows = rows(file, deny_should);
        let lines: Vec<_> = rows.iter().map(|row| format!("{}: {}", row.kind.id(), row.line())).collect();
        let first = rows.iter().find(|row| row.level == Level::Error);
        JunitCase {
            name: plain_name(&file.path.to_string_lossy()),
            class: "torchproof check".to_owned(),
            status: match file.verdict(deny_should) {
                CheckVerdict::Accept | CheckVerdict::Warn => JunitStatus::Success,
                CheckVerdict::Reject => JunitStatus::Failure,
                CheckVerdict::Unexamined => JunitStatus::Error,
            },
            reason: first.map_or("", |row| row.kind.id()).to_owned(),
            message: first.map(ReportRow::line).unwrap_or_default(),
            text: Some(lines.join("\n")).filter(|text| !text.is_empty()),
            ..JunitCase::default()
        }
    });
    junit(vec![JunitSuite { name: "torchproof check".to_owned(), cases: cases.collect(), ..JunitSuite::default() }])
}

fn table(files: &[CheckedFile], deny_should: bool) -> String {
    let mut tally = Tally::default();
    files.iter().for_each(|file| tally.add(file.examined.as_ref().ok(), deny_should));
    let lines = files.iter().flat_map(|file| {
        let path = markdown::cell(&plain_name(&file.path.to_string_lossy()));
        let cells = |row: ReportRow| markdown::row(&[&*path, row.word, row.kind.id(), &markdown::cell(&row.line())]);
        rows(file, deny_should).into_iter().map(cells).collect::<Vec<_>>()
    });
    let lines: String = lines.collect();
    let Tally { files, rejected, warned, unexamined } = tally;
    let head = format!(
        "### torchproof check: {files} files, {rejected} rejected, {warned} with warnings, {unexamined} unexamined\n"
    );
    let table = markdown::table(&["file", "strength", "rule", "finding"]);
    if lines.is_empty() { head } else { head + "\n" + &table + &lines }
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use serde_json::Value;
    use torchproof::check::Checker;
    use torchproof::corpus;

    use super::super::ExaminedFile;
    use super::*;

    fn checked(path: &str, id: &str) -> CheckedFile {
        let bytes = corpus::find(id).unwrap().build().bytes;
        let examined = ExaminedFile::alone(Checker::new().check(&bytes));
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
        for format in ReportFormat::value_variants() {
            let Some(report) = renderer(*format).map(|renderer| renderer(&files, false, 1).unwrap()) else { continue };
            match format {
                ReportFormat::Sarif | ReportFormat::Json => {
                    let report: Value = serde_json::from_str(&report).unwrap();
                    assert!(report.to_string().contains("eh-length-min"));
                }
                _ => insta::assert_snapshot!(format.to_possible_value().unwrap().get_name(), report),
            }
        }
    }
}

//! A checked file's rows in reports.

use std::path::Path;

use torchproof::check::Finding;
use torchproof::rules::Strength;
use torchproof_model::check::{BuildResult, CheckedFile};

use crate::render::{Level, Region, ReportRow, RowKind, RowPlace};

fn place(file: &CheckedFile, artifact: Option<usize>) -> RowPlace {
    RowPlace { path: file.path.clone(), artifact, region: None, field: String::new() }
}

/// Why the file is unexamined or rejected although no finding says so, or why its rows are incomplete.
pub(super) fn problems(file: &CheckedFile, artifact: Option<usize>) -> Vec<ReportRow> {
    let row = |(id, level, message): (_, _, Option<String>)| {
        let (kind, place) = (RowKind::Other(id, ""), Some(place(file, artifact)));
        Some(ReportRow { level, word: "must", kind, message: message?, place, ..ReportRow::default() })
    };
    let problems = match &file.examined {
        Err(error) => vec![("unexamined", Level::Error, Some(error.clone()))],
        Ok(examined) => {
            let data_level = if examined.data_required { Level::Error } else { Level::Note };
            let hidden = Some(examined.report.omitted()).filter(|hidden| *hidden > 0);
            let hidden = hidden.map(|hidden| format!("{hidden} more findings are not listed"));
            let failed = examined.builds.iter().filter(|build| build.fails());
            let failed = failed.flat_map(BuildResult::lines).map(|line| ("build", Level::Error, Some(line)));
            let own = [
                ("unexamined", Level::Error, examined.incomplete()),
                ("data-required", data_level, examined.note()),
                ("omitted", Level::Warning, hidden),
            ];
            own.into_iter().chain(failed).collect()
        }
    };
    problems.into_iter().filter_map(row).collect()
}

/// Allowed findings come last. `artifact` is the file's index in a SARIF log.
pub(super) fn rows(file: &CheckedFile, deny_should: bool, artifact: Option<usize>) -> Vec<ReportRow> {
    let Ok(examined) = &file.examined else { return Vec::new() };
    let allowed = examined.allowed.iter().map(|allowed| (&allowed.finding, Some(allowed.reason.clone())));
    let all = examined.report.findings.iter().map(|found| (found, None)).chain(allowed);
    let row = |(found, allowed): (&Finding, Option<String>)| {
        let is_strict = deny_should && found.rule.strength == Strength::Should;
        let strength = if is_strict { Strength::Must } else { found.rule.strength };
        let companion = examined.companion(found);
        let own = place(file, artifact.filter(|_| companion.is_none()));
        ReportRow {
            level: strength.into(),
            word: strength.name(),
            kind: RowKind::Rule(found.rule),
            subject: found.path.clone(),
            message: found.message.clone(),
            place: Some(RowPlace {
                path: companion.map_or(own.path, Path::to_owned),
                region: Some(Region::Bytes(found.span)),
                field: found.path.clone(),
                ..own
            }),
            allowed,
            ..ReportRow::default()
        }
    };
    all.map(row).collect()
}

//! The failures in the text report: a table by rule, and the first failed cases.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::layout::{Layout, grid, heading, line, tally};
use crate::report::failure::{FailedCase, explained};
use torchproof::Stage;
use torchproof_harness::run::grade::Grade;
use torchproof_harness::run::record::RunReport;
use torchproof_harness::text::counted;
use torchproof_harness::text::escape::plain_line;

/// The maximum number of cases and rules, unless the report is verbose.
const CASES: usize = 10;
const RULES: usize = 15;

#[derive(Default)]
struct RuleRow<'a> {
    /// For each failed case, whether the reader does not read its kind of files, and the severity.
    severities: BTreeSet<(bool, u8)>,
    cases: usize,
    readers: HashMap<&'a str, BTreeMap<Grade, usize>>,
}

/// The rules with the most severe failures come first. Rules that failed only in kinds that the reader does not read come last.
pub(super) fn by_rule(cases: &[FailedCase<'_>], report: &RunReport, layout: Layout) -> String {
    let mut rules: BTreeMap<&str, RuleRow<'_>> = BTreeMap::new();
    for case in cases {
        let row = rules.entry(case.rule()).or_default();
        row.severities.insert((case.is_unread, case.grade.severity()));
        row.cases += 1;
        for failure in &case.failures {
            *row.readers.entry(&failure.reader.name).or_default().entry(failure.record.grade).or_default() += 1;
        }
    }
    let mut names: Vec<&str> = Vec::new();
    for reader in report.readers.iter().filter(|reader| reader.error.is_none()) {
        if !names.contains(&reader.name.as_str()) {
            names.push(&reader.name);
        }
    }
    let mut rows: Vec<_> = rules.into_iter().collect();
    rows.sort_by_key(|(_, row)| (row.severities.first().copied(), Reverse(row.cases)));
    let shown = layout.shown(rows.len(), RULES);
    let headings = names.iter().map(|name| heading(name));
    let mut table = grid(["rule".to_owned(), "cases".to_owned()].into_iter().chain(headings));
    for (rule, row) in &rows[..shown] {
        let cell = |name| row.readers.get(name).map(|grades| tally(grades, "\n")).unwrap_or_default();
        table.add_row([(*rule).to_owned(), row.cases.to_string()].into_iter().chain(names.iter().copied().map(cell)));
    }
    let mut out = table.trim_fmt() + "\n";
    if shown < rows.len() {
        line(&mut out, format_args!(" … and {}; --verbose prints all", counted(rows.len() - shown, "more rule")));
    }
    let mut stages: BTreeMap<Stage, usize> = BTreeMap::new();
    for (rule, row) in &rows {
        if let Some(rule) = torchproof::rules::get(rule) {
            *stages.entry(rule.stage).or_default() += row.cases;
        }
    }
    if stages.len() > 1 {
        let counts: Vec<String> = stages.iter().map(|(stage, cases)| format!("{cases} {stage}")).collect();
        line(&mut out, format_args!(" failed cases by the stage of their rule: {}", counts.join(", ")));
    }
    out
}

/// Shows the title, the failures, the rule, where the defect is, and the command that explains the case.
pub(super) fn first(cases: &[FailedCase<'_>], layout: Layout) -> String {
    let mut out = String::new();
    let (shown, most) = (layout.shown(cases.len(), CASES), layout.most());
    for case in &cases[..shown] {
        line(&mut out, format_args!("{}  {}", layout.grade(case.grade), plain_line(&case.titled(), most)));
        for failure in &case.failures {
            let what = format!("{}: {}", failure.who(), failure.record.explained());
            line(&mut out, format_args!("    {}", plain_line(&what, most)));
        }
        let Some(about) = case.about else { continue };
        if let Some(rule) = &about.rule {
            let statement = torchproof::rules::get(rule).map(|rule| format!(": {}", rule.statement));
            let basis = about.basis.filter(|_| layout.verbose).map(|basis| format!(" (basis: {basis})"));
            let text = format!("rule {rule}{}{}", basis.unwrap_or_default(), statement.unwrap_or_default());
            line(&mut out, format_args!("    {}", plain_line(&text, most)));
        }
        let place = about.place();
        if !place.is_empty() {
            line(&mut out, format_args!("    defect in {}", plain_line(&place, most)));
        }
        if let Some(explain) = explained(about) {
            line(&mut out, format_args!("    {explain}"));
        }
    }
    if shown < cases.len() {
        let more = counted(cases.len() - shown, "more failed case");
        line(&mut out, format_args!("… and {more}; --verbose prints all, --report html=FILE shows all"));
    }
    out
}

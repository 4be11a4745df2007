//! Which rules the corpus covers.

use serde::Serialize;
use torchproof::check::Target;
use torchproof::corpus::Verdict;
use torchproof::rules::{Strength, Subject};
use torchproof_harness::text::counted;

use super::{Entry, without};
use crate::page::{Page, table};

/// Each rule's cases, and the totals.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Coverage {
    /// The rules, in catalogue order.
    pub rules: Vec<Covered>,
    /// The totals.
    pub totals: Totals,
}

/// A rule with its cases.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Covered {
    /// The rule's id.
    pub id: &'static str,
    /// The rule's strength.
    pub strength: Strength,
    /// The subject that can break the rule.
    pub subject: Subject,
    /// The ids of cases that a reader must accept.
    pub accept: Vec<&'static str>,
    /// The ids of cases that a reader must reject.
    pub reject: Vec<&'static str>,
    /// The ids of cases that a reader may accept or reject.
    pub either: Vec<&'static str>,
    /// `true` if a case with the verdict `either` breaks the rule only on 32-bit hosts.
    pub on_some_hosts: bool,
    /// `true` if a file can break this must-rule, but no case of the corpus breaks it.
    pub gap: bool,
}

/// The coverage totals.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub(crate) struct Totals {
    /// The number of rules.
    pub rules: usize,
    /// The number of rules with a case.
    pub exercised: usize,
    /// The number of must-rules that apply to files.
    pub file_musts: usize,
    /// The number of must-rules that a file can break, but that no case of the corpus breaks.
    pub gaps: usize,
    /// The number of cases with the verdict `accept`.
    pub accept: usize,
    /// The number of cases with the verdict `reject`.
    pub reject: usize,
    /// The number of cases with the verdict `either`.
    pub either: usize,
}

impl Coverage {
    /// Computes which built-in cases cover each rule.
    pub(crate) fn new() -> Self {
        let rules: Vec<Covered> = Entry::all(|_| true).iter().map(Covered::of).collect();
        let sum = |cases: fn(&Covered) -> &Vec<_>| rules.iter().map(|rule| cases(rule).len()).sum();
        let count = |is: fn(&Covered) -> bool| rules.iter().filter(|rule| is(rule)).count();
        let totals = Totals {
            rules: rules.len(),
            exercised: count(|rule| rule.count() > 0),
            file_musts: count(Covered::is_file_must),
            gaps: count(|rule| rule.gap),
            accept: sum(|rule| &rule.accept),
            reject: sum(|rule| &rule.reject),
            either: sum(|rule| &rule.either),
        };
        Self { rules, totals }
    }

    /// Returns one row per rule, the reasons for rules without a case, then the totals.
    pub(crate) fn text(&self, page: Page) -> String {
        let mut table = table(&["rule", "strength", ">accept", ">reject", ">either", ""]);
        let mut reasons = String::new();
        let number = |cases: &Vec<_>| if cases.is_empty() { "·".to_owned() } else { cases.len().to_string() };
        for rule in &self.rules {
            let mark = match (rule.gap, rule.count()) {
                (_, 0) => "no case",
                (true, _) => "no reject",
                (false, _) if rule.on_some_hosts => "32-bit",
                (false, _) => "",
            };
            let [accept, reject, either] = [&rule.accept, &rule.reject, &rule.either].map(number);
            let strength = rule.strength.name().to_owned();
            table.add_row([rule.id.to_owned(), strength, accept, reject, either, mark.to_owned()]);
            if let Some(reason) = without(rule.id).filter(|_| rule.gap || rule.count() == 0) {
                reasons += &format!(" {}\n{}", rule.id, page.paragraph("     ", reason));
            }
        }
        let mut out = format!("{}\n\n{reasons}", table.trim_fmt());
        let Totals { rules, exercised, file_musts, gaps, accept, reject, either } = self.totals;
        let cases = counted(accept + reject + either, "case");
        out += &format!(
            "\n{cases}: {accept} accept, {reject} reject, {either} either\n{}, {exercised} with a case\n\
             {} of files, {gaps} without a reject case\n",
            counted(rules, "rule"),
            counted(file_musts, "must-rule"),
        );
        out
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self::new()
    }
}

impl Covered {
    fn of(entry: &Entry) -> Self {
        let ids = |verdict| entry.cases.iter().filter(|case| case.verdict == verdict).map(|case| case.id).collect();
        let mut covered = Self {
            id: entry.rule.id,
            strength: entry.rule.strength,
            subject: entry.rule.subject,
            accept: ids(Verdict::Accept),
            reject: ids(Verdict::Reject),
            either: ids(Verdict::Either),
            on_some_hosts: entry.cases.iter().any(|case| case.target == Some(Target::Bits32)),
            gap: false,
        };
        covered.gap = covered.is_file_must() && covered.reject.is_empty() && !covered.on_some_hosts;
        covered
    }

    fn is_file_must(&self) -> bool {
        self.strength == Strength::Must && self.subject == Subject::File
    }

    fn count(&self) -> usize {
        self.accept.len() + self.reject.len() + self.either.len()
    }
}

//! The data from which the HTML report's script builds a case's panel. Each text is stored once.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use torchproof::rules::{self, Rule};
use torchproof_harness::corpus::Corpus;
use torchproof_harness::run::grade::Grade;
use torchproof_harness::run::record::{Record, RunReport};
use torchproof_harness::text::escape::plain_line;

use super::super::rerun_command::word;
use super::super::words::meaning;
use super::RerunCommand;
use super::detail::{self, Detail};
use crate::catalogue::{address_or_path, case_page};

/// The maximum number of characters in all messages, and in all stderr texts, before each of them is truncated.
const TEXTS: usize = 400_000;
/// The number of characters that a truncated text keeps.
const KEPT: usize = 150;

#[derive(Serialize)]
pub(super) struct PageData<'a> {
    /// For each reader, the parts of the command that repeats a case: before and after the case's id.
    again: Vec<[String; 2]>,
    meanings: BTreeMap<&'static str, &'static str>,
    rules: BTreeMap<&'a str, RuleText>,
    /// The messages and the ends of stderr, which [`CellData`] refers to.
    texts: Vec<String>,
    cases: BTreeMap<&'a str, CaseData>,
}

#[derive(Serialize)]
struct RuleText {
    strength: &'static str,
    basis: &'static str,
    statement: &'static str,
    paragraphs: [(&'static str, &'static str); 2],
    references: String,
}

#[derive(Serialize)]
struct CaseData {
    /// The id, quoted for the shell; absent if it needs no quotes.
    #[serde(skip_serializing_if = "Option::is_none")]
    word: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<String>,
    demand: String,
    cells: Vec<Option<CellData>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<Detail>,
}

/// The grade, the index of the message, the milliseconds, whether a termination recurred, and the index of the stderr.
#[derive(Serialize)]
struct CellData(&'static str, usize, f64, Option<bool>, Option<usize>);

#[derive(Default)]
struct Texts {
    texts: Vec<String>,
    indexes: HashMap<String, usize>,
}

impl Texts {
    fn index(&mut self, text: String) -> usize {
        *self.indexes.entry(text).or_insert_with_key(|text| {
            self.texts.push(text.clone());
            self.texts.len() - 1
        })
    }
}

impl<'a> PageData<'a> {
    pub(super) fn of(
        report: &RunReport,
        cells: &BTreeMap<&'a str, Vec<Option<&'a Record>>>,
        corpus: &'a Corpus,
        rerun: &RerunCommand,
    ) -> Self {
        let share = |total: usize, count: usize| if total <= TEXTS { usize::MAX } else { (TEXTS / count).max(KEPT) };
        let messages = report.results.iter().map(|record| record.explained().len()).sum();
        let of_message = share(messages, report.results.len());
        let stderr: Vec<usize> =
            report.results.iter().map(|one| one.stderr.len()).filter(|length| *length > 0).collect();
        let of_stderr = share(stderr.iter().sum(), stderr.len());
        let mut texts = Texts::default();
        let mut cell = |record: &Record| {
            let skipped = record.stderr.chars().count().saturating_sub(of_stderr);
            let stderr: String = record.stderr.chars().skip(skipped).collect();
            CellData(
                record.grade.name(),
                texts.index(plain_line(&record.explained(), of_message)),
                record.ms,
                record.confirmed,
                (!stderr.is_empty()).then(|| texts.index(stderr)),
            )
        };
        // Ignore unusable readers and skipped cases, because with them every case would look interesting.
        let is_interesting = |record: &Record| !matches!(record.grade, Grade::Pass | Grade::Skip);
        let mut rules = BTreeMap::new();
        let case_data = |(id, records): (&&'a str, &Vec<Option<&Record>>)| {
            let used = records.iter().zip(&report.readers).filter(|(_, reader)| reader.error.is_none());
            let most = match used.filter_map(|(record, _)| *record).any(is_interesting) {
                true => detail::ROWS,
                false => detail::FEW_ROWS,
            };
            let case = corpus.case(id);
            if let Some(rule) = case.and_then(|case| rules::get(case.rule.as_deref()?)) {
                rules.entry(rule.id).or_insert_with(|| RuleText::of(rule));
            }
            let data = CaseData {
                word: Some(word(id)).filter(|word| word != id),
                explain: torchproof::corpus::find(id).map(|_| format!("torchproof explain {id}")),
                page: torchproof::corpus::find(id).map(|case| address_or_path(case_page(case.id))),
                demand: case.map(detail::demand).unwrap_or_default(),
                cells: records.iter().map(|record| record.map(&mut cell)).collect(),
                detail: case.map(|case| Detail::of(case, corpus, most)),
            };
            (*id, data)
        };
        let cases = cells.iter().map(case_data).collect();
        PageData {
            again: report.readers.iter().map(|reader| rerun.around(reader)).collect(),
            meanings: Grade::ALL.into_iter().map(|grade| (grade.name(), meaning(grade))).collect(),
            rules,
            texts: texts.texts,
            cases,
        }
    }
}

impl RuleText {
    fn of(rule: &'static Rule) -> Self {
        let known = rule.explanation();
        RuleText {
            strength: rule.strength.name(),
            basis: rule.basis.name(),
            statement: rule.statement,
            paragraphs: [("Rationale", known.rationale), ("Source", known.source)],
            references: known.refs.join(", "),
        }
    }
}

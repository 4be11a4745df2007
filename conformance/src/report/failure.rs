//! **Failures**: the unexpected results of a run, grouped by case, with the most severe first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use torchproof_harness::run::UnreadKinds;
use torchproof_harness::run::case_facts::CaseFacts;
use torchproof_harness::run::grade::Grade;
use torchproof_harness::run::record::{ReaderReport, Record, RunReport};
use torchproof_protocol::Delivery;

use crate::catalogue::address_or_path;

#[derive(Debug)]
pub(super) struct FailedCase<'a> {
    pub(super) id: &'a str,
    pub(super) about: Option<&'a CaseFacts>,
    pub(super) grade: Grade,
    /// `true` if no reader that failed the case reads files of this kind.
    pub(super) is_unread: bool,
    pub(super) failures: Vec<Failure<'a>>,
}

/// The failures of one reader for one case, possibly with several deliveries.
#[derive(Debug)]
pub(super) struct Failure<'a> {
    pub(super) reader: &'a ReaderReport,
    pub(super) record: &'a Record,
    deliveries: Vec<Delivery>,
}

impl Failure<'_> {
    pub(super) fn who(&self) -> String {
        if self.reader.name == self.reader.reader {
            return self.reader.name.clone();
        }
        let deliveries: Vec<&str> = self.deliveries.iter().map(|delivery| delivery.name()).collect();
        format!("{} by {}", self.reader.name, deliveries.join(", "))
    }

    fn is_equal(&self, reader: &ReaderReport, record: &Record) -> bool {
        let part = |record: &Record| (record.grade, record.outcome, record.stage, record.message.clone());
        self.reader.name == reader.name && part(self.record) == part(record)
    }
}

impl FailedCase<'_> {
    pub(super) fn rule(&self) -> &str {
        self.about.and_then(|about| about.rule.as_deref()).unwrap_or(self.grade.name())
    }

    /// Returns where the most severe failure crashed or, if the reader does not crash, the rule.
    fn cause(&self) -> String {
        let worst = self.failures.iter().find(|failure| failure.record.grade == self.grade);
        let site = worst.and_then(|failure| failure.record.site.as_ref());
        site.map_or_else(
            || self.rule().to_owned(),
            |crash| crash.site.frames.join("\n") + crash.site.signature.as_str(),
        )
    }

    pub(super) fn titled(&self) -> String {
        match self.about.map(|about| about.title.as_str()) {
            None | Some("") => self.id.to_owned(),
            Some(title) => format!("{}: {title}", self.id),
        }
    }
}

/// The command that explains the case, and its page in the book.
pub(super) fn explained(about: &CaseFacts) -> Option<String> {
    let page = about.page.clone().map(|page| format!("  ({})", address_or_path(page)));
    Some(about.explain.clone()? + &page.unwrap_or_default())
}

/// Returns text such as `rule eh-length-min: defect in header.length, 4 bytes at 0xc`.
pub(super) fn rule_and_place(about: &CaseFacts) -> String {
    let place = about.place();
    match (&about.rule, place.as_str()) {
        (Some(rule), "") => format!("rule {rule}"),
        (Some(rule), place) => format!("rule {rule}: defect in {place}"),
        (None, "") => String::new(),
        (None, place) => format!("defect in {place}"),
    }
}

/// Omits unusable readers, because all their cases would have the same error. Cases are sorted by grade, most
/// severe first, except that files of a kind that the failed readers do not support come last. Within a grade, the
/// first case for each cause (the site of a crash, or the rule) comes first, then the second for each cause, and so on.
pub(super) fn failed_cases(report: &RunReport) -> Vec<FailedCase<'_>> {
    let unread = UnreadKinds::of(&report.readers, &report.results, &report.options);
    let mut cases: BTreeMap<&str, FailedCase<'_>> = BTreeMap::new();
    let failures = report.readers.iter().flat_map(|reader| report.failures(reader).map(move |record| (reader, record)));
    for (reader, record) in failures {
        let case = cases.entry(&record.case).or_insert_with(|| FailedCase {
            id: &record.case,
            about: record.about.as_ref(),
            grade: record.grade,
            is_unread: true,
            failures: Vec::new(),
        });
        case.is_unread &= unread.noun(record).is_some();
        if record.grade.severity() < case.grade.severity() {
            case.grade = record.grade;
        }
        match case.failures.iter_mut().find(|failure| failure.is_equal(reader, record)) {
            Some(failure) => failure.deliveries.push(record.delivery),
            None => case.failures.push(Failure { reader, record, deliveries: vec![record.delivery] }),
        }
    }
    let mut seen: HashMap<(Grade, String), usize> = HashMap::new();
    let mut ordered: Vec<(usize, FailedCase<'_>)> = cases
        .into_values()
        .map(|case| {
            let before = seen.entry((case.grade, case.cause())).or_default();
            *before += 1;
            (*before, case)
        })
        .collect();
    // Causes with more failed cases come first, as in the tables.
    ordered.sort_by_key(|(before, case)| {
        let count = seen.get(&(case.grade, case.cause())).copied();
        (case.is_unread, case.grade.severity(), *before, Reverse(count))
    });
    ordered.into_iter().map(|(_, case)| case).collect()
}

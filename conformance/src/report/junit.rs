//! **The JUnit report** contains a test suite for each reader. Each test suite contains a test case for each case of the
//! corpus.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report as Document, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::Complaint;
use super::failure::rule_and_place;
use crate::run::grade::Grade;
use crate::run::record::{ReaderReport, Record, RunReport, area};
use crate::text::escape::plain_line;

/// Returns the report as XML that follows `schema/junit.xsd`.
///
/// The name of a test case is the id of the corpus case. The class of a test case is the area of this id. Skipped
/// cases, ungraded cases and known failures become `skipped`. An adapter-error is an `error`, and every other
/// unexpected grade is a `failure`. Characters that XML does not permit are removed.
///
/// # Errors
/// `junit` does not fail for a report that [`run`](crate::run::run) returned.
pub fn junit(report: &RunReport) -> Result<String, SerializeError> {
    let mut document = Document::new("torchproof");
    document.set_time(time(report.results.iter()));
    for reader in &report.readers {
        document.add_test_suite(suite(report, reader));
    }
    let mut of_list = report.complaints().filter(|complaint| !complaint.of_reader).peekable();
    if let Some(file) = of_list.peek().map(|complaint| complaint.subject) {
        let mut suite = TestSuite::new(file);
        suite.set_time(Duration::ZERO);
        suite.add_test_cases(of_list.map(|complaint| error_case("known failures", &complaint)));
        document.add_test_suite(suite);
    }
    document.to_string()
}

/// Converts an error outside of any case into a test case.
fn error_case(class: &str, complaint: &Complaint<'_>) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_type(class).set_message(&*complaint.message);
    let name = if complaint.of_reader { "reader error" } else { &complaint.message };
    let mut case = TestCase::new(name, status);
    case.set_classname(class).set_time(Duration::ZERO);
    case
}

fn suite(report: &RunReport, reader: &ReaderReport) -> TestSuite {
    let mut suite = TestSuite::new(&reader.reader);
    suite.set_time(time(report.of(reader)));
    let address = plain_line(&reader.address, usize::MAX);
    let sandbox = reader.sandbox.as_ref().map_or("none".to_owned(), ToString::to_string);
    for (name, value) in [
        ("address", address.as_str()),
        ("version", &reader.version),
        ("language", &reader.language),
        ("delivery", reader.delivery.name()),
        ("sandbox", &sandbox),
        ("corpus", &report.corpus.version),
        ("corpus digest", &report.corpus.digest),
    ] {
        suite.add_property((name, value));
    }
    // Omit the cases of an unusable reader, because all of them would have the same error.
    if reader.error.is_none() {
        suite.add_test_cases(report.of(reader).map(case));
    }
    let own = |complaint: &Complaint<'_>| complaint.of_reader && complaint.subject == reader.reader;
    suite.add_test_cases(report.complaints().filter(own).map(|complaint| error_case("reader", &complaint)));
    if !reader.notes.is_empty() {
        suite.set_system_err(reader.notes.join("\n"));
    }
    suite
}

fn case(record: &Record) -> TestCase {
    let mut case = TestCase::new(&record.case, status(record));
    case.set_classname(area(&record.case)).set_time(time([record]));
    case.add_property(("grade", record.grade.name()));
    case.add_property(("outcome", record.outcome));
    if let Some(stage) = record.stage {
        case.add_property(("stage", stage.name()));
    }
    if let Some(about) = &record.about {
        let texts = [("title", Some(&about.title)), ("rule", about.rule.as_ref()), ("explain", about.explain.as_ref())];
        for (name, text) in texts {
            text.into_iter().for_each(|text| _ = case.add_property((name, text.as_str())));
        }
        case.add_property(("defect", about.place().as_str()));
    }
    if !record.stderr.is_empty() {
        case.set_system_err(&record.stderr);
    }
    case
}

fn status(record: &Record) -> TestCaseStatus {
    let mut status = match record.grade {
        Grade::Pass => return TestCaseStatus::success(),
        Grade::AdapterError => TestCaseStatus::non_success(NonSuccessKind::Error),
        grade if grade.is_unexpected() => TestCaseStatus::non_success(NonSuccessKind::Failure),
        _ => TestCaseStatus::skipped(),
    };
    status.set_type(record.grade.name()).set_message(record.explained());
    if let Some(about) = &record.about {
        let lines = [about.title.clone(), rule_and_place(about), about.explain.clone().unwrap_or_default()];
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        status.set_description(lines.join("\n"));
    }
    status
}

fn time<'a>(records: impl IntoIterator<Item = &'a Record>) -> Duration {
    let ms: f64 = records.into_iter().map(|record| record.ms).sum();
    Duration::try_from_secs_f64(ms / 1e3).unwrap_or_default()
}

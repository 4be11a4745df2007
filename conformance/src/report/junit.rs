//! **The JUnit report**: a test suite for each reader, with a test case for each case of the corpus.

use std::io;

use torchproof_harness::run::Complaint;
use torchproof_harness::run::grade::Grade;
use torchproof_harness::run::record::{ReaderReport, Record, RunReport, area};
use torchproof_harness::text::escape::plain_line;

use super::failure::{explained, rule_and_place};
use crate::catalogue::address_or_path;
use crate::render::junit::{JunitCase, JunitStatus, JunitSuite, junit as document};

/// A test case's class is the area of its id. Skipped and ungraded cases and known failures become `skipped`, an
/// adapter-error becomes an `error`, and every other unexpected grade becomes a `failure`.
pub(super) fn junit(report: &RunReport) -> io::Result<String> {
    let mut suites: Vec<JunitSuite> = report.readers.iter().map(|reader| suite(report, reader)).collect();
    let of_list: Vec<_> = report.complaints().filter(|complaint| !complaint.of_reader).collect();
    if let Some(first) = of_list.first() {
        let cases = of_list.iter().map(|complaint| error_case("known failures", complaint)).collect();
        suites.push(JunitSuite { name: first.subject.to_owned(), cases, ..JunitSuite::default() });
    }
    document(suites)
}

fn error_case(class: &str, complaint: &Complaint<'_>) -> JunitCase {
    JunitCase {
        name: if complaint.of_reader { "reader error" } else { &*complaint.message }.to_owned(),
        class: class.to_owned(),
        status: JunitStatus::Error,
        reason: class.to_owned(),
        message: complaint.message.to_string(),
        ..JunitCase::default()
    }
}

fn suite(report: &RunReport, reader: &ReaderReport) -> JunitSuite {
    let own = |complaint: &Complaint<'_>| complaint.of_reader && complaint.subject == reader.reader;
    // All cases of an unusable reader would have the same error.
    let cases = report.of(reader).filter(|_| reader.error.is_none()).map(case);
    JunitSuite {
        name: reader.reader.clone(),
        properties: vec![
            ("address", plain_line(&reader.address, usize::MAX)),
            ("version", reader.version.clone()),
            ("language", reader.language.clone()),
            ("delivery", reader.delivery.name().to_owned()),
            ("sandbox", reader.sandbox.as_ref().map_or("none".to_owned(), ToString::to_string)),
            ("corpus", report.corpus.version.clone()),
            ("corpus digest", report.corpus.digest.clone()),
        ],
        cases: cases.chain(report.complaints().filter(own).map(|complaint| error_case("reader", &complaint))).collect(),
        stderr: reader.notes.join("\n"),
    }
}

fn case(record: &Record) -> JunitCase {
    let about = record.about.as_ref();
    let mut properties = vec![("grade", record.grade.name().to_owned()), ("outcome", record.outcome.to_owned())];
    properties.extend(record.stage.map(|stage| ("stage", stage.name().to_owned())));
    if let Some(about) = about {
        properties.push(("title", about.title.clone()));
        properties.extend(about.rule.clone().map(|rule| ("rule", rule)));
        properties.extend(about.explain.clone().map(|explain| ("explain", explain)));
        properties.extend(about.page.clone().map(|page| ("page", address_or_path(page))));
        properties.push(("defect", about.place()));
    }
    let text = about.map(|about| {
        let lines = [about.title.clone(), rule_and_place(about), explained(about).unwrap_or_default()];
        lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    });
    JunitCase {
        name: record.case.clone(),
        class: area(&record.case).to_owned(),
        ms: record.ms,
        status: match record.grade {
            Grade::Pass => JunitStatus::Success,
            Grade::AdapterError => JunitStatus::Error,
            grade if grade.is_unexpected() => JunitStatus::Failure,
            _ => JunitStatus::Skipped,
        },
        reason: record.grade.name().to_owned(),
        message: record.explained(),
        text,
        properties,
        stderr: record.stderr.clone(),
    }
}

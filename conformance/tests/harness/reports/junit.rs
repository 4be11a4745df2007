//! Tests `--report junit=FILE`. The test crate `outside` validates the output with the schema.

use quick_junit::Report;

use testkit::corpus::{TestCorpus, faux};

#[test]
fn every_reader_is_a_suite_and_every_result_a_case() {
    super::assert_report!(super::shown("junit"));
}

#[test]
fn an_untested_reader_is_an_error() {
    let corpus = TestCorpus::new("junit-untested").accept("ptd/a/unread", "accept").write();
    let reader = faux("exec", "worker pte-only");
    let (code, report, _) = corpus.reported("junit", &["--reader", &reader]);
    let document = Report::deserialize_from_str(&report).unwrap();
    assert_eq!((code, document.errors, document.tests), (1, 1, 2), "{report}");
}

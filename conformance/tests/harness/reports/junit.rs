//! `--format junit`: it says what the JSON says; `outside` validates it by schema.

use quick_junit::{NonSuccessKind, Report, TestCaseStatus};

use testkit::corpus::{TestCorpus, faux};

use super::{both, is_unexpected, usable};

#[test]
fn the_report_says_what_the_json_says() {
    let (document, report) = both("junit", "junit");
    let document = Report::deserialize_from_str(&document).unwrap();
    let names = |name: &str| document.test_suites.iter().find(|suite| suite.name.as_str() == name);
    let readers = report["readers"].as_array().unwrap();
    assert_eq!(document.test_suites.len(), readers.len());
    let mut seen = 0;
    for result in usable(&report) {
        let suite = names(result["reader"].as_str().unwrap()).unwrap();
        let id = result["case"].as_str().unwrap();
        let case = suite.test_cases.iter().find(|case| case.name.as_str() == id).unwrap();
        seen += 1;
        assert_eq!(case.classname.as_deref(), Some(&id[..id.rfind('/').unwrap()]));
        let stderr = result.get("stderr").and_then(|stderr| stderr.as_str());
        assert_eq!(case.system_err.as_deref().map(str::trim), stderr.map(str::trim), "{id}");
        let grade = result["grade"].as_str().unwrap();
        match &case.status {
            TestCaseStatus::Success { .. } => assert_eq!(grade, "pass"),
            TestCaseStatus::NonSuccess { kind, message, ty, .. } => {
                assert!(is_unexpected(result), "{result}");
                assert_eq!(*kind == NonSuccessKind::Error, grade == "adapter-error");
                assert_eq!(ty.as_deref(), Some(grade));
                assert!(message.as_deref().unwrap().contains(result["message"].as_str().unwrap()), "{result}");
            }
            TestCaseStatus::Skipped { ty, .. } => {
                assert!(grade != "pass" && !is_unexpected(result), "{result}");
                assert_eq!(ty.as_deref(), Some(grade));
            }
        }
    }
    assert_eq!(seen, 3 * 12);
    // The reader that is not there is one error, not one a case.
    let absent = &document.test_suites[3];
    assert_eq!((absent.test_cases.len(), absent.errors), (1, 1));
    let failed = document.test_suites.iter().map(|suite| suite.failures + suite.errors).sum::<usize>();
    assert_eq!(failed, usable(&report).into_iter().filter(|result| is_unexpected(result)).count() + 1);
}

#[test]
fn a_reader_that_was_tested_by_nothing_is_an_error() {
    let corpus = TestCorpus::new("junit-untested").accept("ptd/a/unread", "accept").write();
    let reader = faux("exec", "worker pte-only");
    let (code, stdout, _) = corpus.torchproof(&["--format", "junit", "--reader", &reader]);
    let document = Report::deserialize_from_str(&stdout).unwrap();
    assert_eq!((code, document.errors, document.tests), (1, 1, 2), "{stdout}");
}

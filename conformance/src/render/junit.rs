//! JUnit XML. Characters that XML forbids are removed.

use std::io;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum JunitStatus {
    #[default]
    Success,
    Skipped,
    Failure,
    Error,
}

#[derive(Debug, Default)]
pub(crate) struct JunitCase {
    pub(crate) name: String,
    pub(crate) class: String,
    pub(crate) ms: f64,
    pub(crate) status: JunitStatus,
    /// The rule, the grade or another word for the reason.
    pub(crate) reason: String,
    pub(crate) message: String,
    /// The output of the test case, if it succeeded.
    pub(crate) text: Option<String>,
    pub(crate) properties: Vec<(&'static str, String)>,
    pub(crate) stderr: String,
}

#[derive(Debug, Default)]
pub(crate) struct JunitSuite {
    pub(crate) name: String,
    pub(crate) properties: Vec<(&'static str, String)>,
    pub(crate) cases: Vec<JunitCase>,
    pub(crate) stderr: String,
}

/// Returns XML that follows `schema/junit.xsd`.
pub(crate) fn junit(suites: Vec<JunitSuite>) -> io::Result<String> {
    let mut report = Report::new("torchproof");
    report.set_time(time(suites.iter().flat_map(|suite| &suite.cases)));
    for JunitSuite { name, properties, cases, stderr } in suites {
        let mut suite = TestSuite::new(name);
        suite.set_time(time(&cases)).add_test_cases(cases.into_iter().map(case));
        properties.iter().for_each(|(name, value)| _ = suite.add_property((*name, value.as_str())));
        if !stderr.is_empty() {
            suite.set_system_err(stderr);
        }
        report.add_test_suite(suite);
    }
    report.to_string().map_err(io::Error::other)
}

fn case(case: JunitCase) -> TestCase {
    let time = time([&case]);
    let mut status = match case.status {
        JunitStatus::Success => TestCaseStatus::success(),
        JunitStatus::Skipped => TestCaseStatus::skipped(),
        JunitStatus::Failure => TestCaseStatus::non_success(NonSuccessKind::Failure),
        JunitStatus::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    let is_success = case.status == JunitStatus::Success;
    if !is_success {
        status.set_type(case.reason).set_message(case.message);
    }
    case.text.iter().filter(|_| !is_success).for_each(|text| _ = status.set_description(text));
    let mut test = TestCase::new(case.name, status);
    test.set_classname(case.class).set_time(time);
    case.properties.iter().for_each(|(name, value)| _ = test.add_property((*name, value.as_str())));
    case.text.filter(|_| is_success).into_iter().for_each(|text| _ = test.set_system_out(text));
    if !case.stderr.is_empty() {
        test.set_system_err(case.stderr);
    }
    test
}

fn time<'a>(cases: impl IntoIterator<Item = &'a JunitCase>) -> Duration {
    let ms: f64 = cases.into_iter().map(|case| case.ms).sum();
    Duration::try_from_secs_f64(ms / 1e3).unwrap_or_default()
}

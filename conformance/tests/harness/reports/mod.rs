//! Tests the report formats of `torchproof run` with a report that contains every outcome.

mod json;
mod junit;
mod markdown;
mod sarif;

use torchproof_harness::reader::Sandbox;

/// Returns the report. Texts that depend on the machine are replaced.
fn shown(format: &str) -> String {
    let report = testkit::corpus::report_of_every_outcome(format, format);
    report.replace(testkit::target().to_str().unwrap(), "TARGET").replace(&Sandbox::available().to_string(), "SANDBOX")
}

macro_rules! assert_report {
    ($report:expr) => {
        insta::with_settings!({filters => [
            (r#"(time|timestamp|uuid)="[^"]*""#, "$1=N"),
            (r"\(\d+\) panicked at ([^:]*):\d+:\d+", "(N) panicked at $1"),
            (r"memory allocation of \d+", "memory allocation of N"),
        ]}, { insta::assert_snapshot!($report) })
    };
}
use assert_report;

//! The formats of `torchproof run`, whatever readers do and say.

mod json;
mod junit;
mod markdown;
mod sarif;

use testkit::corpus::{everything, readers};

/// The report of readers that do all that there is, in this format, without what differs between runs and machines.
fn shown(format: &str) -> String {
    let corpus = everything(format);
    let readers = readers();
    let readers: Vec<&str> = readers.iter().flat_map(|reader| ["--reader", reader]).collect();
    // One after the other: what a reader does depends on what it read before.
    let (code, stdout, stderr) = corpus.torchproof(&[&readers[..], &["--jobs", "1", "--format", format]].concat());
    assert_eq!((code, stderr.as_str()), (1, ""));
    stdout.replace(testkit::target().to_str().unwrap(), "TARGET")
}

/// Compares a report with its snapshot.
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

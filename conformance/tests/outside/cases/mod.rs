//! Runs every reader on the cases.
//!
//! | test | property that the test checks |
//! |---|---|
//! | `corpus` | the folder `corpus/` matches the registry |
//! | `check/AREA` | `check` gives the verdict of each case of an area |
//! | `check/rendered` | what `check` prints for some cases, word for word |
//! | `flatbuffers/ID` | the Rust verifier accepts a valid case and never panics |
//! | `run/reference` | the built-in reader passes every case |
//! | `run/READER` | a real reader runs on all cases, and every case has a result despite crashes of the reader |

mod check;
mod flatbuffers;
mod fresh;
mod readers;

use libtest_mimic::{Failed, Trial};
use torchproof::corpus::{self, Case};
use torchproof_harness::corpus::build;

pub(crate) fn trials() -> Vec<Trial> {
    let judged =
        |case: &'static Case| Trial::test(format!("flatbuffers/{}", case.id), move || flatbuffers::judge(case));
    let mut trials = vec![Trial::test("corpus", on_disk)];
    trials.extend(check::trials());
    trials.extend(corpus::all().map(judged));
    trials.extend(readers::trials());
    trials
}

/// Compares the folder with the registry, as `torchproof corpus build --check` does.
fn on_disk() -> Result<(), Failed> {
    let differences = build::build()?.differences(&testkit::repository().join("corpus"))?;
    if differences.is_empty() {
        return Ok(());
    }
    let list: String = differences.iter().take(20).map(|difference| format!("{difference}\n")).collect();
    let count = differences.len();
    Err(format!("corpus/ differs from the build in {count} files; run `torchproof corpus build`\n{list}").into())
}

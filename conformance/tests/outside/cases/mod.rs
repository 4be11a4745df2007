//! The cases, in front of every reader there is.
//!
//! | trial | what it proves |
//! |---|---|
//! | `corpus` | the folder `corpus/` is what the case functions make |
//! | `check/AREA` | the output of `check` for the cases of an area, word for word |
//! | `flatbuffers/ID` | the Rust verifier accepts what must be accepted, and panics at nothing |
//! | `run/reference` | the built-in reader passes every case |
//! | `run/READER` | a real reader reads all cases, and nothing is lost when it dies |

mod check;
mod flatbuffers;
mod fresh;
mod readers;

use libtest_mimic::{Failed, Trial};
use torchproof::corpus::{self, Case};
use torchproof_cli::corpus::build;

/// The trials of these modules.
pub(crate) fn trials() -> Vec<Trial> {
    let judged =
        |case: &'static Case| Trial::test(format!("flatbuffers/{}", case.id), move || flatbuffers::judge(case));
    let mut trials = vec![Trial::test("corpus", on_disk)];
    trials.extend(check::trials());
    trials.extend(corpus::all().map(judged));
    trials.extend(readers::trials());
    trials
}

/// As `torchproof corpus build --check`.
fn on_disk() -> Result<(), Failed> {
    let differences = build::build()?.differences(&testkit::repository().join("corpus"))?;
    if differences.is_empty() {
        return Ok(());
    }
    let list: String = differences.iter().take(20).map(|difference| format!("{difference}\n")).collect();
    let count = differences.len();
    Err(format!("corpus/ is not as built in {count} files; run `torchproof corpus build`\n{list}").into())
}

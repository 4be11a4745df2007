//! The cases, in front of every reader there is.
//!
//! | trial | what it holds |
//! |---|---|
//! | `corpus` | the folder `corpus/` is what the case functions make |
//! | `check/AREA` | what `check` says of the cases of an area, word for word |
//! | `flatbuffers/ID` | the Rust verifier accepts what must be accepted, and panics at nothing |
//! | `run/reference` | the built-in reader passes every case |
//! | `run/READER` | a real reader is put through all cases, and nothing is lost when it dies |
//!
//! The real readers are built by their `setup.sh`. Without that their trials are ignored, and fail with
//! `TORCHPROOF_READERS=required` in the environment.
#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

mod check;
mod flatbuffers;
mod fresh;
mod readers;

use libtest_mimic::{Arguments, Failed, Trial};
use torchproof::cases::{self, Case};
use torchproof_cli::corpus_build;

fn main() {
    let arguments = Arguments::from_args();
    let mut trials = vec![Trial::test("corpus", on_disk)];
    trials.extend(check::trials());
    let judged =
        |case: &'static Case| Trial::test(format!("flatbuffers/{}", case.id), move || flatbuffers::judge(case));
    trials.extend(cases::all().map(judged));
    trials.extend(readers::trials());
    libtest_mimic::run(&arguments, trials).exit();
}

/// As `torchproof corpus build --check`.
fn on_disk() -> Result<(), Failed> {
    let differences = corpus_build::build()?.differences(&fresh::repository().join("corpus"))?;
    if differences.is_empty() {
        return Ok(());
    }
    let list: String = differences.iter().take(20).map(|difference| format!("{difference}\n")).collect();
    let count = differences.len();
    Err(format!("corpus/ is not as built in {count} files; run `torchproof corpus build`\n{list}").into())
}

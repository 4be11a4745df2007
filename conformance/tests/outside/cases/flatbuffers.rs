//! Runs the verifier of the crate `flatbuffers` on each case.

use std::time::Duration;

use libtest_mimic::Failed;
use torchproof::Role;
use torchproof::Stage;
use torchproof::corpus::{Case, Verdict};
use torchproof_harness::reader::outcome::Outcome;
use torchproof_harness::reader::{Address, Launcher, ReaderInput, Request, Settings};
use torchproof_protocol::Want;

use super::fresh;

/// An accepted case that the crate's verifier rejects, so `torchproof run` grades it `rejects-valid`. The verifier
/// checks the position of a vector's elements even if the vector is empty (google/flatbuffers#8374).
const FAILED: &str = "pte/structure/empty-int-list-unaligned";

/// The verifier may accept invalid cases, because most defects are outside the FlatBuffer, but it must not panic.
pub(crate) fn judge(case: &'static Case) -> Result<(), Failed> {
    let time = Duration::from_secs(20);
    let settings = Settings::new(Launcher::current()?, time, None);
    let mut reader = "builtin:flatbuffers".parse::<Address>()?.open(&settings);
    let files = [ReaderInput::at(case.role(), fresh::FOLDER.join(fresh::path(case.id)))?];
    let request =
        Request { files: &files, stage: Stage::Structure, want: Want::Verdict, time, memory_mb: None, delivery: None };
    match (reader.read(&request), case.verdict) {
        (outcome, _) if case.id == FAILED => match outcome {
            Outcome::Reject { .. } => Ok(()),
            _ => Err("the verifier no longer fails this case; remove the constant".into()),
        },
        (Outcome::Accept { .. }, _) | (Outcome::Reject { .. }, Verdict::Reject | Verdict::Either) => Ok(()),
        (Outcome::Unsupported { .. }, _) if case.role() == Role::Bundled => Ok(()),
        (outcome, _) => Err(format!("{}: {}", outcome.name(), outcome.message()).into()),
    }
}

//! What the verifier of the `flatbuffers` crate makes of each case.

use std::time::Duration;

use libtest_mimic::Failed;
use torchproof::Stage;
use torchproof::corpus::{Case, Role, Verdict};
use torchproof_cli::reader::outcome::Outcome;
use torchproof_cli::reader::{Address, Launcher, ReaderInput, Request, Settings};
use torchproof_protocol::Want;

use super::fresh;

/// What must be accepted and the verifier rejects: it wants a value beside every type of a union, also beside one that has no
/// fields to put into it. The C++ verifier and the runtime do without.
const TOO_STRICT: &[&str] = &["pte/valid/null-without-table"];

/// It accepts what must be accepted, and ends with a verdict whatever it is given.
///
/// What it makes of the other cases is its own affair: it looks at the FlatBuffer, and most defects are elsewhere.
pub(crate) fn judge(case: &'static Case) -> Result<(), Failed> {
    let time = Duration::from_secs(20);
    let settings = Settings { launcher: Launcher::current()?, start: time, memory_mb: None };
    let mut reader = "builtin:flatbuffers".parse::<Address>()?.open(&settings);
    let files = [ReaderInput::at(case.role(), fresh::FOLDER.join(fresh::path(case.id)))?];
    let request =
        Request { files: &files, stage: Stage::Structure, want: Want::Verdict, time, memory_mb: None, delivery: None };
    match (reader.read(&request), case.verdict) {
        (Outcome::Accept { .. }, _) | (Outcome::Reject { .. }, Verdict::Reject | Verdict::Either) => Ok(()),
        (Outcome::Reject { .. }, Verdict::Accept) if TOO_STRICT.contains(&case.id) => Ok(()),
        (Outcome::Unsupported { .. }, _) if case.role() == Role::Bundled => Ok(()),
        (outcome, _) => Err(format!("{}: {}", outcome.name(), outcome.message()).into()),
    }
}

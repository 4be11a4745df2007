//! Real readers, as the scripts under `conformance/readers` build them.
#![allow(dead_code)] // Each test program uses its share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use torchproof::Stage;
use torchproof::corpus::Role;
use torchproof_cli::delivery::Delivery;
use torchproof_cli::outcome::Outcome;
use torchproof_cli::protocol::Want;
use torchproof_cli::reader::{Address, Input, Launcher, Reader, Request, Settings};

/// The runtime, below the folder that [`built`] looks into; it wants `--verification` with one of [`LEVELS`].
pub(crate) const RUNTIME: &str = "executorch/executorch-worker";

/// The same of an older release.
pub(crate) const OLDER_RUNTIME: &str = "executorch-1.5.0/executorch-worker";

/// The deserializers of the runtime's Python package.
pub(crate) const PYTHON: &str = "executorch-python/executorch-python-worker";

/// The reader of programs in a viewer of models.
pub(crate) const NETRON: &str = "netron/netron-worker";

/// The levels at which the runtime looks at a program.
pub(crate) const LEVELS: [&str; 2] = ["minimal", "internal-consistency"];

/// The C++ FlatBuffers verifier.
pub(crate) const CPP_VERIFIER: &str = "flatbuffers-cpp/flatbuffers-cpp-worker";

/// The program of a reader, if its script has built it; with `TORCHPROOF_READERS=required`, it has to be there.
pub(crate) fn built(program: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("readers").join(program);
    if path.is_file() {
        return Some(path);
    }
    let required = std::env::var_os("TORCHPROOF_READERS").is_some_and(|word| word == "required");
    assert!(!required, "{} is required and not there", path.display());
    eprintln!("NOT RUN: its setup.sh in conformance/readers has not built {}", path.display());
    None
}

/// The address of a worker with these arguments.
pub(crate) fn address(worker: &Path, arguments: &str) -> String {
    format!("exec:'{}' {arguments}", worker.display())
}

/// The reader at an address.
pub(crate) fn open(address: &str) -> Box<dyn Reader> {
    let launcher = Launcher::at(env!("CARGO_BIN_EXE_torchproof"));
    let settings = Settings { launcher, start: Duration::from_secs(60), memory_mb: None };
    address.parse::<Address>().unwrap().open(&settings)
}

/// Puts files that are loaded together to a reader that a script has built, if one has: it has to accept each such set.
pub(crate) fn expect_accepted(program: &str, arguments: &str, stage: Stage, sets: &[Vec<PathBuf>]) {
    expect_accepted_by(None, program, arguments, stage, sets);
}

/// The same by a delivery.
pub(crate) fn expect_accepted_by(
    delivery: Option<Delivery>,
    program: &str,
    arguments: &str,
    stage: Stage,
    sets: &[Vec<PathBuf>],
) {
    let Some(worker) = built(program) else { return };
    let mut reader = open(&address(&worker, arguments));
    reader.hello().unwrap();
    let mut refused = Vec::new();
    for set in sets {
        let role = |path: &PathBuf| {
            let is_program = path.extension().is_some_and(|ending| ending == "pte");
            Input::at(if is_program { Role::Program } else { Role::Data }, path).unwrap()
        };
        let files: Vec<_> = set.iter().map(role).collect();
        let time = Duration::from_secs(20);
        let outcome =
            reader.read(&Request { files: &files, stage, want: Want::Verdict, time, memory_mb: None, delivery });
        if !matches!(outcome, Outcome::Accept { .. }) {
            refused.push(format!("{set:?}: {} {}", outcome.name(), outcome.message()));
        }
    }
    assert!(refused.is_empty(), "{program} {arguments}: {refused:#?}");
}

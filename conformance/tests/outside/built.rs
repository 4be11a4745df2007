//! The real readers that the scripts in `conformance/readers` build.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use torchproof::Role;
use torchproof::Stage;
use torchproof_harness::reader::outcome::Outcome;
use torchproof_harness::reader::{Address, Launcher, Reader, ReaderInput, Request, Settings};
use torchproof_protocol::{Delivery, Want};

use crate::need;

/// The adapter for the C++ runtime. It needs `--verification` with one of [`LEVELS`], and [`with_stubs`] for delegates.
pub(crate) const RUNTIME: &str = "executorch/executorch-worker";

/// The adapter for an older release of the C++ runtime.
pub(crate) const OLDER_RUNTIME: &str = "executorch-1.5.0/executorch-worker";

/// The adapter for the deserializers in ExecuTorch's Python package.
pub(crate) const PYTHON: &str = "executorch-python/executorch-python-worker";

/// The adapter for the viewer Netron, which supports only programs.
pub(crate) const NETRON: &str = "netron/netron-worker";

pub(crate) const LEVELS: [&str; 2] = ["minimal", "internal-consistency"];

/// The adapter for the C++ FlatBuffers verifier.
pub(crate) const CPP_VERIFIER: &str = "flatbuffers-cpp/flatbuffers-cpp-worker";

pub(crate) fn address(worker: &Path, arguments: &str) -> String {
    format!("exec:'{}' {arguments}", worker.display())
}

pub(crate) fn open(address: &str) -> Box<dyn Reader> {
    let launcher = Launcher::at(env!("CARGO_BIN_EXE_torchproof"));
    let settings = Settings::new(launcher, Duration::from_secs(60), None);
    address.parse::<Address>().unwrap().open(&settings)
}

/// The official files that the C++ runtime refuses: programs whose constant segment has no offsets (as if their
/// constants were in the FlatBuffer), and the data file in the legacy layout.
pub(crate) const UNREADABLE: [&str; 3] = ["add_v1.2.0.pte", "legacy_v0.6.0_tensors.ptd", "linear_v0.2.0.pte"];

/// Arguments for stubs, which accept the data of every delegate.
pub(crate) fn with_stubs(level: &str) -> String {
    format!("--verification {level} --stub-backends")
}

/// Each program with its data file, and each data file by itself.
pub(crate) fn real_files() -> Vec<Vec<PathBuf>> {
    let entries = fs::read_dir(testkit::repository().join("corpus/real")).unwrap();
    let set = |path: PathBuf| match path.extension().and_then(|extension| extension.to_str()) {
        Some("pte") => {
            let data = path.with_extension("ptd");
            Some(if data.is_file() { vec![path, data] } else { vec![path] })
        }
        Some("ptd") => Some(vec![path]),
        _ => None,
    };
    let mut all: Vec<Vec<PathBuf>> = entries.filter_map(|entry| set(entry.unwrap().path())).collect();
    all.sort();
    assert!(all.len() >= 19, "{}", all.len());
    all
}

/// The reader loads the files of a set together.
pub(crate) fn expect_accepted(program: &str, arguments: &str, stage: Stage, sets: &[Vec<PathBuf>]) {
    let refused = refused(None, program, arguments, stage, sets);
    assert!(refused.is_empty(), "{program} {arguments}: {refused:#?}");
}

/// Returns the outcome of each refused set, under the name of the set's first file.
pub(crate) fn refused(
    delivery: Option<Delivery>,
    program: &str,
    arguments: &str,
    stage: Stage,
    sets: &[Vec<PathBuf>],
) -> BTreeMap<String, String> {
    let is_builtin = program.starts_with("builtin:");
    let mut reader = if is_builtin { open(program) } else { open(&address(&need::reader(program), arguments)) };
    reader.hello().unwrap();
    let mut refused = BTreeMap::new();
    for set in sets {
        let role = |path: &PathBuf| {
            let role = match path.extension().and_then(|ending| ending.to_str()) {
                Some("pte") => Role::Program,
                Some("bpte") => Role::Bundled,
                _ => Role::Data,
            };
            ReaderInput::at(role, path).unwrap()
        };
        let files: Vec<_> = set.iter().map(role).collect();
        let time = Duration::from_secs(20);
        let outcome =
            reader.read(&Request { files: &files, stage, want: Want::Verdict, time, memory_mb: None, delivery });
        if !matches!(outcome, Outcome::Accept { .. }) {
            let name = set[0].file_name().unwrap().to_string_lossy().into_owned();
            refused.insert(name, format!("{} {}", outcome.name(), outcome.message()));
        }
    }
    refused
}

//! Checks that each adapter of a real reader accepts exported files of all kinds that the reader supports. If this test
//! passes, a later rejection of a case comes from the reader and not from the adapter.

use std::fs;
use std::path::PathBuf;

use torchproof::Stage;
use torchproof_protocol::Delivery;

use crate::built;
use crate::need::{Need, trials};
use libtest_mimic::Trial;

/// The programs that need no data file.
const PROGRAMS: [&str; 8] = [
    "add.pte",
    "align4096.pte",
    "conv.pte",
    "linear.pte",
    "metadata_keys.pte",
    "mlp_xnnpack.pte",
    "multi_method.pte",
    "mutable_state.pte",
];

fn an_older_runtime_accepts_exported_files() {
    let sets: Vec<&[&str]> = vec![&["linear_external.pte", "linear_external.ptd"], &["mlp_external.ptd"]];
    let sets = files(PROGRAMS.each_ref().map(std::slice::from_ref).into_iter().chain(sets));
    for level in built::LEVELS {
        built::expect_accepted(built::OLDER_RUNTIME, &format!("--verification {level}"), Stage::Data, &sets);
    }
}

/// Checks that the adapter of the C++ runtime accepts exported files with every delivery.
fn the_runtime_accepts_exported_files_with_every_delivery() {
    let sets = files(PROGRAMS.each_ref().map(std::slice::from_ref));
    for delivery in [Delivery::Mmap, Delivery::Buffer] {
        for level in built::LEVELS {
            let arguments = format!("--verification {level}");
            built::expect_accepted_by(Some(delivery), built::RUNTIME, &arguments, Stage::Data, &sets);
        }
    }
}

fn the_python_package_accepts_exported_files() {
    let rest = ["linear_external.pte", "linear_external.ptd", "mlp_external.pte", "mlp_external.ptd"];
    let sets = files(PROGRAMS.iter().chain(&rest).map(std::slice::from_ref));
    built::expect_accepted(built::PYTHON, "", Stage::Data, &sets);
}

fn the_flatbuffers_crate_accepts_exported_files() {
    let rest = ["linear_external.pte", "linear_external.ptd", "mlp_external.pte", "mlp_external.ptd"];
    let legacy = ["legacy_v0.6.0_tensors.ptd"];
    let sets = files(PROGRAMS.iter().chain(&rest).chain(&legacy).map(std::slice::from_ref));
    built::expect_accepted("builtin:flatbuffers", "", Stage::Structure, &sets);
}

/// Netron does not display tensors of data files, so the test uses only programs without data files.
fn netron_accepts_exported_files() {
    let sets = files(PROGRAMS.iter().map(std::slice::from_ref));
    built::expect_accepted(built::NETRON, "", Stage::Data, &sets);
}

/// The folder `corpus/real` has no bundled program from an official exporter, so the test uses the valid cases of the
/// corpus.
fn adapters_accept_bundled_programs() {
    let folder = testkit::repository().join("corpus/files/bpte/valid");
    let sets: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| vec![entry.unwrap().path()]).collect();
    assert!(sets.len() > 3, "found {} files", sets.len());
    for program in [built::RUNTIME, built::OLDER_RUNTIME] {
        for level in built::LEVELS {
            built::expect_accepted(program, &format!("--verification {level}"), Stage::Execute, &sets);
        }
    }
    built::expect_accepted(built::PYTHON, "", Stage::Data, &sets);
    built::expect_accepted(built::CPP_VERIFIER, "", Stage::Structure, &sets);
}

/// Returns the paths of real files. The files of a set are loaded together.
fn files<'a>(sets: impl IntoIterator<Item = &'a [&'a str]>) -> Vec<Vec<PathBuf>> {
    let real = testkit::repository().join("corpus/real");
    sets.into_iter().map(|set| set.iter().map(|name| real.join(name)).collect()).collect()
}

/// Returns the tests of this module.
pub(crate) fn trials() -> Vec<Trial> {
    [
        trials![[Need::Reader(built::OLDER_RUNTIME)]; an_older_runtime_accepts_exported_files],
        trials![[Need::Reader(built::RUNTIME)]; the_runtime_accepts_exported_files_with_every_delivery],
        trials![[Need::Reader(built::PYTHON)]; the_python_package_accepts_exported_files],
        trials![[Need::Reader(built::NETRON)]; netron_accepts_exported_files],
        trials![[]; the_flatbuffers_crate_accepts_exported_files],
        trials![
            [built::RUNTIME, built::OLDER_RUNTIME, built::PYTHON, built::CPP_VERIFIER].map(Need::Reader);
            adapters_accept_bundled_programs
        ],
    ]
    .into_iter()
    .flatten()
    .collect()
}

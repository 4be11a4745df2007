//! Adapters of real readers: each accepts what official exporters wrote, as far as its reader reads such files, so that what it
//! says of other files is the reader's doing.
#![allow(clippy::unwrap_used)] // A test may end on a broken fixture.

mod built;

use std::path::{Path, PathBuf};

use torchproof::Stage;
use torchproof_cli::delivery::Delivery;

/// Programs that need no data file.
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

#[test]
fn an_older_release_of_the_runtime_reads_what_exporters_wrote() {
    let sets: Vec<&[&str]> = vec![&["linear_external.pte", "linear_external.ptd"], &["mlp_external.ptd"]];
    let sets = files(PROGRAMS.each_ref().map(std::slice::from_ref).into_iter().chain(sets));
    for level in built::LEVELS {
        built::expect_accepted(built::OLDER_RUNTIME, &format!("--verification {level}"), Stage::Data, &sets);
    }
}

/// Through each of its loaders of whole files.
#[test]
fn the_runtime_reads_what_exporters_wrote_by_mapping_and_from_memory() {
    let sets = files(PROGRAMS.each_ref().map(std::slice::from_ref));
    for delivery in [Delivery::Mmap, Delivery::Buffer] {
        for level in built::LEVELS {
            let arguments = format!("--verification {level}");
            built::expect_accepted_by(Some(delivery), built::RUNTIME, &arguments, Stage::Data, &sets);
        }
    }
}

#[test]
fn the_python_package_reads_what_exporters_wrote() {
    let rest = ["linear_external.pte", "linear_external.ptd", "mlp_external.pte", "mlp_external.ptd"];
    let sets = files(PROGRAMS.iter().chain(&rest).map(std::slice::from_ref));
    built::expect_accepted(built::PYTHON, "", Stage::Data, &sets);
}

/// It does not show tensors in data files.
#[test]
fn netron_reads_what_exporters_wrote() {
    let sets = files(PROGRAMS.iter().map(std::slice::from_ref));
    built::expect_accepted(built::NETRON, "", Stage::Data, &sets);
}

/// Real files, by sets that are loaded together.
fn files<'a>(sets: impl IntoIterator<Item = &'a [&'a str]>) -> Vec<Vec<PathBuf>> {
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/real");
    sets.into_iter().map(|set| set.iter().map(|name| real.join(name)).collect()).collect()
}

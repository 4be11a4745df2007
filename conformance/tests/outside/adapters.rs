//! Checks that the adapter of each real reader accepts exported files of every supported kind. If a case is rejected
//! later, it is therefore the reader that rejects it, not the adapter.

use std::fs;
use std::path::PathBuf;

use torchproof::Stage;
use torchproof_protocol::Delivery;

use crate::built;
use crate::need::{Need, trials};
use libtest_mimic::Trial;

/// `refused` are the names of the files that the reader refuses.
fn expect_all_but(
    refused: &[&str],
    delivery: Option<Delivery>,
    program: &str,
    arguments: &str,
    stage: Stage,
    sets: &[Vec<PathBuf>],
) {
    let found = built::refused(delivery, program, arguments, stage, sets);
    assert_eq!(found.keys().collect::<Vec<_>>(), refused, "{program} {arguments}: {found:#?}");
}

fn the_runtime_accepts_exported_files(program: &str, deliveries: &[Option<Delivery>]) {
    for (delivery, level) in deliveries.iter().flat_map(|delivery| built::LEVELS.map(|level| (*delivery, level))) {
        let arguments = built::with_stubs(level);
        expect_all_but(&built::UNREADABLE, delivery, program, &arguments, Stage::Data, &built::real_files());
    }
}

fn an_older_runtime_accepts_exported_files() {
    the_runtime_accepts_exported_files(built::OLDER_RUNTIME, &[None]);
}

fn the_runtime_accepts_exported_files_with_every_delivery() {
    the_runtime_accepts_exported_files(built::RUNTIME, &[None, Some(Delivery::Mmap), Some(Delivery::Buffer)]);
}

/// Even without stubs, the adapter supports every file that has no delegates, whatever operators the file uses.
fn the_runtime_needs_stubs_only_for_delegates() {
    let found = built::refused(None, built::RUNTIME, "--verification minimal", Stage::Execute, &built::real_files());
    let unsupported: Vec<_> = found.iter().filter(|(_, outcome)| outcome.starts_with("unsupported")).collect();
    let [(name, outcome)] = unsupported[..] else { panic!("{unsupported:#?}") };
    assert!(name == "mlp_xnnpack.pte" && outcome.ends_with("a delegate has no backend"), "{name}: {outcome}");
}

fn the_python_package_accepts_exported_files() {
    expect_all_but(&["legacy_v0.6.0_tensors.ptd"], None, built::PYTHON, "", Stage::Data, &one_by_one());
}

/// The verifier of the crate checks the position of a vector's elements even if the vector is empty.
fn the_flatbuffers_crate_accepts_exported_files() {
    let refused = ["empty_lists_v1.1.0.pte", "linear_v0.2.0.pte"];
    expect_all_but(&refused, None, "builtin:flatbuffers", "", Stage::Structure, &one_by_one());
}

fn the_cpp_verifier_accepts_exported_files() {
    expect_all_but(&[], None, built::CPP_VERIFIER, "", Stage::Structure, &one_by_one());
}

fn the_reference_reader_accepts_exported_files() {
    expect_all_but(&[], None, "builtin:reference", "", Stage::Data, &built::real_files());
}

/// Netron does not show the tensors of data files, so only programs without data files are tested.
fn netron_accepts_exported_files() {
    let mut sets = built::real_files();
    sets.retain(|set| set.len() == 1 && set[0].extension().is_some_and(|extension| extension == "pte"));
    expect_all_but(&[], None, built::NETRON, "", Stage::Data, &sets);
}

/// `corpus/real` has no bundled program by an official exporter, so use the valid cases of the corpus.
fn adapters_accept_bundled_programs() {
    let folder = testkit::repository().join("corpus/files/bpte/valid");
    let sets: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| vec![entry.unwrap().path()]).collect();
    assert!(sets.len() > 3, "found {} files", sets.len());
    for program in [built::RUNTIME, built::OLDER_RUNTIME] {
        for level in built::LEVELS {
            built::expect_accepted(program, &built::with_stubs(level), Stage::Execute, &sets);
        }
    }
    built::expect_accepted(built::PYTHON, "", Stage::Data, &sets);
    built::expect_accepted(built::CPP_VERIFIER, "", Stage::Structure, &sets);
}

fn one_by_one() -> Vec<Vec<PathBuf>> {
    built::real_files().into_iter().map(|mut set| set.drain(..1).collect()).collect()
}

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        [Need::Reader(built::OLDER_RUNTIME)]; an_older_runtime_accepts_exported_files;
        [Need::Reader(built::RUNTIME)];
        the_runtime_accepts_exported_files_with_every_delivery, the_runtime_needs_stubs_only_for_delegates;
        [Need::Reader(built::PYTHON)]; the_python_package_accepts_exported_files;
        [Need::Reader(built::NETRON)]; netron_accepts_exported_files;
        [Need::Reader(built::CPP_VERIFIER)]; the_cpp_verifier_accepts_exported_files;
        []; the_flatbuffers_crate_accepts_exported_files, the_reference_reader_accepts_exported_files;
        [built::RUNTIME, built::OLDER_RUNTIME, built::PYTHON, built::CPP_VERIFIER].map(Need::Reader);
        adapters_accept_bundled_programs
    ]
}

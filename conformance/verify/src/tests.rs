//! Tests of the C interface.

use core::ptr;
use std::path::Path;
use std::vec::Vec;
use std::{fs, vec};

use super::{TorchproofVerdict as Verdict, TorchproofVerifyOptions as Options, *};

fn real(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/real").join(name)).expect("a file of the corpus")
}

fn program(bytes: &[u8], options: *const Options) -> Verdict {
    // SAFETY: the slice is valid, and each test passes valid options or null.
    unsafe { torchproof_verify_program(bytes.as_ptr(), bytes.len(), options) }
}

fn data_file(bytes: &[u8]) -> Verdict {
    // SAFETY: the slice is valid.
    unsafe { torchproof_verify_data_file(bytes.as_ptr(), bytes.len(), ptr::null()) }
}

#[test]
fn official_files_are_good() {
    assert_eq!(program(&real("add.pte"), ptr::null()), Verdict::Good);
    assert_eq!(program(&real("multi_method.pte"), ptr::null()), Verdict::Good);
    assert_eq!(data_file(&real("linear_external.ptd")), Verdict::Good);
}

#[test]
fn other_bytes_are_not_good() {
    let (add, external) = (real("add.pte"), real("linear_external.ptd"));
    assert_eq!(data_file(&add), Verdict::LookCloser);
    assert_eq!(program(&external, ptr::null()), Verdict::LookCloser);
    for len in [0, 1, 63, 64, add.len() - 1] {
        assert_eq!(program(&add[..len], ptr::null()), Verdict::LookCloser, "{len}");
    }
    // SAFETY: null is a valid argument.
    assert_eq!(unsafe { torchproof_verify_program(ptr::null(), 100, ptr::null()) }, Verdict::LookCloser);
}

#[test]
fn too_little_scratch_memory_has_its_own_verdict() {
    let file = real("mlp_external.pte");
    let verdict = |scratch_words: usize| {
        let mut words = vec![0; scratch_words.max(1)];
        program(&file, &Options { scratch: words.as_mut_ptr(), scratch_words, planned_memory: 0 })
    };
    assert_eq!(verdict(0), Verdict::MoreScratch);
    assert_eq!(verdict(file.len()), Verdict::Good);
}

#[test]
fn planned_memory_has_a_limit() {
    let file = real("add.pte");
    let verdict =
        |planned_memory| program(&file, &Options { scratch: ptr::null_mut(), scratch_words: 0, planned_memory });
    assert_eq!(verdict(1), Verdict::LookCloser);
    assert_eq!(verdict(1 << 20), Verdict::Good);
}

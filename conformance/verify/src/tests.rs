//! Tests of the C interface.

use core::ops::ControlFlow;
use core::ptr;
use std::path::{Path, PathBuf};
use std::vec::Vec;
use std::{fs, vec};

use torchproof::FileKind;
use torchproof::check::FindingRef;
use torchproof::check::passes::closer;

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

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the corpus").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn good_files_of_the_corpus_have_no_finding() {
    let mut good = [0, 0];
    for path in files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/files")) {
        let bytes = &fs::read(&path).expect("a file of the corpus")[..];
        let mut scratch = vec![0; bytes.len()];
        let options = Options { scratch: scratch.as_mut_ptr(), scratch_words: scratch.len(), planned_memory: 0 };
        // SAFETY: the slice, the options and the scratch memory are valid.
        let verdicts = [torchproof_verify_program, torchproof_verify_data_file]
            .map(|verify| unsafe { verify(bytes.as_ptr(), bytes.len(), &raw const options) });
        for ((verdict, kind), good) in verdicts.into_iter().zip([FileKind::Pte, FileKind::Ptd]).zip(&mut good) {
            if verdict == Verdict::Good {
                let mut findings = 0;
                let mut sink = |_: &FindingRef<'_>| {
                    findings += 1;
                    ControlFlow::Continue(())
                };
                let found = closer(&bytes, &Default::default(), &mut scratch, &mut sink);
                assert_eq!((found.kind, found.stopped, findings), (kind, None, 0), "{}", path.display());
                *good += 1;
            }
        }
    }
    assert!(good[0] > 50 && good[1] > 10, "{good:?} files are good");
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

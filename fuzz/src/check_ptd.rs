//! **A data file that the checker accepts is safe to use without further checks.**
//!
//! * Checking arbitrary bytes as a data file always ends with a verdict.
//! * In an accepted file, every key is unique and has data: for a tensor, as many bytes as its layout requires.
//! * Checking a program with this data file always ends with a verdict.

use std::collections::BTreeSet;

use torchproof::check::{Checker, Target};
use torchproof::flatbuffer::Vector;
use torchproof::layout::nbytes;
use torchproof::ptd::{self, Ptd};

use crate::check_pte::judged;
use crate::read_any::LIMITS;

pub fn run(bytes: &[u8]) {
    let mut bytes = bytes.to_vec();
    if let Some(identifier) = bytes.get_mut(4..8) {
        identifier.copy_from_slice(&ptd::IDENTIFIER);
    }
    let accepted = judged(&bytes, Target::Bits64).accepts();
    let Ok(file) = Ptd::open(&bytes) else {
        assert!(!accepted, "accepted, but cannot be opened");
        return;
    };
    beside_a_program(&bytes);
    if !accepted {
        return;
    }
    let mut names = BTreeSet::new();
    for entry in file.entries().map(|entry| entry.expect("accepted")) {
        let key = entry.key().expect("accepted").as_bytes();
        let (found, own) = (file.find(key).expect("accepted").expect("not found"), entry.bytes().expect("accepted"));
        // In the legacy layout, a blob and a tensor can have the same name. A lookup then finds the tensor.
        let hidden = found.list() != entry.list();
        let same = found.bytes().is_ok_and(|found| found == own);
        assert!(names.insert((entry.list(), key.to_vec())) || hidden || same, "{key:?} has different blobs");
        let Some(scalar_type) = entry.scalar_type().expect("accepted") else { continue };
        let sizes = entry.sizes().expect("accepted").expect("accepted without sizes");
        let bytes = nbytes(scalar_type, sizes).expect("accepted");
        let tensor = file.tensor_bytes(key).expect("accepted").expect("accepted, but not found");
        assert!(tensor.len() as u64 == bytes && tensor.len() <= own.len());
        assert_eq!(entry.dim_order().expect("accepted").map(Vector::len), Some(sizes.len()));
    }
}

/// Checks a program with external tensors together with this data file.
fn beside_a_program(file: &[u8]) {
    static PROGRAM: &[u8] = include_bytes!("../../corpus/real/linear_external.pte");
    let report = Checker::new().limits(LIMITS).with(&file).with(&file).check(PROGRAM);
    assert!(report.must > 0 || report.findings.is_empty());
}

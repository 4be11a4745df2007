//! **A data file that the checker accepts is safe to use without further checks.**
//!
//! * The check of arbitrary bytes as a data file always ends with a verdict.
//! * In an accepted file, every key is unique and has data. The data of every tensor has as many bytes as the tensor's
//!   layout requires.
//! * The check of a program with this data file always ends with a verdict.

use std::collections::BTreeSet;

use torchproof::check::{Checker, Target};
use torchproof::flatbuffer::Vector;
use torchproof::layout::nbytes;
use torchproof::ptd::{self, Layout, Ptd};

use crate::check_pte::judged;
use crate::read_any::LIMITS;

/// Checks the input as a data file.
///
/// # Panics
///
/// Panics if the contract of this module is broken.
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
    match file.layout() {
        Layout::Current(root) => {
            let entries = root.named_data().expect("accepted").expect("accepted without a list");
            for entry in entries.iter().map(|entry| entry.expect("accepted")) {
                let key = entry.key().expect("accepted").expect("accepted without a key").as_bytes();
                let blob = file.named_data(key).expect("accepted").expect("accepted, but not found");
                let own = file.segment_bytes(entry.segment_index().expect("accepted")).expect("accepted");
                assert!(names.insert(key.to_vec()) || own == blob, "accepted, but {key:?} has different blobs");
                let Some(layout) = entry.tensor_layout().expect("accepted") else { continue };
                let sizes = layout.sizes().expect("accepted").expect("accepted without sizes");
                let bytes = nbytes(layout.scalar_type().expect("accepted"), sizes).expect("accepted");
                let tensor = file.tensor_bytes(key).expect("accepted").expect("accepted, but not found");
                assert!(tensor.len() as u64 == bytes && tensor.len() <= blob.len());
                assert_eq!(layout.dim_order().expect("accepted").map(Vector::len), Some(sizes.len()));
            }
        }
        Layout::Legacy(root) => {
            for tensor in root.tensors().expect("accepted").into_iter().flat_map(Vector::iter) {
                let tensor = tensor.expect("accepted");
                let name =
                    tensor.fully_qualified_name().expect("accepted").expect("accepted without a name").as_bytes();
                assert!(names.insert(name.to_vec()), "accepted, but {name:?} is duplicate");
                let sizes = tensor.sizes().expect("accepted").expect("accepted without sizes");
                let bytes = nbytes(tensor.scalar_type().expect("accepted"), sizes).expect("accepted");
                let found = file.tensor_bytes(name).expect("accepted").expect("accepted, but not found");
                assert_eq!(found.len() as u64, bytes);
            }
        }
    }
}

/// Checks the data file as the companion of a program with external tensors.
fn beside_a_program(file: &[u8]) {
    static PROGRAM: &[u8] = include_bytes!("../../corpus/real/linear_external.pte");
    let report = Checker::new().limits(LIMITS).with(&file).with(&file).check(PROGRAM);
    assert!(report.must > 0 || report.findings.is_empty());
}

#[cfg(test)]
mod tests {
    #[test]
    fn smoke() {
        crate::smoke::drive(super::run);
    }
}

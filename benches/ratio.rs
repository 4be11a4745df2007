//! The structure pass and the whole check against the C++ verifier, in turn in one loop, so that a machine whose speed drifts
//! drifts for both: `cargo bench --bench ratio`.
//!
//! The time is that of the thread on the processor: on the wall, a subject that takes longer is interrupted more often by
//! whatever else runs, which has shown ratios of twice and three times the true ones.

mod cpp_verifier;
mod pass;
mod shim;
mod timing;

use std::hint::black_box;
use std::ops::ControlFlow;

use cpp_verifier::CppVerifier;
use pass::structure as pass;
use timing::{median, timed};
use torchproof::Image;
use torchproof::check::{Finding, Options, check};
use torchproof::flatbuffer::schema::TableView;
use torchproof::ptd::{Ptd, schema::FlatTensor};
use torchproof::pte::schema::Program;
use torchproof_oracle::{Schema, build};

/// Rounds of each subject in turn; the median ratio of a round is printed.
const ROUNDS: usize = 60;
/// Tables visited in a round, about.
const TABLES: usize = 200_000;

fn main() {
    let Some(cpp) = CppVerifier::load() else { return };
    println!("median of {ROUNDS} rounds; the C++ verifier is 1");
    println!("{:<8}{:>8}{:>16}{:>12}{:>12}", "input", "tables", "C++, ns/table", "structure", "check");
    for exponent in 1..=5 {
        let tables = 10_usize.pow(exponent);
        let program = build::program(tables / 5, tables / 5);
        row::<Program<'_>>("pte", &program, program.len(), Schema::Program, &cpp);
        let data = build::flat_tensor((tables / 3).max(1));
        let end = Ptd::open(&data).expect("the oracle's file opens").region().len();
        row::<FlatTensor<'_>>("ptd", &data, end, Schema::FlatTensor, &cpp);
    }
}

fn row<'a, T: TableView<'a>>(name: &str, file: &'a [u8], end: usize, schema: Schema, cpp: &CppVerifier) {
    let region = &file[..end];
    let image = Image::whole(file);
    let tables = pass::<T>(region).expect("a bench input is sound");
    let times = (TABLES / tables).max(1);
    let mut memory: Vec<u64> = Vec::new();
    let (mut structure, mut whole, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let ours = timed(times, || expect(pass::<T>(black_box(region)).is_some()));
        let cpp = timed(times, || expect(cpp.verify(black_box(region), schema)));
        let check = timed(times, || {
            let mut sink = |_: &Finding<'_>| ControlFlow::Continue(());
            expect(check(black_box(image), &mut { image }, &Options::default(), &mut memory, &mut sink).accepts());
        });
        structure.push(ours / cpp);
        whole.push(check / cpp);
        theirs.push(cpp / tables as f64);
    }
    let [theirs, structure, whole] = [theirs, structure, whole].map(median);
    println!("{name:<8}{tables:>8}{theirs:>16.1}{structure:>12.2}{whole:>12.2}");
}

fn expect(accepted: bool) {
    assert!(accepted, "a bench input is accepted");
}

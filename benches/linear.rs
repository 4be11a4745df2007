//! The whole check, as one list of a file doubles: `cargo bench --bench linear`.
//!
//! Twice the entries are to take twice the time, up to a million: what finds equal names and overlapping segments included.

use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

use torchproof::Image;
use torchproof::check::{Finding, Options, check};
use torchproof_oracle::build;

/// Entries of the shortest list and how often it doubles: 976 to 999 424.
const FIRST: usize = 976;
const DOUBLINGS: u32 = 10;
/// Entries checked for one figure, about, so that each figure is of as much work.
const ENTRIES: usize = 2_000_000;
/// Figures taken of each size; the smallest is printed, since nothing but this program makes it smaller.
const ROUNDS: usize = 5;

/// Makes a file whose list has so many entries.
type Make = fn(usize) -> Vec<u8>;

fn main() {
    let lists: [(&str, Make); 3] = [
        ("tensors", |count| build::program(count, 0)),
        ("instructions", |count| build::program(1, count)),
        ("tensors of a data file", build::flat_tensor),
    ];
    println!("nanoseconds an entry, the smallest of {ROUNDS}; behind it, of how many that were half as many");
    println!("{:<26}{:>10}{:>14}{:>10}", "list", "entries", "ns/entry", "ratio");
    for (name, make) in lists {
        let mut before = None;
        for count in (0..=DOUBLINGS).map(|doubling| FIRST << doubling) {
            let file = make(count);
            let times = (ENTRIES / count).max(1);
            let figure = (0..ROUNDS).map(|_| timed(&file, times) / count as f64).fold(f64::INFINITY, f64::min);
            let ratio = before.map_or(String::new(), |before: f64| format!("{:.2}", figure / before));
            println!("{name:<26}{count:>10}{figure:>14.1}{ratio:>10}");
            before = Some(figure);
        }
    }
}

/// Nanoseconds a check.
fn timed(file: &[u8], times: usize) -> f64 {
    let image = Image::whole(file);
    let mut memory: Vec<u64> = Vec::new();
    let begin = Instant::now();
    for _ in 0..times {
        let mut sink = |_: &Finding<'_>| ControlFlow::Continue(());
        let report = check(black_box(image), &mut { image }, &Options::default(), &mut memory, &mut sink);
        assert!(report.accepts(), "a bench input is accepted");
    }
    begin.elapsed().as_nanos() as f64 / times as f64
}

//! This reader beside the others, each on the same input in one loop: `cargo bench --bench compare`.
//!
//! Prints a line for each subject and what it came to beside the goals; writes `target/torchproof-bench.json` and
//! `target/torchproof-bench.svg`. With `-- --record`, `benches/results.json`, `RESULTS.md` and `results.svg` are written anew,
//! which is for a quiet machine. The time is that of the thread on the processor, as in `ratio`.

#[path = "../cpp_verifier.rs"]
mod cpp_verifier;
#[path = "../pass.rs"]
mod pass;
#[path = "../shim.rs"]
mod shim;
#[path = "../timing.rs"]
mod timing;

mod chart;
mod executorch;
mod figure;
mod group;
mod inputs;
mod memory;
mod report;
mod subjects;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, path] = &arguments[..]
        && word == memory::PEAK
    {
        memory::tell_peak(Path::new(path));
        return ExitCode::SUCCESS;
    }
    let target = std::env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from);
    let figures = subjects::measure_all();
    println!("\n{}", report::goals_as_text(&figures));
    let mut written = vec![
        write(&target.join("torchproof-bench.json"), &report::as_json(&figures)),
        write(&target.join("torchproof-bench.svg"), &chart::svg(&figures)),
    ];
    if arguments.iter().any(|argument| argument == "--record") {
        let benches = Path::new(env!("CARGO_MANIFEST_DIR")).join("../benches");
        written.push(write(&benches.join("results.json"), &report::as_json(&figures)));
        written.push(write(&benches.join("RESULTS.md"), &report::as_markdown(&figures)));
        written.push(write(&benches.join("results.svg"), &chart::svg(&figures)));
    }
    if written.iter().all(|done| *done) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn write(path: &Path, text: &str) -> bool {
    let done = fs::write(path, text);
    if let Err(error) = &done {
        eprintln!("{}: {error}", path.display());
    }
    done.is_ok()
}

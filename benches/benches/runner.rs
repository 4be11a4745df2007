//! Benchmarks running the whole corpus on readers: `cargo bench --bench runner`.
//!
//! The goal is at most one second per run, with two jobs and a worker that replies immediately. The bench builds the
//! binary `torchproof`, because the runner starts it for its built-in reader.
#![allow(missing_docs, reason = "criterion's macros declare public items")]

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn corpus(c: &mut Criterion) {
    let torchproof = torchproof();
    let mut group = c.benchmark_group("the corpus through a reader");
    group.sample_size(10);
    let idle = format!("exec:'{}'", env!("CARGO_BIN_EXE_idle-worker"));
    let executorch = target().join("readers/executorch/executorch-worker");
    let mut readers = vec![("a worker that answers at once", idle), ("builtin", "builtin:reference".to_owned())];
    if executorch.is_file() {
        readers.push((
            "the runtime",
            format!("exec:'{}' --verification internal-consistency --stub-backends", executorch.display()),
        ));
    } else {
        eprintln!("not measured: the runtime; run conformance/readers/executorch/setup.sh first");
    }
    for (name, address) in readers {
        for jobs in ["1", "2"] {
            group.bench_function(BenchmarkId::new(name, format!("{jobs} jobs")), |b| {
                b.iter(|| run(&torchproof, &["--reader", &address, "--jobs", jobs]));
            });
        }
    }
    group.finish();
}

/// Exit code 1 means that the reader failed cases, which is fine here; 2 means that the run itself failed.
fn run(torchproof: &Path, arguments: &[&str]) {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus");
    let results = Path::new(env!("CARGO_TARGET_TMPDIR")).join("runner.jsonl");
    let mut command = Command::new(torchproof);
    command.arg("run").arg("--corpus").arg(corpus).arg("--results").arg(results).args(arguments);
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("the command starts");
    assert!(matches!(status.code(), Some(0 | 1)), "the run fails: {status}");
}

fn torchproof() -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--release", "-p", "torchproof-cli", "--bin", "torchproof"]);
    assert!(build.status().expect("cargo starts").success(), "the command does not build");
    target().join("release/torchproof")
}

fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target"), PathBuf::from)
}

criterion_group!(benches, corpus);
criterion_main!(benches);

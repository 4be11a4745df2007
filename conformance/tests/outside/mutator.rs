//! Tests of the mutator's C header, and of the examples that fuzz a reader with the mutator.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use libtest_mimic::Trial;

use crate::need::{Need, trial};

/// The needs of the C example.
const TOOLS: &[Need] = &[Need::Tool(&["clang"]), Need::Tool(&["cmake"]), Need::Tool(&["afl-fuzz"])];

/// The number of inputs that a fuzzer runs.
const RUNS: &str = "5000";

/// The tests of the examples compile the library twice, so they exist only if `TORCHPROOF_EXAMPLES` is set.
pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![trial("mutator::the_header_matches_the_code", &[], the_header_matches_the_code)];
    if env::var_os("TORCHPROOF_EXAMPLES").is_some() {
        trials.push(trial("mutator::the_c_example_runs_with_libfuzzer_and_afl", TOOLS, c_example));
        trials.push(trial("mutator::the_rust_example_runs", &[Need::Tool(&["g++"])], rust_example));
    }
    trials
}

/// The header declares every function that the library exports. With `TRYCMD=overwrite`, the test writes the header.
fn the_header_matches_the_code() {
    let folder = testkit::repository().join("fuzz/mutator/c");
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml")).unwrap();
    let bindings = cbindgen::Builder::new().with_config(config).with_src(folder.join("src/lib.rs")).generate().unwrap();
    let mut header = Vec::new();
    bindings.write(&mut header);
    testkit::expect_file(&folder.join("include/torchproof_mutator.h"), &String::from_utf8(header).unwrap());
}

/// Runs a program; fails if the program fails. Returns the program's output.
fn run(command: &mut Command) -> String {
    let output = command.current_dir(testkit::repository()).output().unwrap();
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

/// Builds the C example with a compiler. Returns the path of the fuzzer.
fn build_c(compiler: &str, prefix: &Path) -> PathBuf {
    let folder = prefix.join(compiler);
    let defined = |name: &str, value: &OsStr| {
        let mut argument = OsStr::new(&format!("-D{name}=")).to_owned();
        argument.push(value);
        argument
    };
    let mut cmake = Command::new("cmake");
    cmake.args(["-S", "fuzz/examples/c-reader", "-B"]).arg(&folder);
    cmake.arg(defined("CMAKE_C_COMPILER", OsStr::new(compiler))).arg(defined("CMAKE_PREFIX_PATH", prefix.as_os_str()));
    run(&mut cmake);
    run(Command::new("cmake").arg("--build").arg(&folder));
    folder.join("fuzz-reader")
}

fn c_example() {
    let prefix = testkit::empty_scratch("mutator");
    run(Command::new("fuzz/mutator/install.sh").arg(&prefix).env("PROFILE", "dev"));
    let corpus = prefix.join("corpus");
    let seeds = prefix.join("seeds");
    [&corpus, &seeds].into_iter().for_each(|folder| fs::create_dir(folder).unwrap());
    fs::copy(testkit::repository().join("corpus/real/linear.pte"), seeds.join("linear.pte")).unwrap();

    let mut fuzzer = Command::new(build_c("clang", &prefix));
    fuzzer.arg(&corpus).arg(&seeds).args([&format!("-runs={RUNS}"), "-seed=1", "-max_len=8192"]);
    let text = run(&mut fuzzer);
    assert!(text.contains("found LLVMFuzzerCustomMutator") && text.contains("DONE"), "{text}");

    let found = prefix.join("found");
    let mut afl = Command::new("afl-fuzz");
    afl.args(["-E", RUNS, "-t", "10000", "-i"]).arg(&seeds).arg("-o").arg(&found);
    afl.arg("--").arg(build_c("afl-clang-fast", &prefix));
    afl.env("AFL_CUSTOM_MUTATOR_LIBRARY", prefix.join("lib/libtorchproof_mutator.so"));
    for option in ["SKIP_CPUFREQ", "I_DONT_CARE_ABOUT_MISSING_CRASHES", "NO_UI", "NO_AFFINITY"] {
        afl.env(format!("AFL_{option}"), "1");
    }
    run(&mut afl);
    let queue = fs::read_dir(found.join("default/queue")).unwrap().map(|entry| entry.unwrap().file_name());
    let made = queue.filter(|name| name.to_string_lossy().contains("op:libtorchproof_mutator"));
    assert!(made.count() > 5);
}

fn rust_example() {
    // The flags of `cargo fuzz build -s none`, for the stable compiler.
    let flags = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
                 -Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions -Ccodegen-units=1";
    let target = testkit::target().join("fuzz");
    let host = run(Command::new("rustc").args(["--print", "host-tuple"]));
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "-p", "rust-reader", "--target", host.trim(), "--target-dir"]).arg(&target);
    run(cargo.env("RUSTFLAGS", flags).env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1"));
    let corpus = testkit::empty_scratch("rust-reader");
    let mut fuzzer = Command::new(target.join(host.trim()).join("release/reader"));
    fuzzer.arg(&corpus).args(["corpus/real", &format!("-runs={RUNS}"), "-seed=1", "-max_len=8192"]);
    let text = run(&mut fuzzer);
    assert!(text.contains("found LLVMFuzzerCustomMutator") && text.contains("DONE"), "{text}");
}

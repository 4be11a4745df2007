//! Runs the programs and the console session in the corpus README.
//!
//! A C++, Python, JavaScript or Rust block that begins with a file name in a comment becomes that file. The four files
//! named `consume` are the same program in four languages, so they must print the same output.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use testkit::repository;
use torchproof::corpus::Verdict;
use torchproof_harness::corpus::Manifest;

use crate::need::{Need, trials};

pub(crate) fn trials() -> Vec<Trial> {
    trials![
        [Need::Tool(&["g++"])]; the_cpp_program_runs;
        [Need::Tool(&["python3"])]; the_python_program_runs, the_reference_reader_passes;
        [Need::Tool(&["node"])]; the_javascript_program_runs;
        []; the_rust_program_runs, the_session_prints_its_output
    ]
}

fn the_session_prints_its_output() {
    testkit::run_sessions("corpus-readme", &[repository().join("corpus/README.md")]);
}

fn the_cpp_program_runs() {
    let folder = folder("cpp");
    let program = folder.join("consume");
    let arguments = ["-std=c++17", "-Wall", "-Werror", "-o"].map(OsStr::new);
    let source = folder.join("consume.cpp");
    printed("g++", arguments.into_iter().chain([program.as_os_str(), source.as_os_str()]), &folder);
    expect_complaints(&printed(program, [""; 0], &folder.join("corpus")));
}

fn the_python_program_runs() {
    let folder = folder("python");
    expect_complaints(&printed("python3", [folder.join("consume.py")], &folder.join("corpus")));
}

fn the_javascript_program_runs() {
    let folder = folder("javascript");
    expect_complaints(&printed("node", [folder.join("consume.mjs")], &folder.join("corpus")));
}

/// The program needs neither the corpus folder nor a network connection.
fn the_rust_program_runs() {
    let folder = folder("rust");
    fs::create_dir_all(folder.join("src")).unwrap();
    fs::rename(folder.join("consume.rs"), folder.join("src/main.rs")).unwrap();
    let library = repository().canonicalize().unwrap();
    let manifest = format!(
        "[package]\nname = \"consume\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\ntorchproof = {{ path = {library:?}, default-features = false, features = [\"corpus\"] }}\n\n\
         [profile.dev]\ndebug = 0\n\n[workspace]\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    // Because the target folder is shared, Cargo rebuilds only changed crates.
    let target = testkit::scratch("consume-target");
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "--offline", "--quiet"]).current_dir(&folder).env("CARGO_TARGET_DIR", target);
    expect_complaints(&output(&mut command));
}

fn the_reference_reader_passes() {
    let folder = folder("runner");
    let runner = folder.join("runner.py");
    let corpus = folder.join("corpus");
    let ours = [runner.as_os_str(), corpus.as_os_str(), env!("CARGO_BIN_EXE_torchproof").as_ref()];
    let ours = ours.into_iter().chain(["check", "--quiet"].map(OsStr::new));
    assert_eq!(printed("python3", ours, &folder), "");
    // A reader that accepts nothing passes no case.
    let none = printed("python3", [runner.as_os_str(), corpus.as_os_str(), "false".as_ref()], &folder);
    let manifest = manifest();
    let plain = |case: &&torchproof_harness::corpus::Case| case.needs.is_empty() && case.verdict != Verdict::Either;
    assert_eq!(none.lines().count(), manifest.cases.iter().filter(plain).count());
}

/// Checks that `printed` lists exactly the failures of a reader that checks only the identifier.
fn expect_complaints(printed: &str) {
    let corpus = repository().join("corpus");
    let mut expected = String::new();
    let mut found: BTreeMap<&str, &str> = BTreeMap::new();
    for case in manifest().cases.iter().filter(|case| case.needs.is_empty()) {
        let bytes = fs::read(corpus.join(&case.files[0].path)).unwrap();
        let accepted = matches!(bytes.get(4..8), Some(b"ET12" | b"FT01"));
        if !case.verdict.allows(accepted) {
            expected += &format!("{}: must {}\n", case.id, case.verdict);
        }
    }
    found.extend(printed.lines().filter_map(|line| line.split_once(": ")));
    // The registry and the manifest list the cases in different orders.
    let sorted: String = found.iter().map(|(id, rest)| format!("{id}: {rest}\n")).collect();
    assert_eq!(found.len(), printed.lines().count(), "{printed}");
    assert_eq!(sorted, expected);
}

fn folder(name: &str) -> PathBuf {
    let folder = testkit::scratch("consume").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    std::os::unix::fs::symlink(repository().join("corpus").canonicalize().unwrap(), folder.join("corpus")).unwrap();
    testkit::write_programs(&fs::read_to_string(repository().join("corpus/README.md")).unwrap(), &folder);
    folder
}

fn manifest() -> Manifest {
    serde_json::from_slice(&fs::read(repository().join("corpus/manifest.json")).unwrap()).unwrap()
}

fn printed<A: AsRef<OsStr>>(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = A>,
    folder: &Path,
) -> String {
    output(Command::new(program).args(arguments).current_dir(folder))
}

fn output(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}; the README's examples need it"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

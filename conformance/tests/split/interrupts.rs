//! A command that is ended while it writes leaves nothing behind.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use torchproof::ScalarType;
use torchproof::pte::model::{ExecutionPlan, Program, Tensor};
use torchproof::pte::pack::{Data, Options};
use torchproof::write::Source;

use super::command::{scratch, torchproof};

/// Starts the command, ends it while it writes, and looks at what is in the folder.
fn expect_nothing_left(folder: &Path, args: &[&str], signal: Signal) {
    let names = || {
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let mut child = torchproof(args).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(child.try_wait().unwrap(), None, "{args:?} has ended already");
    kill_process(Pid::from_child(&child), signal).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(signal.as_raw()), "{args:?}");
    assert_eq!(names(), before, "{args:?}");
}

#[test]
fn nothing_is_left_of_what_was_being_written() {
    let folder = scratch().join("interrupted");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    if !has_unnamed_files(&folder) {
        eprintln!("NOT RUN: the file system has no files without a name");
        return;
    }
    let fill = r#"{"kind": "ptd", "flat_tensor": {"named_data": [{"key": "a"}]},
        "segments": [{"size": 100000000000, "data": {"fill": "61"}}]}"#;
    fs::write(folder.join("fill.json"), fill).unwrap();
    let mut plan = ExecutionPlan::new("forward");
    plan.push_value(Tensor::contiguous(ScalarType::BYTE, &[1 << 18, 1 << 19]).constant(1));
    let data = Data { constants: vec![Source::Fill { pattern: b"", len: 1 << 37 }], ..Data::default() };
    let program = Program::new([plan]);
    let package = program.pack(data, &Options::default()).unwrap();
    package.stream_sparse(&mut File::create(folder.join("large.pte")).unwrap()).unwrap();
    fs::write(folder.join("there.ptd"), b"there").unwrap();
    // Not INT: a test that runs in the background may have been started with that ignored.
    for signal in [Signal::TERM, Signal::KILL] {
        let (spec, new) = ("interrupted/fill.json", "interrupted/new.ptd");
        expect_nothing_left(&folder, &["pack", spec, "-o", new, "--max-size", "200000000000"], signal);
        let (model, data) = ("interrupted/large.pte", "interrupted/there.ptd");
        expect_nothing_left(&folder, &["split", model, "--data", data, "-o", model, "--force"], signal);
    }
    assert_eq!(fs::read(folder.join("there.ptd")).unwrap(), b"there");
    fs::remove_dir_all(&folder).unwrap();
}

#[cfg(target_os = "linux")]
fn has_unnamed_files(folder: &Path) -> bool {
    use rustix::fs::{Mode, OFlags, open};
    open(folder, OFlags::TMPFILE | OFlags::RDWR, Mode::from_raw_mode(0o600)).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_unnamed_files(_: &Path) -> bool {
    false
}

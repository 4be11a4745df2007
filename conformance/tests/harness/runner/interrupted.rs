//! Tests how a signal ends a run, and the progress on a terminal.

use std::fs;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use testkit::corpus::{TestCorpus, faux};
use testkit::processes::{MARK, shown_on_terminal, wait_until, wait_until_ended};

/// The time limit of each case is longer than the test.
fn hanging(name: &str) -> TestCorpus {
    TestCorpus::new(name)
        .budget(600_000)
        .accept("pte/a/1", "reject structure")
        .accept("pte/a/2", "hang")
        .accept("pte/a/3", "accept")
        .write()
}

fn interrupt(corpus: &TestCorpus, mut command: Command, signals: &[Signal]) -> Output {
    let _ = fs::remove_file(corpus.folder().join("results.jsonl"));
    let runner: Child = command
        .args(["--env", MARK])
        .env(MARK, PROCESSES)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("the run has a result", || corpus.stream().len() >= 2);
    for signal in signals {
        kill_process(Pid::from_child(&runner), *signal).unwrap();
    }
    runner.wait_with_output().unwrap()
}

#[test]
fn a_signal_ends_the_run_with_a_partial_report() {
    let corpus = hanging("interrupted");
    for (transport, behavior) in [("exec", "worker"), ("once", "once")] {
        for signals in [&[Signal::INT][..], &[Signal::TERM], &[Signal::INT, Signal::INT]] {
            let reader = faux(transport, behavior);
            let json = corpus.folder().join("report.json");
            let report = format!("json={}", json.display());
            let command = corpus.command(&["--jobs", "1", "--reader", &reader, "--report", &report]);
            let output = interrupt(&corpus, command, signals);
            let stdout = String::from_utf8(output.stdout).unwrap();
            assert_eq!(output.status.code(), Some(130), "{stdout}");
            assert!(stdout.contains("interrupted: 1 of 3 results\n"), "{stdout}");
            assert!(stdout.contains("1 rejects-valid") && !stdout.contains("hang"), "{stdout}");
            assert!(stdout.lines().last().unwrap().contains("run --rerun-failed"), "{stdout}");
            assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
            let report: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
            testkit::schema::expect_valid(&testkit::schema::schema("run.schema.json"), &report);
            assert_eq!(report["interrupted"], serde_json::json!({"done": 1, "planned": 3}));
            fs::remove_file(json).unwrap();
            assert_eq!(corpus.names(), ["files", "manifest.json", "results.jsonl"], "the run leaves nothing behind");
            wait_until_ended(PROCESSES);
        }
    }
}

const PROCESSES: &str = "interrupted-run";

/// A signal before the first case leaves no report.
#[test]
fn a_signal_during_the_start_of_readers_ends_the_run() {
    let corpus = TestCorpus::new("interrupted-start").accept("pte/a/1", "accept").write();
    let mark = corpus.folder().join("started");
    let reader = format!("exec:sh -c 'touch \"{}\"; sleep 600'", mark.display());
    let mut command = corpus.command(&["--no-sandbox", "--start-timeout", "10m", "--reader", &reader]);
    let runner = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the reader has started", || mark.exists());
    kill_process(Pid::from_child(&runner), Signal::INT).unwrap();
    let output = runner.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(130), &b""[..]), "{stderr}");
    assert!(stderr.contains("interrupted"), "{stderr}");
}

#[test]
fn a_signal_before_the_first_case_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (program, stderr) = (folder.path().join("torchproof"), folder.path().join("stderr"));
    fs::copy(env!("CARGO_BIN_EXE_torchproof"), &program).unwrap();
    let handles_signals = |pid: Pid| {
        let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_pid())).unwrap_or_default();
        let caught = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigCgt:")?.trim(), 16).ok());
        caught.is_some_and(|caught| caught & 1 << (Signal::INT.as_raw() - 1) != 0)
    };
    // On a busy machine, the signal can come after the build, so try again.
    let code = (0..5).find_map(|_| {
        let mut command = Command::new(&program);
        command.arg("run").current_dir(folder.path()).env_remove("CARGO_TARGET_DIR").stdout(Stdio::null());
        let mut runner = command.stderr(fs::File::create(&stderr).unwrap()).spawn().unwrap();
        while !handles_signals(Pid::from_child(&runner)) && runner.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        // After the build, the command writes a note to stderr.
        let is_building = fs::metadata(&stderr).unwrap().len() == 0;
        kill_process(Pid::from_child(&runner), Signal::INT).unwrap();
        Some(runner.wait().unwrap().code()).filter(|_| is_building)
    });
    assert_eq!(code, Some(Some(130)));
}

#[test]
fn only_a_terminal_shows_progress() {
    // The reader hangs until after the first progress update.
    let corpus = TestCorpus::new("progress").budget(400).accept("pte/a/1", "hang").write();
    let reader = faux("exec", "worker");
    let shown = shown_on_terminal(|stderr| {
        let output = corpus.command(&["--jobs", "1", "--reader", &reader]).stderr(stderr).output().unwrap();
        assert!(!String::from_utf8(output.stdout).unwrap().contains('\x1b'));
    });
    assert!(shown.contains("1 of 1 results, 1 failed, ") && shown.ends_with("\r\x1b[K"), "{shown:?}");
}

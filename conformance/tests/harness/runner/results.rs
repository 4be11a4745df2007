//! Tests the results that are written during a run, and what a killed run leaves behind.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use testkit::corpus::{self, TestCorpus, faux};

#[test]
fn writes_results_during_the_run() {
    let corpus = TestCorpus::new("stream").accept("pte/a/1", "accept").accept("pte/a/2", "signal 11").write();
    let run = corpus.run(&[&faux("exec", "worker")]);
    let stream = corpus.stream();
    assert_eq!(stream.len(), 4);
    assert_eq!(stream[0]["corpus"], run.report["corpus"]);
    assert_eq!(stream[0]["readers"][0]["reader"], "faux");
    for result in run.report["results"].as_array().unwrap() {
        assert!(stream.contains(result), "{result}");
    }
}

#[test]
fn a_killed_run_leaves_its_results_and_no_readers() {
    let corpus = TestCorpus::new("killed").accept("pte/a/1", "signal 11").accept("pte/a/2", "double-fork hang").write();
    let temporary = corpus.folder().join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = corpus.command(&["--jobs", "1", "--reader", &faux("exec", "worker")]);
    let mut runner = command.env("TMPDIR", &temporary).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(120);
    // The command lines of the launcher, the sandbox and the reader's orphan contain the corpus folder.
    let folder = corpus.folder().to_str().unwrap();
    let mut orphans = Vec::new();
    while (corpus.stream().len() < 2 || orphans.is_empty()) && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
        orphans = corpus::processes_with(&format!("sleep-apart\0{folder}"));
    }
    runner.kill().unwrap();
    runner.wait().unwrap();
    assert_eq!(corpus.stream()[1]["grade"], "crash");
    assert!(!orphans.is_empty());
    orphans.extend(corpus::processes_with(folder));
    assert!(orphans.iter().all(|pid| corpus::ends_soon(*pid)), "{orphans:?}");
    assert!(corpus::processes_with(folder).into_iter().all(corpus::ends_soon));
    std::fs::remove_dir(&temporary).unwrap();
}

#[test]
fn a_run_that_is_killed_while_readers_start_leaves_no_process() {
    let corpus = TestCorpus::new("killed-early").accept("pte/a/1", "accept").accept("pte/a/2", "hang").write();
    let temporary = corpus.folder().join("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let readers = [faux("exec", "worker"), faux("once", "once")];
    for wait in (0..24).map(|step| Duration::from_millis(step * 5)) {
        let mut command = corpus.command(&["--reader", &readers[0], "--reader", &readers[1]]);
        let mut runner = command.env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(wait);
        runner.kill().unwrap();
        runner.wait().unwrap();
        let left = corpus::processes_with(temporary.to_str().unwrap());
        assert!(left.iter().all(|pid| corpus::ends_soon(*pid)), "{wait:?}: {left:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_launcher_without_a_runner_starts_and_leaves_nothing() {
    let corpus = TestCorpus::new("orphaned").accept("pte/a/1", "accept").write();
    let scratch = corpus.folder().join("scratch");
    std::fs::create_dir(&scratch).unwrap();
    let ran = corpus.folder().join("ran");
    let runner = std::os::unix::process::parent_id().to_string();
    let launched = Command::new(env!("CARGO_BIN_EXE_torchproof"))
        .args(["__launch", "--parent", &runner, "--scratch"])
        .arg(&scratch)
        .args(["--", "touch"])
        .arg(&ran)
        .output()
        .unwrap();
    assert_eq!(launched.status.code(), Some(127), "{launched:?}");
    assert!(!scratch.exists() && !ran.exists());
}

#[test]
fn a_launcher_with_unknown_arguments_states_its_error() {
    let launched =
        Command::new(env!("CARGO_BIN_EXE_torchproof")).args(["__launch", "--no-such", "--", "true"]).output();
    let launched = launched.unwrap();
    let stderr = String::from_utf8(launched.stderr).unwrap();
    assert_eq!((launched.status.code(), launched.stdout.as_slice()), (Some(127), &b""[..]), "{stderr}");
    assert!(stderr.starts_with("torchproof-launch: unexpected argument '--no-such' found; expected "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn rejects_a_changed_corpus_before_starting_readers() {
    let corpus = TestCorpus::new("changed").accept("pte/a/1", "accept").write();
    corpus.overwrite("pte/a/1", "reject");
    let reader = format!("exec:touch '{}'", corpus.folder().join("started").display());
    let (code, stdout, stderr) = corpus.torchproof(&["--no-sandbox", "--reader", &reader]);
    assert_eq!((code, stdout.as_str()), (2, ""), "{stderr}");
    assert_eq!(corpus.names(), ["files", "manifest.json"]);
}

/// The second run can start only after the first has ended, in whatever way.
#[test]
fn a_running_run_locks_its_results() {
    let corpus = TestCorpus::new("ended").accept("pte/a/1", "hang").write();
    let mut running = corpus.command(&["--jobs", "1", "--reader", &faux("exec", "worker")]);
    let mut running = running.stdout(Stdio::null()).spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(120);
    let has_started = || corpus.names().iter().any(|name| name.starts_with("results.jsonl.files-"));
    while !has_started() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(10));
    }
    let next = || corpus.torchproof(&["--reader", "builtin:accept-all"]).0;
    assert_eq!(next(), 2);
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!(next(), 0);
}

//! Tests how the runner passes input files to readers.

use testkit::corpus::{TestCorpus, faux};

#[test]
fn readers_cannot_harm_the_corpus_or_each_other() {
    let harms = [
        "truncate-input accept",
        "map-input accept",
        "delete-input accept",
        "delete-folder accept",
        "truncate-input abort",
    ];
    let mut corpus = TestCorpus::new("harm");
    for (number, harm) in harms.iter().enumerate() {
        corpus = corpus.accept(&format!("pte/a/{number}"), harm);
    }
    let corpus = corpus.accept("pte/a/z-the-last", "accept").write();
    let (worker, once) = (faux("exec", "worker"), faux("once", "once"));
    // The sandbox would prevent the changes; sandbox.rs tests that.
    let settings = ["--jobs", "2", "--no-sandbox"];
    let run = corpus.run_with(&[&worker, &once, "builtin:accept-all"], &settings);
    insta::assert_snapshot!(run.outcomes());
    for (number, harm) in harms.iter().enumerate() {
        assert_eq!(corpus.content(&format!("pte/a/{number}")), *harm);
    }
    assert_eq!(corpus.names(), ["files", "manifest.json", "results.jsonl"]);
}

/// The runner stages later cases in another folder.
#[test]
fn a_run_continues_without_its_folder_of_files() {
    let corpus = TestCorpus::new("folder")
        .accept("pte/a/1", "delete-all accept")
        .accept("pte/a/2", "accept")
        .accept("pte/a/3", "delete-all accept")
        .accept("pte/a/4", "accept")
        .write();
    let run = corpus.run_with(&[&faux("exec", "worker")], &["--jobs", "1", "--no-sandbox"]);
    let grades = ["pte/a/1", "pte/a/2", "pte/a/3", "pte/a/4"].map(|id| run.grade("faux", id));
    assert_eq!(grades, ["adapter-error", "pass", "adapter-error", "pass"]);
    assert_eq!(corpus.names(), ["files", "manifest.json", "results.jsonl"]);
}

/// An id such as "truncated" can give away the expected outcome.
#[test]
fn staged_paths_do_not_reveal_the_case() {
    let corpus = TestCorpus::new("names")
        .accept("pte/truncated/telling", "reject structure")
        .accept("ptd/truncated/telling", "reject structure")
        .write();
    let mut names = std::collections::BTreeSet::new();
    let run = corpus.run(&[&faux("exec", "worker reports-path")]);
    for (case, suffix) in [("pte/truncated/telling", "pte"), ("ptd/truncated/telling", "ptd")] {
        let message = run.result("faux", case)["message"].as_str().unwrap();
        let (folder, name) = message.rsplit_once('/').unwrap();
        // The name is random, so it does not depend on the content.
        let (stem, extension) = name.split_once('.').unwrap();
        assert_eq!((stem.len(), extension), (16, suffix));
        assert!(names.insert(stem.to_owned()), "{stem}");
        assert!(folder.contains("/names/results.jsonl.files-") && !folder.contains("telling"), "{folder}");
    }
}

#[test]
fn the_program_alone_runs_its_own_cases() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("torchproof");
    std::fs::copy(env!("CARGO_BIN_EXE_torchproof"), &program).unwrap();
    let run = |args: &[&str]| {
        let mut command = std::process::Command::new(&program);
        command.args(args).current_dir(folder.path()).env_remove("CARGO_TARGET_DIR");
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, stdout, stderr) = run(&["run", "--cases", "pte/header/*", "--report", "html=r.html"]);
    assert!(code == Some(0) && stdout.contains(" pass"), "{stdout}{stderr}");
    assert!(stderr.contains("found no corpus folder") && stderr.lines().count() == 1, "{stderr}");
    let (code, _, stderr) = run(&["report", "target/torchproof-run/results.jsonl", "--report", "html=again.html"]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let page = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(page("r.html"), page("again.html"));
}

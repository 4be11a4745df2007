//! The files that readers are given.

use torchproof_cli::reader::Sandbox;

use testkit::corpus::{Run, TestCorpus, faux};

/// What a reader does to its files is its own loss: not the corpus's, and not the next reader's.
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
    // In the sandbox they could not do it: tests/sandbox.rs.
    let settings = ["--jobs", "2", "--no-sandbox"];
    // In memory, where there is such a place, and on a disk.
    for copies in [None, corpus.folder().to_str()] {
        let copies = copies.into_iter().flat_map(|folder| ["--copies", folder]);
        let settings: Vec<&str> = copies.chain(settings).collect();
        let run = corpus.run_with(&[&worker, &once, "builtin:accept-all"], &settings);
        are_harmed_alone(&run, &corpus, &harms);
    }
    assert_eq!(corpus.names(), ["files", "manifest.json", "results.jsonl"]);
}

/// Who removes the folder of the whole run harms readers beside it; those after it are given their files elsewhere.
#[test]
fn a_run_outlives_the_folder_of_its_files() {
    let corpus = TestCorpus::new("folder")
        .accept("pte/a/1", "delete-all accept")
        .accept("pte/a/2", "accept")
        .accept("pte/a/3", "delete-all accept")
        .accept("pte/a/4", "accept")
        .write();
    for copies in [None, corpus.folder().to_str()] {
        let copies = copies.into_iter().flat_map(|folder| ["--copies", folder]);
        let settings: Vec<&str> = copies.chain(["--jobs", "1", "--no-sandbox"]).collect();
        let run = corpus.run_with(&[&faux("exec", "worker")], &settings);
        let grades = ["pte/a/1", "pte/a/2", "pte/a/3", "pte/a/4"].map(|id| run.grade("faux", id));
        assert_eq!(grades, ["adapter-error", "pass", "adapter-error", "pass"]);
    }
    assert_eq!(corpus.names(), ["files", "manifest.json", "results.jsonl"]);
}

/// Whoever did harm is told, and nobody else bears it.
fn are_harmed_alone(run: &Run, corpus: &TestCorpus, harms: &[&str]) {
    for (number, harm) in harms.iter().enumerate() {
        let id = format!("pte/a/{number}");
        for reader in ["faux", "faux-reader"] {
            let result = run.result(reader, &id);
            assert_eq!(result["grade"], "adapter-error", "{result}");
            assert_eq!(result["message"], "the reader changed or removed its input", "{result}");
        }
        assert_eq!(run.grade("accept-all", &id), "pass");
        assert_eq!(corpus.content(&id), *harm);
    }
    for reader in ["faux", "faux-reader", "accept-all"] {
        assert_eq!(run.grade(reader, "pte/a/z-the-last"), "pass");
    }
}

/// A path in a corpus is the case's id, which may say "truncated" or "valid": readers are given another.
#[test]
fn readers_are_not_told_which_case_it_is() {
    let corpus = TestCorpus::new("names")
        .accept("pte/truncated/telling", "reject structure")
        .accept("ptd/truncated/telling", "reject structure")
        .write();
    for _again in 0..2 {
        for (case, suffix, message) in told(&corpus, &[]) {
            // As `printf 'reject structure' | sha256sum` begins.
            let end = format!("/1c7fbdede8e0ddd2.{suffix}");
            assert!(message.ends_with(&end) && !message.contains("telling"), "{case}: {message}");
        }
    }
}

/// The files of a case are made beside those of the one before, which a reader has still; not for who could write to them.
#[test]
fn the_next_case_s_files_are_made_while_a_reader_has_others() {
    let corpus = TestCorpus::new("ahead")
        .accept("pte/truncated/telling", "reject structure")
        .accept("ptd/truncated/telling", "reject structure")
        .write();
    let full = Sandbox::offered().lack().is_none();
    for (setting, ahead) in [(&[][..], full), (&["--no-sandbox"], false)] {
        let settings = [&["--jobs", "1"], setting].concat();
        let [first, second] = told(&corpus, &settings).map(|(_, _, path)| path.rsplit_once('/').unwrap().0.to_owned());
        assert_eq!(first != second, ahead, "{first} {second}");
    }
}

/// Files are made where the user says, else in memory where there is room for them, else beside the results.
#[test]
fn copies_are_made_in_memory_or_where_the_user_says() {
    let corpus = TestCorpus::new("places")
        .accept("pte/truncated/telling", "reject structure")
        .accept("ptd/truncated/telling", "reject structure")
        .write();
    let named = format!("{}/made/for/it", corpus.folder().display());
    for (_, _, message) in told(&corpus, &["--copies", &named]) {
        assert!(message.contains("/places/made/for/it/torchproof-"), "{message}");
    }
    assert_eq!(std::fs::read_dir(&named).unwrap().count(), 0);
    let memory = in_memory();
    for (_, _, message) in told(&corpus, &["--jobs", "1"]) {
        let place = if memory { "/dev/shm/torchproof-" } else { "/places/results.jsonl.files-" };
        assert!(message.contains(place), "{message}");
    }
    // Whoever has so many jobs may have so many files at once.
    for (_, _, message) in told(&corpus, &["--jobs", "1000000000"]) {
        assert!(message.contains("/places/results.jsonl.files-"), "{message}");
    }
    let nowhere = format!("{}/manifest.json/below", corpus.folder().display());
    let (code, stdout, stderr) = corpus.torchproof(&["--reader", "builtin:accept-all", "--copies", &nowhere]);
    assert!(code == 2 && stdout.is_empty() && stderr.contains(&format!("{nowhere}: ")), "{stderr}");
}

/// The case, the end of the name and the path that each file had.
fn told(corpus: &TestCorpus, settings: &[&str]) -> [(&'static str, &'static str, String); 2] {
    let run = corpus.run_with(&[&faux("exec", "worker tells-names")], settings);
    [("pte/truncated/telling", "pte"), ("ptd/truncated/telling", "ptd")].map(|(case, suffix)| {
        let message = run.result("faux", case)["message"].as_str().unwrap().to_owned();
        (case, suffix, message)
    })
}

/// Whether the system has a folder in memory where files of a few cases can be made.
fn in_memory() -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let there = mounts.lines().any(|line| line.split(' ').skip(1).take(2).eq(["/dev/shm", "tmpfs"]));
    let roomy = rustix::fs::statvfs("/dev/shm").is_ok_and(|found| found.f_bavail * found.f_frsize > 1 << 20);
    there && roomy && tempfile::tempdir_in("/dev/shm").is_ok()
}

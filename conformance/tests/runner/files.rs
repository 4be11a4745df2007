//! The files that readers are given.

use super::corpus::{TestCorpus, faux};

/// What a reader does to its files is its own loss: not the corpus's, and not the next reader's.
#[test]
fn readers_cannot_harm_the_corpus_or_each_other() {
    let harms = ["truncate-input accept", "delete-input accept", "delete-folder accept", "truncate-input abort"];
    let mut corpus = TestCorpus::new("harm");
    for (number, harm) in harms.iter().enumerate() {
        corpus = corpus.accept(&format!("pte/a/{number}"), harm);
    }
    let corpus = corpus.accept("pte/a/z-the-last", "accept").write();
    let (worker, once) = (faux("exec", "worker"), faux("once", "once"));
    // In the sandbox they could not do it: tests/sandbox.rs.
    let run = corpus.run_with(&[&worker, &once, "builtin:accept-all"], &["--jobs", "2", "--no-sandbox"]);
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
    assert_eq!(corpus.names(), ["files", "manifest.json", "results.jsonl"]);
}

/// A path in a corpus is the case's id, which may say "truncated" or "valid": readers are given another.
#[test]
fn readers_are_not_told_which_case_it_is() {
    let corpus = TestCorpus::new("names")
        .accept("pte/truncated/telling", "reject structure")
        .accept("ptd/truncated/telling", "reject structure")
        .write();
    for _again in 0..2 {
        let run = corpus.run(&[&faux("exec", "worker tells-names")]);
        for (case, suffix) in [("pte/truncated/telling", "pte"), ("ptd/truncated/telling", "ptd")] {
            let message = run.result("faux", case)["message"].as_str().unwrap();
            // As `printf 'reject structure' | sha256sum` begins.
            let end = format!("/1c7fbdede8e0ddd2.{suffix}");
            assert!(message.contains("/names/results.jsonl.files-"), "{message}");
            assert!(message.ends_with(&end) && !message.contains("telling"), "{message}");
        }
    }
}

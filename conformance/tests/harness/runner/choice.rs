//! Which cases are run, and what cannot be.

use torchproof::Stage;

use testkit::corpus::TestCorpus;

#[test]
fn cases_are_chosen_by_id_rule_and_stage() {
    let corpus = TestCorpus::new("chosen")
        .accept("pte/header/control", "accept")
        .reject("pte/header/a", "reject structure", Stage::Header, "pte/header/control")
        .rule("eh-a")
        .reject("pte/segments/b", "reject structure", Stage::Structure, "pte/header/control")
        .rule("eh-b")
        .write();
    let chosen = |args: &[&str]| corpus.run_with(&["builtin:accept-all"], args).cases().join(" ");
    assert_eq!(chosen(&[]), "pte/header/a pte/header/control pte/segments/b");
    assert_eq!(chosen(&["--cases", "pte/header/*"]), "pte/header/a pte/header/control");
    assert_eq!(chosen(&["--cases", "pte/header/*", "--rule", "eh-a"]), "pte/header/a");
    assert_eq!(chosen(&["--stage", "structure"]), "pte/segments/b");
    assert_eq!(chosen(&["--cases", "**/a", "--cases", "**/b"]), "pte/header/a pte/segments/b");
}

#[test]
fn what_cannot_run_says_so_in_one_line() {
    let corpus = TestCorpus::new("cannot").accept("pte/a/b", "accept").write();
    let told = |args: &[&str]| {
        let (code, _, stderr) = corpus.torchproof(args);
        assert_eq!((code, stderr.lines().count()), (2, 1), "{stderr}");
        stderr
    };
    assert!(told(&["--reader", "lib:x.so"]).contains("no reader could be started: x.so: no such file"));
    assert!(told(&["--reader", "nonsense"]).starts_with("torchproof: `nonsense`: an address is "));
    assert!(told(&["--cases", "no/such/case"]).contains("no case of the corpus has an id like `no/such/case`"));
    // A slip of the pen is told, whatever else is chosen.
    assert!(told(&["--cases", "**", "--cases", "pte/heador/*"]).contains("an id like `pte/heador/*`"));
    assert!(told(&["--cases", "["]).starts_with("torchproof: --cases: "));
    assert!(told(&["--rule", "no-such-rule"]).contains("no case of the corpus has the rule `no-such-rule`"));
    assert!(told(&["--results", "-"]).contains("--results must name a file"));
    assert!(told(&["--time-scale", "0"]).contains("above zero"));
    assert!(told(&["--corpus", "/nonexistent"]).contains("/nonexistent/manifest.json: no such file or folder"));

    corpus.overwrite("pte/a/b", "accept ");
    assert!(told(&["--reader", "builtin:accept-all"]).contains("not the file that the manifest describes (pte/a/b)"));
}

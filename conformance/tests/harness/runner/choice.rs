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

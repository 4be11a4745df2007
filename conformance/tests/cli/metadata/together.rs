//! Changes made at the same time: none is lost without a word.

use std::fs;
use std::process::Child;

use torchproof_cli::edit::Existing;
use torchproof_cli::meta::edit::{self, Guard};

use super::command::{real, run, scratch, torchproof};
use super::copy;
use super::edits::expect_accepted;

#[test]
fn of_many_changes_at_once_those_that_succeed_are_all_there() {
    let name = copy(&real("linear.pte"), "together");
    let keys: Vec<String> = ('a'..='p').map(|letter| format!("metadata.example.{letter}")).collect();
    let begin =
        |key: &String| torchproof(&["meta", "set", &name, key, key]).stderr(std::process::Stdio::piped()).spawn();
    let started: Vec<Child> = keys.iter().map(begin).map(Result::unwrap).collect();
    let mut kept = Vec::new();
    for (key, child) in keys.iter().zip(started) {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        match output.status.code() {
            Some(0) => kept.push(key),
            code => {
                assert_eq!(code, Some(2), "{said}");
                assert!(said.contains(&format!("{name}: ")) && said.contains("by somebody else"), "{said}");
            }
        }
    }
    assert!(!kept.is_empty());
    for key in &keys {
        let code = if kept.contains(&key) { 0 } else { 1 };
        assert_eq!(run(&["meta", "get", &name, key]).code, Some(code), "{key}");
    }
    expect_accepted(&scratch().join(&name));
    let left: Vec<_> = fs::read_dir(scratch().join("together")).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

/// Somebody who takes no lock writes while the new file is made.
#[test]
fn what_somebody_else_wrote_meanwhile_stays() {
    let path = scratch().join(copy(&real("linear.pte"), "meanwhile"));
    let guard = Guard::of(&path).unwrap();
    let mut document = edit::open(&path).unwrap();
    edit::set(&mut document, "metadata.general.name", b"ours").unwrap();
    let theirs = [fs::read(&path).unwrap(), vec![0]].concat();
    fs::write(&path, &theirs).unwrap();
    let error = document.save_unless_changed(&path, Existing::Replace, Some(&guard)).unwrap_err();
    assert!(error.to_string().contains("was changed by somebody else"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), theirs);
}

/// A value that is there already moves nothing.
#[test]
fn the_value_that_a_key_has_changes_nothing() {
    let path = real("metadata_keys.pte");
    let name = copy(&path, "same-value");
    assert_eq!(run(&["meta", "set", &name, "general.name", "Tiny-Emb"]).code, Some(0));
    assert_eq!(
        super::edits::segments(&fs::read(scratch().join(&name)).unwrap()),
        super::edits::segments(&fs::read(path).unwrap())
    );
}

/// The list of named data goes with the last entry, where it came with the first.
#[test]
fn the_last_entry_takes_its_list_along() {
    let name = copy(&real("add.pte"), "last");
    let listed = |name: &str| run(&["dump", name]).stdout.contains("named_data");
    assert!(!listed(&name));
    assert_eq!(run(&["meta", "set", &name, "general.name", "x"]).code, Some(0));
    assert!(listed(&name));
    assert_eq!(run(&["meta", "unset", &name, "general.name"]).code, Some(0));
    assert!(!listed(&name));
}

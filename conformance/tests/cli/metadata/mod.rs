//! `torchproof meta`: what it prints, and that it changes one entry and nothing else.

testkit::command_in!("metadata");
mod edits;
mod sessions;

use std::fs;
use std::path::{Path, PathBuf};

use command::{run, scratch};

/// A case of the corpus.
fn case(name: &str) -> PathBuf {
    testkit::repository().join("corpus/files").join(name)
}

/// A copy of a file in a folder of its own, by its name in [`scratch`].
fn copy(of: &Path, test: &str) -> String {
    let name = format!("{test}/{}", of.file_name().unwrap().to_str().unwrap());
    let folder = scratch().join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder).unwrap();
    fs::write(scratch().join(&name), fs::read(of).unwrap()).unwrap();
    name
}

/// The names in the folder of a test.
fn names(test: &str) -> Vec<String> {
    let entries = fs::read_dir(scratch().join(test)).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

/// Runs each line of `meta`, and returns what a terminal would show. Arguments are separated by blanks, or quoted.
fn session(lines: &str) -> String {
    let mut shown = String::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let words = shell_words::split(line).unwrap();
        let words: Vec<&str> = ["meta"].into_iter().chain(words.iter().map(String::as_str)).collect();
        let outcome = run(&words);
        assert!(outcome.stderr.lines().count() <= 2, "{line}: {}", outcome.stderr);
        let code = outcome.code.filter(|code| *code != 0).map_or(String::new(), |code| format!("? {code}\n"));
        shown += &format!("$ meta {line}\n{code}{}{}\n", outcome.stderr, outcome.stdout);
    }
    shown
}

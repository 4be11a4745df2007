//! **A list of allowed findings or known failures is valid, or its error names a line.**
//!
//! * An error is one line, and names a line of the file. Two lines added before the list raise that number by two.
//! * Adding lines before the list does not change which findings it allows.
//!
//! The input is the text of a `torchproof.toml` and a list of known failures.

use std::path::Path;
use std::sync::LazyLock;

use torchproof::rules;
use torchproof_cli::settings::ProjectSettings;
use torchproof_harness::corpus::{Case, Corpus};
use torchproof_harness::run::known::KnownFailures;

use crate::expect_one_line;

const FILE: &str = "list.toml";
const BEFORE: &str = "\n# a comment\n";

/// The files that the list can allow.
const PATHS: [&str; 4] = ["a.pte", "models/a.pte", "models/deep/b.ptd", "../a.pte"];

pub fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    // A byte order mark is valid only at the start of a file.
    if text.starts_with('\u{feff}') {
        return;
    }
    let moved = format!("{BEFORE}{text}");
    let lines = text.split('\n').count();
    same(settings(text), settings(&moved), lines);
    same(known(text), known(&moved), lines);
}

/// Compares the results for a list and for the same list in a file of `lines` lines, where it comes later.
fn same<T: PartialEq + std::fmt::Debug>(list: Result<T, String>, moved: Result<T, String>, lines: usize) {
    match (list, moved) {
        (Ok(list), Ok(moved)) => assert_eq!(list, moved, "lines before the list change its meaning"),
        (Err(list), Err(moved)) => {
            expect_one_line(&list);
            let ((line, message), (later, same)) = (parts(&list), parts(&moved));
            assert!((1..=lines).contains(&line), "{list:?} names a line after the end");
            assert_eq!((later, same), (line + 2, message));
        }
        (list, moved) => panic!("lines before the list change its validity: {list:?}, {moved:?}"),
    }
}

fn parts(error: &str) -> (usize, &str) {
    let rest = error.strip_prefix(FILE).and_then(|rest| rest.strip_prefix(':'));
    let (line, message) = rest.and_then(|rest| rest.split_once(": ")).expect("the error names the file and a line");
    (line.parse().expect("the error names a line"), message)
}

/// Returns the reason why the settings allow each rule that the text names, in each file.
fn settings(text: &str) -> Result<Vec<Option<String>>, String> {
    let settings = ProjectSettings::parse(Path::new(FILE), text, &[])?;
    let allows = |rule: &str| PATHS.map(|path| settings.allows(rule, Path::new(path), "").map(str::to_owned));
    let named = rules::all().filter(|rule| text.contains(rule.id));
    Ok(named.flat_map(|rule| allows(rule.id)).collect())
}

fn known(text: &str) -> Result<(), String> {
    static CASES: LazyLock<Vec<Case>> =
        LazyLock::new(|| Corpus::built_in().expect("the corpus can be built").manifest().cases.clone());
    let known = KnownFailures::parse(Path::new(FILE), text.to_owned(), false).map_err(|error| error.to_string())?;
    match known.check(&CASES) {
        // The message also contains the line number of another entry, which changes too.
        Err(error) if error.to_string().contains("already") => Ok(()),
        checked => checked.map_err(|error| error.to_string()),
    }
}

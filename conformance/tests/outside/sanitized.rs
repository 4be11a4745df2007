//! Checks that the runner recognizes a sanitized reader and lifts the reader's memory limit.

use std::process::Command;

use libtest_mimic::Trial;
use testkit::corpus::TestCorpus;
use torchproof::Stage;

use crate::need::{Need, trials};

pub(crate) fn trials() -> Vec<Trial> {
    trials!([Need::Tool(&["g++"])]; sanitized_readers_run_without_a_memory_limit)
}

/// The word in the input file determines what the reader does.
const PROGRAM: &str = r#"
#include <cstdio>
#include <cstring>
extern int read_word(const char* word);
int main(int, char** paths) {
  char word[16] = {};
  FILE* file = std::fopen(paths[1], "r");
  return file && std::fgets(word, sizeof word, file) ? read_word(word) : 64;
}
"#;

const LIBRARY: &str = r#"
#include <cstring>
int read_word(const char* word) {
  char* copy = new char[4];
  if (!std::strcmp(word, "overflow")) copy[std::strlen(word)] = 1;
  delete[] copy;
  return std::strcmp(word, "reject") ? 0 : 1;
}
"#;

fn sanitized_readers_run_without_a_memory_limit() {
    let corpus = TestCorpus::new("sanitized")
        .accept("pte/a/good", "accept")
        .reject("pte/a/bad", "reject", Stage::Header, "pte/a/good")
        .reject("pte/a/overflow", "overflow", Stage::Header, "pte/a/good")
        .write();
    let (program, library) = (corpus.beside("program.cpp", PROGRAM), corpus.beside("library.cpp", LIBRARY));
    let folder = std::path::Path::new(&program).parent().unwrap();
    let compile = |arguments: &[&str]| {
        assert!(Command::new("g++").args(arguments).current_dir(folder).status().unwrap().success(), "{arguments:?}");
    };
    compile(&["-o", "plain", &program, &library]);
    compile(&["-g", "-fsanitize=address", "-o", "whole", &program, &library]);
    // Only the library is sanitized. The program loads it from its own folder.
    compile(&["-g", "-fsanitize=address", "-shared", "-fPIC", "-o", "libword.so", &library]);
    compile(&["-o", "linked", "-Wl,--no-as-needed,-rpath,$ORIGIN", "-lasan", &program, "-L.", "-lword"]);
    // A sanitized library cannot start unless the sanitizer's runtime is the first library of the process. Exit code 1
    // is therefore not a rejection here.
    compile(&["-o", "late", &program, "-L.", "-lword", "-Wl,-rpath,$ORIGIN"]);
    let late = corpus.run(&[&format!("once:{}", folder.join("late").display())]);
    assert_eq!(late.result("late", "pte/a/bad")["grade"], "crash", "{}", late.report);
    let notes = late.report["readers"][0]["notes"].to_string();
    assert!(notes.contains("without a memory limit"), "{notes}");
    for (name, is_sanitized) in [("plain", false), ("whole", true), ("linked", true)] {
        let address = format!("once:{}", folder.join(name).display());
        let run = corpus.run(&[&address]);
        let notes = run.report["readers"][0]["notes"].to_string();
        assert_eq!(notes.contains("without a memory limit"), is_sanitized, "{name}: {notes}");
        for case in ["pte/a/good", "pte/a/bad"] {
            assert_eq!(run.result(name, case)["grade"], "pass", "{}", run.report);
        }
        if name == "whole" {
            let result = run.result(name, "pte/a/overflow");
            assert_eq!(result["grade"], "crash", "{result}");
            assert!(result["message"].as_str().unwrap().contains("heap-buffer-overflow"), "{result}");
        }
    }
}

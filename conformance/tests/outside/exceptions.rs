//! Checks that an uncaught exception of a `once:` reader counts as a crash, in Python, Node.js, Java and Rust.
//!
//! A word in the input file tells the reader what to do. For other languages, `harness` has recorded reports of the
//! runtimes.

use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use testkit::corpus::TestCorpus;
use torchproof::Stage;

use crate::need::{Need, trial};

struct Language {
    name: &'static str,
    tools: &'static [&'static str],
    file: &'static str,
    source: &'static str,
    /// `{}` is the path of the source file without the extension.
    command: &'static str,
    /// The line with the cause of the crash.
    cause: &'static str,
    /// The line with the cause of the printed exception.
    printed: &'static str,
}

const LANGUAGES: [Language; 4] = [
    Language {
        name: "python",
        tools: &["python3"],
        file: "reader.py",
        source: r#"
import sys, traceback
word = open(sys.argv[1]).read()
def plan(values):
    return values[7]
if word == "crash":
    plan([1])
if word == "print":
    try:
        plan([1])
    except IndexError:
        traceback.print_exc()
        sys.exit(1)
if word == "exit":
    sys.exit("no plan")
"#,
        command: "python3 {}.py",
        cause: "uncaught exception IndexError, confirmed in a fresh process; IndexError: list index out of range",
        printed: "IndexError: list index out of range",
    },
    Language {
        name: "javascript",
        tools: &["node"],
        file: "reader.js",
        source: r#"
const word = require("fs").readFileSync(process.argv[2], "utf8");
function plan(value) { return value.plans.length; }
if (word === "crash") plan({});
if (word === "print") {
  try { plan({}); } catch (error) { console.error(error); process.exit(1); }
}
if (word === "exit") { console.error("no plan"); process.exit(1); }
"#,
        command: "node {}.js",
        cause: "uncaught exception TypeError, confirmed in a fresh process; TypeError: Cannot read properties of undefined",
        printed: "TypeError: Cannot read properties of undefined",
    },
    Language {
        name: "java",
        tools: &["javac"],
        file: "Reader.java",
        source: r#"
import java.nio.file.*;
public class Reader {
    static int plan(int[] values) { return values[7]; }
    public static void main(String[] args) throws Exception {
        String word = Files.readString(Path.of(args[0]));
        if (word.equals("crash")) throw new RuntimeException("no plan", new IllegalStateException("plan " + args.length));
        if (word.equals("print")) {
            try { plan(new int[1]); } catch (RuntimeException error) { error.printStackTrace(); System.exit(1); }
        }
        if (word.equals("exit")) { System.err.println("no plan"); System.exit(1); }
    }
}
"#,
        command: "java -Xshare:auto -XX:TieredStopAtLevel=1 {}.java",
        cause: "uncaught exception java.lang.IllegalStateException, confirmed in a fresh process; \
                java.lang.IllegalStateException: plan 1",
        printed: "java.lang.ArrayIndexOutOfBoundsException: Index 7 out of bounds for length 1",
    },
    Language {
        name: "rust",
        tools: &["rustc"],
        file: "reader.rs",
        source: r#"
fn plan(values: &[u8], at: usize) -> u8 { values[at] }
fn main() {
    let word = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    match word.as_str() {
        "crash" => drop(plan(&[1], word.len())),
        "print" => {
            if std::panic::catch_unwind(|| plan(&[1], 7)).is_err() { std::process::exit(1) }
        }
        "exit" => { eprintln!("no plan"); std::process::exit(1) }
        _ => {}
    }
}
"#,
        command: "{}",
        cause: "index out of bounds: the len is 1 but the index is 5",
        printed: "index out of bounds: the len is 1 but the index is 7",
    },
];

pub(crate) fn trials() -> Vec<Trial> {
    let of = |language: Language| {
        trial(&format!("exceptions::{}", language.name), &[Need::Tool(language.tools)], move || test(&language))
    };
    LANGUAGES.into_iter().map(of).collect()
}

fn test(language: &Language) {
    let corpus = TestCorpus::new(&format!("exceptions-{}", language.name))
        .accept("pte/a/good", "accept")
        .reject("pte/a/crashes", "crash", Stage::Header, "pte/a/good")
        .reject("pte/a/exits", "exit", Stage::Header, "pte/a/good")
        .reject("pte/a/prints", "print", Stage::Header, "pte/a/good")
        .write();
    let path = corpus.beside(language.file, language.source);
    let stem = Path::new(&path).with_extension("");
    if language.name == "rust" {
        let built = Command::new("rustc").args(["-o", stem.to_str().unwrap(), &path]).status().unwrap();
        assert!(built.success());
    }
    let address = format!("once:{}", language.command.replace("{}", stem.to_str().unwrap()));
    // On a busy machine, runtimes start slowly.
    let run = corpus.run_with(&[&address], &["--time-scale", "4", "--memory-mb", "0"]);
    let results = run.report["results"].as_array().unwrap();
    let of = |case: &str| results.iter().find(|result| result["case"] == case).unwrap();
    for (case, grade, text) in [
        ("pte/a/good", "pass", ""),
        ("pte/a/crashes", "crash", language.cause),
        ("pte/a/exits", "pass", ""),
        ("pte/a/prints", "crash", language.printed),
    ] {
        let result = of(case);
        assert_eq!(result["grade"], grade, "{result}");
        assert!(result["message"].as_str().unwrap().contains(text), "{text}: {result}");
    }
}

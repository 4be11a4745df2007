//! Tests the help of every command: its options must be tested and documented, and its examples must run.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use command::{run, scratch};

testkit::command_in!("examples");

struct Example {
    explanation: String,
    command: String,
}

/// The help of a command such as `corpus build`; an empty name means the program itself.
fn help(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().chain(["--help"]).collect();
    let outcome = run(&words);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{name}");
    outcome.stdout
}

/// The sections between the usage and the options list the commands.
fn subcommands(help: &str) -> Vec<String> {
    let sections = help.lines().skip_while(|line| !line.starts_with("Usage: ")).take_while(|line| *line != "Options:");
    let sections =
        sections.filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with(char::is_lowercase));
    let names = sections.filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

/// All visible commands, and an empty name for the program itself.
fn commands() -> Vec<String> {
    let mut names = vec![String::new()];
    for name in subcommands(&help("")) {
        names.extend(subcommands(&help(&name)).iter().map(|action| format!("{name} {action}")));
        names.push(name);
    }
    names.sort();
    names
}

fn examples(name: &str) -> Vec<Example> {
    let help = help(name);
    let (_, section) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("`{name}`: no examples in:\n{help}"));
    let lines: Vec<&str> = section.trim_end().lines().collect();
    lines
        .chunks(2)
        .map(|pair| {
            let [explanation, command] = pair else { panic!("`{name}`: no command after: {pair:?}") };
            let explanation = explanation.strip_prefix("  ").and_then(|text| text.strip_suffix(':'));
            let command = command.strip_prefix("    ").filter(|command| command.contains("torchproof"));
            let (Some(explanation), Some(command)) = (explanation, command) else { panic!("`{name}`: {pair:?}") };
            assert!(!explanation.starts_with(' ') && !command.starts_with(' '), "`{name}`: {pair:?}");
            Example { explanation: explanation.to_owned(), command: command.to_owned() }
        })
        .collect()
}

/// Returns the exit code and stderr. The folder contains the corpus.
fn run_in_new_folder(folder: &Path, command: &str) -> (Option<i32>, String) {
    fs::create_dir(folder).unwrap();
    symlink(testkit::repository().join("corpus"), folder.join("corpus")).unwrap();
    let programs = testkit::program("torchproof").parent().unwrap().display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = Command::new("bash");
    shell.args(["-o", "pipefail", "-c", command]).current_dir(folder).stdin(Stdio::null());
    let output = shell.env("PATH", path).env("CARGO_TARGET_DIR", folder.join("target")).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// Returns the text of all files in a folder of the repository.
fn text_below(folder: &str) -> String {
    let files = walkdir::WalkDir::new(testkit::repository().join(folder)).into_iter();
    files.filter_map(|entry| fs::read_to_string(entry.unwrap().path()).ok()).collect()
}

/// Commands share the options for readers, so it is enough to test such an option in one command.
#[test]
fn every_option_is_explained_and_tested() {
    const INDENT: &str = "          ";
    const VAGUE: [&str; 7] = ["--strict", "--pairs", "--failed-of", "--known", "--promote", "--sarif-at", "--out"];
    // For each command, the page of the book that describes its formats.
    const PAGES: [(&str, &str); 4] =
        [("check", "check.md"), ("gate", "gate.md"), ("report", "test-your-reader.md"), ("run", "test-your-reader.md")];
    let tests = text_below("conformance/tests") + &text_below("conformance/testkit");
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    let tested: BTreeSet<&str> = tests.split(is_end).collect();
    for name in commands() {
        let help = help(&name);
        // The settings of `generate` have their own section, because they are the fields of a library type.
        let options = help.lines().skip_while(|line| *line != "Options:").skip(1);
        let options: Vec<&str> = options.take_while(|line| !matches!(*line, "Settings:" | "Examples:")).collect();
        let first_group = options.iter().take_while(|line| line.is_empty() || line.starts_with(' '));
        let count = first_group.filter(|line| line.find("--").is_some_and(|at| at < INDENT.len())).count();
        assert!(count <= 9, "`{name}`: {count} options in one group; add `help_heading` to some");
        let mut option = "";
        for pair in options.windows(2) {
            if let Some(at) = pair[0].find("--").filter(|at| *at < INDENT.len()) {
                option = pair[0][at..].split(is_end).next().unwrap();
                // If a command has only short explanations, they are on the same lines as the options.
                let is_explained = pair[1].trim_end().starts_with(INDENT) || pair[0][at..].contains("  ");
                assert!(is_explained, "`{name} {option}`: add a doc comment in conformance/src/cli");
                let is_vague = VAGUE.contains(&option) && (name.as_str(), option) != ("hunt", "--pairs");
                assert!(!is_vague, "`{name} {option}`: name what the value is or what the option does");
                assert!(tested.contains(option), "`{name} {option}`: add a session to conformance/tests/cli");
            }
            let value = pair[0].trim_start().strip_prefix("- ").and_then(|line| line.split_once(':'));
            if let Some((format, _)) = value.filter(|_| option == "--report") {
                let page = PAGES.iter().find(|(command, _)| name.split(' ').next() == Some(command));
                let (_, page) = page.unwrap_or_else(|| panic!("`{name} {option}`: add a page of docs/src to PAGES"));
                assert!(
                    text_below(&format!("docs/src/{page}")).contains(&format!("`{format}`")),
                    "`{name} {option} {format}`: add it to the formats in docs/src/{page}"
                );
            }
        }
    }
}

#[test]
fn help_of_every_command_ends_with_examples_that_run() {
    let commands = commands();
    assert!(commands.len() > 20 && commands.iter().any(|name| name == "meta set"), "{commands:?}");
    let mut shown = String::new();
    for name in commands {
        testkit::command::assert_columns(&help(&name));
        let examples = examples(&name);
        assert!((2..=3).contains(&examples.len()), "`{name}` has {} examples", examples.len());
        for (index, Example { explanation, command }) in examples.iter().enumerate() {
            assert!(name.split_whitespace().all(|word| command.contains(word)), "`{name}`: {command}");
            let folder = scratch().join(format!("{}-{index}", name.replace(' ', "-")));
            let (code, stderr) = run_in_new_folder(&folder, command);
            assert!(matches!(code, Some(0 | 1)), "`{command}` ends with {code:?}:\n{stderr}");
            writeln!(shown, "# {explanation}\n{command}\n? {}\n", code.unwrap()).unwrap();
        }
    }
    insta::assert_snapshot!(shown);
}

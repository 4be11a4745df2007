//! The README does what it says: its sessions are run, with its worker, and print what it shows.
//!
//! In a `console` block, `$ ` begins a command and what follows is its output, `…` on a line of its own standing for any
//! number of lines. A `python` block whose first line is `# NAME` is the file of that name. `TORCHPROOF_BLESS=1` writes what
//! the commands print into the README.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Stands for any number of lines.
const ANYTHING: &str = "…";

#[test]
fn sessions_print_what_the_readme_shows() {
    let repository = testkit::repository();
    let path = repository.join("README.md");
    let readme = fs::read_to_string(&path).unwrap();
    let folder = folder(repository);
    let mut now = String::new();
    let (mut commands, mut wrong) = (0, Vec::new());
    for part in parts(&readme) {
        let Part::Session(lines) = part else {
            if let Part::File(name, content) = part {
                fs::write(folder.join(name), content).unwrap();
            }
            now += part.text();
            continue;
        };
        let mut code = 0;
        for (command, shown) in session(lines) {
            commands += 1;
            let printed = if command.contains("python3") && !there("python3") {
                eprintln!("NOT RUN: python3 is not there: {command}");
                shown.to_owned()
            } else {
                run(command, &mut code, &folder)
            };
            let same = alike(shown, &printed);
            if !same {
                wrong.push(format!("$ {command}\n--- shown\n{shown}--- printed\n{printed}"));
            }
            now += &format!("$ {command}\n{}", if same { shown } else { &printed });
        }
    }
    assert!(commands > 4, "the README's sessions were not found");
    if std::env::var_os("TORCHPROOF_BLESS").is_some() {
        fs::write(path, now).unwrap();
    } else {
        assert!(wrong.is_empty(), "TORCHPROOF_BLESS=1 writes this into the README:\n\n{}", wrong.join("\n"));
    }
}

/// A piece of the README; all of them one after the other are the README.
enum Part<'a> {
    Text(&'a str),
    /// The inside of a `python` block, named in its first line.
    File(&'a str, &'a str),
    /// The inside of a `console` block.
    Session(&'a str),
}

impl<'a> Part<'a> {
    fn text(&self) -> &'a str {
        let (Part::Text(text) | Part::File(_, text) | Part::Session(text)) = self;
        text
    }
}

fn parts(readme: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = readme;
    while let Some(start) = rest.find("\n```").map(|at| at + 1) {
        let fence = start + rest[start..].find('\n').unwrap() + 1;
        let end = fence + rest[fence..].find("```\n").unwrap();
        let inside = &rest[fence..end];
        let name = inside.lines().next().and_then(|line| line.strip_prefix("# "));
        parts.push(Part::Text(&rest[..fence]));
        parts.push(match (&rest[start + 3..fence - 1], name) {
            ("console", _) => Part::Session(inside),
            ("python", Some(name)) => Part::File(name, inside),
            _ => Part::Text(inside),
        });
        parts.push(Part::Text("```\n"));
        rest = &rest[end + 4..];
    }
    parts.push(Part::Text(rest));
    parts
}

/// The commands of a session, each with the output shown.
fn session(lines: &str) -> impl Iterator<Item = (&str, &str)> {
    let begins = lines.match_indices("$ ").map(|(at, _)| at).filter(|at| *at == 0 || lines[..*at].ends_with('\n'));
    let begins: Vec<usize> = begins.chain([lines.len()]).collect();
    assert_eq!(begins[0], 0, "a session begins with a command: {lines}");
    let commands: Vec<_> =
        begins.windows(2).map(|pair| lines[pair[0] + 2..pair[1]].split_once('\n').unwrap()).collect();
    commands.into_iter()
}

/// Runs a command where the corpus and the README's files are; `code` is the exit code before it, and after it.
fn run(command: &str, code: &mut i32, folder: &Path) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_torchproof")).parent().unwrap();
    let mut path = program.as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let output = Command::new("sh")
        .args(["-c", &format!("(exit {code})\n{command}")])
        .current_dir(folder)
        .env("PATH", path)
        .env("CARGO_TARGET_DIR", folder)
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    *code = output.status.code().unwrap();
    assert!(matches!(code, 0 | 1), "{command}: {output:?}");
    // Lines have no blanks at their end in the README.
    let text = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    testkit::command::on_any_kernel(&text).lines().fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

/// Whether the output is the one shown, where that leaves nothing open.
fn alike(shown: &str, printed: &str) -> bool {
    let mut rest = printed;
    let mut pieces = shown.split_inclusive('\n').peekable();
    while let Some(line) = pieces.next() {
        if line.trim_end() != ANYTHING {
            match rest.strip_prefix(line) {
                Some(behind) => rest = behind,
                None => return false,
            }
            continue;
        }
        let Some(next) = pieces.peek() else { return true };
        match rest.split_inclusive('\n').position(|line| line == *next) {
            Some(skipped) => rest = &rest[rest.split_inclusive('\n').take(skipped).map(str::len).sum()..],
            None => return false,
        }
    }
    rest.is_empty()
}

/// A folder with nothing in it but the corpus.
fn folder(repository: &Path) -> PathBuf {
    let folder = testkit::scratch("readme");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    symlink(repository.join("corpus"), folder.join("corpus")).unwrap();
    folder
}

/// Whether a program is to be had.
fn there(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

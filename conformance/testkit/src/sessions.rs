//! Runs the `console` blocks of documents with trycmd.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use torchproof_harness::reader::Sandbox;

/// Replaces a backslash, which trycmd treats as a path separator.
const BACKSLASH: char = '\u{29f9}';

/// Runs each document's sessions in a folder of its own, which contains `corpus` and a file for each `python` block
/// that begins with a comment `# NAME`.
///
/// A line that begins with `$ ` is a shell command. Its output follows without trailing spaces. If the exit code is not
/// 0, a question mark and the code precede the output. `TRYCMD=overwrite` writes the actual output into the documents.
pub fn run_sessions(name: &str, documents: &[PathBuf]) {
    let folder = crate::empty_scratch(name);
    let mut staged = Vec::new();
    for document in documents {
        let text = fs::read_to_string(document).unwrap();
        let copy = folder.join(copy_name(document));
        let place = copy.with_extension("in");
        fs::create_dir(&place).unwrap();
        symlink(crate::repository().join("corpus"), place.join("corpus")).unwrap();
        write_programs(&text, &place);
        let commands: Vec<&str> = text.lines().filter(|line| line.starts_with("$ ")).collect();
        let quoted = commands.iter().map(|command| format!("$ sh '{}'", command[2..].replace('\'', r"'\''")));
        fs::write(&copy, with_commands(&text.replace('\\', &BACKSLASH.to_string()), quoted)).unwrap();
        staged.push((document, copy, commands.iter().map(ToString::to_string).collect::<Vec<_>>()));
    }
    let cases = trycmd::TestCases::new();
    cases.register_bin("sh", shell(&folder));
    for (_, copy, _) in &staged {
        cases.case(copy);
    }
    cases.run();
    if crate::overwrites() {
        for (document, copy, commands) in staged {
            let text = fs::read_to_string(copy).unwrap().replace(BACKSLASH, "\\");
            fs::write(document, with_commands(&text, commands)).unwrap();
        }
    }
}

fn copy_name(document: &Path) -> String {
    let path = document.strip_prefix(crate::repository()).unwrap_or(document);
    path.to_str().unwrap().replace('/', "-")
}

/// Writes a file for every code block that begins with a file name in a comment.
pub fn write_programs(document: &str, folder: &Path) {
    for (word, text) in document.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n')) {
        let first = text.trim_start_matches(['/', '#', ' ']).split([',', ' ', '\n']).next().unwrap();
        if matches!(word, "cpp" | "python" | "js" | "rust") && first.contains('.') {
            fs::write(folder.join(first), format!("{text}\n")).unwrap();
        }
    }
}

/// Replaces each command in a session with the next item of `commands`.
fn with_commands(text: &str, commands: impl IntoIterator<Item = String>) -> String {
    let mut commands = commands.into_iter();
    text.split_inclusive('\n').fold(String::new(), |mut all, line| {
        match line.strip_prefix("$ ").and_then(|_| commands.next()) {
            Some(command) => writeln!(all, "{command}").unwrap(),
            None => all += line,
        }
        all
    })
}

fn shell(folder: &Path) -> PathBuf {
    let programs = crate::program("torchproof").parent().unwrap().display().to_string();
    let (sandbox, header) = (Sandbox::available().to_string(), Sandbox::available().header());
    let path = folder.join("sh");
    // Documents run in parallel, and a run locks its results, so each document has its own target folder. Remove the
    // output's last line feed, which would add an empty line to the document.
    let script = format!(
        "#!/usr/bin/env bash\nunset COLUMNS\nexport CARGO_TARGET_DIR=target\nexport PATH='{programs}':$PATH\n\
         printed=$(bash -c \"$1\" </dev/null 2>&1); code=$?\n\
         printf %s \"$(printf '%s\\n' \"$printed\" | sed 's/ *$//; s/\\\\/{BACKSLASH}/g' \
         | grep -vxF -e '{header}' -e '{sandbox}' -e 'torchproof: note: {sandbox}')\"\nexit $code\n",
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

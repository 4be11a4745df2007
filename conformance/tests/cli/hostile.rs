//! Tests files that attack this program: the size of its output, its memory, its time and the user's terminal.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use command::{file, real, run, scratch, torchproof};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use torchproof::annotate::{ByteMap, PartKind};
use torchproof::flatbuffer::encode;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::pte;
use torchproof::pte::schema::{NamedData, Program};

testkit::command_in!("hostile");

/// Returns a program of at most 64 KiB. All its keys are the same long string.
fn one_long_key() -> Vec<u8> {
    let entry = |key: String| TableTree::new(NamedData::TYPE).with("key", key);
    // The encoder writes the first element at the highest address, so the other offsets can point forward to its key.
    let long = entry(format!("metadata.{}", "\u{1b}".repeat(36_000)));
    let entries = [long].into_iter().chain((0..600).map(|_| entry(String::new())));
    let root = TableTree::new(Program::TYPE).with("named_data", entries.collect::<Vec<_>>());
    let mut bytes = encode(&root, pte::IDENTIFIER).unwrap();
    let map = ByteMap::of(&bytes);
    let target = map.find("named_data[0].key", PartKind::Count).unwrap().span.offset;
    let keys = map.entries().iter().filter(|entry| entry.kind == PartKind::Offset && entry.path.ends_with(".key"));
    for key in keys {
        let at = usize::try_from(key.span.offset).unwrap();
        let distance = u32::try_from(target - key.span.offset).unwrap();
        bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
    }
    assert!(bytes.len() < 64 << 10, "{}", bytes.len());
    bytes
}

#[test]
fn findings_truncate_long_names() {
    let name = file("long-key.pte", &one_long_key());
    for format in ["text", "json", "sarif"] {
        let outcome = run(&["check", "--format", format, name]);
        assert_eq!(outcome.code, Some(1));
        assert!(
            outcome.stdout.contains("… (36009 bytes)") || outcome.stdout.contains("\\u2026 (36009 bytes)"),
            "{format}"
        );
        assert!(outcome.stdout.contains(" more findings") || outcome.stdout.contains("\"omitted\": "), "{format}");
        assert!(outcome.stdout.len() < 4 << 20, "{format}: {} bytes", outcome.stdout.len());
    }
}

/// Creates a named pipe. Opening the pipe for reading waits for a writer, and this test has no writer.
fn pipe(path: &Path) {
    let _ = fs::remove_file(path);
    mknodat(CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
}

#[test]
fn a_named_pipe_is_an_error_in_every_file_argument() {
    pipe(&scratch().join("pipe.pte"));
    let model = real("linear.pte");
    let model = model.to_str().unwrap();
    let results = scratch().join("pipe-results.jsonl");
    let results = results.to_str().unwrap();
    let select = ["--cases", "pte/identifier/*"];
    let commands: [&[&str]; 12] = [
        &["check", "pipe.pte"],
        &["check", model, "--with", "pipe.pte"],
        &["inspect", "pipe.pte"],
        &["dump", "pipe.pte"],
        &["meta", "list", "pipe.pte"],
        &["meta", "set", model, "metadata.a.b", "@pipe.pte"],
        &["pack", "pipe.pte", "--output", "packed.pte"],
        &["shrink", "pipe.pte", "--reader", "builtin:reference", "--output", "small.pte"],
        &["attack", "pipe.pte", "--out", "attacked"],
        &["generate", "--config", "pipe.pte", "--out", "generated"],
        &[&["run", "--results", results, "--known", "pipe.pte"][..], &select].concat(),
        &[&["run", "--results", "pipe.pte"][..], &select].concat(),
    ];
    for command in commands {
        let outcome = run(command);
        let message = "pipe.pte: is a named pipe; expected a regular file\n";
        assert!(outcome.code == Some(2) && outcome.stderr.contains(message), "{command:?}: {outcome:?}");
    }
    let hunt = run(&["hunt", "--reader", "builtin:reference", "--from", "pipe.pte", "--out", "hunted", "--count", "1"]);
    assert!(hunt.stderr.contains("is a named pipe"), "{hunt:?}");
}

#[test]
fn a_named_pipe_in_a_corpus_is_an_error() {
    let corpus = scratch().join("corpus-with-pipe");
    let results = scratch().join("corpus-with-pipe.jsonl");
    let [folder, results] = [&corpus, &results].map(|path| path.to_str().unwrap());
    let exported = run(&["corpus", "export", "--cases", "pte/identifier/*", "--output", "part.tar", "--force"]);
    assert_eq!(exported.code, Some(0), "{exported:?}");
    for (name, run_reads) in
        [("manifest.json", true), ("files/pte/identifier/lower-case.pte", true), ("index.tsv", false)]
    {
        let _ = fs::remove_dir_all(&corpus);
        fs::create_dir(&corpus).unwrap();
        let mut tar = Command::new("tar");
        tar.args(["-xf", "part.tar", "--strip-components=1", "-C", folder]);
        assert!(tar.current_dir(scratch()).status().unwrap().success());
        assert!(corpus.join(name).is_file(), "{name}");
        pipe(&corpus.join(name));
        let message = format!("{name}: is a named pipe; expected a regular file\n");
        let commands: [(&[&str], bool); 4] = [
            (&["run", "--results", results], run_reads),
            (&["corpus", "check"], true),
            (&["corpus", "build", "--check", "--out", folder], true),
            (&["corpus", "export", "--force", "--output", "again.tar"], true),
        ];
        for (command, reads) in commands {
            let corpus = ["--corpus", folder];
            let outcome = run(&[command, &corpus[..if command.contains(&"build") { 0 } else { 2 }]].concat());
            let named = outcome.stderr.ends_with(&message);
            assert_eq!((outcome.code == Some(2), named), (reads, reads), "{name}: {command:?}: {outcome:?}");
        }
    }
}

/// The first run waits in the program that is its reader, until the test ends this program.
#[test]
fn a_second_run_leaves_the_results_of_the_first_run_unchanged() {
    let results = scratch().join("shared.jsonl");
    let args = ["run", "--cases", "pte/identifier/lower-case", "--results", results.to_str().unwrap(), "--reader"];
    let mut first = torchproof(&[&args[..], &["once:sh -c 'sleep 600'", "--time-scale", "1000"]].concat());
    let mut first = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let written = || fs::read(&results).unwrap_or_default();
    while written().is_empty() {
        assert!(first.try_wait().unwrap().is_none(), "the first run ended");
        std::thread::yield_now();
    }
    let before = written();
    let second = run(&[&args[..], &["builtin:reference"]].concat());
    let message = "shared.jsonl: another process writes this file; wait until it ends, or pass another path\n";
    assert!(second.code == Some(2) && second.stderr.ends_with(message), "{second:?}");
    assert_eq!(written(), before);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(run(&[&args[..], &["builtin:reference"]].concat()).code, Some(0));
}

#[test]
fn streams_of_a_shell_are_accepted() {
    let program = env!("CARGO_BIN_EXE_torchproof");
    let shell = |script: &str| {
        let mut bash = Command::new("bash");
        bash.args(["-c", script, "bash", program, real("linear.pte").to_str().unwrap()]).current_dir(scratch());
        bash.output().unwrap()
    };
    for script in [
        "\"$1\" check /dev/stdin < \"$2\"",
        "\"$1\" generate --config <(printf 'methods = 1') --out streamed --count 1",
        "printf 'methods = 1' | \"$1\" generate --config /dev/stdin --out streamed-too --count 1",
        "\"$1\" run --cases 'pte/identifier/*' --results /dev/null",
    ] {
        let output = shell(script);
        assert!(output.status.success(), "{script}: {output:?}");
    }
}

//! Tests files that try to inflate this program's output, memory use or running time, or attack the user's terminal.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use command::{Outcome, file, real, run, scratch, torchproof};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use torchproof::annotate::{ByteMap, PartKind};
use torchproof::flatbuffer::encode;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::pte;
use torchproof::pte::schema::{ExecutionPlan, NamedData, Program};

testkit::command_in!("hostile");

/// A program of at most 64 KiB in which all keys are the same long string.
fn one_long_key() -> Vec<u8> {
    let entry = |key: String| TableTree::new(NamedData::TYPE).with("key", key);
    // The encoder writes the first element at the highest address, so the other elements can point forward to its key.
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
        for texts in [["… (36009 bytes)", "\\u2026 (36009 bytes)"], [" more findings", "\"omitted\": "]] {
            assert!(texts.iter().any(|text| outcome.stdout.contains(text)), "{format}");
        }
        assert!(outcome.stdout.len() < 4 << 20, "{format}: {} bytes", outcome.stdout.len());
    }
}

/// Creates a pipe. Opening it for reading waits for a writer, and this test has none.
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
    let commands: [&[&str]; 13] = [
        &["check", "pipe.pte"],
        &["check", model, "--with", "pipe.pte"],
        &["inspect", "pipe.pte"],
        &["needs", "pipe.pte"],
        &["dump", "pipe.pte"],
        &["meta", "list", "pipe.pte"],
        &["meta", "set", model, "metadata.a.b", "@pipe.pte"],
        &["pack", "pipe.pte", "--output", "packed.pte"],
        &["shrink", "pipe.pte", "--reader", "builtin:reference", "--output", "small.pte"],
        &["attack", "pipe.pte", "--output", "attacked"],
        &["generate", "--config", "pipe.pte", "--output", "generated"],
        &[&["run", "--results", results, "--known-failures", "pipe.pte"][..], &select].concat(),
        &[&["run", "--results", "pipe.pte"][..], &select].concat(),
    ];
    for command in commands {
        let outcome = run(command);
        let message = "pipe.pte: is a named pipe; expected a regular file\n";
        assert!(outcome.code == Some(2) && outcome.stderr.contains(message), "{command:?}: {outcome:?}");
    }
    let hunt =
        run(&["hunt", "--reader", "builtin:reference", "--from", "pipe.pte", "--output", "hunted", "--count", "1"]);
    assert!(hunt.stderr.contains("is a named pipe"), "{hunt:?}");
}

#[test]
fn a_named_pipe_in_a_corpus_is_an_error() {
    let corpus = scratch().join("corpus-with-pipe");
    let results = scratch().join("corpus-with-pipe.jsonl");
    let [folder, results] = [&corpus, &results].map(|path| path.to_str().unwrap());
    let whole = testkit::repository().join("corpus");
    let export = ["corpus", "export", "--cases", "pte/identifier/*", "--output", "part.tar", "--force", "--corpus"];
    let exported = run(&[&export[..], &[whole.to_str().unwrap()]].concat());
    assert_eq!(exported.code, Some(0), "{exported:?}");
    let files = [("manifest.json", true), ("files/pte/identifier/lower-case.pte", true), ("index.tsv", false)];
    for (name, run_reads) in files {
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
            (&["corpus", "build", "--check", "--output", folder], true),
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

/// The reader of the first run does not exit until the test kills it.
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
        "\"$1\" generate --config <(printf 'methods = 1') --output streamed --count 1",
        "printf 'methods = 1' | \"$1\" generate --config /dev/stdin --output streamed-too --count 1",
        "\"$1\" run --cases 'pte/identifier/*' --results /dev/null",
    ] {
        let output = shell(script);
        assert!(output.status.success(), "{script}: {output:?}");
    }
}

/// Text that controls a terminal, reverses the reading direction, or gives a command to a CI service.
const HOSTILE: [&str; 5] = ["\u{1b}[2J", "\u{9b}2J", "\u{202e}", "##vso[task.complete]", "##[error]"];

fn hostile_names() -> Vec<u8> {
    let name = |prefix: &str| format!("{prefix}\n::error::{}", HOSTILE.concat());
    let entry = |prefix: &str| TableTree::new(NamedData::TYPE).with("key", name(prefix));
    let plan = TableTree::new(ExecutionPlan::TYPE).with("name", name("forward"));
    let root = TableTree::new(Program::TYPE)
        .with("execution_plan", vec![plan])
        .with("named_data", ["metadata.", "metadata.", "x"].map(entry).to_vec());
    encode(&root, pte::IDENTIFIER).unwrap()
}

#[track_caller]
fn expect_harmless(command: &[&str], outcome: &Outcome) {
    for text in [&outcome.stdout, &outcome.stderr] {
        for hostile in HOSTILE {
            assert!(!text.contains(hostile), "{command:?} prints {hostile:?}:\n{text:?}");
        }
        let is_command = |line: &str| line.trim_start().starts_with("::");
        assert!(!text.lines().any(is_command), "{command:?} prints a command:\n{text}");
    }
}

#[test]
fn output_contains_no_controls_and_no_commands() {
    let name = format!("::error::{}.pte", HOSTILE.concat().replace('/', ""));
    file(&name, &hostile_names());
    let (folder, spec) = (format!("{name}.out"), format!("{name}.json"));
    file(&spec, b"{\"\\u001b[2J\\u202e\": 1}");
    let json = ["--format", "json"];
    let few = ["--from", &*name, "--count", "3", "--shrink", "0s"];
    let commands: [&[&str]; 27] = [
        &["needs", &name],
        &["needs", "--format", "yaml", &name],
        &["needs", "--format", "c-header", &name],
        &["check", &name],
        &["check", "--quiet", &name],
        &[&["check", &name][..], &json].concat(),
        &["check", "--format", "sarif", &name],
        &["check", &real("linear.pte").display().to_string(), "--with", &name],
        &["check", &format!("{name}-missing")],
        &["inspect", &name],
        &["inspect", "--annotate", &name],
        &[&["inspect", "--annotate", &name][..], &json].concat(),
        &["dump", &name],
        &["dump", "--compact", &name],
        &["meta", "list", &name],
        &[&["meta", "list", &name][..], &json].concat(),
        &["meta", "get", &name, &format!("metadata.\n::error::{}", HOSTILE.concat())],
        &["meta", "set", &name, &name, "1"],
        &["pack", &spec, "-o", "packed.pte"],
        &["explain", &name],
        &["run", "--cases", &name],
        &["run", "--reader", &name],
        &["run", "--delivery", &name],
        &[&["hunt", "--reader", "builtin:reference", "--output", &folder][..], &few].concat(),
        &[&["hunt", "--reader", "builtin:accept-all", "--output", "hunted"][..], &few].concat(),
        &["shrink", &name, "--reader", "builtin:reference", "--output", "hostile-shrunk.pte", "--tries", "10"],
        &["attack", &name, "--output", &folder],
    ];
    for command in commands {
        expect_harmless(command, &run(command));
    }
}

#[test]
fn text_of_a_reader_contains_no_controls_and_no_commands() {
    let script = format!("printf '%s\\n' '::error::{0}' '  ::error::{0}' '{0}' >&2; kill -SEGV $$", HOSTILE.concat());
    fs::write(scratch().join("hostile-reader.sh"), script).unwrap();
    let reports = ["text", "json", "junit", "sarif", "markdown", "html"];
    let files = reports.map(|format| format!("{format}=report.{format}"));
    let results = scratch().join("hostile.jsonl");
    let results = results.to_str().unwrap();
    let mut command = vec!["run", "--cases", "pte/identifier/*", "--results", results];
    command.extend(["--reader", "once:sh hostile-reader.sh"]);
    command.extend(files.iter().flat_map(|file| ["--report", file.as_str()]));
    let outcome = run(&command);
    assert_eq!(outcome.code, Some(1), "{outcome:?}");
    expect_harmless(&command, &outcome);
    for file in files.iter().map(|file| file.split('=').nth(1).unwrap()).chain(["hostile.jsonl"]) {
        let stdout = fs::read_to_string(scratch().join(file)).unwrap();
        assert!(stdout.contains("error"), "{file} lacks the text of the reader");
        expect_harmless(&[file], &Outcome { code: None, stdout, stderr: String::new() });
    }
}

/// A program with `count` methods. Their lists of inputs overlap, and each list has `count` elements.
fn overlapping_lists(count: u32) -> Vec<u8> {
    const VTABLES: [u16; 10] = [8, 8, 0, 4, 12, 8, 0, 0, 0, 4];
    const ROOT: u32 = 8;
    let mut words: Vec<u32> = vec![ROOT, u32::from_le_bytes(*b"ET12")];
    // The root table refers to the vtable that follows it, and to the list of methods.
    words.extend([(-8_i32).cast_unsigned(), 24]);
    let (pairs, _) = VTABLES.as_chunks::<2>();
    words.extend(pairs.iter().map(|[low, high]| u32::from(*low) | u32::from(*high) << 16));
    let at = |words: &Vec<u32>| u32::try_from(4 * words.len()).unwrap();
    words.push(count);
    let (list, methods) = (at(&words), at(&words) + 4 * count);
    words.extend((0..count).map(|index| methods + 8 * index - (list + 4 * index)));
    let lists = methods + 8 * count;
    for index in 0..count {
        let table = methods + 8 * index;
        words.extend([table - 24, lists + 4 * index - (table + 4)]);
    }
    words.extend((0..count).map(|_| count));
    words.extend((0..count).map(|_| 0));
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// If `inspect` processed every line of every list, this test would take hours.
#[test]
fn the_byte_map_of_a_hostile_file_needs_little_time_and_memory() {
    let bytes = overlapping_lists(60_000);
    assert!((1 << 20..2 << 20).contains(&bytes.len()));
    let map = ByteMap::of(&bytes);
    let long = map.entries().iter().filter(|entry| entry.kind == PartKind::Elements && entry.span.len == 240_000);
    assert!(long.count() > 10_000, "{:?}", map.unmapped());
    let name = file("overlapping.pte", &bytes);
    let program = env!("CARGO_BIN_EXE_torchproof");
    for format in ["text", "json"] {
        let mut command = Command::new(program);
        command.args(["__launch", "--memory-mb", "128", "--", program]);
        command.args(["inspect", "--annotate", "--format", format, name]);
        let output = command.current_dir(scratch()).stdin(Stdio::null()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && stderr.is_empty(), "{format}: {stderr}");
        assert!(output.stdout.len() < 128 * bytes.len(), "{format}: {} bytes", output.stdout.len());
    }
}

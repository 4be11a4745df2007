//! Gives every worst-case file to every command that reads model files, and limits the memory of the command.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Mutex;
use std::{env, thread};

use command::{real, run, scratch, torchproof};
use hostile::{LIST, Worst};
use rustix::process::{Pid, Signal, kill_process};

#[allow(dead_code, reason = "the program that writes one file has a `main`")]
#[path = "../../../fuzz/hostile/worst.rs"]
mod hostile;

testkit::command_in!("worst");

/// The commands, each with the bytes of memory that it may use per byte of the FlatBuffer, on top of 64 MiB. `F` is the
/// worst-case file; `P` is a program by an official exporter. `hunt` maps a base and an attacked file. `pack` writes a
/// shared table once per offset, and `dump` limits the tables to 17 times the FlatBuffer. `.ci/nightly` counts the
/// instructions that these commands execute.
const COMMANDS: &str = include_str!("worst.txt");

fn run_all(kind: &str, size: usize) {
    let folder = scratch().join(kind);
    fs::create_dir_all(&folder).unwrap();
    Worst::of(kind, size).unwrap().write(&folder.join("worst.pte")).unwrap();
    let spec = folder.join("spec.json");
    for (factor, words) in COMMANDS.lines().filter_map(|line| line.split_once(' ')) {
        if words.starts_with("pack ")
            && let Ok(text) = fs::read_to_string(&spec)
        {
            // `pack` would stop early without segment data. `dump --with-data` waits for the disk after each segment.
            fs::write(&spec, text.replace(r#""offset":"#, r#""data":{"fill":"07"},"offset":"#)).unwrap();
        }
        let limit = (64 << 10) + (factor.parse::<usize>().unwrap() * size).div_ceil(1 << 10);
        // `ulimit` limits the writable private memory in KiB and the processor time in seconds.
        let script = format!("ulimit -d {limit}; ulimit -t 120; exec \"$0\" \"$@\"");
        let words = words.split(' ').map(|word| match word {
            "F" => PathBuf::from("worst.pte"),
            "P" => real("linear_external.pte"),
            word => word.into(),
        });
        let mut command = Command::new("sh");
        command.args(["-c", &script]).arg(testkit::program("torchproof")).args(words).current_dir(&folder);
        let output = command.output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        // A command may also report that it is out of memory.
        let is_bounded = matches!(output.status.code(), Some(0..=2)) && !stderr.contains("not enough memory");
        assert!(is_bounded, "{kind}, {size} bytes: {command:?}: {}: {stderr:.500}", output.status);
    }
    fs::remove_dir_all(folder).unwrap();
}

/// `TORCHPROOF_WORST_MB` sets the size of the files. Small files show crashes and quadratic time; only the files of
/// `.ci/nightly` are large enough for the memory per byte to matter. The file `hole` is 1,024 times as large and must
/// exceed the 256 MiB that a command keeps in memory, so its size is at least 300,000.
#[test]
fn no_worst_case_file_makes_a_command_large_or_slow() {
    let size = env::var("TORCHPROOF_WORST_MB").map_or(60_000, |text| text.parse::<usize>().unwrap() * 1_000_000);
    let kinds = Mutex::new(LIST.lines().filter_map(|line| line.split(' ').next()));
    let next = || kinds.lock().unwrap().next();
    let size_of = |kind| if kind == "hole" { size.max(300_000) } else { size };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| std::iter::from_fn(next).for_each(|kind| run_all(kind, size_of(kind))));
        }
    });
}

#[test]
fn commands_that_keep_a_file_in_memory_refuse_a_large_one() {
    let larger = "has more than 268435456 bytes; expected a smaller file";
    let flatbuffer = "bytes; expected at most 268435456 bytes";
    Worst::of("hole", 1_000_000).unwrap().write(&scratch().join("hole.pte")).unwrap();
    Worst::of("zeros", 257 << 20).unwrap().write(&scratch().join("zeros.pte")).unwrap();
    for (words, reason) in [
        ("attack hole.pte --output attacked", larger),
        ("shrink hole.pte --reader builtin:reference --output shrunk", larger),
        ("hunt --reader builtin:reference --from hole.pte --output hunted --count 1", larger),
        ("inspect --annotate hole.pte", larger),
        ("dump --no-hash zeros.pte --output dumped", flatbuffer),
        ("meta set zeros.pte general.name x --output set", flatbuffer),
    ] {
        let outcome = run(&words.split(' ').collect::<Vec<_>>());
        assert!(outcome.code == Some(2) && outcome.stderr.contains(reason), "{words}: {outcome:?}");
    }
}

/// The reader accepts each nonempty file after a second.
#[test]
fn a_signal_ends_shrink_with_the_smallest_file_so_far() {
    fs::copy(real("linear.pte"), scratch().join("linear.pte")).unwrap();
    let started = scratch().join("started");
    let script = format!("echo >> '{}'; sleep 1; test -s \"$0\"", started.display());
    let reader = format!("once:sh -c {}", shell_words::quote(&script));
    let words = ["shrink", "linear.pte", "--no-sandbox", "--reader", &reader, "--output", "shrunk.pte"];
    let mut shrink = torchproof(&words).spawn().unwrap();
    while fs::read_to_string(&started).unwrap_or_default().lines().count() < 4 {
        assert!(shrink.try_wait().unwrap().is_none(), "shrink ended");
        thread::yield_now();
    }
    kill_process(Pid::from_child(&shrink), Signal::TERM).unwrap();
    assert_eq!(shrink.wait().unwrap().code(), Some(130));
    let len = fs::metadata(scratch().join("shrunk.pte")).unwrap().len();
    assert!(0 < len && len < fs::metadata(real("linear.pte")).unwrap().len(), "{len}");
}

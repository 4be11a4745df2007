//! A command that is ended while it writes leaves nothing behind.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use torchproof::ScalarType;
use torchproof::ptd;
use torchproof::pte::builder::{PlanBuilder, TensorBuilder, program};
use torchproof::pte::pack::{Data, Options, pack};
use torchproof::write::{NamedDataStore, Package, Source};

use super::command::{scratch, torchproof};

/// Bytes of the file that is packed: writing them takes seconds.
const FILLED: u64 = 10_000_000_000;

/// Bytes of a segment of holes, which take seconds to be read, and how far it is from one page of it that is none to the next:
/// what is written between them is nothing.
const HOLES: u64 = 1 << 36;
const STEP: u64 = 1 << 26;

/// So far has a command come when it is in the midst of it: past everything but a large segment.
const BEGUN: u64 = 4 << 20;

/// How long a command may take to come so far, on whatever machine.
const LIMIT: Duration = Duration::from_secs(300);

/// A command that is ended with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended, unless the test has failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the command, which writes `len` bytes in the folder, ends it in the midst of that, and looks at what is there.
fn expect_nothing_left(folder: &Path, args: &[&str], len: u64, signal: Signal) {
    let names = || {
        let all = walkdir::WalkDir::new(folder).sort_by_file_name();
        all.into_iter().map(|entry| entry.unwrap().into_path()).collect::<Vec<_>>()
    };
    let before = names();
    let mut running = Running(torchproof(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    let child = Pid::from_child(&running.0);
    let begin = Instant::now();
    while written(child, folder) < BEGUN {
        assert_eq!(running.0.try_wait().unwrap(), None, "{args:?} has ended already");
        assert!(begin.elapsed() < LIMIT, "{args:?} writes nothing");
        std::thread::sleep(Duration::from_millis(2));
    }
    // It stands still while it is looked at, so that it cannot come to its end in between.
    kill_process(child, Signal::STOP).unwrap();
    let (_, stopped) = waitpid(Some(child), WaitOptions::UNTRACED).unwrap().unwrap();
    assert!(stopped.stopped(), "{args:?} has ended already");
    assert!((BEGUN..len).contains(&written(child, folder)), "{args:?} is at its end");
    kill_process(child, signal).unwrap();
    kill_process(child, Signal::CONT).unwrap();
    assert_eq!(running.0.wait().unwrap().signal(), Some(signal.as_raw()), "{args:?}");
    assert_eq!(names(), before, "{args:?}");
}

/// How far a process has come in what it writes in the folder, whatever names that has: the furthest of its files.
fn written(child: Pid, folder: &Path) -> u64 {
    let folder = fs::canonicalize(folder).unwrap();
    let of_process = |what: &str| Path::new("/proc").join(child.as_raw_nonzero().to_string()).join(what);
    // What it closes meanwhile is gone.
    let Ok(files) = fs::read_dir(of_process("fd")) else { return 0 };
    let place = |name: &Path| {
        let info = fs::read_to_string(of_process("fdinfo").join(name)).ok()?;
        let number = |what| info.lines().find_map(|line| line.strip_prefix(what)).map(str::trim);
        let writes = u32::from_str_radix(number("flags:")?, 8).ok()? & 0b11 != 0;
        number("pos:")?.parse().ok().filter(|_| writes)
    };
    let inside = files
        .filter_map(Result::ok)
        .filter(|file| fs::read_link(file.path()).is_ok_and(|target| target.starts_with(&folder)));
    inside.filter_map(|file| place(Path::new(&file.file_name()))).max().unwrap_or(0)
}

/// Files whose segments are larger than anybody waits for.
fn large_files(folder: &Path) {
    let mut plan = PlanBuilder::new("forward");
    plan.push_value(TensorBuilder::contiguous(ScalarType::BYTE, &[1 << 18, 1 << 18]).constant(1));
    let data = Data { constants: vec![Source::Fill { pattern: b"", len: HOLES }], ..Data::default() };
    let program = program([plan]);
    mostly_holes(pack(&program, data, &Options::default()).unwrap(), &folder.join("large.pte"));
    let mut store = NamedDataStore::new();
    store.add("small", Source::Bytes(b"small"), 16, None).unwrap();
    store.add("large", Source::Fill { pattern: b"", len: HOLES }, 16, None).unwrap();
    mostly_holes(ptd::pack::pack(store, &ptd::write::FileLayout::CURRENT).unwrap(), &folder.join("large.ptd"));
}

/// Writes a file that ends with a segment of holes, and some bytes into those.
fn mostly_holes(package: Package<'_>, path: &Path) {
    let mut file = File::create(path).unwrap();
    package.stream_sparse(&mut file).unwrap();
    let end = file.metadata().unwrap().len();
    for at in (end - HOLES..end).step_by(usize::try_from(STEP).unwrap()) {
        file.write_at(b"no zeros", at).unwrap();
    }
}

#[test]
fn nothing_is_left_of_what_was_being_written() {
    let folder = scratch().join("interrupted");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("parts")).unwrap();
    if !has_unnamed_files(&folder) {
        eprintln!("NOT RUN: the file system has no files without a name");
        return;
    }
    let fill = format!(
        r#"{{"kind": "ptd", "flat_tensor": {{"named_data": [{{"key": "a"}}]}},
        "segments": [{{"size": {FILLED}, "data": {{"fill": "61"}}}}]}}"#
    );
    fs::write(folder.join("fill.json"), fill).unwrap();
    large_files(&folder);
    let there = ["there.ptd", "parts/segment-0.bin"].map(|name| folder.join(name));
    there.iter().for_each(|path| fs::write(path, b"there").unwrap());
    // Not INT: a test that runs in the background may have been started with that ignored.
    for signal in [Signal::TERM, Signal::KILL] {
        let expect = |args: &[&str], len| expect_nothing_left(&folder, args, len, signal);
        expect(&["pack", "interrupted/fill.json", "-o", "interrupted/new.ptd"], FILLED);
        let (model, data) = ("interrupted/large.pte", "interrupted/there.ptd");
        expect(&["split", model, "--data", data, "-o", model, "--force"], HOLES);
        let dump = ["dump", "--no-hash", "interrupted/large.ptd", "--with-data"];
        expect(&[&dump[..], &["interrupted/parts", "--force"]].concat(), HOLES);
        expect(&[&dump[..], &["interrupted/new/parts"]].concat(), HOLES);
    }
    there.iter().for_each(|path| assert_eq!(fs::read(path).unwrap(), b"there"));
    fs::remove_dir_all(&folder).unwrap();
}

#[cfg(target_os = "linux")]
fn has_unnamed_files(folder: &Path) -> bool {
    use rustix::fs::{Mode, OFlags, open};
    open(folder, OFlags::TMPFILE | OFlags::RDWR, Mode::from_raw_mode(0o600)).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_unnamed_files(_: &Path) -> bool {
    false
}

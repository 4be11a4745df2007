//! What the runner costs beside the readers that it runs, and the corpus through the real runtime: `cargo bench --bench runner`.
//!
//! Each figure is the shortest of some rounds: what else a machine does makes a round longer, and nothing makes one shorter.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use torchproof::Stage;
use torchproof::corpus::Role;
use torchproof_cli::grade::Terms;
use torchproof_cli::outcome::Outcome;
use torchproof_cli::protocol::Want;
use torchproof_cli::reader::{Address, Input, Launcher, Request, Settings};
use torchproof_cli::run::{Corpus, Memory, Options, Selection, run};

/// Rounds of each subject.
const ROUNDS: usize = 15;
/// Files of a round of a reader that stays alive.
const FILES: u32 = 2000;
/// Files of a round of one that is started for each.
const STARTS: u32 = 100;
/// Microseconds a file that a run is to cost over what its persistent reader does.
const GOAL: f64 = 60.0;
/// What the corpus is to take through the real runtime, with two readers at once.
const CORPUS: Duration = Duration::from_secs(5);

/// Answers as soon as it is asked, whatever the file is.
const IDLE: &str = env!("CARGO_BIN_EXE_faux-reader");

fn main() {
    let corpus = Corpus::load(&repository("corpus")).expect("the corpus is in the repository");
    let file = repository("corpus/real/linear.pte");
    println!("shortest of {ROUNDS} rounds, in µs a file; what is asked is `{}`", file.display());
    match awake(|| workers(&corpus, &file)) {
        Some(awake) => worker_rows("while no processor sleeps", awake),
        None => println!(
            "\nnot measured: workers while no processor sleeps, which takes /dev/cpu_dma_latency and the right to write to it"
        ),
    }
    if let Some(one) = on_one_processor(|| workers(&corpus, &file)) {
        worker_rows("on one processor", one);
    }
    worker_rows("on all processors, asleep while idle", workers(&corpus, &file));

    println!("\n{:<48}{:>10}{:>14}", "", "it takes", "over its own");
    let cases = cases_of(&corpus);
    let start = per_file(STARTS, || bare_starts(STARTS));
    row("a program that does nothing, started bare", start, None);
    let once = per_file(STARTS, || reads("once:true", &file, STARTS));
    row("  the same, as once:", once, Some(start));

    let builtin = per_file(FILES, || reads("builtin:reference", &file, FILES));
    row("the checker, as builtin:", builtin, None);
    let nothing = per_file(cases, || whole_run(&corpus, &["builtin:accept-all"], 1));
    row("a builtin that does nothing, in a run", nothing, None);
    runtime(&corpus);
}

/// Microseconds a file of a worker that does nothing.
#[derive(Clone, Copy)]
struct Workers {
    /// Over bare pipes: what it costs itself.
    bare: f64,
    /// Over bare pipes, with a copy of each file made and removed.
    copied: f64,
    /// As `exec:`.
    asked: f64,
    /// In a run that begins and ends for it alone, and proves the corpus.
    alone: f64,
    /// In a run that others are in too.
    further: f64,
}

fn workers(corpus: &Corpus, file: &Path) -> Workers {
    // Where a run makes them, if there is such a place.
    let memory = Path::new("/dev/shm").join(format!("torchproof-bench-{}.pte", std::process::id()));
    let copy = if fs::write(&memory, "").is_ok() { memory } else { target("copy.pte") };
    let exec = exec();
    let exec = exec.as_str();
    let cases = cases_of(corpus);
    let [bare, copied, asked, alone, four] = per_file_in_turn([
        (FILES, &mut || bare_conversation(file, None)),
        (FILES, &mut || bare_conversation(file, Some(&copy))),
        (FILES, &mut || reads(exec, file, FILES)),
        (cases, &mut || whole_run(corpus, &[exec], 1)),
        (cases, &mut || whole_run(corpus, &[exec; 4], 1)),
    ]);
    Workers { bare, copied, asked, alone, further: (four - alone) / 3.0 }
}

/// Prints them, and what a worker costs in a run over itself beside the goal.
fn worker_rows(heading: &str, workers: Workers) {
    let Workers { bare, copied, asked, alone, further } = workers;
    println!("\n{heading:<48}{:>10}{:>14}", "it takes", "over its own");
    row("a worker that does nothing, over bare pipes", bare, None);
    row("  with a copy of each file, made and removed", copied, Some(bare));
    row("  as exec:", asked, Some(bare));
    row("  each of several in a run", further, Some(bare));
    row("  alone in a run, which proves the corpus", alone, Some(bare));
    for (what, over) in [("each of several", further - bare), ("alone", alone - bare)] {
        println!("{}: {what}, {over:.1} µs a file over its own, of {GOAL}", met(over < GOAL));
    }
}

/// What `measure` gives while no processor of this machine sleeps, which the system is asked for; nothing where that cannot be had.
///
/// A request then is not waited for until a processor wakes. How long that takes is the machine's: a microsecond, or a hundred on a
/// virtual machine that others are on, and no runner can do anything about it but to leave a reader nothing to sleep for.
fn awake<T>(measure: impl FnOnce() -> T) -> Option<T> {
    // As Documentation/power/pm_qos_interface.rst of Linux says: this many microseconds to wake, for as long as it is open.
    let mut latency = fs::OpenOptions::new().write(true).open("/dev/cpu_dma_latency").ok()?;
    latency.write_all(&0_i32.to_ne_bytes()).ok()?;
    let measured = measure();
    drop(latency);
    Some(measured)
}

/// What `measure` gives where this process, and all that it starts, has one processor; nothing where that cannot be had.
///
/// There all that the runner does takes time from its reader, as it does where many jobs have all processors.
#[cfg(target_os = "linux")]
fn on_one_processor<T>(measure: impl FnOnce() -> T) -> Option<T> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let all = sched_getaffinity(None).ok()?;
    let first = (0..CpuSet::MAX_CPU).find(|cpu| all.is_set(*cpu))?;
    let mut one = CpuSet::new();
    one.set(first);
    sched_setaffinity(None, &one).ok()?;
    let measured = measure();
    sched_setaffinity(None, &all).expect("it had them");
    Some(measured)
}

#[cfg(not(target_os = "linux"))]
fn on_one_processor<T>(_measure: impl FnOnce() -> T) -> Option<T> {
    None
}

fn cases_of(corpus: &Corpus) -> u32 {
    u32::try_from(corpus.manifest().cases.len()).expect("there are few")
}

/// Every case through the workers of the real runtime.
fn runtime(corpus: &Corpus) {
    let worker = Path::new(env!("CARGO_BIN_EXE_torchproof")).ancestors().nth(2).expect("it is in a profile's folder");
    let worker = worker.join("readers/executorch/executorch-worker");
    if !worker.is_file() {
        println!("\nnot measured: the real runtime, which conformance/readers/executorch/setup.sh has not built");
        return;
    }
    println!("\nthe corpus of {} cases, in ms", corpus.manifest().cases.len());
    println!("{:<44}{:>10}{:>10}", "", "--jobs 1", "--jobs 2");
    for level in ["minimal", "internal-consistency"] {
        let address = format!("exec:'{}' --verification {level}", worker.display());
        let [one, two] = [1, 2].map(|jobs| shortest(3, || whole_run(corpus, &[&address], jobs)));
        println!("{:<44}{:>10.0}{:>10.0}", format!("the runtime, {level}"), 1e3 * one, 1e3 * two);
        println!("{}: {two:.2} s with two, of {CORPUS:?}", met(two < CORPUS.as_secs_f64()));
    }
}

fn met(goal: bool) -> &'static str {
    if goal { "met" } else { "not met" }
}

fn row(name: &str, micros: f64, own: Option<f64>) {
    let over = own.map_or_else(|| "–".to_owned(), |own| format!("{:.1}", micros - own));
    println!("{name:<48}{micros:>10.1}{over:>14}");
}

/// Seconds of the shortest round; each says what it took.
fn shortest(rounds: usize, mut round: impl FnMut() -> Duration) -> f64 {
    (0..rounds).map(|_| round()).min().unwrap_or_default().as_secs_f64()
}

/// Microseconds a file of the shortest round, for each subject beside its files a round.
///
/// Their rounds are in turn: what is compared has had the same machine.
fn per_file_in_turn<const COUNT: usize>(mut subjects: [(u32, &mut dyn FnMut() -> Duration); COUNT]) -> [f64; COUNT] {
    let mut least = [f64::INFINITY; COUNT];
    for _ in 0..ROUNDS {
        for (least, (files, round)) in least.iter_mut().zip(&mut subjects) {
            *least = least.min(1e6 * round().as_secs_f64() / f64::from(*files));
        }
    }
    least
}

fn per_file(files: u32, mut round: impl FnMut() -> Duration) -> f64 {
    let [least] = per_file_in_turn([(files, &mut round)]);
    least
}

fn exec() -> String {
    format!("exec:'{IDLE}' worker idle")
}

/// What nobody who talks to a worker can go below: a line there and a line back for each file. With `copy`, each file is copied
/// there before, and the copy removed after.
fn bare_conversation(file: &Path, copy: Option<&Path>) -> Duration {
    let mut command = Command::new(IDLE);
    let mut child =
        command.args(["worker", "idle"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdin = child.stdin.take().expect("it is a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("it is a pipe"));
    let mut answer = String::new();
    let mut ask = |line: &str| {
        stdin.write_all(line.as_bytes()).expect("it listens");
        answer.clear();
        stdout.read_line(&mut answer).expect("it answers");
        assert!(answer.len() > 2);
    };
    ask("{\"op\":\"hello\",\"protocol\":1}\n");
    let read = format!(
        r#"{{"op":"read","seq":1,"files":[{{"role":"program","path":"{}"}}],"stage":"data","want":"verdict"}}"#,
        copy.unwrap_or(file).display()
    ) + "\n";
    let begin = Instant::now();
    for _ in 0..FILES {
        if let Some(copy) = copy {
            fs::copy(file, copy).expect("there is room for it");
        }
        ask(&read);
        if let Some(copy) = copy {
            fs::remove_file(copy).expect("it is there");
        }
    }
    let took = begin.elapsed();
    drop(stdin);
    child.wait().expect("it leaves");
    took
}

/// One file, so many times, to a reader that is there already.
fn reads(address: &str, file: &Path, times: u32) -> Duration {
    let settings = Settings { launcher: launcher(), start: Duration::from_secs(10), memory_mb: Some(1024) };
    let mut reader = address.parse::<Address>().expect("it is an address").open(&settings);
    let stage = reader.hello().expect("it starts").deepest().max(Stage::Data);
    let files = [Input::at(Role::Program, file).expect("it is there")];
    let time = Duration::from_secs(10);
    let request = Request { files: &files, delivery: None, stage, want: Want::Verdict, time, memory_mb: Some(1024) };
    let begin = Instant::now();
    for _ in 0..times {
        let outcome = reader.read(&request);
        assert!(matches!(outcome, Outcome::Accept { .. }), "{}", outcome.message());
    }
    let took = begin.elapsed();
    reader.bye();
    took
}

fn bare_starts(times: u32) -> Duration {
    let begin = Instant::now();
    for _ in 0..times {
        assert!(Command::new("true").status().expect("it starts").success());
    }
    begin.elapsed()
}

/// A run without its report, from the corpus in memory to the last result.
fn whole_run(corpus: &Corpus, addresses: &[&str], jobs: usize) -> Duration {
    let options = Options {
        readers: addresses.iter().map(|address| address.parse().expect("it is an address")).collect(),
        selection: Selection::default(),
        terms: Terms::default(),
        known: None,
        deliveries: Vec::new(),
        jobs: NonZero::new(jobs).expect("there is one"),
        time_scale: 1.0,
        memory: Memory::Budget,
        start: Duration::from_secs(10),
        results: Some(target("runner.jsonl")),
        copies: None,
        launcher: launcher(),
    };
    let begin = Instant::now();
    let report = run(corpus, &options).expect("it begins");
    assert!(report.readers.iter().all(|reader| reader.error.is_none()));
    begin.elapsed()
}

fn launcher() -> Launcher {
    Launcher::at(env!("CARGO_BIN_EXE_torchproof"))
}

/// Where the bench may write: on the file system on which runs write by themselves.
fn target(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

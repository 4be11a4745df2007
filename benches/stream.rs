//! Writing and checking a data file larger than memory, and writing one against copying it: `cargo bench --bench stream`.
//!
//! The file of 20 GiB is sparse: what is written of it is its tables and a few pages. Writing and checking it are a process
//! each, whose peak memory is read from the system; more than [`MEMORY`] fails the bench. So does planning a file of many
//! tables, or a model with large blobs in it, in more memory beside what is given than a FlatBuffer asks for.

mod timing;

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use timing::median;
use torchproof::check::{Finding, Options, check};
use torchproof::ptd::model::{FlatTensor, NamedData};
use torchproof::ptd::pack::pack;
use torchproof::ptd::write::FileLayout;
use torchproof::pte::model::{Buffer, ExecutionPlan, Program};
use torchproof::pte::pack::Data;
use torchproof::write::{NamedDataStore, Package, Shape, Source, TensorLayout};
use torchproof::{ScalarType, Span, pte};
use torchproof_cli::input::Input;

/// Bytes of each tensor of the large file, and how many there are: a quarter of them is read from a file.
const TENSOR: u64 = 1 << 30;
const TENSORS: usize = 20;
/// Most memory that writing or checking may take, in KiB.
const MEMORY: u64 = 64 << 10;
/// Tensors of the file of many tables. Beside the model, planning it may take this many times its FlatBuffer.
const TABLES: u32 = 200_000;
const TABLES_MOST: f64 = 2.0;
/// Bytes of the blob that is in a model. Beside the model, packing it may take this part of them.
const BLOB: usize = 256 << 20;
const BLOB_MOST: f64 = 0.1;
/// Bytes of the file that is copied, and how often.
const COPIED: u64 = 512 << 20;
const ROUNDS: usize = 9;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stream");
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("write") => write(&folder).and_then(|()| tell_peak()),
        Some("check") => read(&folder).and_then(|()| tell_peak()),
        Some("tables") => tables(),
        Some("blob") => blob(),
        _ => {
            let outcome = bench(&folder);
            // What is left over is replaced by the next run.
            let _ = fs::remove_dir_all(&folder);
            outcome
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn bench(folder: &Path) -> Outcome<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    println!("{:<8}{:>10}{:>12}{:>16}", "20 GiB", "seconds", "peak, MiB", "on disk, MiB");
    for what in ["write", "check"] {
        let begin = Instant::now();
        let [peak] = process(what)?;
        let seconds = begin.elapsed().as_secs_f64();
        let on_disk = fs::metadata(large(folder))?.blocks() * 512;
        println!("{what:<8}{seconds:>10.2}{:>12.1}{:>16.1}", peak as f64 / 1024.0, on_disk as f64 / f64::from(1 << 20));
        if peak >= MEMORY {
            return Err(format!("{what} took {peak} KiB of memory, not below {MEMORY}").into());
        }
    }
    fs::remove_file(large(folder))?;
    println!("\n{:<8}{:>10}{:>30}{:>8}", "planned", "MiB", "memory beside the model, MiB", "times");
    for (what, most) in [("tables", TABLES_MOST), ("blob", BLOB_MOST)] {
        let [size, more] = process(what)?.map(|kib| kib as f64 / 1024.0);
        println!("{what:<8}{size:>10.1}{more:>30.1}{:>8.2}", more / size);
        if more > most * size {
            return Err(format!("{what} took {more:.1} MiB of memory for {size:.1}, more than {most} times").into());
        }
    }
    println!("\n{COPIED} bytes of segments, medians of {ROUNDS} rounds; `std::fs::copy` is 1");
    for (name, ratio) in copies(folder)? {
        println!("{name:<20}{ratio:>6.2}");
    }
    Ok(())
}

/// Runs a part of the bench in a process of its own, and gives the numbers that it prints.
fn process<const COUNT: usize>(what: &str) -> Outcome<[u64; COUNT]> {
    let output = Command::new(std::env::current_exe()?).arg(what).output()?;
    if !output.status.success() {
        return Err(format!("{what}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let numbers = String::from_utf8(output.stdout)?;
    let numbers = numbers.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    Ok(numbers.try_into().map_err(|numbers| format!("{what} printed {numbers:?}"))?)
}

fn large(folder: &Path) -> PathBuf {
    folder.join("large.ptd")
}

/// Writes the large file.
fn write(folder: &Path) -> Outcome<()> {
    let tensor = folder.join("tensor");
    let mut file = File::create(&tensor)?;
    file.set_len(TENSOR)?;
    for page in 0..16 {
        file.seek(SeekFrom::Start(page * (TENSOR / 16)))?;
        file.write_all(&[0x3f; 4096])?;
    }
    let mut store = NamedDataStore::new();
    for index in 0..TENSORS {
        // Sources that are not known to be equal are kept apart.
        let source = if index % 4 == 0 {
            Source::Reader { reader: Box::new(File::open(&tensor)?), len: TENSOR }
        } else {
            Source::Reader { reader: Box::new(io::Read::take(io::repeat(0), TENSOR)), len: TENSOR }
        };
        let layout = TensorLayout::contiguous(ScalarType::FLOAT, &[i32::try_from(TENSOR / 4)?]);
        store.add(&format!("layers.{index}.weight"), source, 16, Some(layout))?;
    }
    let package = pack(store, &FileLayout::CURRENT)?;
    package.stream_sparse(&mut File::create(large(folder))?)?;
    Ok(())
}

/// Checks the large file.
fn read(folder: &Path) -> Outcome<()> {
    let input = Input::open(&large(folder))?;
    let mut findings = Vec::new();
    let mut sink = |finding: &Finding<'_>| {
        findings.push(format!("{}: {}", finding.path, finding.message));
        ControlFlow::Continue(())
    };
    let mut memory: Vec<u64> = Vec::new();
    let report = check(input.image(), &mut &input, &Options::default(), &mut memory, &mut sink);
    if input.image().len() < TENSOR * TENSORS as u64 || !report.accepts() || !findings.is_empty() {
        return Err(format!("{report:?}: {findings:?}").into());
    }
    Ok(())
}

/// Plans a file of many tables: prints the KiB of its FlatBuffer, and those that planning took beside the model.
fn tables() -> Outcome<()> {
    let tensor = |index: u32| {
        let layout = TensorLayout::contiguous(ScalarType::FLOAT, &[4, 4]);
        NamedData::tensor(format!("layers.{index}.weight"), index, layout)
    };
    let model = FlatTensor::new((0..TABLES).map(tensor).collect::<Vec<_>>());
    let shapes: Vec<_> = (0..TABLES).map(|_| Shape::new(64)).collect();
    let before = memory("VmRSS:")?;
    let plan = model.plan(&shapes, &FileLayout::CURRENT)?;
    println!("{} {}", plan.head().len() >> 10, memory("VmHWM:")?.saturating_sub(before));
    Ok(())
}

/// Packs a model with a blob in it: prints the KiB of the blob, and those that packing took beside the model.
fn blob() -> Outcome<()> {
    let constants = [Vec::new(), vec![1; BLOB]].map(|bytes| Buffer { storage: Some(bytes) });
    let model = Program { constant_buffer: Some(constants.into()), ..Program::new([ExecutionPlan::new("forward")]) };
    let before = memory("VmRSS:")?;
    model.pack(Data::default(), &pte::pack::Options::default())?.stream(&mut io::sink())?;
    println!("{} {}", BLOB >> 10, memory("VmHWM:")?.saturating_sub(before));
    Ok(())
}

/// Prints the most memory that this process had, in KiB.
fn tell_peak() -> Outcome<()> {
    println!("{}", memory("VmHWM:")?);
    Ok(())
}

/// What the system says of this process's memory, in KiB.
fn memory(what: &str) -> Outcome<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(what)).ok_or("the system does not tell")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// How long it takes to write segments, in copies of a file of as many bytes.
fn copies(folder: &Path) -> Outcome<[(&'static str, f64); 3]> {
    let (from, to) = (folder.join("from"), folder.join("to"));
    let bytes: Vec<u8> = (0..=u8::MAX).cycle().take(usize::try_from(COPIED)?).collect();
    fs::write(&from, &bytes)?;
    File::open(&from)?.sync_all()?;
    let package = |source| -> Outcome<Package<'_>> {
        let mut store = NamedDataStore::new();
        store.add("blob", source, 16, None)?;
        Ok(pack(store, &FileLayout::CURRENT)?)
    };
    let mut seconds = [const { Vec::new() }; 4];
    for round in 0..ROUNDS {
        // Whoever comes first pays for what the system still has to do, so each does in turn.
        for subject in (0..4).map(|subject| (subject + round) % 4) {
            seconds[subject].push(match subject {
                0 => timed(&to, |_| Ok(fs::copy(&from, &to).map(|_| ())?))?,
                1 => {
                    let package = package(Source::File { path: from.clone(), span: Span::new(0, COPIED) })?;
                    timed(&to, |out| Ok(package.stream(out)?))?
                }
                2 => timed(&to, |out| copy_in_pieces(&mut File::open(&from)?, out))?,
                _ => {
                    let package = package(Source::Bytes(&bytes))?;
                    timed(&to, |out| Ok(package.stream(out)?))?
                }
            });
        }
    }
    let [copy, file, pieces, memory] = seconds.map(median);
    Ok([("from a file", file / copy), ("from memory", memory / copy), ("read and write", pieces / copy)])
}

/// A copy through a buffer of this process, as large as the writer's: what `std::fs::copy` leaves to the system.
fn copy_in_pieces(from: &mut File, to: &mut File) -> Outcome<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(()),
            count => to.write_all(&buffer[..count])?,
        }
    }
}

/// Seconds that it takes to write a new file.
fn timed(path: &Path, write: impl FnOnce(&mut File) -> Outcome<()>) -> Outcome<f64> {
    if path.exists() {
        fs::remove_file(path)?;
    }
    let begin = Instant::now();
    let mut out = File::create(path)?;
    write(&mut out)?;
    let seconds = begin.elapsed().as_secs_f64();
    // So that the disk is not busy with this file while the next one is measured.
    out.sync_all()?;
    Ok(seconds)
}

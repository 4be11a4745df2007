//! Measures the peak memory of writing and checking a data file of 20 GiB: `cargo bench --bench memory`. Fails above 64
//! MiB.
//!
//! The file is sparse: only its tables and a few pages are on disk. One process writes it, and another checks it.

use std::error::Error;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use torchproof::ScalarType;
use torchproof::check::Checker;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::schema::{FlatTensor, NamedData};
use torchproof::ptd::{DataLayout, plan, tensor_layout};
use torchproof::write::SegmentExtent;
use torchproof_harness::disk::input::Input;

/// The number of bytes in each tensor.
const TENSOR: u64 = 1 << 30;
const TENSORS: u64 = 20;
/// The memory limit in KiB.
const MEMORY: u64 = 64 << 10;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", path] => write(Path::new(path)).and_then(|()| print_peak()),
        ["check", path] => read(Path::new(path)).and_then(|()| print_peak()),
        _ => {
            let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
            let path = folder.path().join("large.ptd");
            ["write", "check"].into_iter().try_for_each(|half| measure(half, &path))
        }
    }
}

fn measure(half: &str, path: &PathBuf) -> Outcome {
    let output = Command::new(std::env::current_exe()?).arg(half).arg(path).output()?;
    if !output.status.success() {
        return Err(format!("{half}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let peak: u64 = String::from_utf8(output.stdout)?.trim().parse()?;
    println!("{half} {} GiB: {peak} KiB of memory, at most {MEMORY} allowed", (TENSOR * TENSORS) >> 30);
    if peak < MEMORY { Ok(()) } else { Err(format!("{half} exceeds the memory limit").into()) }
}

fn write(path: &Path) -> Outcome {
    let layout = tensor_layout(ScalarType::FLOAT, &[i32::try_from(TENSOR / 4)?]);
    let entry = |index: u64| {
        TableTree::new(NamedData::TYPE)
            .with("key", format!("layers.{index}.weight"))
            .with("segment_index", index)
            .with("tensor_layout", layout.clone())
    };
    let root = TableTree::new(FlatTensor::TYPE).with("named_data", (0..TENSORS).map(entry).collect::<Vec<_>>());
    let extents: Vec<_> = (0..TENSORS).map(|_| SegmentExtent::new(TENSOR)).collect();
    let plan = plan(&root, &extents, &DataLayout::CURRENT)?;
    // The segments' zeros become a hole in the file.
    let mut file = File::create(path)?;
    file.write_all(plan.head())?;
    Ok(file.set_len(plan.len())?)
}

fn read(path: &Path) -> Outcome {
    let input = Input::open(path)?;
    let report = Checker::new().check_source(&input);
    let whole = input.file_bytes().len() >= TENSOR * TENSORS;
    if whole && report.accepts() && report.count() == 0 { Ok(()) } else { Err(format!("{report:?}").into()) }
}

fn print_peak() -> Outcome {
    let status = fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("/proc has no VmHWM")?;
    println!("{}", peak.trim().trim_end_matches(" kB"));
    Ok(())
}

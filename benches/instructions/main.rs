//! Instructions of each subject beside the checked-in figures: `cargo bench -p torchproof-instructions`.
//!
//! Counted by valgrind, so neither the machine's speed nor its load matters. Fails where a subject takes 3 % more than
//! `benches/instructions.toml` says; `-- --record` writes that file anew. Without valgrind nothing is measured, which is a
//! failure with `TORCHPROOF_READERS=required` in the environment.

mod callgrind;
mod figures;
mod subjects;
#[path = "../work.rs"]
mod work;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use figures::{Counted, Figures, Verdict};
use subjects::SUBJECTS;

/// The checked-in figures, from the workspace's root.
const FIGURES: &str = "benches/instructions.toml";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, subject] = &arguments[..]
        && word == callgrind::SUBJECT
    {
        return if callgrind::run(subject) { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    bench(arguments.iter().any(|argument| argument == "--record")).unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::FAILURE
    })
}

fn bench(record: bool) -> Result<ExitCode, Box<dyn Error>> {
    let Some(valgrind) = callgrind::version() else {
        let required = std::env::var_os("TORCHPROOF_READERS").is_some_and(|word| word == "required");
        println!("NOT MEASURED: valgrind, which counts the instructions, is not there");
        return Ok(if required || record { ExitCode::FAILURE } else { ExitCode::SUCCESS });
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FIGURES);
    let recorded = if record { None } else { Some(read(&path)?) };
    let here = callgrind::made_with(valgrind)?;
    eprintln!("counting {} subjects under valgrind", SUBJECTS.len());
    let counted = count_all()?;
    let Some(recorded) = recorded else {
        fs::write(&path, figures::text(&here, &counted))?;
        println!("{FIGURES}: {} figures", counted.len());
        return Ok(ExitCode::SUCCESS);
    };
    let comparison = recorded.compare(&here, &counted);
    print!("{comparison}");
    Ok(if comparison.verdict() == Verdict::Fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn read(path: &Path) -> Result<Figures, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string());
    let read = text.and_then(|text| Figures::read(&text).map_err(|error| error.to_string()));
    read.map_err(|error| {
        format!("{FIGURES}: {error}\n`cargo bench -p torchproof-instructions -- --record` writes it anew")
    })
}

/// Counts one subject after the other.
fn count_all() -> Result<Vec<Counted>, Box<dyn Error>> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    SUBJECTS.iter().map(|(name, _)| Ok(((*name).to_owned(), callgrind::count(name, folder.path())?))).collect()
}

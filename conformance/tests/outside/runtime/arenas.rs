//! Compares the predicted arena sizes with what the runtime needs.
//!
//! The adapter searches for the smallest arena in which a method loads, so loading fails if the arena is a byte
//! smaller. `TORCHPROOF_ARENAS` is the number of generated files.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use torchproof::generate::{Config, GeneratedKind, Generation, generate};
use torchproof::prediction::{Abi, ArenaSetup};
use torchproof::pte::Pte;
use torchproof::{Role, Stage};
use torchproof_harness::reader::outcome::Outcome;
use torchproof_harness::reader::{ReaderInput, Request};
use torchproof_protocol::Want;

use crate::{built, need};

/// Collects every program below the folder, with the data files whose names begin with the program's name.
fn programs_below(folder: &Path, sets: &mut Vec<Vec<PathBuf>>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in &paths {
        let stem = |path: &Path| path.file_name().unwrap().to_str().unwrap().split('.').next().unwrap().to_owned();
        let is = |path: &Path, extension| path.extension().is_some_and(|found| found == extension);
        if path.is_dir() {
            programs_below(path, sets);
        } else if is(path, "pte") {
            let data = paths.iter().filter(|other| is(other, "ptd") && stem(other) == stem(path));
            sets.push([path].into_iter().chain(data).cloned().collect());
        }
    }
}

fn generated_programs(count: u64) -> Vec<Vec<PathBuf>> {
    let folder = testkit::empty_scratch("arenas");
    let files = |seed: u64| {
        let mut config = Config::swarm(seed);
        (config.far, config.unbounded) = (0, 0);
        config.generations = vec![Generation::Segments, Generation::Current];
        let kind = if seed.is_multiple_of(2) { GeneratedKind::Pte } else { GeneratedKind::Pair };
        let write = |file: torchproof::generate::GeneratedFile| {
            let path = folder.join(format!("{seed}.{}", file.extension));
            fs::write(&path, file.bytes).unwrap();
            path
        };
        generate(kind, &config, seed).unwrap().into_iter().map(write).collect()
    };
    (0..count).map(files).collect()
}

pub(super) fn arenas_equal_those_that_the_runtime_needs() {
    let mut sets = Vec::new();
    programs_below(&testkit::repository().join("corpus/real"), &mut sets);
    programs_below(&need::truth().join(".."), &mut sets);
    let count = std::env::var("TORCHPROOF_ARENAS").ok().map_or(40, |count| count.parse().unwrap());
    sets.extend(generated_programs(count));
    for temporary in [None, Some(0), Some(300), Some(1 << 20)] {
        let argument = temporary.map_or_else(|| "none".to_owned(), |size: u64| size.to_string());
        let options = format!("{} --measure-arenas {argument}", built::with_stubs("minimal"));
        let mut reader = built::open(&built::address(&need::reader(built::RUNTIME), &options));
        reader.hello().unwrap();
        let (mut methods, mut refused) = (0, Vec::new());
        for set in &sets {
            let input = |path: &PathBuf| {
                let role = if path.extension().unwrap() == "pte" { Role::Program } else { Role::Data };
                ReaderInput::at(role, path).unwrap()
            };
            let files: Vec<ReaderInput> = set.iter().map(input).collect();
            let request = Request {
                files: &files,
                stage: Stage::Method,
                want: Want::Loaded,
                time: Duration::from_secs(60),
                memory_mb: None,
                delivery: None,
            };
            let value = match reader.read(&request) {
                Outcome::Accept { value: Some(value), .. } => value,
                outcome => {
                    refused.push(format!("{}: {} {}", set[0].display(), outcome.name(), outcome.message()));
                    continue;
                }
            };
            let bytes = fs::read(&set[0]).unwrap();
            let program = Pte::open(&bytes).unwrap();
            let release = "executorch:1.5.1".parse().unwrap();
            let setup = ArenaSetup { release, abi: Abi::X86_64, temporary, has_data_map: set.len() > 1 };
            for (index, method) in program.methods().enumerate() {
                let needed = value["programs"][0]["methods"][index]["prepared"].as_u64();
                assert!(needed.is_some(), "{}: {value}", set[0].display());
                let predicted = ArenaSetup::smallest_arenas(&[setup], &program, method.unwrap()).remove(0);
                let predicted = predicted.map(|arenas| arenas.method);
                assert_eq!(predicted, needed, "{}, method {index}, temporary arena {argument}", set[0].display());
                methods += 1;
            }
        }
        println!("temporary arena {argument}: {methods} methods equal; {} files refused: {refused:#?}", refused.len());
        assert!(refused.len() * 4 < sets.len() && methods >= sets.len() / 2);
    }
}

//! Checks that the API of the C++ runtime returns the values that the loaded files contain.
//!
//! `torchproof_harness::reader::loaded` defines the JSON form of the values. The `setup.sh` of the runtime builds the
//! worker.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use torchproof::Role;
use torchproof::Stage;
use torchproof::corpus::Verdict;
use torchproof::generate::{Config, GeneratedFile, GeneratedKind, Generation, generate};
use torchproof_harness::corpus::{Case, Manifest};
use torchproof_harness::reader::loaded::loaded;
use torchproof_harness::reader::outcome::Outcome;
use torchproof_harness::reader::{Reader, ReaderInput, Request};
use torchproof_harness::run::compare::first_difference;
use torchproof_harness::run::grade::inapplicable;
use torchproof_protocol::{CAPABILITY_LOADED, Hello, Want};

use crate::need::{Need, trials};
use crate::{built, need};
use libtest_mimic::Trial;

pub(crate) struct Runtime {
    reader: Box<dyn Reader>,
    hello: Hello,
    scratch: PathBuf,
    /// The time for one request.
    pub(crate) time: Duration,
}

impl Runtime {
    /// One worker for each verification level.
    fn all(test: &str) -> Vec<Runtime> {
        let worker = need::reader(built::RUNTIME);
        let open = |level| {
            Runtime::open(&built::address(&worker, &built::with_stubs(level)), &format!("values-{test}-{level}"))
        };
        built::LEVELS.map(open).into()
    }

    pub(crate) fn open(address: &str, scratch: &str) -> Runtime {
        let mut reader = built::open(address);
        let hello = reader.hello().unwrap();
        assert!(hello.has(CAPABILITY_LOADED), "{hello:?}");
        Runtime { reader, hello, scratch: testkit::scratch(scratch), time: Duration::from_secs(60) }
    }

    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.scratch.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn ask(&mut self, files: &[ReaderInput]) -> Result<Value, String> {
        let time = self.time;
        let request = Request { files, stage: Stage::Data, want: Want::Loaded, time, memory_mb: None, delivery: None };
        match self.reader.read(&request) {
            Outcome::Accept { value: Some(value), .. } => Ok(value),
            outcome => Err(format!("{} {}", outcome.name(), outcome.message())),
        }
    }

    /// Returns the first difference, or an error if the runtime does not accept the files.
    fn difference(&mut self, files: &[ReaderInput], expected: &[ReaderInput]) -> Result<Option<String>, String> {
        let have = self.ask(files)?;
        let want = loaded(expected, Stage::Data).unwrap();
        Ok(first_difference(&want, &have).map(|difference| difference.to_string()))
    }

    /// The values from the runtime must equal the content of the files.
    fn expect_same(&mut self, name: &str, files: &[ReaderInput]) {
        let have = self.ask(files).unwrap_or_else(|outcome| panic!("{name}, {}: {outcome}", self.hello.version));
        let difference = first_difference(&loaded(files, Stage::Data).unwrap(), &have);
        assert_eq!(difference.map(|difference| difference.to_string()), None, "{name}, {}", self.hello.version);
    }

    pub(crate) fn expect_values_of_accepted_cases(&mut self) {
        let corpus = testkit::repository().join("corpus");
        let manifest: Manifest = serde_json::from_slice(&fs::read(corpus.join("manifest.json")).unwrap()).unwrap();
        let (mut same, mut different) = (0, Vec::new());
        let taken = |case: &&Case| case.verdict == Verdict::Accept && inapplicable(case, &self.hello).is_none();
        for case in manifest.cases.iter().filter(taken).collect::<Vec<_>>() {
            let files: Vec<ReaderInput> =
                case.files.iter().map(|file| input(file.role, corpus.join(&file.path))).collect();
            match self.difference(&files, &files) {
                Ok(None) => same += 1,
                Ok(Some(difference)) => different.push(format!("{}: {difference}", case.id)),
                // The runtime rejects this valid case, so there are no values to compare.
                Err(outcome) => eprintln!("not compared: {}: {outcome}", case.id),
            }
        }
        assert!(different.is_empty(), "{}: {different:#?}", self.hello.version);
        assert!(same >= 90, "{}: only {same} were compared", self.hello.version);
    }
}

fn real() -> PathBuf {
    testkit::repository().join("corpus/real")
}

pub(crate) fn input(role: Role, path: PathBuf) -> ReaderInput {
    ReaderInput::at(role, path).unwrap()
}

fn the_runtime_returns_the_values_of_real_files() {
    for mut runtime in Runtime::all("real") {
        for set in built::real_files() {
            let name = set[0].file_name().unwrap().to_str().unwrap().to_owned();
            if built::UNREADABLE.contains(&&*name) {
                continue;
            }
            let role = |path: &PathBuf| if path.extension().unwrap() == "ptd" { Role::Data } else { Role::Program };
            let files: Vec<_> = set.iter().map(|path| input(role(path), path.clone())).collect();
            runtime.expect_same(&name, &files);
        }
    }
}

fn the_runtime_returns_the_values_of_accepted_cases() {
    Runtime::all("cases").iter_mut().for_each(Runtime::expect_values_of_accepted_cases);
}

fn reports_a_changed_byte_as_a_difference() {
    for mut runtime in Runtime::all("changed") {
        let mut difference = |name: &str, role: Role, at: usize| {
            let path = real().join(name);
            let mut bytes = fs::read(&path).unwrap();
            bytes[at] ^= 1;
            let changed = runtime.put(name, &bytes);
            runtime.difference(&[input(role, changed)], &[input(role, path)]).unwrap().unwrap()
        };
        // The changed last byte belongs to a tensor's data.
        let constant = difference("linear.pte", Role::Program, 1679);
        assert!(constant.starts_with("programs[0].constants[2]: "), "{constant}");
        let tensor = difference("linear_external.ptd", Role::Data, 527);
        assert!(tensor.starts_with("data_files[0]["), "{tensor}");
    }
}

/// The API returns only inputs, outputs and named tensors, so give the programs many outputs.
fn config() -> Config {
    let mut config = Config::default();
    config.generations = vec![Generation::Segments, Generation::Current];
    config.outputs = 40..=40;
    // The runtime ignores constants in an empty segment (rule const-zero-size-segment), which other readers use.
    config.constants = 1..=4;
    config.sizes = 1..=8;
    config.elements = 1000..=1000;
    config
}

fn the_runtime_returns_the_values_of_generated_files() {
    for mut runtime in Runtime::all("generated") {
        for kind in [GeneratedKind::Pte, GeneratedKind::Ptd, GeneratedKind::Pair] {
            for seed in 0..150 {
                let put = |file: &GeneratedFile| {
                    let role = if file.extension == "pte" { Role::Program } else { Role::Data };
                    input(role, runtime.put(&format!("file.{}", file.extension), &file.bytes))
                };
                let files: Vec<ReaderInput> = generate(kind, &config(), seed).unwrap().iter().map(put).collect();
                runtime.expect_same(&format!("{} {seed}", kind.name()), &files);
            }
        }
    }
}

pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Reader(built::RUNTIME)]; the_runtime_returns_the_values_of_real_files, the_runtime_returns_the_values_of_accepted_cases, reports_a_changed_byte_as_a_difference, the_runtime_returns_the_values_of_generated_files]
}

//! Values read back through the runtime: what its interface says of files that it has loaded is what the files hold.
//!
//! The form of what is compared is that of `torchproof_cli::reader::loaded`; the runtime's worker is built by its `setup.sh`, as
//! for the cases.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::Value;
use torchproof::Stage;
use torchproof::corpus::{Role, Verdict};
use torchproof::generate::{Config, Generated, GeneratedKind, Generation, generate};
use torchproof_cli::corpus::{Case, Manifest};
use torchproof_cli::reader::loaded::loaded;
use torchproof_cli::reader::outcome::Outcome;
use torchproof_cli::reader::{Reader, ReaderInput, Request};
use torchproof_cli::run::compare::first_difference;
use torchproof_cli::run::grade::inapplicable;
use torchproof_protocol::{CAPABILITY_LOADED, Hello, Want};

use crate::need::{Need, trials};
use crate::{built, need};
use libtest_mimic::Trial;

/// The runtime at one of its levels.
struct Runtime {
    reader: Box<dyn Reader>,
    hello: Hello,
    scratch: PathBuf,
}

impl Runtime {
    /// At every level.
    fn all(test: &str) -> Vec<Runtime> {
        let worker = need::reader(built::RUNTIME);
        let open = |level| {
            let mut reader = built::open(&built::address(&worker, &format!("--verification {level}")));
            let hello = reader.hello().unwrap();
            assert!(hello.has(CAPABILITY_LOADED), "{hello:?}");
            let scratch = testkit::scratch(&format!("values-{test}-{level}"));
            Runtime { reader, hello, scratch }
        };
        built::LEVELS.map(open).into()
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.scratch.join(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn ask(&mut self, files: &[ReaderInput]) -> Result<Value, String> {
        let time = Duration::from_secs(60);
        let request = Request { files, stage: Stage::Data, want: Want::Loaded, time, memory_mb: None, delivery: None };
        match self.reader.read(&request) {
            Outcome::Accept { value: Some(value), .. } => Ok(value),
            outcome => Err(format!("{} {}", outcome.name(), outcome.message())),
        }
    }

    /// Where what the runtime gives of `files` differs from what `held` hold; an outcome that is no accept is an error.
    fn difference(&mut self, files: &[ReaderInput], held: &[ReaderInput]) -> Result<Option<String>, String> {
        let have = self.ask(files)?;
        let want = loaded(held, Stage::Data).unwrap();
        Ok(first_difference(&want, &have).map(|difference| difference.to_string()))
    }

    /// The runtime accepts the files and gives what they hold.
    fn expect_same(&mut self, name: &str, files: &[ReaderInput]) {
        let have = self.ask(files).unwrap_or_else(|outcome| panic!("{name}, {}: {outcome}", self.hello.version));
        let difference = first_difference(&loaded(files, Stage::Data).unwrap(), &have);
        assert_eq!(difference.map(|difference| difference.to_string()), None, "{name}, {}", self.hello.version);
    }
}

fn real() -> PathBuf {
    testkit::repository().join("corpus/real")
}

fn input(role: Role, path: PathBuf) -> ReaderInput {
    ReaderInput::at(role, path).unwrap()
}

/// A real program with the data file beside it, or a data file.
fn real_files() -> Vec<(String, Vec<ReaderInput>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(real()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let data = path.with_extension("ptd");
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("pte") if data.is_file() => {
                all.push((name, vec![input(Role::Program, path), input(Role::Data, data)]));
            }
            Some("pte") => all.push((name, vec![input(Role::Program, path)])),
            // The runtime's worker does not read the older layout.
            Some("ptd") if !name.starts_with("legacy") => all.push((name, vec![input(Role::Data, path)])),
            _ => {}
        }
    }
    assert!(all.len() >= 12, "{}", all.len());
    all
}

fn real_files_come_back() {
    for mut runtime in Runtime::all("real") {
        for (name, files) in real_files() {
            runtime.expect_same(&name, &files);
        }
    }
}

fn accepted_cases_come_back() {
    let corpus = testkit::repository().join("corpus");
    let manifest: Manifest = serde_json::from_slice(&fs::read(corpus.join("manifest.json")).unwrap()).unwrap();
    for mut runtime in Runtime::all("cases") {
        let (mut same, mut different) = (0, Vec::new());
        let taken = |case: &&Case| case.verdict == Verdict::Accept && inapplicable(case, &runtime.hello).is_none();
        for case in manifest.cases.iter().filter(taken).collect::<Vec<_>>() {
            let files: Vec<ReaderInput> =
                case.files.iter().map(|file| input(file.role, corpus.join(&file.path))).collect();
            match runtime.difference(&files, &files) {
                Ok(None) => same += 1,
                Ok(Some(difference)) => different.push(format!("{}: {difference}", case.id)),
                // What becomes of a case in somebody's release is no matter of this test.
                Err(outcome) => eprintln!("not compared: {}: {outcome}", case.id),
            }
        }
        assert!(different.is_empty(), "{}: {different:#?}", runtime.hello.version);
        assert!(same >= 90, "{}: only {same} were compared", runtime.hello.version);
    }
}

/// The comparison sees a byte that is not what it should be, and says where.
fn a_changed_byte_is_a_difference() {
    for mut runtime in Runtime::all("changed") {
        let mut difference = |name: &str, role: Role, at: usize| {
            let path = real().join(name);
            let mut bytes = fs::read(&path).unwrap();
            bytes[at] ^= 1;
            let changed = runtime.put(name, &bytes);
            runtime.difference(&[input(role, changed)], &[input(role, path)]).unwrap().unwrap()
        };
        // The last byte of each is data.
        let constant = difference("linear.pte", Role::Program, 1679);
        assert!(constant.starts_with("programs[0].constants[2]: "), "{constant}");
        let tensor = difference("linear_external.ptd", Role::Data, 527);
        assert!(tensor.starts_with("data_files[0]["), "{tensor}");
    }
}

/// Every value that a method may return is likely among its outputs, so that the interface gives it.
fn config() -> Config {
    let mut config = Config::default();
    config.generations = vec![Generation::Segments, Generation::Current];
    config.outputs = 40..=40;
    // Of constants without any bytes the runtime takes none: rule const-zero-size-segment, in which readers differ.
    config.constants = 1..=4;
    config.sizes = 1..=8;
    config.elements = 1000..=1000;
    config
}

fn generated_files_come_back() {
    for mut runtime in Runtime::all("generated") {
        for kind in [GeneratedKind::Pte, GeneratedKind::Ptd, GeneratedKind::Pair] {
            for seed in 0..150 {
                let put = |file: &Generated| {
                    let role = if file.extension == "pte" { Role::Program } else { Role::Data };
                    input(role, runtime.put(&format!("file.{}", file.extension), &file.bytes))
                };
                let files: Vec<ReaderInput> = generate(kind, &config(), seed).unwrap().iter().map(put).collect();
                runtime.expect_same(&format!("{} {seed}", kind.name()), &files);
            }
        }
    }
}

/// The trials of this module.
pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Reader(built::RUNTIME)]; real_files_come_back, accepted_cases_come_back, a_changed_byte_is_a_difference, generated_files_come_back]
}

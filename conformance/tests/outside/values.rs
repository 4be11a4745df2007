//! Values read back through the runtime: what its interface says of files that it has loaded is what the files hold.
//!
//! The form of what is compared is that of `torchproof_cli::loaded`; the runtime's worker is built by its `setup.sh`, as
//! for the cases.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use data_encoding::HEXLOWER;
use proptest::strategy::Strategy;
use serde_json::Value;
use torchproof::corpus::{Case, Manifest, Role, Verdict};
use torchproof::ptd::model::{FlatTensor, NamedData, TensorLayout};
use torchproof::pte::model::{CompileSpec, EValue, KernelTypes};
use torchproof::write::SegmentData;
use torchproof::{ScalarType, Stage, ptd};
use torchproof_cli::compare::first_difference;
use torchproof_cli::edit::Document;
use torchproof_cli::grade::inapplicable;
use torchproof_cli::loaded::loaded;
use torchproof_cli::outcome::Outcome;
use torchproof_cli::protocol::{CAPABILITY_LOADED, Hello, Want};
use torchproof_cli::reader::{Input, Reader, Request};

use crate::need::{Need, trials};
use crate::{built, data, drawn, need, program};
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

    fn ask(&mut self, files: &[Input]) -> Result<Value, String> {
        let time = Duration::from_secs(60);
        let request = Request { files, stage: Stage::Data, want: Want::Loaded, time, memory_mb: None, delivery: None };
        match self.reader.read(&request) {
            Outcome::Accept { value: Some(value), .. } => Ok(value),
            outcome => Err(format!("{} {}", outcome.name(), outcome.message())),
        }
    }

    /// Where what the runtime gives of `files` differs from what `held` hold; an outcome that is no accept is an error.
    fn difference(&mut self, files: &[Input], held: &[Input]) -> Result<Option<String>, String> {
        let have = self.ask(files)?;
        let want = loaded(held, Stage::Data).unwrap();
        Ok(first_difference(&want, &have).map(|difference| difference.to_string()))
    }

    /// The runtime takes the files and gives what they hold, and this returns it.
    fn expect_same(&mut self, name: &str, files: &[Input]) -> Value {
        let have = self.ask(files).unwrap_or_else(|outcome| panic!("{name}, {}: {outcome}", self.hello.version));
        let difference = first_difference(&loaded(files, Stage::Data).unwrap(), &have);
        assert_eq!(difference.map(|difference| difference.to_string()), None, "{name}, {}", self.hello.version);
        have
    }
}

fn real() -> PathBuf {
    testkit::repository().join("corpus/real")
}

fn input(role: Role, path: PathBuf) -> Input {
    Input::at(role, path).unwrap()
}

/// A real program with the data file beside it, or a data file.
fn real_files() -> Vec<(String, Vec<Input>)> {
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
            let files: Vec<Input> = case.files.iter().map(|file| input(file.role, corpus.join(&file.path))).collect();
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

/// Models with a name each.
fn models<S: Strategy>(strategy: &S) -> impl Iterator<Item = (String, S::Value)> {
    drawn::drawn(strategy, 7).enumerate().map(|(index, model)| (format!("model {index}"), model))
}

/// Bytes that tell every place of every segment from the others.
fn fill(segments: &mut [Vec<u8>]) {
    let mut state = 1_u32;
    for byte in segments.iter_mut().flatten() {
        state = state.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F);
        *byte = state.to_be_bytes()[0];
    }
}

/// What is read back of the entries are the bytes that were put in, asked of those that are told one by one.
fn expect_put_in<'a>(name: &str, entries: &Value, put_in: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) {
    let put_in: Vec<_> = put_in.into_iter().collect();
    let entries = entries.as_array().unwrap();
    assert_eq!(entries.len(), put_in.len(), "{name}");
    for (entry, (key, bytes)) in entries.iter().zip(put_in) {
        assert_eq!(entry["key"].as_str().unwrap().as_bytes(), key, "{name}");
        if let Some(hex) = entry["data"].as_str() {
            assert_eq!(hex, HEXLOWER.encode(bytes), "{name}");
        }
    }
}

fn segments(bytes: &[Vec<u8>]) -> Vec<SegmentData<'_>> {
    bytes.iter().map(|bytes| SegmentData::new(bytes)).collect()
}

/// The values that can be no outputs.
fn is_list(value: &EValue) -> bool {
    use KernelTypes::{BoolList, DoubleList, IntList, OptionalTensorList, TensorList};
    let value = value.val.as_ref().unwrap();
    matches!(value, IntList(_) | DoubleList(_) | BoolList(_) | TensorList(_) | OptionalTensorList(_))
}

/// A program of the model, every value of which is an output where it can be one, so that the interface gives it.
fn program_of(mut valid: program::Valid) -> (Vec<u8>, program::Valid) {
    let constants = valid.program.constant_segment.as_ref().and_then(|home| home.offsets.as_ref());
    if constants.is_some_and(|offsets| offsets.len() > 1) && valid.segments[0].is_empty() {
        // Of constants without any bytes the runtime takes none: rule const-zero-size-segment, in which readers differ.
        valid.segments[0].push(0);
    }
    fill(&mut valid.segments);
    for plan in valid.program.execution_plan.as_mut().unwrap() {
        let values = plan.values.as_ref().unwrap().iter().zip(0..);
        plan.outputs = Some(values.filter(|(value, _)| !is_list(value)).map(|(_, index)| index).collect());
        for (delegate, number) in plan.delegates.iter_mut().flatten().zip(1..) {
            let value = Some(vec![number; usize::from(number) * 20]);
            delegate.compile_specs = Some(vec![CompileSpec { key: Some(format!("setting {number}").into()), value }]);
        }
    }
    (valid.program.write(&segments(&valid.segments), &valid.layout).unwrap(), valid)
}

/// The data file with the external tensor of every method, and a blob.
fn external() -> Vec<u8> {
    let layout = TensorLayout::contiguous(ScalarType::FLOAT, &[2]);
    let root = FlatTensor::new([NamedData::blob("blob", 1), NamedData::tensor(program::EXTERNAL, 0, layout)]);
    let segments = [SegmentData::new(&[1, 2, 3, 4, 5, 6, 7, 8]), SegmentData::new(b"text")];
    root.write(&segments, &ptd::write::FileLayout::CURRENT).unwrap()
}

fn generated_programs_come_back() {
    for mut runtime in Runtime::all("programs") {
        let external = runtime.put("external.ptd", &external());
        for (name, valid) in models(&program::valid()) {
            let (file, valid) = program_of(valid);
            let path = runtime.put("program.pte", &file);
            let value = runtime.expect_same(&name, &[input(Role::Program, path), input(Role::Data, external.clone())]);
            let named_data = valid.program.named_data.iter().flatten();
            let put_in = named_data.map(|entry| (entry.key.as_ref().unwrap().as_bytes(), entry.segment_index));
            let put_in = put_in.map(|(key, index)| (key, &valid.segments[index as usize][..]));
            expect_put_in(&name, &value["programs"][0]["named_data"], put_in);
        }
    }
}

/// A program whose constants are in a data file, beside the one with its external tensors.
fn generated_pairs_come_back() {
    for mut runtime in Runtime::all("pairs") {
        let external = runtime.put("external.ptd", &external());
        let mut compared = 0;
        for (name, valid) in models(&program::valid()) {
            let path = runtime.put("program.pte", &program_of(valid).0);
            let mut program = Document::open(&path).unwrap();
            let (mut data, moved) = program.split().unwrap_or_else(|error| panic!("{name}: {error}"));
            if moved.tensors == 0 {
                continue;
            }
            let save = |name: &str, document: &mut Document| {
                let path = runtime.scratch.join(name);
                document.write_unchecked(&mut fs::File::create(&path).unwrap()).unwrap();
                path
            };
            let files = [
                input(Role::Program, save("split.pte", &mut program)),
                input(Role::Data, save("split.ptd", &mut data)),
                input(Role::Data, external.clone()),
            ];
            runtime.expect_same(&name, &files);
            compared += 1;
        }
        assert!(compared > 0);
    }
}

fn generated_data_files_come_back() {
    for mut runtime in Runtime::all("data") {
        let mut compared = 0;
        for (name, (root, mut bytes)) in models(&data::valid()) {
            // The runtime's worker does not read the older layout.
            if let data::Root::Current(flat_tensor) = &root {
                fill(&mut bytes);
                let path = runtime.put("data.ptd", &root.write(&segments(&bytes), &root.layout()).unwrap());
                let value = runtime.expect_same(&name, &[input(Role::Data, path)]);
                let put_in = flat_tensor.named_data.iter().flatten();
                let put_in = put_in.map(|entry| (entry.key.as_ref().unwrap().as_bytes(), entry.segment_index));
                let put_in = put_in.map(|(key, index)| (key, &bytes[index as usize][..]));
                expect_put_in(&name, &value["data_files"][0], put_in);
                compared += 1;
            }
        }
        assert!(compared > 0);
    }
}

/// The trials of this module.
pub(crate) fn trials() -> Vec<Trial> {
    trials![[Need::Reader(built::RUNTIME)]; real_files_come_back, accepted_cases_come_back, a_changed_byte_is_a_difference, generated_programs_come_back, generated_pairs_come_back, generated_data_files_come_back]
}

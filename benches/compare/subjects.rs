//! Who is measured, doing what.

use std::ffi::CString;
use std::fs;
use std::hint::black_box;
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

use torchproof::Image;
use torchproof::check::{Finding, Memory, NoMemory, Options, check};
use torchproof::ptd::Ptd;
use torchproof_cli::input::Input;
use torchproof_oracle::{self as oracle, Schema};

use crate::cpp_verifier::CppVerifier;
use crate::executorch::{ExecuTorch, Verification};
use crate::figure::Figure;
use crate::group::Group;
use crate::inputs::{self, File};
use crate::memory;
use crate::pass::structure;
use crate::report::names::{
    CHECK, CPP, CPP_DATA, INDEXED, INTERNAL, LINEAR, LOOK_UP, MEMCPY, MINIMAL, OPEN, PAGES, RUST, SAFETENSORS,
    STRUCTURE, TORCHPROOF,
};

/// The input of those that are measured by the size of their segments.
const THREE_BLOBS: &str = "files of three blobs";

/// What is there besides this project's own reader.
struct Others {
    cpp: Option<CppVerifier>,
    executorch: Option<ExecuTorch>,
}

/// Measures everything, printing as it goes.
pub(crate) fn measure_all() -> Vec<Figure> {
    let others = Others { cpp: CppVerifier::load(), executorch: ExecuTorch::load() };
    warm_up();
    let mut figures = Vec::new();
    // The verifiers stop at a million tables.
    for tables in [10, 100, 1_000, 10_000, 100_000, 999_900] {
        for file in [inputs::program(tables), inputs::data(tables)] {
            figures.extend(checks(&file, &others));
        }
    }
    figures.extend(checks(&inputs::mobilenet(), &others));
    for file in inputs::real() {
        figures.extend(checks(&file, &others));
    }
    figures.extend(open(&others));
    figures.extend(look_up());
    figures.extend(sparse());
    figures
}

/// Works for a second: a processor that has been idle is slower for a while, which the first inputs would have to bear.
fn warm_up() {
    let file = inputs::program(1_000);
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(1) {
        assert!(accepts(&file, &mut NoMemory));
    }
}

fn accepts(file: &File, memory: &mut dyn Memory) -> bool {
    let image = Image::whole(file.bytes.bytes());
    let mut sink = |_: &Finding<'_>| ControlFlow::Continue(());
    check(black_box(image), &mut { image }, &Options::default(), memory, &mut sink).accepts()
}

/// The whole check and the structure pass beside the verifiers, the runtime, and what the machine can do at all.
fn checks(file: &File, others: &Others) -> Vec<Figure> {
    // As much as files of that many entries take is lent, as on a host without a heap.
    let mut lent = vec![0_u64; 4 * usize::try_from(file.tables).unwrap_or(0) + 1024];
    let mut memory = &mut lent[..];
    let region = file.region();
    let mut copy = vec![0_u8; region.len()];
    let structure = || match file.schema {
        Schema::Program => structure::<torchproof::pte::schema::Program<'_>>(region).is_some(),
        Schema::FlatTensor => structure::<torchproof::ptd::schema::FlatTensor<'_>>(region).is_some(),
        Schema::LegacyFlatTensor => structure::<torchproof::ptd::older_schema::OlderFlatTensor<'_>>(region).is_some(),
    };
    let allocations = (file.tables <= 10_000).then(|| memory::allocations(|| assert!(accepts(file, &mut memory))));
    let mut group = Group::new(CHECK, file.name.clone())
        .tables(file.tables)
        .with(TORCHPROOF, || assert!(accepts(file, &mut memory)))
        .with(STRUCTURE, || assert!(structure()))
        .with_any(CPP, others.cpp.as_ref(), |cpp| assert!(cpp.verify(black_box(region), file.schema)))
        .with(RUST, || assert!(oracle::verify(black_box(region), file.schema).is_ok()));
    let executorch = others.executorch.as_ref();
    group = match file.schema {
        Schema::Program => {
            let load = |verification| {
                move |executorch: &ExecuTorch| assert!(executorch.load_program(&file.bytes, verification))
            };
            group.with_any(MINIMAL, executorch, load(Verification::Minimal)).with_any(
                INTERNAL,
                executorch,
                load(Verification::InternalConsistency),
            )
        }
        Schema::FlatTensor => {
            group.with_any(CPP_DATA, executorch, |executorch| assert!(executorch.load_data(&file.bytes, None)))
        }
        Schema::LegacyFlatTensor => group,
    };
    let mut figures = group
        .with(MEMCPY, || copy.copy_from_slice(black_box(region)))
        .with(PAGES, || {
            black_box(region.iter().step_by(4096).fold(0_u8, |sum, byte| sum ^ byte));
        })
        .measure();
    figures[0].allocations = allocations;
    figures
}

/// From the bytes to one tensor of a thousand.
fn open(others: &Others) -> Vec<Figure> {
    const TENSORS: usize = 1000;
    let file = inputs::tensors(TENSORS);
    let safetensors = inputs::safetensors(TENSORS);
    let key = format!("tensor.{}", TENSORS / 2);
    let c_key = CString::new(key.as_str()).expect("no zero byte");
    Group::new(OPEN, file.name.clone())
        .tables(file.tables)
        .with(TORCHPROOF, || {
            let open = Ptd::open(black_box(file.bytes.bytes())).expect("sound");
            assert!(open.tensor_bytes(key.as_bytes()).expect("sound").is_some());
        })
        .with(SAFETENSORS, || {
            let open = safetensors::SafeTensors::deserialize(black_box(&safetensors)).expect("sound");
            assert!(open.tensor(&key).is_ok());
        })
        .with_any(CPP_DATA, others.executorch.as_ref(), |executorch| {
            assert!(executorch.load_data(&file.bytes, Some(&c_key)));
        })
        .measure()
}

/// One key of many, in a file that is open.
fn look_up() -> Vec<Figure> {
    const TENSORS: usize = 100_000;
    let file = inputs::tensors(TENSORS);
    let open = Ptd::open(file.bytes.bytes()).expect("sound");
    let mut memory = vec![0; open.keys().expect("sound")];
    let indexed = open.indexed(&mut memory).expect("sound");
    let mut next = 0;
    // Another key each time, or the last one's way would be in the caches.
    let mut key = || {
        next = (next + 7919) % TENSORS;
        format!("tensor.{next}")
    };
    let keys: Vec<String> = (0..1024).map(|_| key()).collect();
    let (mut one, mut other) = (keys.iter().cycle(), keys.iter().cycle());
    let mut find = move || other.next().expect("endless").as_bytes();
    let mut search = move || one.next().expect("endless").as_bytes();
    Group::new(LOOK_UP, file.name.clone())
        .with(INDEXED, || assert!(indexed.tensor_bytes(find()).expect("sound").is_some()))
        .with(LINEAR, || assert!(open.tensor_bytes(search()).expect("sound").is_some()))
        .measure()
}

/// Bytes of all segments, by the name of a file that has them.
const SEGMENTS: [(&str, u64); 7] = [
    ("1 KiB of segments", 1 << 10),
    ("64 KiB of segments", 64 << 10),
    ("1 MiB of segments", 1 << 20),
    ("64 MiB of segments", 64 << 20),
    ("1 GiB of segments", 1 << 30),
    ("8 GiB of segments", 8 << 30),
    ("64 GiB of segments", 64 << 30),
];

/// Files whose segments are holes: how large they are must not matter.
fn sparse() -> Vec<Figure> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the target folder can be written");
    let files = SEGMENTS.map(|(name, bytes)| (name, inputs::sparse(&folder, name, bytes)));
    let look = |path: &Path| {
        let input = Input::open(path).expect("it opens");
        let open = Ptd::open_image(input.image()).expect("sound");
        let mut first = 0;
        let span = open.segment(2).expect("sound");
        input.read(torchproof::Span::new(span.offset, 64), &mut |piece| first += piece.len()).expect("readable");
        assert_eq!(first, 64);
        (input.image().bytes().len() - open.region().len()) as u64
    };
    let every_rule = |path: &Path| {
        let input = Input::open(path).expect("it opens");
        let mut sink = |_: &Finding<'_>| ControlFlow::Continue(());
        check(input.image(), &mut &input, &Options::default(), &mut NoMemory, &mut sink).accepts()
    };
    let (mut opened, mut checked) = (Group::new(OPEN, THREE_BLOBS), Group::new(CHECK, THREE_BLOBS));
    for (name, path) in &files {
        opened = opened.with(name, || assert_eq!(look(path), 0));
        checked = checked.with(name, || assert!(every_rule(path)));
    }
    let mut figures = opened.measure();
    let [.., largest] = &mut figures[..] else { unreachable!("there are sizes") };
    let [.., (_, path)] = &files;
    largest.beyond_tables = Some(look(path));
    let mut checked = checked.measure();
    let [.., largest] = &mut checked[..] else { unreachable!("there are sizes") };
    largest.peak_bytes = memory::peak(path).map_err(|error| eprintln!("not measured: peak memory ({error})")).ok();
    let _ = fs::remove_dir_all(&folder);
    let _ = std::io::stdout().flush();
    figures.extend(checked);
    figures
}

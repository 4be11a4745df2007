//! What is counted. Each subject is prepared in a process of its own, from inputs that are the same every time.

use std::hint::black_box;

use torchproof::attack::{Base, Selection, draw};
use torchproof::generate::Kind;
use torchproof::ptd::{self, Ptd};
use torchproof::pte::{self, Pte};
use torchproof::random::Random;
use torchproof_oracle::build;

use crate::work;

/// What is counted of a subject: called once before, so that nothing is done for the first time.
pub(crate) type Call = Box<dyn FnMut() -> usize>;

/// The name that the subject's figure has, and what makes its inputs.
pub(crate) type Subject = (&'static str, fn() -> Call);

/// Tables of the generated files, about.
const TABLES: usize = 1000;
/// Keys of the file that one is looked up in.
const KEYS: usize = 10_000;
/// Seeds of the files that are generated, and attacks on one file.
const SEEDS: u64 = 16;

pub(crate) const SUBJECTS: &[Subject] = &[
    ("probe a program, a data file and neither, 100 times", || {
        let files = [real("linear.pte"), real("mlp_external.ptd"), &[7; 64]];
        let all =
            move || files.iter().map(|file| usize::try_from(work::probe(black_box(file)).2).expect("small")).sum();
        call(move || again(all))
    }),
    ("open a program of 1000 tables 100 times", || {
        let file = program();
        call(move || again(|| Pte::open(black_box(file)).expect("sound").region().len()))
    }),
    ("open a data file of 1000 tables 100 times", || {
        let file = data();
        call(move || again(|| Ptd::open(black_box(file)).expect("sound").region().len()))
    }),
    ("structure of a program of 1000 tables", || {
        let region = Pte::open(program()).expect("sound").region();
        call(move || work::structure::<pte::schema::Program<'_>>(region))
    }),
    ("structure of a data file of 1000 tables", || {
        let region = Ptd::open(data()).expect("sound").region();
        call(move || work::structure::<ptd::schema::FlatTensor<'_>>(region))
    }),
    ("check a program of 1000 tables", || check(program())),
    ("check a data file of 1000 tables", || check(data())),
    ("check multi_method.pte", || check(real("multi_method.pte"))),
    ("check mlp_external.ptd", || check(real("mlp_external.ptd"))),
    ("look up the last of 10000 keys", || {
        let file = keys();
        let key = work::last_key(&file);
        call(move || file.tensor_bytes(&key).expect("sound").expect("present").len())
    }),
    ("index 10000 keys", || {
        let file = keys();
        let mut memory = vec![0; file.keys().expect("sound")];
        call(move || file.indexed(&mut memory).expect("sound").file().region().len())
    }),
    ("look up the last of 10000 keys 100 times, indexed", || {
        let file = keys();
        let memory = vec![0; file.keys().expect("sound")].leak();
        let (indexed, key) = (file.indexed(memory).expect("sound"), work::last_key(&file));
        call(move || again(|| indexed.tensor_bytes(black_box(&key)).expect("sound").expect("present").len()))
    }),
    ("annotate multi_method.pte", || annotate(real("multi_method.pte"))),
    ("annotate a program of 1000 tables", || annotate(program())),
    ("annotate a data file of 1000 tables", || annotate(data())),
    ("annotate a program of 1000 tables, and print it", || {
        let file = program();
        call(move || {
            work::annotate_and_print(file);
            0
        })
    }),
    ("dump multi_method.pte", || dump(real("multi_method.pte"))),
    ("dump a program of 1000 tables", || dump(program())),
    ("dump a data file of 1000 tables", || dump(data())),
    ("generate 16 programs", || generate(Kind::Pte)),
    ("generate 16 data files", || generate(Kind::Ptd)),
    ("generate 16 older data files", || generate(Kind::PtdLegacy)),
    ("map mlp_xnnpack.pte for attacks", || {
        let file = real("mlp_xnnpack.pte");
        call(move || Base::of(file.to_vec()).bytes().len())
    }),
    ("attack mlp_xnnpack.pte 16 times", || attack(Base::of(real("mlp_xnnpack.pte").to_vec()))),
    ("attack a program of 1000 tables 16 times", || attack(Base::of(program().to_vec()))),
    ("pack multi_method.pte", || pack(real("multi_method.pte"))),
    ("pack a program of 1000 tables", || pack(program())),
    ("pack a data file of 1000 tables", || pack(data())),
    ("pack 300 tensors", || {
        let tensors = work::tensors(300);
        call(move || work::pack_tensors(&tensors))
    }),
];

/// What takes a few instructions is counted many times over, or calling it would be a part of the figure.
fn again(call: impl Fn() -> usize) -> usize {
    (0..100).map(|_| call()).sum()
}

fn call(call: impl FnMut() -> usize + 'static) -> Call {
    Box::new(call)
}

// Inputs are leaked: the process ends when they have been used.

fn real(name: &str) -> &'static [u8] {
    work::real(name).leak()
}

fn program() -> &'static [u8] {
    build::program(TABLES / 5, TABLES / 5).leak()
}

fn data() -> &'static [u8] {
    build::flat_tensor(TABLES / 3).leak()
}

fn keys() -> Ptd<'static> {
    Ptd::open(build::flat_tensor(KEYS).leak()).expect("sound")
}

fn check(file: &'static [u8]) -> Call {
    let mut memory = Vec::new();
    call(move || work::check(file, &mut memory))
}

fn annotate(file: &'static [u8]) -> Call {
    call(move || work::annotate(file))
}

fn dump(file: &'static [u8]) -> Call {
    call(move || {
        work::dump(file);
        0
    })
}

fn generate(kind: Kind) -> Call {
    call(move || (0..SEEDS).map(|seed| work::generate(kind, seed)).sum())
}

fn attack(base: Base) -> Call {
    let selection = Selection::default();
    let one = move |index| draw(&base, &selection, &Random::new(1).part(index)).map_or(0, |made| made.bytes.len());
    call(move || (0..SEEDS).map(&one).sum())
}

fn pack(file: &[u8]) -> Call {
    let specification = work::specification(file);
    call(move || work::pack(&specification).len())
}

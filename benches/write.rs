//! Writing tables against the `flatbuffers` crate's builder, in turn in one loop: `cargo bench --bench write`.
//!
//! The builder begins with nothing and ends with a FlatBuffer, and checks nothing; so does `made`, which makes a model and
//! encodes it. `model` begins with the model, and `tree` with a tree. `checked` begins with the model, plans its file, and checks
//! what came of it, as everything does that hands out files. That the tables are the same is asserted. The time is that of the
//! thread on the processor, as in `ratio`. Segments' bytes are written in `stream`.

mod timing;

use std::hint::black_box;

use timing::{median, timed};
use torchproof::ScalarType;
use torchproof::flatbuffer::build::{Builder, encode};
use torchproof::flatbuffer::schema::{TableType, TableView};
use torchproof::flatbuffer::tree::TableTree;
use torchproof::ptd::model::{FlatTensor, NamedData, TensorLayout};
use torchproof::pte::model::{
    Chain, ContainerMetadata, DataSegment, ExecutionPlan, Instruction, Int, KernelCall, Operator, Program,
    SubsegmentOffsets, Tensor,
};
use torchproof::write::{Plan, Refusal, Shape};
use torchproof::{ptd, pte};
use torchproof_oracle::build;

/// Rounds of each subject in turn; the median ratio of a round is printed.
const ROUNDS: usize = 60;
/// Tensors written in a round, about.
const TENSORS: usize = 20_000;
/// Bytes of a tensor, and from one segment to the next.
const TENSOR_BYTES: u64 = 64;
const SEGMENT_ALIGNMENT: u64 = 128;

fn main() {
    println!("time for a FlatBuffer, median of {ROUNDS} rounds; the builder is 1, and below 1 is faster than it");
    println!(
        "{:<8}{:>8}{:>20}{:>8}{:>8}{:>8}{:>9}",
        "input", "tensors", "builder, ns/tensor", "tree", "model", "made", "checked"
    );
    for tensors in [100, 1_000, 10_000, 100_000] {
        row(&Subject {
            name: "pte",
            tensors,
            ty: pte::schema::Program::TYPE,
            identifier: pte::IDENTIFIER,
            builder: &|| build::program(tensors, tensors),
            make: &|| program(tensors),
            tree: Program::to_tree,
            encode: |model| model.encode(&Builder::new(pte::IDENTIFIER)).expect("encodable"),
            plan: &|model| model.plan(&[Shape::new(0)], &pte::write::FileLayout::default()),
        });
        let shapes = vec![Shape::new(TENSOR_BYTES); tensors];
        row(&Subject {
            name: "ptd",
            tensors,
            ty: ptd::schema::FlatTensor::TYPE,
            identifier: ptd::IDENTIFIER,
            builder: &|| build::flat_tensor_tables(tensors),
            make: &|| data(tensors),
            tree: FlatTensor::to_tree,
            encode: |model| model.encode(&Builder::new(ptd::IDENTIFIER)).expect("encodable"),
            plan: &|model| model.plan(&shapes, &ptd::write::FileLayout::CURRENT),
        });
    }
}

/// A file, and who writes it.
struct Subject<'s, M> {
    name: &'static str,
    tensors: usize,
    ty: &'static TableType,
    identifier: [u8; 4],
    /// Makes the FlatBuffer out of nothing.
    builder: &'s dyn Fn() -> Vec<u8>,
    /// Makes the model out of nothing.
    make: &'s dyn Fn() -> M,
    tree: fn(&M) -> TableTree,
    /// Encodes the model.
    encode: fn(&M) -> Vec<u8>,
    /// Encodes the model and checks what came of it.
    plan: &'s dyn Fn(&M) -> Result<Plan, Refusal>,
}

fn row<M>(subject: &Subject<'_, M>) {
    let Subject { name, tensors, ty, identifier, builder, make, tree, encode: of_model, plan } = *subject;
    let model = make();
    let tree = tree(&model);
    let read = |bytes: &[u8]| TableTree::read(torchproof::flatbuffer::root(bytes).expect("sound"), ty).expect("sound");
    assert!(read(&builder()) == tree, "both write the same tables");
    assert!(read(&of_model(&model)) == tree, "a model and its tree are the same tables");
    let encode = || encode(black_box(&tree), identifier).expect("encodable").len();
    let plan = |model: &M| plan(black_box(model)).expect("accepted").head().len();
    let times = (TENSORS / tensors).max(1);
    let (mut theirs, mut ratios) = (Vec::new(), [const { Vec::new() }; 4]);
    for _ in 0..ROUNDS {
        let builder = timed(times, || builder().len());
        theirs.push(builder / tensors as f64);
        ratios[0].push(timed(times, encode) / builder);
        ratios[1].push(timed(times, || of_model(black_box(&model)).len()) / builder);
        ratios[2].push(timed(times, || of_model(&make()).len()) / builder);
        ratios[3].push(timed(times, || plan(&model)) / builder);
    }
    let [tree, model, made, checked] = ratios.map(median);
    println!("{name:<8}{tensors:>8}{:>20.1}{tree:>8.2}{model:>8.2}{made:>8.2}{checked:>9.2}", median(theirs));
}

/// What [`build::program`] has in it.
fn program(tensors: usize) -> Program {
    let int = |number: usize| i32::try_from(number).expect("few");
    let mut plan =
        ExecutionPlan { container_meta_type: Some(ContainerMetadata::default()), ..ExecutionPlan::new("forward") };
    let memory = plan.push_buffer(i64::from(int(tensors)) * TENSOR_BYTES as i64);
    for index in 0..tensors {
        let tensor = Tensor::contiguous(ScalarType::FLOAT, &[4, 4]);
        plan.push_value(tensor.planned(memory, index as u64 * TENSOR_BYTES));
    }
    let [dimension, size, sum] = [0; 3].map(|number| plan.push_value(Int { int_val: number }));
    let ask = plan.push_operator(Operator::new("aten::sym_size", "int"));
    let add = plan.push_operator(Operator::new("executorch_prim::add", "Scalar"));
    let call = |index| match index % 2 {
        0 => KernelCall::new(ask, [int(index), dimension, size]),
        _ => KernelCall::new(add, [size, dimension, sum]),
    };
    let calls: Vec<Instruction> = (0..tensors).map(|index| call(index).into()).collect();
    plan.chains = Some(vec![Chain::new(calls)]);
    Program {
        constant_buffer: None,
        backend_delegate_data: None,
        segments: Some(vec![DataSegment::default()]),
        constant_segment: Some(SubsegmentOffsets::of_constants(0, &[])),
        ..Program::new([plan.with_io([0], [size, sum])])
    }
}

/// What [`build::flat_tensor`] has in it.
fn data(tensors: usize) -> FlatTensor {
    use ptd::model::DataSegment;
    let entry = |index: u32| {
        let layout = TensorLayout::contiguous(ScalarType::FLOAT, &[4, 4]);
        NamedData::tensor(format!("tensor.{index}"), index, layout)
    };
    let segment = |index: u32| DataSegment { offset: u64::from(index) * SEGMENT_ALIGNMENT, size: TENSOR_BYTES };
    let count = u32::try_from(tensors).expect("few");
    let segments = Some((0..count).map(segment).collect());
    FlatTensor { segments, ..FlatTensor::new((0..count).map(entry).collect::<Vec<_>>()) }
}

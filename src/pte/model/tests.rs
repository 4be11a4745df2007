#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

mod random;

use std::string::ToString as _;

use proptest::prelude::*;

use super::*;
use crate::corpus::Verdict;
use crate::flatbuffer::build::{Builder, encode};
use crate::flatbuffer::root;
use crate::flatbuffer::schema::TableView;
use crate::flatbuffer::tree::random::tree;
use crate::pte::write::HeaderKind;
use crate::pte::{Pte, schema};
use crate::seeded::seeded;
use crate::write::tests::broken;
use crate::write::{Source, WriteError, stream};
use crate::{Limits, ScalarType, cases};

/// The program in a file, its segments' bytes, and a layout that has the header as it is there.
fn read(bytes: &[u8]) -> (Program, Vec<&[u8]>, FileLayout) {
    let open = Pte::open(bytes).unwrap();
    let program = Program::from_view(open.program(), Limits::DEFAULT).unwrap();
    let count = program.segments.as_ref().map_or(0, Vec::len);
    let segments = (0..count).map(|index| open.segment_bytes(u32::try_from(index).unwrap()).unwrap());
    let header = open.header().map_or(HeaderKind::Never, |header| HeaderKind::Always(header.length));
    (program, segments.collect(), FileLayout { header, ..FileLayout::default() })
}

fn data<'a>(segments: &[&'a [u8]]) -> Vec<SegmentData<'a>> {
    segments.iter().map(|bytes| SegmentData::new(bytes)).collect()
}

/// The same program, with what the writer makes of its segments left out.
fn without_places(program: Program) -> Program {
    Program { segments: None, ..program }
}

fn comes_back(name: &str, bytes: &[u8]) -> Vec<u8> {
    let (program, segments, layout) = read(bytes);
    let written = program.write(&data(&segments), &layout).unwrap_or_else(|refusal| panic!("{name}: {refusal}"));
    let (own, of_tree) = (program.encode(&Builder::new(*b"ET12")), encode(&program.to_tree(), *b"ET12"));
    assert!(own.is_ok() && own == of_tree, "{name}");
    let (again, same_segments, _) = read(&written);
    assert_eq!(same_segments, segments, "{name}");
    assert_eq!(without_places(again), without_places(program), "{name}");
    written
}

/// The official writer's program files come back byte for byte: the model loses nothing.
#[test]
fn real_files_are_written_again_as_they_were() {
    let mut files = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/real")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "pte") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let name = path.display().to_string();
        if path.ends_with("align4096.pte") {
            let (program, segments, layout) = read(&bytes);
            let layout = FileLayout { segment_alignment: 4096, ..layout };
            assert!(program.write(&data(&segments), &layout).unwrap() == bytes, "{name} came back different");
        } else {
            assert!(comes_back(&name, &bytes) == bytes, "{name} came back different");
        }
        files += 1;
    }
    assert_eq!(files, 10);
}

#[test]
fn accepted_cases_are_written_again_with_equal_values() {
    let mut count = 0;
    for case in cases::all().filter(|case| case.verdict == Verdict::Accept && case.id.starts_with("pte/")) {
        comes_back(case.id, &case.build().unwrap().bytes);
        count += 1;
    }
    assert!(count > 20, "{count}");
}

/// A method that moves its input to its output.
fn program() -> Program {
    let tensor = || Tensor::contiguous(ScalarType::FLOAT, &[2, 2]);
    let mut plan = ExecutionPlan::new("forward");
    let memory = plan.push_buffer(32);
    let input = plan.push_value(tensor().planned(memory, 0));
    let output = plan.push_value(tensor().planned(memory, 16));
    plan.push_value(tensor().constant(1));
    plan.push_instruction(MoveCall { move_from: input, move_to: output });
    let mut program = Program::new([plan.with_io([input], [output])]);
    program.constant_segment = Some(SubsegmentOffsets::of_constants(0, &[0]));
    program
}

fn plan_of(program: &mut Program) -> &mut ExecutionPlan {
    &mut program.execution_plan.as_mut().unwrap()[0]
}

type Edit = fn(&mut Program);

#[test]
fn what_breaks_a_rule_is_refused_and_the_raw_layer_writes_it() {
    let constants = [SegmentData::new(&[1; 16])];
    let shapes = [Shape::new(16)];
    let layout = FileLayout::default();
    assert!(program().write(&constants, &layout).is_ok());
    let broken: [(Edit, &str, &str); 8] = [
        (|program| program.version = 1, "prog-version-zero", "version"),
        (|program| program.execution_plan = None, "plan-list-nonnull", "execution_plan"),
        (|program| plan_of(program).inputs = Some(vec![3]), "plan-io-range", "execution_plan[0].inputs[0]"),
        (|program| plan_of(program).values = None, "plan-values-nonnull", "execution_plan[0].values"),
        (
            |program| plan_of(program).non_const_buffer_sizes = Some(vec![0, 31]),
            "mem-in-buffer",
            "execution_plan[0].values[1].val.allocation_info.memory_offset_low",
        ),
        (
            |program| program.constant_segment = Some(SubsegmentOffsets::of_constants(0, &[1])),
            "const-offset-bound",
            "execution_plan[0].values[2].val.data_buffer_idx",
        ),
        (
            |program| program.constant_segment = Some(SubsegmentOffsets::of_constants(1, &[0])),
            "const-seg-index",
            "constant_segment.segment_index",
        ),
        (
            |program| program.named_data = Some(vec![NamedData { key: None, segment_index: 0 }]),
            "nd-key-nonnull",
            "named_data[0].key",
        ),
    ];
    let mut seen = Vec::new();
    for (edit, _, _) in broken {
        let mut model = program();
        edit(&mut model);
        let refusal = model.write(&constants, &layout).unwrap_err();
        let Refusal::Broken { rule, path, .. } = &refusal else { panic!("{refusal}") };
        seen.push((rule.id, path.clone()));
        assert_eq!(model.plan(&shapes, &layout), Err(refusal));
        assert!(write::write(&model.to_tree(), &constants, &layout).is_ok());
    }
    let expected: Vec<_> = broken.iter().map(|(_, id, path)| (*id, path.to_string())).collect();
    assert_eq!(seen, expected);
}

/// A dimension is a byte, so more of them than bytes can name are no tensor.
#[test]
fn a_tensor_of_too_many_dimensions_is_refused() {
    let refused = [256, 257].map(|rank| {
        let mut plan = ExecutionPlan::new("forward");
        plan.push_value(Tensor::contiguous(ScalarType::FLOAT, &vec![1; rank]));
        let refusal = Program::new([plan]).write(&[], &FileLayout::default()).unwrap_err();
        let Refusal::Broken { rule, .. } = refusal else { panic!("{refusal}") };
        rule.id
    });
    assert_eq!(refused, ["t-rank-max", "t-rank-max"]);
}

#[test]
fn a_warning_is_no_refusal() {
    let mut program = program();
    program.named_data = Some(vec![NamedData::new("", 0)]);
    let file = program.write(&[SegmentData::new(&[1; 16])], &FileLayout::default()).unwrap();
    assert_eq!(broken(&file).len(), 1);
}

#[test]
fn what_cannot_be_laid_out_is_refused() {
    let zero = FileLayout { segment_alignment: 0, ..FileLayout::default() };
    let refusal = program().write(&[SegmentData::new(&[1; 16])], &zero);
    assert_eq!(refusal, Err(Refusal::Layout(WriteError::ZeroAlignment { segment: None })));
    assert_eq!(program().plan(&[Shape::new(16)], &zero), Err(refusal.unwrap_err()));
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn valid_programs_are_written_and_read_back(valid in random::valid()) {
        let segments: Vec<_> = valid.segments.iter().map(Vec::as_slice).collect();
        let file = valid.program.write(&data(&segments), &valid.layout).unwrap();
        prop_assert_eq!(broken(&file), Vec::<std::string::String>::new());
        let (program, same_segments, _) = read(&file);
        prop_assert_eq!(&same_segments, &segments);
        prop_assert_eq!(without_places(program), valid.program.clone());

        let shapes: Vec<_> = data(&segments).into_iter().map(Shape::from).collect();
        let plan = valid.program.plan(&shapes, &valid.layout).unwrap();
        let sources = segments.iter().map(|bytes| Source::Bytes(bytes));
        let mut streamed = Vec::new();
        stream(&plan, sources, &mut streamed).unwrap();
        prop_assert!(streamed == file);
    }

    /// Without a panic.
    #[test]
    fn anything_is_written_or_refused(tree in tree(schema::Program::TYPE), len in 0..300_usize) {
        let bytes = encode(&tree, crate::pte::IDENTIFIER).unwrap();
        let view = schema::Program::from_table(root(&bytes).unwrap());
        let program = Program::from_view(view, Limits::DEFAULT).unwrap();
        let segments = vec![0; len];
        if let Err(refusal) = program.write(&[SegmentData::new(&segments)], &FileLayout::default()) {
            prop_assert!(matches!(refusal, Refusal::Broken { .. }), "{}", refusal);
        }
    }
}

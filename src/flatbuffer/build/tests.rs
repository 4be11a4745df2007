#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::collections::BTreeSet;
use std::string::ToString;
use std::vec;
use std::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::flatbuffer::schema::{Field, TableView};
use crate::flatbuffer::tree::FieldValue;
use crate::flatbuffer::tree::random::tree;
use crate::flatbuffer::walk::{Flow, Path, Visitor, walk};
use crate::flatbuffer::{Fault, Table};
use crate::ptd::Ptd;
use crate::ptd::legacy_schema::LegacyFlatTensor;
use crate::ptd::schema::{FlatTensor, NamedData};
use crate::pte::Pte;
use crate::pte::schema::{
    AllocationDetails, Buffer, DataSegment, Double, EValue, ExecutionPlan, Int, KernelTypes, Null, Program, Tensor,
};
use crate::{Limits, Span, corpus};

const ID: [u8; 4] = *b"ET12";

struct Strict;

impl Visitor<'_> for Strict {
    fn fault(&mut self, fault: &Fault, path: &Path<'_>) -> Flow {
        panic!("{path}: {fault}");
    }

    fn outside_object(&mut self, field: &Fault, object_len: u16, path: &Path<'_>) -> Flow {
        panic!("{path}: {field} outside an object of {object_len}");
    }

    fn aligned(&mut self, elements: Span, align: usize, path: &Path<'_>) -> Flow {
        assert!(align > 1 && elements.offset.is_multiple_of(align as u64), "{path}");
        Ok(())
    }
}

fn encoded(builder: &Builder, tree: &TableTree) -> Result<Vec<u8>, WriteError> {
    builder.encode_with(tree, &TableTree::new(tree.ty()))
}

fn round_trip<'a, T: TableView<'a>>(bytes: &'a [u8]) -> TableTree {
    let (_, flow) = walk::<T>(bytes, Limits::default(), &mut Strict);
    assert_eq!(flow, Ok(()));
    TableTree::read(Table::root(bytes).unwrap(), T::TYPE).unwrap()
}

proptest! {

    #[test]
    fn programs_read_back_equal(tree in tree(Program::TYPE)) {
        let bytes = encode(&tree, ID).unwrap();
        prop_assert_eq!(&encode(&tree, ID).unwrap(), &bytes);
        prop_assert_eq!(round_trip::<Program<'_>>(&bytes), tree);
    }

    #[test]
    fn encode_with_adds_unset_root_fields(
        tree in tree(Program::TYPE),
        segments in vec(tree(DataSegment::TYPE), 0..4),
    ) {
        let more = TableTree::new(Program::TYPE).with("version", 7).with("segments", segments);
        let mut both = tree.clone();
        for (field, value) in more.fields().filter(|(field, _)| tree.get(field.name).is_none()) {
            both.set(field.name, value.clone()).unwrap();
        }
        prop_assert_eq!(Builder::new(ID).encode_with(&tree, &more).unwrap(), encode(&both, ID).unwrap());
    }

    #[test]
    fn data_files_read_back_equal(tree in tree(FlatTensor::TYPE)) {
        prop_assert_eq!(round_trip::<FlatTensor<'_>>(&encode(&tree, ID).unwrap()), tree);
    }

    #[test]
    fn legacy_data_files_read_back_equal(tree in tree(LegacyFlatTensor::TYPE)) {
        prop_assert_eq!(round_trip::<LegacyFlatTensor<'_>>(&encode(&tree, ID).unwrap()), tree);
    }

    #[test]
    fn a_tree_without_defaults_reads_back_equal(tree in tree(Program::TYPE)) {
        let mut elided = tree.clone();
        elided.elide_defaults();
        let bytes = encode(&elided, ID).unwrap();
        prop_assert_eq!(&round_trip::<Program<'_>>(&bytes), &elided);
        elided.elide_defaults();
        prop_assert_eq!(round_trip::<Program<'_>>(&bytes), elided);
    }
}

#[test]
fn encodes_a_small_tree_to_exact_bytes() {
    let tree = TableTree::new(Int::TYPE).with("int_val", 7);
    let bytes = encode(&tree, *b"ABCD").unwrap();
    // The expected bytes are the root offset 20, the identifier, padding, the vtable, the table, and the value at a
    // multiple of 8. The vtable contains its own length (6), the object length (12) and the offset of the field (4).
    // The table begins 6 bytes after the start of the vtable.
    let expected =
        [20, 0, 0, 0, b'A', b'B', b'C', b'D', 0, 0, 0, 0, 0, 0, 6, 0, 12, 0, 4, 0, 6, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(bytes, expected);
}

#[test]
fn writes_each_of_many_vtables_once() {
    // The test writes all table shapes twice, because there are more of them than entries in `Vtables::recent`.
    let numbers = ["storage_offset", "data_buffer_idx", "scalar_type", "layout", "shape_dynamism"];
    let shapes = 1 << (numbers.len() + 4);
    let tensor = |shape: usize| {
        let there = |bit: usize| shape >> bit & 1 == 1;
        let mut tree = TableTree::new(Tensor::TYPE);
        for (bit, name) in numbers.into_iter().enumerate().filter(|(bit, _)| there(*bit)) {
            tree = tree.with(name, i64::try_from(bit).unwrap());
        }
        let more: [(&str, FieldValue); 4] = [
            ("sizes", vec![1i32].into()),
            ("dim_order", vec![0u8].into()),
            ("requires_grad", true.into()),
            ("allocation_info", TableTree::new(AllocationDetails::TYPE).into()),
        ];
        for (_, (name, value)) in more.into_iter().enumerate().filter(|(bit, _)| there(numbers.len() + bit)) {
            tree = tree.with(name, value);
        }
        TableTree::new(EValue::TYPE).with("val", tree)
    };
    let values: Vec<_> = (0..2 * shapes).map(|index| tensor(index % shapes)).collect();
    let bytes = encode(&TableTree::new(ExecutionPlan::TYPE).with("values", values), ID).unwrap();
    let plan = ExecutionPlan::from_table(Table::root(&bytes).unwrap());
    let values = plan.values().unwrap().unwrap().iter().map(|value| value.unwrap().table().field(1).unwrap());
    let vtables: Vec<_> = values.map(|val| Table::follow(&bytes, val).unwrap().vtable()).collect();
    let (first, again) = vtables.split_at(shapes);
    assert_eq!(first, again);
    let distinct: BTreeSet<_> = first.iter().collect();
    assert_eq!(distinct.len(), shapes);
}

#[test]
fn the_last_alignment_of_a_field_applies() {
    let tensor = TableTree::new(Tensor::TYPE).with("sizes", [1]).with("dim_order", [0]);
    let plan = TableTree::new(ExecutionPlan::TYPE).with("inputs", [0]);
    let sizes = |builder: Builder, alignment| builder.align(Tensor::TYPE, "sizes", alignment).unwrap();
    let order = |builder: Builder, alignment| builder.align(Tensor::TYPE, "dim_order", alignment).unwrap();
    let aligned = |builder: &Builder, tree: &TableTree| encoded(builder, tree).unwrap().len().is_multiple_of(4096);
    let small = Builder::new(ID);
    assert!(!aligned(&small, &tensor));
    let large = sizes(small.clone(), 4096);
    assert!(aligned(&large, &tensor));
    assert!(!aligned(&sizes(large.clone(), 4), &tensor));
    assert!(aligned(&sizes(sizes(small.clone(), 4), 4096), &tensor));
    // The alignment does not apply to other fields, nor to the same slot of another table.
    assert!(aligned(&order(large, 1), &tensor));
    let inputs = small.align(ExecutionPlan::TYPE, "inputs", 4096).unwrap();
    assert!(aligned(&order(inputs, 1), &plan));
}

#[test]
fn rejects_invalid_alignments() {
    let align = |field, alignment| Builder::new(ID).align(Buffer::TYPE, field, alignment).unwrap_err().to_string();
    let messages = [align("storage", 24), align("storage", 8), align("storage", 0), align("bytes", 16)];
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn integers_convert_when_they_fit() {
    let tree = TableTree::new(Tensor::TYPE)
        .with("scalar_type", "FLOAT")
        .with("sizes", [2u64, 3])
        .with("dim_order", [0, 1])
        .with("requires_grad", 7)
        .with("layout", -1)
        .with("data_buffer_idx", 4_000_000_000_u64);
    assert_eq!(tree.mistake(), None);
    assert_eq!(tree.get("scalar_type").unwrap().as_int(), Some(6));
    assert_eq!(tree.get("sizes").unwrap().as_bytes(), Some(&[2, 0, 0, 0, 3, 0, 0, 0][..]));
    assert_eq!(tree.get("dim_order").unwrap().as_bytes(), Some(&[0, 1][..]));
    assert_eq!(tree.get("requires_grad").unwrap().as_int(), Some(7));
    assert_eq!(tree.get("layout").unwrap().as_int(), Some(-1));
    assert_eq!(round_trip::<Tensor<'_>>(&encode(&tree, ID).unwrap()), tree);
}

#[test]
fn the_encoder_returns_the_first_mistake() {
    let tensor = || TableTree::new(Tensor::TYPE);
    let value = |val: TableTree| TableTree::new(EValue::TYPE).with("val", val);
    let of_other_schema = TableTree::new(crate::pte::schema::NamedData::TYPE);
    let messages = [
        tensor().with("size", [1]),
        tensor().without("size"),
        tensor().with("sizes", "abc"),
        tensor().with("sizes", [1.5]),
        tensor().with("layout", 128),
        tensor().with("scalar_type", "FLOT"),
        value(TableTree::new(Program::TYPE)),
        TableTree::new(Program::TYPE).with("execution_plan", [TableTree::new(Int::TYPE)]),
        tensor().with("size", [1]).with("layout", 128),
        value(tensor().with("size", [1])),
        TableTree::new(FlatTensor::TYPE).with("named_data", [of_other_schema]),
    ]
    .map(|tree| encode(&tree, ID).unwrap_err().to_string());
    insta::assert_snapshot!(messages.join("\n"));
    assert_ne!(TableTree::new(NamedData::TYPE), TableTree::new(crate::pte::schema::NamedData::TYPE));
}

#[test]
fn rejects_tables_of_the_wrong_type() {
    let mut program = TableTree::new(Program::TYPE).with("execution_plan", Vec::<TableTree>::new());
    program.tables_mut("execution_plan").unwrap().push(TableTree::new(Int::TYPE));
    let mut tensor = TableTree::new(Tensor::TYPE).with("allocation_info", TableTree::new(AllocationDetails::TYPE));
    assert!(encode(&tensor, ID).is_ok());
    *tensor.table_mut("allocation_info").unwrap() = TableTree::new(Int::TYPE);
    let paths = [program, tensor].map(|tree| encode(&tree, ID).unwrap_err().path().to_string());
    assert_eq!(paths, ["Program.execution_plan", "Tensor.allocation_info"]);
}

#[test]
fn elide_defaults_changes_every_table() {
    let zero = || TableTree::new(Int::TYPE).with("int_val", 0);
    let value = || TableTree::new(EValue::TYPE).with("val", zero());
    let plan = TableTree::new(ExecutionPlan::TYPE).with("values", [value(), value()]);
    let mut program = TableTree::new(Program::TYPE).with("version", 0).with("execution_plan", [plan]);
    program.elide_defaults();
    assert_eq!(program.get("version"), None);
    for path in ["execution_plan[0].values[0].val", "execution_plan[0].values[1].val"] {
        assert_eq!(program.at(path).unwrap().fields().len(), 0, "{path}");
    }
    let negative_zero = TableTree::new(Double::TYPE).with("double_val", -0.0);
    let mut kept = negative_zero.clone();
    kept.elide_defaults();
    assert_eq!(kept, negative_zero);
}

#[test]
fn a_tree_prints_its_fields_and_its_mistake() {
    let tree = TableTree::new(Int::TYPE).with("int_val", 7);
    insta::assert_snapshot!(std::format!("{tree:?}\n{:?}", tree.clone().with("int", 7)));
}

#[test]
fn a_failed_set_changes_nothing() {
    let mut value = TableTree::new(EValue::TYPE).with("val", TableTree::new(Null::TYPE));
    let before = value.clone();
    assert!(value.set("val", TableTree::new(Program::TYPE)).is_err());
    assert!(value.set("val_type", 256).is_err());
    assert_eq!(value, before);
}

#[test]
fn unions_accept_invalid_tags_and_values() {
    let tag = |value: &TableTree| value.get("val_type").and_then(FieldValue::as_int);
    let int = TableTree::new(EValue::TYPE).with("val", TableTree::new(Int::TYPE).with("int_val", 1));
    assert_eq!(tag(&int), Some(2));
    let renamed = int.clone().with("val_type", KernelTypes::Double);
    assert_eq!(tag(&renamed), Some(4));
    let named = TableTree::new(EValue::TYPE).with("val_type", "TensorList");
    assert_eq!(tag(&named), Some(10));
    for kept in [
        TableTree::new(EValue::TYPE).with("val_type", 200).with("val", FieldValue::opaque()),
        TableTree::new(EValue::TYPE).with("val_type", KernelTypes::Int),
        TableTree::new(EValue::TYPE).with("val", FieldValue::opaque()),
        TableTree::new(EValue::TYPE).with("val_type", "NONE"),
    ] {
        let bytes = encode(&kept, ID).unwrap();
        assert_eq!(TableTree::read(Table::root(&bytes).unwrap(), EValue::TYPE).unwrap(), kept);
    }
}

#[test]
fn at_finds_tables_by_path() {
    let tensor = TableTree::new(Tensor::TYPE).with("sizes", [1]);
    let values = vec![TableTree::new(EValue::TYPE), TableTree::new(EValue::TYPE).with("val", tensor.clone())];
    let plan = TableTree::new(ExecutionPlan::TYPE).with("values", values);
    let mut program = TableTree::new(Program::TYPE).with("execution_plan", [plan]);
    assert_eq!(program.at("execution_plan[0].values[1].val"), Some(&tensor));
    assert_eq!(program.at("").unwrap().ty().name, "Program");
    for nowhere in [
        ".",
        "execution_plan",
        "execution_plan[1]",
        "execution_plan[0].values[0].val",
        "execution_plan[x]",
        "segments[0]",
    ] {
        assert_eq!(program.at(nowhere), None, "{nowhere}");
        assert_eq!(program.at_mut(nowhere), None, "{nowhere}");
    }
    program.at_mut("execution_plan[0].values[1].val").unwrap().set("sizes", [2]).unwrap();
    assert_ne!(program.at("execution_plan[0].values[1].val"), Some(&tensor));
}

#[test]
fn read_returns_the_first_fault() {
    let bytes = encode(&TableTree::new(Int::TYPE).with("int_val", 7), ID).unwrap();
    let fault = TableTree::read(Table::root(&bytes[..28]).unwrap(), Int::TYPE).unwrap_err();
    assert_eq!((fault.code, fault.field), (crate::flatbuffer::Code::FieldPastEnd, "Int"));
}

#[test]
fn sharing_writes_equal_parts_once() {
    let tensor = || TableTree::new(Tensor::TYPE).with("sizes", [1, 2]).with("dim_order", [0, 1]);
    let value = || TableTree::new(EValue::TYPE).with("val", tensor());
    let plan = |name: &str, values: usize| {
        let values: Vec<_> = (0..values).map(|_| value()).collect();
        TableTree::new(ExecutionPlan::TYPE).with("name", name).with("values", values)
    };
    let program = |plans: Vec<TableTree>| TableTree::new(Program::TYPE).with("execution_plan", plans);
    let shared = |tree: &TableTree| encoded(&Builder::new(ID).share(true), tree).unwrap();
    let read = |bytes: &[u8]| TableTree::read(Table::root(bytes).unwrap(), Program::TYPE).unwrap();
    let tree = program(vec![plan("a", 3), plan("a", 3), plan("b", 3)]);
    let bytes = shared(&tree);
    assert_eq!(read(&bytes), tree);
    // An equal second plan adds only one offset to the file. One with another name also adds the name and the table.
    let less = shared(&program(vec![plan("a", 3), plan("b", 3)]));
    assert_eq!(bytes.len(), less.len() + 4);
    assert!(bytes.len() < encode(&tree, ID).unwrap().len());
    // Parts with equal bytes are not shared if their types, counts or alignments differ.
    let odd = program(vec![plan("", 0), plan("\0", 0), plan("\x01\x02", 1)]);
    assert_eq!(read(&shared(&odd)), odd);
}

#[test]
fn readable_cases_survive_a_round_trip() {
    let (mut faults, mut trees) = (0, 0);
    for case in corpus::all() {
        let bytes = case.build().bytes;
        let (region, types): (&[u8], &[_]) = match (Pte::open(&bytes), Ptd::open(&bytes)) {
            (Ok(open), _) => (open.region(), &[Program::TYPE]),
            (_, Ok(open)) => (open.region(), &[FlatTensor::TYPE, LegacyFlatTensor::TYPE]),
            _ => continue,
        };
        for ty in types {
            let read = |bytes: &[u8]| Table::root(bytes).and_then(|table| TableTree::read(table, ty));
            match read(region) {
                Ok(tree) => {
                    assert_eq!(read(&encode(&tree, ID).unwrap()).as_ref(), Ok(&tree), "{}", case.id);
                    trees += 1;
                }
                Err(_) => faults += 1,
            }
        }
    }
    assert!(trees > 100 && faults > 20, "{trees} {faults}");
}

/// The file stores one shared tensor, but the tree has a copy of the tensor for each offset.
#[test]
fn the_memory_of_a_tree_counts_shared_tables_at_each_visit() {
    use crate::Limit;

    let tensor = TableTree::new(Tensor::TYPE).with("sizes", [1, 2]).with("dim_order", [0_u8, 1]).with("layout", 1);
    let value = TableTree::new(EValue::TYPE).with("val", tensor);
    let memory = |count: usize| {
        let plan = TableTree::new(ExecutionPlan::TYPE).with("values", vec![value.clone(); count]);
        let root = TableTree::new(Program::TYPE).with("execution_plan", [plan]);
        let bytes = Builder::new(*b"ET12").share(true).encode_with(&root, &TableTree::new(Program::TYPE)).unwrap();
        (TableTree::memory_of::<Program<'_>>(&bytes).unwrap(), bytes.len() as u64)
    };
    let (one, _) = memory(1);
    let (many, len) = memory(200_001);
    assert!(len < 1_000_000, "{len}");
    let each = (many - one) / 200_000;
    // For each tensor, the tree stores two tables with five fields in total.
    let least = 2 * size_of::<TableTree>() + 5 * size_of::<(&Field, FieldValue)>();
    assert!((least as u64..4 * least as u64).contains(&each), "{each}");
    assert!(many > Limit::memory_for(len), "{many}");
}

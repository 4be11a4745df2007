#![allow(clippy::unwrap_used, reason = "a test may end on a broken fixture")]

use std::string::{String, ToString};
use std::vec;

use proptest::prelude::*;

use super::*;
use crate::bundled::schema::BundledProgram;
use crate::cases;
use crate::corpus::Verdict;
use crate::flatbuffer::build::{Builder, encode};
use crate::flatbuffer::root;
use crate::flatbuffer::tree::random::tree;
use crate::flatbuffer::tree::{Repr, Value};
use crate::ptd::model::{FlatTensor, OlderFlatTensor};
use crate::ptd::{Layout, Ptd};
use crate::pte::Pte;
use crate::pte::model::{Double, DoubleList, EValue, ExecutionPlan, Int, KernelTypes, Program};
use crate::seeded::seeded;
use crate::{bundled, ptd, pte};

const ID: [u8; 4] = *b"ET12";

/// The tree with no more in it than a reader is told: no zeros, and every bool 0 or 1.
fn told(mut tree: TableTree) -> TableTree {
    fn bools(tree: &TableTree) -> TableTree {
        let mut out = TableTree::new(tree.ty());
        for (field, value) in tree.fields() {
            out.put(
                field,
                match &value.0 {
                    Repr::Scalar(Scalar::Bool, bytes) => Value::from(bytes[0] != 0),
                    Repr::Scalars(Scalar::Bool, bytes) => {
                        bytes.iter().map(|byte| *byte != 0).collect::<Vec<_>>().into()
                    }
                    Repr::Table(table) => bools(table).into(),
                    Repr::Tables(tables) => tables.iter().map(bools).collect::<Vec<_>>().into(),
                    _ => value.clone(),
                },
            );
        }
        out
    }
    tree = bools(&tree);
    tree.elide_defaults();
    assert_eq!(tree.mistake(), None);
    tree
}

/// Reads a root as a model, writes that, and reads it again: every value is what it was.
fn comes_back<M: Model>(bytes: &[u8]) -> TableTree {
    let view = |bytes| root(bytes).unwrap();
    let model: M = from_view(M::View::from_table(view(bytes)), Limits::DEFAULT).unwrap();
    let tree = tree_of(&model);
    let ty = tree.ty();
    assert_eq!(told(TableTree::read(view(bytes), ty).unwrap()), tree);
    let again = encode(&tree, ID).unwrap();
    assert!(Builder::new(ID).encode_any(&model).unwrap() == again, "a model is written as its tree");
    let back: M = from_view(M::View::from_table(view(&again)), Limits::DEFAULT).unwrap();
    assert!(back == model);
    tree
}

proptest! {
    #![proptest_config(seeded())]

    #[test]
    fn programs_come_back(tree in tree(pte::schema::Program::TYPE)) {
        comes_back::<Program>(&encode(&tree, ID).unwrap());
    }

    #[test]
    fn data_files_come_back(tree in tree(ptd::schema::FlatTensor::TYPE)) {
        comes_back::<FlatTensor>(&encode(&tree, ID).unwrap());
    }

    #[test]
    fn older_data_files_come_back(tree in tree(ptd::older_schema::OlderFlatTensor::TYPE)) {
        comes_back::<OlderFlatTensor>(&encode(&tree, ID).unwrap());
    }

    #[test]
    fn bundled_programs_come_back(tree in tree(BundledProgram::TYPE)) {
        comes_back::<bundled::model::BundledProgram>(&encode(&tree, ID).unwrap());
    }
}

/// What kind of file it was; nothing for one that does not open.
fn file_comes_back(bytes: &[u8]) -> Option<&'static str> {
    if let Ok(open) = Pte::open(bytes) {
        comes_back::<Program>(open.region());
        Some("program")
    } else if let Ok(open) = Ptd::open(bytes) {
        match open.layout() {
            Layout::Current(_) => comes_back::<FlatTensor>(open.region()),
            Layout::Older(_) => comes_back::<OlderFlatTensor>(open.region()),
        };
        Some("data")
    } else if crate::flatbuffer::identifier(bytes) == Some(bundled::IDENTIFIER) {
        comes_back::<bundled::model::BundledProgram>(bytes);
        Some("bundled")
    } else {
        None
    }
}

#[test]
fn every_real_file_comes_back() {
    let mut files = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/real")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "pte" || extension == "ptd") {
            assert!(file_comes_back(&std::fs::read(&path).unwrap()).is_some(), "{}", path.display());
            files += 1;
        }
    }
    assert_eq!(files, 13);
}

#[test]
fn every_accepted_case_comes_back() {
    let accepted = cases::all().filter(|case| case.verdict == Verdict::Accept);
    let mut kinds: Vec<_> = accepted
        .map(|case| {
            let bytes = case.build().unwrap().bytes;
            file_comes_back(&bytes).unwrap_or_else(|| panic!("{} does not open", case.id))
        })
        .collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["bundled", "data", "program"]);
}

/// Broken files too: a fault or a limit, and never a panic.
#[test]
fn every_case_is_copied_or_refused() {
    let mut refused = 0;
    for case in cases::all() {
        let bytes = case.build().unwrap().bytes;
        let copied = match (Pte::open(&bytes), Ptd::open(&bytes)) {
            (Ok(open), _) => Program::from_view(open.program(), Limits::DEFAULT).map(|model| model.to_tree()),
            (_, Ok(open)) => match open.layout() {
                Layout::Current(root) => FlatTensor::from_view(root, Limits::DEFAULT).map(|model| model.to_tree()),
                Layout::Older(root) => OlderFlatTensor::from_view(root, Limits::DEFAULT).map(|model| model.to_tree()),
            },
            _ => continue,
        };
        match copied {
            Ok(tree) => assert_eq!(tree.mistake(), None, "{}", case.id),
            Err(_) => refused += 1,
        }
    }
    assert!(refused > 20, "{refused}");
}

#[test]
fn limits_bound_a_copy() {
    let values = vec![EValue { val: Some(Int { int_val: 1 }.into()) }; 100];
    let plan = ExecutionPlan {
        name: Some("forward".into()),
        values: Some(values),
        inputs: Some(vec![0; 50]),
        ..ExecutionPlan::default()
    };
    let program = Program { execution_plan: Some(vec![plan]), ..Program::default() };
    let bytes = encode(&program.to_tree(), ID).unwrap();
    let view = pte::schema::Program::from_table(root(&bytes).unwrap());
    let fail = |limits| {
        let Error { code, field, .. } = Program::from_view(view, limits).unwrap_err();
        (code, field)
    };
    let tables = |tables| Limits { tables, ..Limits::DEFAULT };
    // A plan, its values, and what is in each.
    assert_eq!(Program::from_view(view, tables(201)), Ok(program));
    assert_eq!(fail(tables(200)), (ErrorCode::Limit(Limit::Tables), "Int"));
    let name = size_of::<Program>() + size_of::<ExecutionPlan>() + "forward".len();
    let values = name + 100 * size_of::<EValue>();
    let inputs = values + 50 * size_of::<i32>();
    let bytes = |bytes: usize| Limits { apparent_size: bytes as u64, ..Limits::DEFAULT };
    assert!(Program::from_view(view, bytes(inputs)).is_ok());
    for (memory, field) in [
        (inputs, "ExecutionPlan.inputs"),
        (values, "ExecutionPlan.values"),
        (name, "ExecutionPlan.name"),
        (size_of::<Program>(), "Program"),
    ] {
        assert_eq!(fail(bytes(memory - 1)), (ErrorCode::Limit(Limit::ApparentSize), field));
    }
}

#[test]
fn models_are_equal_when_they_write_the_same() {
    let double = |bits: u64| EValue { val: Some(KernelTypes::Double(Double { double_val: f64::from_bits(bits) })) };
    let doubles = |items: &[f64]| DoubleList { items: Some(items.to_vec()) };
    let nan = f64::NAN.to_bits();
    assert_eq!(double(nan), double(nan));
    assert_ne!(double(nan), double(nan | 1));
    assert_ne!(double(0), double((-0.0_f64).to_bits()));
    assert_eq!(doubles(&[f64::NAN]), doubles(&[f64::NAN]));
    assert_ne!(doubles(&[0.0]), doubles(&[-0.0]));
    assert_ne!(doubles(&[0.5]), doubles(&[0.5, 0.5]));
    assert_ne!(doubles(&[]), DoubleList { items: None });
    assert_ne!(Program { version: 1, ..Program::default() }, Program::default());
}

#[test]
fn absent_and_empty_differ() {
    let absent = Program::default();
    let empty = Program { segments: Some(Vec::new()), ..Program::default() };
    for program in [absent, empty] {
        let bytes = encode(&program.to_tree(), ID).unwrap();
        let view = pte::schema::Program::from_table(root(&bytes).unwrap());
        assert_eq!(Program::from_view(view, Limits::DEFAULT), Ok(program));
    }
}

#[test]
fn unions_keep_what_no_writer_writes() {
    for (val, tag) in
        [(None, None), (Some(KernelTypes::Unknown(200)), Some(200)), (Some(KernelTypes::Absent(1)), Some(1))]
    {
        let value = EValue { val };
        let tree = value.to_tree();
        assert_eq!(tree.get("val_type").and_then(Value::as_int), tag);
        let bytes = encode(&tree, ID).unwrap();
        let view = pte::schema::EValue::from_table(root(&bytes).unwrap());
        assert_eq!(EValue::from_view(view, Limits::DEFAULT), Ok(value));
    }
}

#[test]
fn text_is_any_bytes() {
    let text = Text::from(&b"a\0\xff"[..]);
    assert_eq!(Text::from(std::vec![b'a', 0, 0xFF]), text);
    let plain = Text::from("plain");
    assert!(plain == *"plain" && plain == "plain" && plain != "other" && plain != *"other");
    assert_eq!((text.to_string().as_str(), text.to_str().is_err()), (r"a\x00\xff", true));
    assert_eq!(text.clone().into_bytes(), text.as_bytes());
    assert_eq!(std::format!("{:?}", Text::from(String::from("a\n"))), r#""a\n""#);
    assert!(text != "a" && text != *"a");
}

#[test]
fn models_are_equal_if_all_that_they_hold_is() {
    use pte::model::{ContainerMetadata, ExecutionPlan};
    let plan = ExecutionPlan::new("forward");
    assert_eq!(plan, plan.clone());
    assert_ne!(plan, ExecutionPlan { name: Some("backward".into()), ..plan.clone() });
    assert_ne!(plan, ExecutionPlan { name: None, ..plan.clone() });
    let texts = ContainerMetadata { encoded_inp_str: Some("tree".into()), encoded_out_str: None };
    assert_ne!(plan, ExecutionPlan { container_meta_type: Some(texts), ..plan.clone() });
    assert_ne!(plan, ExecutionPlan { inputs: Some(vec![1]), ..plan.clone() });
    let of = |value: EValue| ExecutionPlan { values: Some(vec![value]), ..plan.clone() };
    assert_ne!(of(1_i64.into()), of(2_i64.into()));
    let ordered = |dim_order: &[u8]| pte::model::Tensor { dim_order: Some(dim_order.to_vec()), ..Default::default() };
    assert_ne!(ordered(&[0, 1]), ordered(&[1, 0]));
}

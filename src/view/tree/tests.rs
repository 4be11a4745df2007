use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::{Value as Json, json};

use super::hex::from_hex;
use super::{TreeReader, to_tree};
use crate::flatbuffer::schema::{TableType, TableView};
use crate::flatbuffer::tree::{FieldValue, TableTree};
use crate::flatbuffer::{self, build};
use crate::ptd::legacy_schema::LegacyFlatTensor;
use crate::ptd::schema::FlatTensor;
use crate::pte::schema::{Double, DoubleList, EValue, ExecutionPlan, Program, Tensor};
use crate::write_error::WriteCause;
use crate::{FileKind, view};

fn root_of(json: &Json) -> (&Json, &'static TableType) {
    match json["kind"].as_str().unwrap() {
        "pte" => (&json["program"], Program::TYPE),
        "ptd" => (&json["flat_tensor"], FlatTensor::TYPE),
        _ => (&json["flat_tensor"], LegacyFlatTensor::TYPE),
    }
}

/// The file may store zeros; the tree omits them.
#[test]
fn real_files_survive_a_round_trip_through_json() {
    let mut kinds = Vec::new();
    for (name, bytes) in crate::real_files::real_files() {
        let json = view::to_value(&bytes).unwrap();
        let (root, ty) = root_of(&json);
        let mut read = TableTree::read(flatbuffer::Table::root(&bytes).unwrap(), ty).unwrap();
        read.elide_defaults();
        assert_eq!(to_tree(root, ty).unwrap(), read, "{name}");
        kinds.push(view::File::open(crate::FileBytes::whole(&bytes)).unwrap().kind());
    }
    assert!([FileKind::Pte, FileKind::Ptd, FileKind::PtdLegacy].iter().all(|kind| kinds.contains(kind)));
}

#[test]
fn special_doubles_survive_a_round_trip() {
    let one = |json: Json| to_tree(&json, Double::TYPE).unwrap().get("double_val").and_then(FieldValue::as_f64);
    assert!(one(json!({ "double_val": "nan" })).unwrap().is_nan());
    assert_eq!(one(json!({ "double_val": "inf" })), Some(f64::INFINITY));
    assert_eq!(one(json!({ "double_val": "-inf" })), Some(f64::NEG_INFINITY));
    assert_eq!(one(json!({ "double_val": 3 })), Some(3.0));
    assert_eq!(one(json!({ "double_val": 0.0 })), None);
    assert_eq!(one(json!({ "double_val": -0.0 })).map(f64::to_bits), Some((-0.0_f64).to_bits()));
    let list = to_tree(&json!({ "items": [1.5, "nan", -0.0] }), DoubleList::TYPE).unwrap();
    assert_eq!(list.get("items").unwrap().as_bytes().unwrap()[..8], 1.5_f64.to_le_bytes());
}

#[test]
fn accepts_names_numbers_and_bytes() {
    let tensor = to_tree(&json!({ "scalar_type": "LONG", "shape_dynamism": 2, "requires_grad": true }), Tensor::TYPE);
    let expected =
        TableTree::new(Tensor::TYPE).with("scalar_type", 4).with("requires_grad", true).with("shape_dynamism", 2);
    assert_eq!(tensor.unwrap(), expected);
    let plan = to_tree(&json!({ "name": { "hex": "66FF" }, "inputs": [], "values": [] }), ExecutionPlan::TYPE).unwrap();
    assert_eq!(plan.get("name").unwrap().as_bytes(), Some(&b"f\xff"[..]));
    assert_eq!(plan.get("inputs").unwrap().as_bytes(), Some(&[][..]));
    assert_eq!(plan.get("values").unwrap().as_tables(), Some(&[][..]));
    assert_eq!((from_hex("00aF"), from_hex("")), (Ok([0, 0xaf].into()), Ok([].into())));
    assert!(from_hex("0").is_err() && from_hex("0é").is_err());
}

/// The value of a union of unknown type becomes an empty table.
#[test]
fn unions_survive_a_round_trip() {
    for json in [
        json!({ "val_type": 200 }),
        json!({ "val_type": "NONE" }),
        json!({ "val_type": "Null", "val": {} }),
        json!({ "val_type": "Int", "val": { "int_val": -5 } }),
    ] {
        let program = json!({ "version": 0, "execution_plan": [{ "values": [json] }] });
        let tree = to_tree(&program, Program::TYPE).unwrap();
        let bytes = build::encode(&tree, crate::pte::IDENTIFIER).unwrap();
        assert_eq!(view::to_value(&bytes).unwrap()["program"], program);
    }
    let bare = to_tree(&json!({ "val_type": "Null" }), EValue::TYPE).unwrap();
    assert_eq!((bare.get("val_type").and_then(FieldValue::as_int), bare.get("val")), (Some(1), None));
}

#[test]
fn errors_have_a_path_and_a_message() {
    let value = |value: Json| json!({ "execution_plan": [{}, { "values": [value] }] });
    let tensor = |tensor: Json| value(json!({ "val_type": "Tensor", "val": tensor }));
    let messages = [
        json!([]),
        json!({ "versoin": 1 }),
        json!({ "a\n\u{1b}b": 1 }),
        json!({ "version": null }),
        json!({ "version": -1 }),
        json!({ "version": 1.0 }),
        serde_json::from_str(r#"{ "version": 18446744073709551616 }"#).unwrap(),
        serde_json::from_str(r#"{ "version": -9223372036854777000 }"#).unwrap(),
        serde_json::from_str(r#"{ "version": 18446744073709551615 }"#).unwrap(),
        json!({ "version": 4_294_967_296_u64 }),
        json!({ "segments": {} }),
        json!({ "segments": [{}, 7] }),
        json!({ "constant_segment": [] }),
        tensor(json!({ "sizes": [1, "2"] })),
        tensor(json!({ "dim_order": [256] })),
        tensor(json!({ "scalar_type": "FLOTA" })),
        tensor(json!({ "scalar_type": 128 })),
        tensor(json!({ "requires_grad": 1 })),
        value(json!({ "val_type": "Tensr" })),
        value(json!({ "val_type": "Int" })),
        value(json!({ "val": {} })),
        value(json!({ "val_type": 99, "val": {} })),
        json!({ "named_data": [{ "key": { "hex": "6" } }] }),
        json!({ "named_data": [{ "key": { "text": "6" } }] }),
        tensor(json!({ "scalar_type": true })),
        json!({ "named_data": [{ "key": 6 }] }),
    ]
    .map(|json| to_tree(&json, Program::TYPE).unwrap_err().to_string());
    insta::assert_snapshot!(messages.join("\n"));
    let error = to_tree(&json!({ "version": "x" }), Program::TYPE).unwrap_err().within("program");
    assert_eq!((error.cause, error.path()), (WriteCause::Tree, "program.version"));
}

/// A table type may refer to itself.
#[test]
fn the_depth_is_bounded() {
    use crate::flatbuffer::schema::{Field, Kind};
    static LIST: TableType = TableType::new("List", 0, &[Field { name: "next", slot: 0, kind: Kind::Table(&LIST) }]);
    let nested = |depth: usize| (1..depth).fold(json!({}), |inside, _| json!({ "next": inside }));
    assert!(to_tree(&nested(64), &LIST).is_ok());
    assert_eq!(to_tree(&nested(65), &LIST).unwrap_err().path().split('.').count(), 64);
}

/// Members may be in any order, and errors contain the path of the member.
#[test]
fn streamed_json_makes_the_same_tree() {
    let read = |text: &str| {
        let reader = TreeReader::default();
        let mut json = serde_json::Deserializer::from_str(text);
        reader.read(&mut json, Program::TYPE).map_err(|_| reader.take().unwrap())
    };
    let values = |value: &str| alloc::format!(r#"{{ "execution_plan": [{{ "values": [{value}] }}] }}"#);
    let typed = values(r#"{ "val_type": "Int", "val": { "int_val": 7 } }"#);
    let untyped = values(r#"{ "val": { "int_val": 7 }, "val_type": "Int" }"#);
    assert_eq!(read(&untyped), read(&typed));
    assert_eq!(read(&typed), Ok(to_tree(&serde_json::from_str(&typed).unwrap(), Program::TYPE).unwrap()));
    use WriteCause::{Json, Tree};
    for (text, cause, path) in [
        (r#"{ "version": 1, "version": 1 }"#.into(), Tree, "version"),
        (r#"{ "version": 1, "segments": [{}, { "size": 1,, }] }"#.into(), Json, "segments[1]"),
        (r#"{ "segments": [{}, { "size": 1 "#.into(), Json, "segments[1]"),
        (
            values(r#"{ "val": { "int_val": "7" }, "val_type": "Int" }"#),
            Tree,
            "execution_plan[0].values[0].val.int_val",
        ),
        (
            values(r#"{ "val": { "int_val": 7, "int_val": 7 }, "val_type": "Int" }"#),
            Json,
            "execution_plan[0].values[0].val",
        ),
    ] {
        let error = read(&text).unwrap_err();
        assert_eq!((error.cause, error.path()), (cause, path));
    }
}

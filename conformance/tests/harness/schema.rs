//! The schemas are written down twice, for two readers: as `.fbs` for the oracles, and in Rust for ours. They must say the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use torchproof::bundled::schema::BundledProgram;
use torchproof::flatbuffer::schema::{EnumType, Kind, Scalar, TableType, TableView, UnionType};
use torchproof::ptd::{older_schema::OlderFlatTensor, schema::FlatTensor};
use torchproof::pte::schema::Program;

/// Declarations by name: each field or value on a line, in order.
type Declarations = BTreeMap<String, Vec<String>>;

/// What a `.fbs` file declares, of the subset that the files here are written in.
fn of_text(name: &str, into: &mut Declarations) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
    let text = fs::read_to_string(&path).expect("the schema is there");
    let bare: String =
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join(" ");
    let mut rest = bare.as_str();
    while let Some(open) = rest.find('{') {
        let close = open + rest[open..].find('}').expect("a declaration ends");
        let head = rest[..open].rsplit([';', '}']).next().unwrap_or_default().trim();
        let (word, name) = head.split_once(' ').expect("a declaration has a name");
        let name = name.split(':').next().unwrap_or_default().trim();
        let body = &rest[open + 1..close];
        let lines = match word {
            "table" => body.split(';').map(str::trim).filter(|field| !field.is_empty()).map(field_of_text).collect(),
            "union" => body.split(',').map(str::trim).filter(|member| !member.is_empty()).map(String::from).collect(),
            "enum" => body
                .split(',')
                .map(str::trim)
                .filter(|value| !value.is_empty())
                .map(|value| value.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect(),
            other => panic!("{name} is declared as {other}"),
        };
        let before = into.insert(name.to_owned(), lines);
        assert!(before.is_none(), "{name} is declared twice");
        rest = &rest[close + 1..];
    }
}

/// `name: type (id: n, …)` as `n name: type`, with the union's value at its own slot.
fn field_of_text(field: &str) -> String {
    let (name, rest) = field.split_once(':').expect("a field has a type");
    let (ty, attributes) = rest.split_once('(').expect("a field has an id");
    let ty = ty.split('=').next().unwrap_or_default().trim();
    let ty = ty.replace("torchproof.scalar.", "");
    let attributes = attributes.trim_end_matches(')');
    let value = |key: &str| {
        let found = attributes.split(',').find_map(|attribute| attribute.trim().strip_prefix(key));
        found.map(|value| value.trim_start_matches(':').trim().to_owned())
    };
    let align = value("force_align").map(|align| format!(" aligned {align}")).unwrap_or_default();
    format!("{} {}: {ty}{align}", value("id").expect("a field has an id"), name.trim())
}

/// What the Rust declarations say, from a root table down.
fn of_rust(ty: &'static TableType, name: &str, into: &mut Declarations) {
    if into.contains_key(name) {
        return;
    }
    // Entered before its fields, so that a table that led back to itself would end.
    into.insert(name.to_owned(), Vec::new());
    let mut lines = Vec::new();
    for field in ty.fields {
        let slot = field.slot;
        let line = match field.kind {
            Kind::Scalar(scalar) => format!("{slot} {}: {}", field.name, scalar_name(scalar)),
            Kind::Enum(ty) => {
                enum_of_rust(ty, into);
                format!("{slot} {}: {}", field.name, ty.name)
            }
            // A schema's text has one line for a union, at the slot of its value.
            Kind::Tag(_) => continue,
            Kind::Union(ty) => {
                union_of_rust(ty, into);
                format!("{slot} {}: {}", field.name, ty.name)
            }
            Kind::String => format!("{slot} {}: string", field.name),
            Kind::Scalars(scalar, align) => {
                let aligned = if align > scalar.width() { format!(" aligned {align}") } else { String::new() };
                format!("{slot} {}: [{}]{aligned}", field.name, scalar_name(scalar))
            }
            Kind::Table(ty) => {
                of_rust(ty, text_name(ty), into);
                format!("{slot} {}: {}", field.name, text_name(ty))
            }
            Kind::Tables(ty) => {
                of_rust(ty, text_name(ty), into);
                format!("{slot} {}: [{}]", field.name, text_name(ty))
            }
        };
        lines.push(line);
    }
    into.insert(name.to_owned(), lines);
}

fn enum_of_rust(ty: &'static EnumType, into: &mut Declarations) {
    let values = ty.values.iter().map(|(name, value)| format!("{name} = {value}"));
    into.insert(ty.name.to_owned(), values.collect());
}

fn union_of_rust(ty: &'static UnionType, into: &mut Declarations) {
    into.insert(ty.name.to_owned(), ty.members.iter().map(|member| member.name.to_owned()).collect());
    for member in ty.members {
        of_rust(member, text_name(member), into);
    }
}

/// The older layout's tables have the current one's names in their own namespace.
fn text_name(ty: &'static TableType) -> &'static str {
    ty.name.strip_prefix("Older").unwrap_or(ty.name)
}

fn scalar_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "bool",
        Scalar::I8 => "int8",
        Scalar::U8 => "uint8",
        Scalar::I32 => "int32",
        Scalar::U32 => "uint32",
        Scalar::I64 => "int64",
        Scalar::U64 => "uint64",
        Scalar::F64 => "float64",
    }
}

fn compare(root: &'static TableType, files: &[&str]) {
    let (mut text, mut rust) = (Declarations::new(), Declarations::new());
    for file in files {
        of_text(file, &mut text);
    }
    of_rust(root, text_name(root), &mut rust);
    assert!(rust.len() > 3, "nothing was compared");
    for name in text.keys().chain(rust.keys()) {
        assert_eq!(text.get(name), rust.get(name), "{name}: the .fbs file and the Rust declaration differ");
    }
}

#[test]
fn the_program_schema_is_declared_alike() {
    compare(Program::TYPE, &["scalar_type.fbs", "program.fbs"]);
}

#[test]
fn the_data_schema_is_declared_alike() {
    compare(FlatTensor::TYPE, &["scalar_type.fbs", "flat_tensor.fbs"]);
}

#[test]
fn the_older_data_schema_is_declared_alike() {
    compare(OlderFlatTensor::TYPE, &["scalar_type.fbs", "flat_tensor_older.fbs"]);
}

#[test]
fn the_schema_of_bundled_programs_is_declared_alike() {
    compare(BundledProgram::TYPE, &["scalar_type.fbs", "bundled_program.fbs"]);
}

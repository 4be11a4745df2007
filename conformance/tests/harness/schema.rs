//! Checks that the `.fbs` schemas, which the oracles use, match the table declarations in Rust.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use testkit::schema::scalar_name;
use torchproof::bundled::schema::BundledProgram;
use torchproof::flatbuffer::schema::{Kind, TableType, TableView};
use torchproof::ptd::{legacy_schema::LegacyFlatTensor, schema::FlatTensor};
use torchproof::pte::schema::Program;

/// The declarations of a `.fbs` file without comments, spaces, defaults and namespaces.
fn of_text(name: &str) -> Vec<String> {
    let text = fs::read_to_string(testkit::repository().join("conformance/schema").join(name)).unwrap();
    let bare: String = text.lines().filter_map(|line| line.split("//").next()).collect();
    let bare = bare.replace(' ', "").replace("torchproof.scalar.", "");
    let declaration = |text: &str| {
        let (head, body) = text.split_once('{')?;
        let head = head.rsplit(';').next().unwrap();
        if !head.starts_with("table") {
            return Some(format!("{head}{{{body}"));
        }
        // In the text, a field has the form `name:type=default(id:n)`.
        let field = |field: &str| {
            let (start, attributes) = field.split_once('(').unwrap();
            format!("{}({attributes};", start.split('=').next().unwrap())
        };
        let fields: String = body.split_terminator(';').map(field).collect();
        Some(format!("{head}{{{fields}"))
    };
    bare.split('}').filter_map(declaration).collect()
}

/// Adds the declarations of the table and of all nested tables in the notation of [`of_text`], by name.
fn of_rust(ty: &'static TableType, into: &mut BTreeMap<&'static str, String>) {
    if into.contains_key(ty.name) {
        return;
    }
    // A table can contain itself, so insert its name first.
    into.insert(ty.name, String::new());
    let mut text = format!("table{}{{", text_name(ty));
    for field in ty.fields {
        let (ty, attributes) = match field.kind {
            Kind::Scalar(scalar) => (scalar_name(scalar).to_owned(), String::new()),
            Kind::Enum(ty) => {
                let values: String = ty.values.iter().map(|(name, value)| format!("{name}={value},")).collect();
                into.insert(ty.name, format!("enum{}:int8{{{values}", ty.name));
                (ty.name.to_owned(), String::new())
            }
            // A union is a single line in the text, but takes two slots in Rust.
            Kind::Tag(_) => continue,
            Kind::Union(ty) => {
                let members: String = ty.members.iter().map(|member| format!("{},", member.name)).collect();
                into.insert(ty.name, format!("union{}{{{members}", ty.name));
                ty.members.iter().for_each(|member| of_rust(member, into));
                (ty.name.to_owned(), String::new())
            }
            Kind::String => ("string".to_owned(), String::new()),
            Kind::Scalars(scalar, align) => {
                let aligned = if align > scalar.width() { format!(",force_align:{align}") } else { String::new() };
                (format!("[{}]", scalar_name(scalar)), aligned)
            }
            Kind::Table(ty) => {
                of_rust(ty, into);
                (text_name(ty).to_owned(), String::new())
            }
            Kind::Tables(ty) => {
                of_rust(ty, into);
                (format!("[{}]", text_name(ty)), String::new())
            }
        };
        text += &format!("{}:{ty}(id:{}{attributes});", field.name, field.slot);
    }
    into.insert(ty.name, text);
}

/// The legacy layout uses the names of the current layout, but in another namespace.
fn text_name(ty: &'static TableType) -> &'static str {
    ty.name.strip_prefix("Legacy").unwrap_or(ty.name)
}

#[test]
fn the_text_schemas_match_the_declarations() {
    for (root, file) in [
        (Program::TYPE, "program.fbs"),
        (FlatTensor::TYPE, "flat_tensor.fbs"),
        (LegacyFlatTensor::TYPE, "flat_tensor_legacy.fbs"),
        (BundledProgram::TYPE, "bundled_program.fbs"),
    ] {
        let text: BTreeSet<_> = [of_text("scalar_type.fbs"), of_text(file)].into_iter().flatten().collect();
        let mut rust = BTreeMap::new();
        of_rust(root, &mut rust);
        let rust: BTreeSet<_> = rust.into_values().collect();
        assert!(rust.len() > 3, "nothing was compared");
        assert_eq!(text.difference(&rust).collect::<Vec<_>>(), rust.difference(&text).collect::<Vec<_>>(), "{file}");
    }
}

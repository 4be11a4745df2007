//! Checks that the JSON schemas in `conformance/schema` match the Rust types.

use std::fs;

use serde_json::Value;
use testkit::schema::{expect_valid, schema as validator};
use torchproof_cli::schema;

#[test]
fn the_schemas_match_the_types() {
    let folder = testkit::repository().join("conformance/schema");
    for (name, schema) in schema::all() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        testkit::expect_file(&folder.join(format!("{name}.schema.json")), &text);
    }
}

#[test]
fn descriptions_have_no_rust_links_and_no_code() {
    for (name, schema) in schema::all() {
        let mut descriptions = Vec::new();
        add_descriptions(&schema, &mut descriptions);
        assert!(!descriptions.is_empty(), "{name}");
        for description in descriptions {
            let local = description.replace("](http", "");
            for syntax in ["](", "[`", "::", "```"] {
                assert!(!local.contains(syntax), "{name}: `{syntax}` in {description:?}");
            }
        }
    }
}

fn add_descriptions<'a>(schema: &'a Value, descriptions: &mut Vec<&'a str>) {
    match schema {
        Value::Object(members) => {
            descriptions.extend(members.get("description").and_then(Value::as_str));
            members.values().for_each(|part| add_descriptions(part, descriptions));
        }
        Value::Array(parts) => parts.iter().for_each(|part| add_descriptions(part, descriptions)),
        _ => {}
    }
}

#[test]
fn no_property_has_a_vague_name() {
    const VAGUE: &str = "asked unasked not_asked near lacks what was now sentence cut_short worse type_from rss_mb";
    for (name, mut schema) in schema::all() {
        // An edit has the values `was` and `now`.
        schema["$defs"]["Edit"] = Value::Null;
        let text = schema.to_string();
        let found: Vec<&str> = VAGUE.split(' ').filter(|word| text.contains(&format!("\"{word}\":{{"))).collect();
        assert!(found.is_empty(), "{name}: {found:?}: name what the value is");
    }
}

#[test]
fn the_examples_of_the_protocol_are_valid_messages() {
    let page = fs::read_to_string(testkit::repository().join("docs/src/protocol.md")).unwrap();
    let examples: Vec<&str> = page.lines().filter(|line| line.starts_with('{')).collect();
    assert!(examples.len() >= 8, "{examples:?}");
    let protocol = validator("protocol.schema.json");
    for example in examples {
        expect_valid(&protocol, &serde_json::from_str(example).unwrap());
    }
}

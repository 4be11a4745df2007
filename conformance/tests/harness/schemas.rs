//! Checks that the JSON schemas in `conformance/schema` match the Rust types.

use std::fs;

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
fn the_examples_of_the_protocol_are_valid_messages() {
    let page = fs::read_to_string(testkit::repository().join("docs/src/protocol.md")).unwrap();
    let examples: Vec<&str> = page.lines().filter(|line| line.starts_with('{')).collect();
    assert!(examples.len() >= 8, "{examples:?}");
    let protocol = validator("protocol.schema.json");
    for example in examples {
        expect_valid(&protocol, &serde_json::from_str(example).unwrap());
    }
}

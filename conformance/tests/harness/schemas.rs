//! The JSON schemas in `conformance/schema` are those that the types give.

use torchproof_cli::schema;

#[test]
fn the_schemas_are_those_of_the_types() {
    let folder = testkit::repository().join("conformance/schema");
    for (name, schema) in schema::all() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        testkit::expect_file(&folder.join(format!("{name}.schema.json")), &text);
    }
}

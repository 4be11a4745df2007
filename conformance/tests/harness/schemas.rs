//! The JSON schemas in `conformance/schema` are those that the types give. `TORCHPROOF_BLESS=1` writes them.

use std::fs;

use torchproof_cli::schema;

#[test]
fn the_schemas_are_those_of_the_types() {
    let folder = testkit::repository().join("conformance/schema");
    for (name, schema) in schema::all() {
        let path = folder.join(format!("{name}.schema.json"));
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        if std::env::var_os("TORCHPROOF_BLESS").is_some() {
            fs::write(path, text).unwrap();
        } else {
            let committed = fs::read_to_string(&path).unwrap_or_default();
            assert!(committed == text, "{} differs from its type; TORCHPROOF_BLESS=1 writes it", path.display());
        }
    }
}

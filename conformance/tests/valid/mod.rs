//! Holds JSON against the schemas of what is printed.
#![allow(dead_code)] // Each test program uses its share.

pub(crate) mod sarif;

use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::Value;

/// The schema of this name under `schema/`.
pub(crate) fn schema(name: &str) -> Validator {
    let read = |name: &str| -> Value {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema").join(name);
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    // Those which the others refer to.
    let mut shared = jsonschema::Registry::new();
    for name in ["rules.schema.json", "manifest.schema.json", "label.schema.json", "run.schema.json"] {
        shared = shared.add(format!("json-schema:///{name}"), read(name)).unwrap();
    }
    let shared = shared.prepare().unwrap();
    let schema = jsonschema::options().with_registry(&shared).build(&read(name));
    schema.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Fails with all that the schema does not allow.
pub(crate) fn expect_valid(validator: &Validator, value: &Value) {
    let errors = validator.iter_errors(value).map(|error| format!("{}: {error}\n", error.instance_path()));
    let errors: String = errors.take(20).collect();
    assert!(errors.is_empty(), "{errors}");
}

/// Says that a part of a test was not run for want of something, or fails where everything must be there.
pub(crate) fn not_run(what: &str, why: &str) {
    assert!(
        std::env::var_os("TORCHPROOF_READERS").is_none_or(|value| value != "required"),
        "{what} is not there: {why}"
    );
    eprintln!("NOT RUN: {what} is not there: {why}");
}

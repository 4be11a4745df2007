//! The schemas in `conformance/schema`.

use std::fs;

use jsonschema::Validator;
use serde_json::Value;
use torchproof::flatbuffer::schema::Scalar;

pub fn schema(name: &str) -> Validator {
    let read = |name: &str| -> Value {
        let path = crate::repository().join("conformance/schema").join(name);
        serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
    };
    let schema = jsonschema::validator_for(&read(name));
    schema.unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn expect_valid(validator: &Validator, value: &Value) {
    let errors = validator.iter_errors(value).map(|error| format!("{}: {error}\n", error.instance_path()));
    let errors: String = errors.take(20).collect();
    assert!(errors.is_empty(), "{errors}");
}

/// The name of a scalar type in a `.fbs` file.
pub fn scalar_name(scalar: Scalar) -> &'static str {
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

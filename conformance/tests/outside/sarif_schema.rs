//! Loads the published schema of SARIF.
//!
//! The archive of the crate `serde-sarif` contains the schema. Cargo downloads this crate because the lock file lists the
//! crate, but Cargo never builds the crate.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// Returns the published schema, or the reason why the schema is missing.
pub(crate) fn published() -> Result<Value, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = testkit::repository().join("Cargo.toml");
    let metadata = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path"])
        .arg(manifest)
        .output()
        .map_err(|error| format!("cargo: {error}"))?;
    if !metadata.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&metadata.stderr)));
    }
    let metadata: Value = serde_json::from_slice(&metadata.stdout).map_err(|error| error.to_string())?;
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").ok_or("no serde-sarif")?;
    let schema = Path::new(package["manifest_path"].as_str().unwrap()).with_file_name("src").join("schema.json");
    let schema = fs::read_to_string(&schema).map_err(|error| format!("{}: {error}", schema.display()))?;
    let mut schema: Value = serde_json::from_str(&schema).map_err(|error| error.to_string())?;
    // The schema's pattern for the property `language` is not a valid regular expression, and the logs of torchproof
    // do not contain this property. Accept any text.
    for place in ["run", "toolComponent"] {
        schema["definitions"][place]["properties"]["language"] = json!({"type": "string"});
    }
    Ok(schema)
}

//! The published schema of SARIF.
//!
//! It is not part of this repository: it is in the archive of the crate `serde-sarif`, which cargo fetches with all others that the
//! lock file names and never builds.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// The published schema, or why there is none.
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
    // Its patterns of languages, of which a log has none, are no regular expressions by the letter of the standard.
    for place in ["run", "toolComponent"] {
        schema["definitions"][place]["properties"]["language"] = json!({"type": "string"});
    }
    Ok(schema)
}

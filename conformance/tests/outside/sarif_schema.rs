//! Loads the published schema of SARIF. It is part of a package that npm downloads.

use std::fs;
use std::process::Command;

use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const PACKAGE: &str = "@microsoft/jest-sarif@1.0.0-beta.0";
const SCHEMA: &str = "package/lib/schemas/sarif-2.1.0-rtm.5.json";
/// The digest is pinned, so any registry or cache may provide the package.
const SHA256: &str = "2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8";

/// If the schema is missing, returns the reason as an error.
pub(crate) fn published() -> Result<Value, String> {
    let folder = testkit::scratch("sarif-schema");
    let path = folder.join(SCHEMA);
    if !path.is_file() {
        let packed = format!("set -o pipefail; npm pack --silent {PACKAGE} | xargs -I{{}} tar xzf {{}} {SCHEMA}");
        let output = Command::new("bash").args(["-c", &packed]).current_dir(&folder).output();
        let output = output.map_err(|error| format!("bash: {error}"))?;
        if !output.status.success() {
            return Err(format!("npm pack: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    let schema = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    if HEXLOWER.encode(&Sha256::digest(&schema)) != SHA256 {
        return Err(format!("{}: the digest differs from the pinned digest", path.display()));
    }
    let mut schema: Value = serde_json::from_slice(&schema).map_err(|error| error.to_string())?;
    // The pattern for `language` is not a valid regular expression, and the logs do not contain this property.
    for place in ["run", "toolComponent"] {
        schema["definitions"][place]["properties"]["language"] = json!({"type": "string"});
    }
    Ok(schema)
}

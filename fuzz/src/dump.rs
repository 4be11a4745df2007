//! **The output of `dump` is complete for arbitrary bytes**: valid JSON within the limits, or a one-line error.

use serde_json::Value;
use torchproof::view::{File, ViewError};
use torchproof::{FileBytes, Limits};

/// The `dump` command's limits, because the output repeats a shared table for each reference to it.
const LIMITS: Limits = File::VALUE_LIMITS;

pub fn run(bytes: &[u8]) {
    let whole = FileBytes::whole(bytes);
    let mut file = match File::open_within(whole, LIMITS) {
        Ok(file) => file,
        Err(error) => {
            crate::expect_one_line(&error.to_string());
            return;
        }
    };
    let plain = print(&file);
    let printed = segments(&plain).len();
    if let Ok(spans) = file.segments() {
        assert_eq!(printed, spans.len());
    }
    let hashed = file.hash(|span, sink| {
        sink(whole.slice(span, "segment")?);
        Ok::<_, ViewError>(())
    });
    if hashed.is_ok() {
        let hashed = print(&file);
        assert_eq!(hashed["kind"], plain["kind"]);
        assert!(segments(&hashed).iter().all(|segment| segment["sha256"].as_str().is_some_and(|hex| hex.len() == 64)));
    }
}

/// Returns the list of segments. For a bundled program, it is inside the JSON of the inner program.
fn segments(print: &Value) -> &[Value] {
    let list = print["segments"].as_array().expect("a list");
    match print["bundled_program"].get("program") {
        Some(program) => {
            assert!(list.is_empty(), "segments of a bundled program: {print}");
            segments(program)
        }
        None => list,
    }
}

fn print(file: &File<'_>) -> Value {
    let text = serde_json::to_string(file).expect("an open file can be serialized");
    serde_json::from_str(&text).expect("the output is valid JSON")
}

//! **What `dump` prints of any bytes is whole**: JSON that can be read back, as large as the file allows, or one clear error.

use serde_json::Value;
use torchproof::view::{File, ViewError};
use torchproof::{Image, Limits};

/// What the command allows, and less of it: a file's print grows with what it shares.
const LIMITS: Limits = File::VALUE_LIMITS;

/// Holds `bytes` to the contract.
///
/// # Panics
///
/// When they break it.
pub fn run(bytes: &[u8]) {
    let whole = Image::whole(bytes);
    let mut file = match File::open_within(whole, LIMITS) {
        Ok(file) => file,
        Err(error) => {
            let line = error.to_string();
            assert!(!line.is_empty() && !line.contains('\n'), "{line:?} is not one line");
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

/// The list of segments, which a bundled program leaves to the program in it.
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

/// The print, read back.
fn print(file: &File<'_>) -> Value {
    let text = serde_json::to_string(file).expect("what was opened is serialized");
    serde_json::from_str(&text).expect("what was printed is JSON")
}

#[cfg(test)]
mod tests {
    #[test]
    fn smoke() {
        crate::smoke::drive(super::run);
    }
}

//! **What `dump` prints of any bytes is whole**: JSON that can be read back, as large as the file allows, or one clear error.

use torchproof::view::{Error as ViewError, File};
use torchproof::{Image, Limits};

/// What the command allows, and less of it: a file's print grows with what it shares.
const LIMITS: Limits = torchproof::view::VALUE_LIMITS;

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
    if plain.get("segments").is_none_or(|segments| !segments.is_array()) {
        panic!("no segments: {plain}");
    }
    let hashed = file.hash(|span, sink| {
        sink(whole.slice(span, "segment")?);
        Ok::<_, ViewError>(())
    });
    if hashed.is_ok() {
        let hashed = print(&file);
        assert_eq!(hashed["kind"], plain["kind"]);
        let digests = hashed["segments"].as_array().expect("a list");
        assert!(digests.iter().all(|segment| segment["sha256"].as_str().is_some_and(|hex| hex.len() == 64)));
    }
}

/// The print, read back.
fn print(file: &File<'_>) -> serde_json::Value {
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

//! **A packed dump means the same as the dumped file.**
//!
//! * If the checker accepts the packed file, its dump equals the first file's dump, including the segments' bytes.
//! * Dumping a file that `pack` wrote, and packing it again, gives the same bytes.
//! * `pack` writes the dump of each file that breaks no rule, except for the errors in `UNWRITABLE`.
//! * An error of `pack` is one line.

use std::io::Cursor;
use std::path::Path;

use serde_json::{Value, json};
use torchproof::check::Checker;
use torchproof::view::{File, ViewError};
use torchproof::{FileBytes, Limits, Span};
use torchproof_cli::document::pack::{self, PackOptions};
use torchproof_harness::run::compare::first_difference;

use crate::expect_one_line;

/// A dump repeats a shared table for each offset to it.
const LIMITS: Limits = Limits::DEFAULT.tables(1 << 12).apparent_size(1 << 18);

const MAX_SIZE: u64 = 1 << 17;

/// The errors that `pack` may report for a file that breaks no rule. There are two causes. If tables or strings
/// overlap, `pack` cannot write a FlatBuffer as small as the original, so it exceeds the size in the header or
/// [`MAX_SIZE`]. Or a segment is inside the FlatBuffer of a program without a header.
const UNWRITABLE: &[&str] =
    &["of the FlatBuffer, expected at least", "expected a file of", "of segment data but no header"];

pub fn run(bytes: &[u8]) {
    let Some(dumped) = dump(bytes) else { return };
    let report = Checker::new().max_findings(0).check(bytes);
    let writable = report.accepts() && report.should == 0 && report.may == 0;
    let packed = match pack(&dumped) {
        Ok(packed) => packed,
        Err(error) => {
            expect_one_line(&error);
            let is_limit = UNWRITABLE.iter().any(|limit| error.contains(limit));
            assert!(!writable || is_limit, "`pack` rejects the dump of a valid file: {error}");
            return;
        }
    };
    let again = dump(&packed).expect("a file that was packed can be dumped");
    assert_eq!(first_difference(&dumped, &again), None, "the dump of the packed file differs");
    assert!(pack(&again).as_ref() == Ok(&packed), "`pack` writes other bytes the second time");
}

/// Returns the dump with each segment's digest and bytes; `None` if the file is broken or exceeds a limit.
fn dump(bytes: &[u8]) -> Option<Value> {
    let whole = FileBytes::whole(bytes);
    let mut file = File::open_within(whole, LIMITS).ok()?;
    let hashed = file.hash(|span, sink| {
        sink(whole.slice(span, "segment")?);
        Ok::<_, ViewError>(())
    });
    hashed.ok()?;
    let spans = file.segments().expect("the segments have digests");
    // Segments can overlap, so their text can be much longer than the file.
    let total = spans.iter().fold(0_u64, |sum, span| sum.saturating_add(span.len));
    if total > MAX_SIZE {
        return None;
    }
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let data = |span: Span| match span.len {
        // An empty segment can be anywhere, even after the end of the file.
        0 => json!({ "hex": "" }),
        _ => json!({ "hex": hex(whole.slice(span, "segment").expect("the segment has a digest")) }),
    };
    file.set_data(spans.into_iter().map(data).collect());
    Some(serde_json::to_value(&file).expect("an open file can be serialized"))
}

/// Packs a specification. It is an error if the checker rejects the packed file, or reads it as another kind.
fn pack(specification: &Value) -> Result<Vec<u8>, String> {
    let options = PackOptions { max_size: MAX_SIZE, ..PackOptions::new(Path::new("")) };
    let text = specification.to_string();
    let mut document = pack::read(text.as_bytes(), &options).map_err(|error| error.to_string())?;
    let mut bytes = Cursor::new(Vec::new());
    document.write_unchecked(&mut bytes).map_err(|error| error.to_string())?;
    let bytes = bytes.into_inner();
    let report = Checker::new().max_findings(0).check(&bytes);
    if !report.accepts() {
        Err("the checker rejects the packed file".to_owned())
    } else if report.kind != document.kind() {
        Err("the packed file is read as another kind".to_owned())
    } else {
        Ok(bytes)
    }
}

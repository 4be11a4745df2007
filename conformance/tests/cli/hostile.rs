//! Tests files that attack this program: the size of its output, its memory, its time and the user's terminal.

use command::{file, run};
use torchproof::annotate::{ByteMap, PartKind};
use torchproof::flatbuffer::encode;
use torchproof::flatbuffer::schema::TableView;
use torchproof::flatbuffer::tree::TableTree;
use torchproof::pte;
use torchproof::pte::schema::{NamedData, Program};

testkit::command_in!("hostile");

/// Returns a program of at most 64 KiB. All its keys are the same long string.
fn one_long_key() -> Vec<u8> {
    let entry = |key: String| TableTree::new(NamedData::TYPE).with("key", key);
    // The encoder writes the first element at the highest address, so the other offsets can point forward to its key.
    let long = entry(format!("metadata.{}", "\u{1b}".repeat(36_000)));
    let entries = [long].into_iter().chain((0..600).map(|_| entry(String::new())));
    let root = TableTree::new(Program::TYPE).with("named_data", entries.collect::<Vec<_>>());
    let mut bytes = encode(&root, pte::IDENTIFIER).unwrap();
    let map = ByteMap::of(&bytes);
    let target = map.find("named_data[0].key", PartKind::Count).unwrap().span.offset;
    let keys = map.entries().iter().filter(|entry| entry.kind == PartKind::Offset && entry.path.ends_with(".key"));
    for key in keys {
        let at = usize::try_from(key.span.offset).unwrap();
        let distance = u32::try_from(target - key.span.offset).unwrap();
        bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
    }
    assert!(bytes.len() < 64 << 10, "{}", bytes.len());
    bytes
}

#[test]
fn findings_truncate_long_names() {
    let name = file("long-key.pte", &one_long_key());
    for format in ["text", "json", "sarif"] {
        let outcome = run(&["check", "--format", format, name]);
        assert_eq!(outcome.code, Some(1));
        assert!(
            outcome.stdout.contains("… (36009 bytes)") || outcome.stdout.contains("\\u2026 (36009 bytes)"),
            "{format}"
        );
        assert!(outcome.stdout.contains(" more findings") || outcome.stdout.contains("\"omitted\": "), "{format}");
        assert!(outcome.stdout.len() < 4 << 20, "{format}: {} bytes", outcome.stdout.len());
    }
}

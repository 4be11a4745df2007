//! Runs the console sessions in the `.md` files of this folder.

use std::fs;
use std::path::Path;

#[test]
fn sessions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut documents: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    documents.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    assert!(!documents.is_empty());
    testkit::run_sessions("sessions", &documents);
}

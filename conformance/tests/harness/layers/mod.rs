//! Checks the **layers** of the library, and that the files of a package do not import from each other in a cycle.
//!
//! The compiler prevents cycles between packages, but permits every import inside a package. This test therefore reads
//! the paths in every source file and finds out which file declares each name. It ignores method calls and paths that a
//! macro generates.

mod names;
mod sources;

use std::collections::BTreeSet;

use sources::{Imports, imports, undeclared};

/// The layers of the library, lowest first. A file may import only from its own layer and lower layers. An entry is a
/// module of the crate's root, or a file or folder of a module that spans several layers.
const LAYERS: &[&[&str]] = &[
    &["span", "stage", "limits", "random", "named", "sort", "real_files", "part_kind", "excerpt", "write_error"],
    &["flatbuffer"],
    &["rules"],
    &["scalar_type", "error", "names", "layout", "segment", "file_bytes", "kind"],
    // These modules write segments and tables without a check.
    &["pte", "ptd", "bundled", "metadata", "write"],
    &["entry", "key_index", "needed"],
    &["check"],
    // `pack` checks the files that it writes.
    &["pack", "prediction"],
    &["annotate", "view"],
    &["patch"],
    &["mutate"],
    &["corpus", "generate", "attack"],
];

const SOURCES: [&str; 5] = ["../src", "src", "harness/src", "model/src", "text/src"];

/// The permitted cycles.
const CIRCLES: &[&[&str]] = &[
    // A field can be a vector, the elements of a vector can be tables, and a visited table has fields.
    &["flatbuffer/schema/field.rs", "flatbuffer/vector.rs", "flatbuffer/walk/visited_table.rs"],
    // A table has values, and a value can be a table.
    &["flatbuffer/tree.rs", "flatbuffer/tree/value.rs"],
];

#[test]
fn the_library_is_layered() {
    let imports = imports("../src");
    let mut wrong = Vec::new();
    for (from, all) in &imports {
        for (to, path) in all {
            // The crate's root declares every module and re-exports the public names.
            if from != "lib.rs" && to != "lib.rs" && layer_of(to) > layer_of(from) {
                wrong.push(format!("{from} imports {path} of {to}, which is in a higher layer"));
            }
        }
    }
    let empty = LAYERS.iter().copied().flatten().filter(|entry| !imports.keys().any(|file| is_in(file, entry)));
    wrong.extend(empty.map(|entry| format!("the table has an entry without files: {entry}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_do_not_import_from_each_other() {
    let found: Vec<_> = SOURCES.map(|folder| circles(&imports(folder))).concat();
    assert_eq!(found, CIRCLES);
}

#[test]
fn every_file_is_compiled() {
    let mut ignored = SOURCES.map(undeclared).concat();
    // An attribute declares this one under another name.
    ignored.retain(|path| path != "harness/src/reader/no_process.rs");
    assert!(ignored.is_empty(), "the compiler ignores {ignored:?}: declare each as a module, `mod NAME;`");
}

/// Returns the number of the layer of `file`, according to the longest matching entry.
fn layer_of(file: &str) -> usize {
    let entries = LAYERS.iter().enumerate().flat_map(|(layer, all)| all.iter().map(move |entry| (layer, entry)));
    let found = entries.filter(|(_, entry)| is_in(file, entry)).max_by_key(|(_, entry)| entry.len());
    found.unwrap_or_else(|| panic!("{file} is in no layer: add it to the table")).0
}

fn is_in(file: &str, entry: &str) -> bool {
    let rest = file.trim_end_matches(".rs").strip_prefix(entry);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns each sorted set of files that import from each other, directly or indirectly.
fn circles(imports: &Imports) -> Vec<Vec<String>> {
    let mutual = |file: &String| -> Vec<String> {
        let reached = reached(imports, file);
        reached
            .iter()
            .filter(|other| self::reached(imports, other).contains(file))
            .map(|file| (*file).clone())
            .collect()
    };
    let all: BTreeSet<_> = imports.keys().map(mutual).filter(|circle| !circle.is_empty()).collect();
    all.into_iter().collect()
}

fn reached<'a>(imports: &'a Imports, start: &'a String) -> BTreeSet<&'a String> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![start]);
    while let Some(file) = next.pop() {
        next.extend(imports.get(file).into_iter().flat_map(|all| all.keys()).filter(|file| seen.insert(*file)));
    }
    seen
}

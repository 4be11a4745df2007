//! **The layers**: imports between the files of a package point down, and no two files import from each other.
//!
//! The table of a package lists the layers of the package. The test reads the paths in every source file, finds the file that
//! declares each name, and reports imports that point up and cycles of files. It ignores method calls and paths that a macro
//! generates.

mod names;
mod sources;

use std::collections::{BTreeMap, BTreeSet};

use sources::{Imports, Sources};

/// The layers of a package.
struct Layers {
    /// Lowest layer first: a file imports only from its own layer and earlier ones. An entry is a module of the crate's root, or a
    /// file or folder of one in another layer.
    layers: &'static [&'static [&'static str]],
    /// Permitted cycles: the reason, and the files.
    circles: &'static [(&'static str, &'static [&'static str])],
}

/// The library.
const LIBRARY: Layers = Layers {
    layers: &[
        &["span", "stage", "limits", "random", "real_files", "part_kind", "write_error"],
        &["flatbuffer"],
        &["scalar_type", "error", "names", "key_index", "layout", "segment", "image"],
        // The writers place segments and encode tables; they check nothing.
        &["pte", "ptd", "bundled", "metadata", "write"],
        &["kind", "needed", "rules"],
        &["check"],
        // Packing rejects what a check rejects.
        &["write/package", "pte/pack", "ptd/pack"],
        &["annotate", "view"],
        &["patch"],
        &["corpus", "generate", "attack"],
    ],
    circles: &[
        (
            "a field's type declares how the pass visits it, and the pass hands tables to its visitor by their types",
            &[
                "flatbuffer/schema/field.rs",
                "flatbuffer/vector.rs",
                "flatbuffer/walk/mod.rs",
                "flatbuffer/walk/visited.rs",
                "flatbuffer/walk/visitor.rs",
            ],
        ),
        ("a table has values, and a value can be a table", &["flatbuffer/tree.rs", "flatbuffer/tree/value.rs"]),
    ],
};

/// The command: its library, and the command line over that.
const COMMAND: Layers = Layers {
    layers: &[
        &["text", "disk"],
        // A reader returns an outcome; grades belong to a higher layer.
        &["reader"],
        &["findings", "sarif"],
        &["corpus"],
        &["byte_map"],
        &["explain"],
        &["run"],
        &["report"],
        &["file", "attack", "generation", "corpus_copy"],
        &["hunt"],
        // The schemas describe the types of every layer below, for the tests.
        &["schema"],
        &["cli"],
    ],
    circles: &[],
};

#[test]
fn the_library_is_layered() {
    expect_layered("../src", &LIBRARY);
}

#[test]
fn the_command_is_layered() {
    expect_layered("src", &COMMAND);
}

/// Fails for every import that points up, every cycle outside the table, and every entry without files.
fn expect_layered(folder: &str, layers: &Layers) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let imports = Sources::read(&folder).imports();
    let mut wrong = Vec::new();
    for (from, all) in &imports {
        for (to, path) in all {
            // The crate's root declares every module and re-exports the public names.
            if !is_root(from) && !is_root(to) && layers.of(to) > layers.of(from) {
                wrong.push(format!("{from} imports {path} of {to}, which is in a higher layer"));
            }
        }
    }
    let circles = circles(&imports);
    let known: Vec<_> = layers.circles.iter().map(|(_, files)| *files).collect();
    for circle in circles.iter().filter(|circle| !known.iter().any(|files| circle == files)) {
        wrong.push("these files import from each other:".to_owned());
        for from in circle {
            let inside = imports[from].iter().filter(|(to, _)| circle.contains(to));
            wrong.extend(inside.map(|(to, path)| format!("    {from} imports {path} of {to}")));
        }
    }
    let gone = known.iter().filter(|files| !circles.iter().any(|circle| circle == *files));
    wrong.extend(gone.map(|files| format!("the table has a cycle that does not exist: {files:?}")));
    let entries = layers.layers.iter().copied().flatten();
    let empty = entries.filter(|entry| !imports.keys().any(|file| is_in(file, entry)));
    wrong.extend(empty.map(|entry| format!("the table has an entry without files: {entry}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

impl Layers {
    /// Returns the layer of a file, by the longest matching entry.
    fn of(&self, file: &str) -> usize {
        let entries =
            self.layers.iter().enumerate().flat_map(|(layer, all)| all.iter().map(move |entry| (layer, entry)));
        let found = entries.filter(|(_, entry)| is_in(file, entry)).max_by_key(|(_, entry)| entry.len());
        found.unwrap_or_else(|| panic!("{file} is in no layer: add it to the table")).0
    }
}

/// Returns whether an entry names the file or its folder.
fn is_in(file: &str, entry: &str) -> bool {
    let rest = file.trim_end_matches(".rs").strip_prefix(entry);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_root(file: &str) -> bool {
    file == "lib.rs" || file == "main.rs"
}

/// Returns the sets of files that import each other, each in order.
fn circles(imports: &Imports) -> BTreeSet<Vec<String>> {
    let reached: BTreeMap<_, _> = imports.keys().map(|file| (file, reached(imports, file))).collect();
    let mutual = |file: &String| -> Vec<String> {
        let back = |other: &&&String| reached[*other].contains(file);
        reached[file].iter().filter(back).map(ToString::to_string).collect()
    };
    imports.keys().map(mutual).filter(|circle| !circle.is_empty()).collect()
}

/// Returns the files that a file imports from, directly or indirectly.
fn reached<'a>(imports: &'a Imports, start: &'a String) -> BTreeSet<&'a String> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![start]);
    while let Some(file) = next.pop() {
        next.extend(imports.get(file).into_iter().flat_map(|all| all.keys()).filter(|file| seen.insert(*file)));
    }
    seen
}

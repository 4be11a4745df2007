//! Checks the **layers** of each package. A file must not import from a higher layer, and files must not import from each
//! other in a cycle.
//!
//! A table in this file lists the layers of each package. The test reads the paths in every source file and determines which
//! file declares each name. The test reports imports from higher layers and cycles of files. The test ignores method calls
//! and paths that a macro generates.

mod names;
mod sources;

use std::collections::{BTreeMap, BTreeSet};

use sources::{Imports, Sources};

struct Layers {
    /// The lowest layer first. An entry is a module of the crate's root, or a file or folder of a module in several layers.
    layers: &'static [&'static [&'static str]],
    /// The permitted cycles of files: for each cycle, the reason and the files.
    circles: &'static [(&'static str, &'static [&'static str])],
}

const LIBRARY: Layers = Layers {
    layers: &[
        &["span", "stage", "limits", "random", "named", "sort", "real_files", "part_kind", "excerpt", "write_error"],
        &["flatbuffer"],
        &["rules"],
        &["scalar_type", "error", "names", "layout", "segment", "image", "kind"],
        // The modules in the next row write segments and tables without a check.
        &["pte", "ptd", "bundled", "metadata", "write"],
        &["entry", "indexed", "needed"],
        &["check"],
        // The writers that check the files that they write.
        &["pack"],
        &["annotate", "view"],
        &["patch"],
        &["mutate"],
        &["corpus", "generate", "attack"],
    ],
    circles: &[
        (
            "a field can be a vector, whose elements can be tables, and a visited table has fields",
            &["flatbuffer/schema/field.rs", "flatbuffer/vector.rs", "flatbuffer/walk/visited.rs"],
        ),
        ("a table has values, and a value can be a table", &["flatbuffer/tree.rs", "flatbuffer/tree/value.rs"]),
    ],
};

const COMMAND: Layers = Layers {
    layers: &[
        &["text", "disk", "runtime", "paths", "parallel"],
        // A reader returns only an outcome. A higher layer assigns the grade.
        &["reader"],
        &["catalogue", "settings"],
        &["findings", "render"],
        &["corpus"],
        &["byte_map"],
        &["explain"],
        &["run"],
        &["report"],
        &["file", "attack", "generation", "corpus_copy", "init"],
        &["hunt", "gate"],
        // The JSON schemas describe types of all lower layers; only the tests need the schemas.
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

/// Fails if a file imports from a higher layer, if a cycle is not permitted, or if an entry matches no file.
fn expect_layered(folder: &str, layers: &Layers) {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let imports = Sources::read(&folder).imports();
    let mut wrong = Vec::new();
    for (from, all) in &imports {
        for (to, path) in all {
            // Ignore the crate's root, because it declares every module and re-exports the public names.
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
    /// If several entries match the file, the longest one determines the layer.
    fn of(&self, file: &str) -> usize {
        let entries =
            self.layers.iter().enumerate().flat_map(|(layer, all)| all.iter().map(move |entry| (layer, entry)));
        let found = entries.filter(|(_, entry)| is_in(file, entry)).max_by_key(|(_, entry)| entry.len());
        found.unwrap_or_else(|| panic!("{file} is in no layer: add it to the table")).0
    }
}

/// Returns whether `entry` names the file, or a folder that contains the file.
fn is_in(file: &str, entry: &str) -> bool {
    let rest = file.trim_end_matches(".rs").strip_prefix(entry);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn is_root(file: &str) -> bool {
    file == "lib.rs" || file == "main.rs"
}

fn circles(imports: &Imports) -> BTreeSet<Vec<String>> {
    let reached: BTreeMap<_, _> = imports.keys().map(|file| (file, reached(imports, file))).collect();
    let mutual = |file: &String| -> Vec<String> {
        let back = |other: &&&String| reached[*other].contains(file);
        reached[file].iter().filter(back).map(ToString::to_string).collect()
    };
    imports.keys().map(mutual).filter(|circle| !circle.is_empty()).collect()
}

fn reached<'a>(imports: &'a Imports, start: &'a String) -> BTreeSet<&'a String> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![start]);
    while let Some(file) = next.pop() {
        next.extend(imports.get(file).into_iter().flat_map(|all| all.keys()).filter(|file| seen.insert(*file)));
    }
    seen
}

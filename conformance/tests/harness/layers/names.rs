//! Checks **type names**: two types of a package may share a name only if one of them is private to its file.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};

use super::sources::parsed;

/// The source folders of the packages. Names that a macro generates do not count, because the file format dictates the
/// names of tables.
const PACKAGES: &[&str] = &[
    "../src",
    "src",
    "harness/src",
    "model/src",
    "text/src",
    "protocol/src",
    "testkit/src",
    "../fuzz/src",
    "../fuzz/mutator/src",
];

#[test]
fn no_two_visible_types_share_a_name() {
    let mut wrong = Vec::new();
    for package in PACKAGES {
        let mut visible: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (path, tree) in parsed(package) {
            // This file replaces process.rs on systems that cannot run readers.
            if path.ends_with("reader/no_process.rs") {
                continue;
            }
            let mut shown = Shown::default();
            shown.visit_file(&tree);
            for name in shown.0 {
                visible.entry(name).or_default().push(path.clone());
            }
        }
        visible.retain(|_, files| files.len() > 1);
        wrong.extend(visible.into_iter().map(|(name, files)| format!("{package}: {name} in {}", files.join(", "))));
    }
    assert!(wrong.is_empty(), "names of several types that other files see:\n{}", wrong.join("\n"));
}

#[derive(Default)]
struct Shown(Vec<String>);

impl<'ast> Visit<'ast> for Shown {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Enum(syn::ItemEnum { vis, ident, .. })
            | syn::Item::Struct(syn::ItemStruct { vis, ident, .. })
            | syn::Item::Trait(syn::ItemTrait { vis, ident, .. })
            | syn::Item::Type(syn::ItemType { vis, ident, .. }) => {
                self.0.extend((!matches!(vis, syn::Visibility::Inherited)).then(|| ident.to_string()));
            }
            item => visit::visit_item(self, item),
        }
    }
}

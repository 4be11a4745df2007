//! The source files of a package, and the imports between them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::visit::{self, Visit};

/// For each file, the files that it imports from, each with an import path as an example.
pub(crate) type Imports = BTreeMap<String, BTreeMap<String, String>>;

const MOST_REEXPORTS: usize = 8;

/// The files below a `src` folder, by path, without test modules.
struct Sources {
    files: BTreeMap<String, File>,
    /// The source file of each module path.
    modules: BTreeMap<Vec<String>, String>,
}

struct File {
    module: Vec<String>,
    /// The paths of the modules that the file declares.
    declared: BTreeSet<Vec<String>>,
    /// The paths that the file uses, relative to the crate's root.
    used: BTreeSet<Vec<String>>,
    /// The path of each module that the file declares, and each name in a `use` declaration.
    names: BTreeMap<String, Vec<String>>,
}

/// Parses the files below a `src` folder, except test files. Returns them by path.
pub(crate) fn parsed(root: &str) -> BTreeMap<String, syn::File> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(&root) {
        let entry = entry.expect("the source folder can be read");
        let path = entry.path().strip_prefix(&root).expect("below the root").to_string_lossy().into_owned();
        let test = path.split('/').any(|part| part == "tests" || part == "tests.rs");
        if !test && path.ends_with(".rs") {
            let text = std::fs::read_to_string(entry.path()).expect("a source file can be read");
            let tree = syn::parse_file(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
            files.insert(path, tree);
        }
    }
    files
}

/// Returns the files that the compiler ignores, because no file declares them as a module.
pub(crate) fn undeclared(root: &str) -> Vec<String> {
    let sources = Sources::of(root);
    let declared: BTreeSet<_> = sources.files.values().flat_map(|file| &file.declared).collect();
    let ignored = sources.modules.into_iter().filter(|(module, _)| !module.is_empty() && !declared.contains(module));
    ignored.map(|(_, path)| format!("{root}/{path}")).collect()
}

pub(crate) fn imports(root: &str) -> Imports {
    let sources = Sources::of(root);
    let of = |(path, file): (&String, &File)| {
        let target = |used: &Vec<String>| Some((sources.declares(used, 0)?, used.join("::")));
        (path.clone(), file.used.iter().filter_map(target).filter(|(target, _)| target != path).collect())
    };
    sources.files.iter().map(of).collect()
}

impl Sources {
    fn of(root: &str) -> Self {
        let files: BTreeMap<_, _> =
            parsed(root).into_iter().map(|(path, tree)| (path.clone(), File::new(&path, &tree))).collect();
        let modules = files.iter().map(|(path, file)| (file.module.clone(), path.clone())).collect();
        Self { files, modules }
    }

    /// Returns the file that declares the last name of a path, through re-exports.
    fn declares(&self, path: &[String], depth: usize) -> Option<String> {
        let known = (0..=path.len()).rev().find(|end| self.modules.contains_key(&path[..*end]))?;
        let file = &self.modules[&path[..known]];
        let name = path.get(known).filter(|_| depth < MOST_REEXPORTS);
        match name.and_then(|name| self.files[file].names.get(name)) {
            Some(target) => self.declares(&[target, &path[known + 1..]].concat(), depth + 1),
            None => Some(file.clone()),
        }
    }
}

impl File {
    fn new(path: &str, tree: &syn::File) -> Self {
        let mut module: Vec<String> = path.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
        if ["mod", "lib", "main"].contains(&module.last().map_or("", String::as_str)) {
            module.pop();
        }
        let mut file = Self { module, declared: BTreeSet::new(), used: BTreeSet::new(), names: BTreeMap::new() };
        // The first visit collects the names; the second collects the paths that begin with one of these names.
        file.visit_file(tree);
        file.visit_file(tree);
        file
    }

    /// The path relative to the crate's root; `None` for a path into another crate.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let (mut base, mut rest) = match path.first()?.as_str() {
            "crate" => (Vec::new(), &path[1..]),
            "self" => (self.module.clone(), &path[1..]),
            "super" => (self.module.clone(), path),
            name => {
                let known = self.names.get(name)?;
                // A single name is a variable, even if there is a module of the same name.
                let is_child = known.strip_prefix(&*self.module).is_some_and(|below| below.len() == 1);
                (known.clone(), (path.len() > 1 || !is_child).then_some(&path[1..])?)
            }
        };
        while rest.first().is_some_and(|name| name == "super") {
            base.pop();
            rest = &rest[1..];
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    fn add_use(&mut self, prefix: &[String], tree: &syn::UseTree, reexport: bool) {
        let (name, own) = match tree {
            syn::UseTree::Path(path) => {
                return self.add_use(&[prefix, &[path.ident.to_string()]].concat(), &path.tree, reexport);
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.add_use(prefix, tree, reexport));
            }
            syn::UseTree::Name(name) => (name.ident.to_string(), None),
            syn::UseTree::Rename(rename) => (rename.ident.to_string(), Some(rename.rename.to_string())),
            syn::UseTree::Glob(_) => ("self".to_owned(), None),
        };
        let mut path = prefix.to_vec();
        if name != "self" {
            path.push(name);
        }
        let own = own.or_else(|| path.last().cloned()).unwrap_or_default();
        if let Some(path) = self.absolute(&path) {
            // A re-export is not an import, because code that uses the name imports from the file that declares it.
            if !reexport {
                self.used.insert(path.clone());
            }
            if !matches!(tree, syn::UseTree::Glob(_)) {
                self.names.insert(own, path);
            }
        }
    }
}

fn is_of_tests(module: &syn::ItemMod) -> bool {
    let conditions = module.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    conditions.filter_map(|attr| attr.meta.require_list().ok()).any(|list| {
        let text = list.tokens.to_string().replace(' ', "");
        let all = text.strip_prefix("all(").and_then(|rest| rest.strip_suffix(')'));
        all.unwrap_or(&text).split(',').any(|condition| condition == "test")
    })
}

impl<'ast> Visit<'ast> for File {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let name = module.ident.to_string();
        let path = [&*self.module, std::slice::from_ref(&name)].concat();
        self.declared.insert(path.clone());
        if !is_of_tests(module) {
            self.names.insert(name.clone(), path);
            self.module.push(name);
            visit::visit_item_mod(self, module);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_use(&[], &item.tree, !matches!(item.vis, syn::Visibility::Inherited));
    }

    /// The path in `pub(super)` is not an import.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.used.extend(self.absolute(&parts));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        // The arguments of a macro have no syntax tree, so search their text for paths.
        let text = item.tokens.to_string().replace(" :: ", "::");
        for path in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
            let parts: Vec<String> = path.split("::").map(str::to_owned).collect();
            if parts.len() == 1 {
                // A macro can declare modules by name.
                self.declared.insert([&*self.module, &parts].concat());
            } else if !parts.contains(&String::new()) {
                self.used.extend(self.absolute(&parts));
            }
        }
        visit::visit_macro(self, item);
    }
}

//! The source files of a package, and the imports between them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

/// For each file, the files that it imports from, each with one of the import paths.
pub(crate) type Imports = BTreeMap<String, BTreeMap<String, String>>;

const MOST_REEXPORTS: usize = 8;

/// The files below a `src` folder, by path, without test modules.
pub(crate) struct Sources {
    files: BTreeMap<String, File>,
    /// The source file of each module path.
    modules: BTreeMap<Vec<String>, String>,
}

struct File {
    module: Vec<String>,
    /// Relative to the crate's root.
    used: BTreeSet<Vec<String>>,
    /// The path in the `use` declaration that introduces each name.
    names: BTreeMap<String, Vec<String>>,
    children: BTreeSet<String>,
}

pub(crate) fn parsed(root: &Path) -> BTreeMap<String, syn::File> {
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(root) {
        let entry = entry.expect("the source folder can be read");
        let path = entry.path().strip_prefix(root).expect("below the root").to_string_lossy().into_owned();
        let test = path.split('/').any(|part| part == "tests" || part == "tests.rs");
        if !test && path.ends_with(".rs") {
            let text = std::fs::read_to_string(entry.path()).expect("a source file can be read");
            let tree = syn::parse_file(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
            files.insert(path, tree);
        }
    }
    files
}

impl Sources {
    pub(crate) fn read(root: &Path) -> Self {
        let files: BTreeMap<_, _> =
            parsed(root).into_iter().map(|(path, tree)| (path.clone(), File::new(&path, &tree))).collect();
        let modules = files.iter().map(|(path, file)| (file.module.clone(), path.clone())).collect();
        Self { files, modules }
    }

    pub(crate) fn imports(&self) -> Imports {
        let of = |(path, file): (&String, &File)| {
            let target = |used: &Vec<String>| Some((self.declares(used, 0)?, used.join("::")));
            (path.clone(), file.used.iter().filter_map(target).filter(|(target, _)| target != path).collect())
        };
        self.files.iter().map(of).collect()
    }

    /// The file that declares the last name of a path, behind all re-exports.
    fn declares(&self, path: &[String], depth: usize) -> Option<String> {
        let known = (0..=path.len()).rev().find(|end| self.modules.contains_key(&path[..*end]))?;
        let file = &self.modules[&path[..known]];
        let name = path.get(known).filter(|_| depth < MOST_REEXPORTS);
        match name.and_then(|name| self.files[file].names.get(name)) {
            Some(target) => {
                let target: Vec<String> = target.iter().chain(&path[known + 1..]).cloned().collect();
                self.declares(&target, depth + 1)
            }
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
        let mut file = Self { module, used: BTreeSet::new(), names: BTreeMap::new(), children: BTreeSet::new() };
        // The first visit of the syntax tree collects the names that `use` declarations introduce. The second visit collects
        // the paths that begin with an introduced name.
        file.visit_file(tree);
        file.visit_file(tree);
        file
    }

    /// The path relative to the crate's root; `None` for a path into another crate.
    fn absolute(&self, path: &[String]) -> Option<Vec<String>> {
        let (first, mut rest) = path.split_first()?;
        let mut base = match first.as_str() {
            "crate" => Vec::new(),
            "self" => self.module.clone(),
            "super" => {
                rest = path;
                self.module.clone()
            }
            // A path with only one name is a variable, even if a module has this name.
            name if path.len() > 1 && self.children.contains(name) => {
                rest = path;
                self.module.clone()
            }
            name => self.names.get(name)?.clone(),
        };
        while let Some(("super", after)) = rest.split_first().map(|(first, after)| (first.as_str(), after)) {
            base.pop();
            rest = after;
        }
        base.extend_from_slice(rest);
        Some(base)
    }

    /// A path in a `use` declaration can begin with the name of a module that this file declares.
    fn absolute_of_use(&self, path: &[String]) -> Option<Vec<String>> {
        match path.first()?.as_str() {
            "crate" | "self" | "super" => self.absolute(path),
            "alloc" | "core" | "std" => None,
            _ => Some(self.module.iter().chain(path).cloned().collect()),
        }
    }

    fn add_use(&mut self, prefix: &mut Vec<String>, tree: &syn::UseTree, reexport: bool) {
        let (name, own) = match tree {
            syn::UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.add_use(prefix, &path.tree, reexport);
                prefix.pop();
                return;
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.add_use(prefix, tree, reexport));
            }
            syn::UseTree::Name(name) => (name.ident.to_string(), None),
            syn::UseTree::Rename(rename) => (rename.ident.to_string(), Some(rename.rename.to_string())),
            syn::UseTree::Glob(_) => ("self".to_owned(), None),
        };
        let mut path = prefix.clone();
        if name != "self" {
            path.push(name);
        }
        let own = own.or_else(|| path.last().cloned()).unwrap_or_default();
        if let Some(path) = self.absolute_of_use(&path) {
            // A re-export does not count as an import. Code that uses a re-exported name imports from the file that declares
            // the name.
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
    let predicates = module.attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    predicates.filter_map(|attr| attr.parse_args().ok()).any(|predicate| needs_test(&predicate))
}

fn needs_test(predicate: &syn::Meta) -> bool {
    let parts = |list: &syn::MetaList| {
        let parts = list.parse_args_with(Punctuated::<syn::Meta, syn::Token![,]>::parse_terminated);
        parts.unwrap_or_default()
    };
    match predicate {
        syn::Meta::List(list) if list.path.is_ident("all") => parts(list).iter().any(needs_test),
        syn::Meta::List(list) if list.path.is_ident("any") => parts(list).iter().all(needs_test),
        predicate => predicate.path().is_ident("test"),
    }
}

impl<'ast> Visit<'ast> for File {
    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        if !is_of_tests(module) {
            self.children.insert(module.ident.to_string());
            self.module.push(module.ident.to_string());
            visit::visit_item_mod(self, module);
            self.module.pop();
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let reexport = !matches!(item.vis, syn::Visibility::Inherited);
        self.add_use(&mut Vec::new(), &item.tree, reexport);
    }

    /// The path in `pub(super)` is no import.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.used.extend(self.absolute(&parts));
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        // The arguments of a macro have no syntax tree, so search the text of the arguments for paths.
        let text = item.tokens.to_string().replace(" :: ", "::");
        for path in text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
            let parts: Vec<String> = path.split("::").map(str::to_owned).collect();
            if parts.len() > 1 && !parts.contains(&String::new()) {
                self.used.extend(self.absolute(&parts));
            }
        }
        visit::visit_macro(self, item);
    }
}

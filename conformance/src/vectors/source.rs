//! The source code for vectors, from templates.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;

use data_encoding::HEXLOWER;
use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, UndefinedBehavior, Value, context};
use serde_json::Value as Json;
use torchproof::Role;
use torchproof::corpus::Verdict;
use torchproof_harness::corpus::{Case, Corpus, Manifest, Recipe};
use torchproof_harness::text::escape::plain_line;

use super::language::Language;
use super::literal::identifier;

pub(super) type Error = Box<dyn std::error::Error>;

impl Language {
    /// Returns the source code of each case with its bytes.
    pub(crate) fn vectors(self, corpus: &Corpus, cases: &Manifest) -> Result<String, Error> {
        self.render(corpus, cases, false)
    }

    /// Returns the cases' source code. If `edited` is true, it contains the bytes of only a few files, and all other
    /// files are edits of them.
    pub(super) fn render(self, corpus: &Corpus, cases: &Manifest, edited: bool) -> Result<String, Error> {
        let mut bases = Bases::default();
        let vectors = cases.cases.iter().map(|case| {
            let recipe = case.recipe.as_ref().filter(|_| edited);
            let files = case.files.iter().enumerate().map(|(at, file)| {
                let bytes = bytes_of(corpus, &file.path)?;
                let name = identifier(&format!("{}_{}_{at}", case.id, role(file.role)));
                let recipe = recipe.filter(|_| at == 0).and_then(|recipe| Some((recipe, base_path(corpus, recipe)?)));
                let (base, edits) = match recipe {
                    Some((recipe, path)) => (path, recipe_edits(self, recipe)?),
                    None => (file.path.clone(), Vec::new()),
                };
                let base = if edited { Some(bases.number(corpus, base)?) } else { None };
                let size = bytes.len();
                let bytes = if edited { String::new() } else { self.bytes(&bytes, self.indent()) };
                Ok(context!(role => role(file.role), name, size, bytes, base, edits))
            });
            let basis = case.basis().map(torchproof::rules::Basis::name);
            Ok(context!(
                id => self.quoted(&case.id),
                name => identifier(&case.id),
                verdict => case.verdict.name(),
                stage => case.stage.map_or("", |stage| stage.name()),
                rule => self.quoted(case.rule.as_deref().unwrap_or_default()),
                basis => basis.unwrap_or_default(),
                reason => self.quoted(reason(case)),
                files => files.collect::<Result<Vec<_>, Error>>()?,
            ))
        });
        let vectors = vectors.collect::<Result<Vec<_>, Error>>()?;
        let base = |(bytes, id): &(Vec<u8>, String)| context!(bytes => self.bytes(bytes, "    "), id);
        let bases: Vec<Value> = bases.files.iter().map(base).collect();
        let names = if edited { self.names(corpus, cases)? } else { Names::default() };
        let [operators, backends] = [names.operators, names.backends].map(Vec::from_iter);
        let version = plain_line(&cases.version, 40);
        fill(self.template(), context!(version, vectors, bases, edited, operators, backends))
    }

    /// Returns the backends and operators of all accepted programs. An operator's name includes the overload: `aten::add.out`.
    fn names(self, corpus: &Corpus, cases: &Manifest) -> Result<Names, Error> {
        let mut names = Names::default();
        for case in cases.cases.iter().filter(|case| case.verdict == Verdict::Accept) {
            let Some(path) = &case.expect else { continue };
            let file: Json = serde_json::from_slice(&bytes_of(corpus, path)?)?;
            let list = |value: &Json, name: &str| value[name].as_array().cloned().unwrap_or_default();
            let text = |value: &Json, name: &str| value[name].as_str().unwrap_or_default().to_owned();
            for method in list(&file["program"], "execution_plan") {
                names
                    .backends
                    .extend(list(&method, "delegates").iter().map(|delegate| self.quoted(&text(delegate, "id"))));
                for operator in list(&method, "operators") {
                    let (name, overload) = (text(&operator, "name"), text(&operator, "overload"));
                    names.operators.insert(self.quoted(&if overload.is_empty() {
                        name
                    } else {
                        format!("{name}.{overload}")
                    }));
                }
            }
        }
        Ok(names)
    }
}

/// The files that other files are edits of, in order of first use.
#[derive(Default)]
struct Bases {
    files: Vec<(Vec<u8>, String)>,
    numbers: BTreeMap<String, usize>,
}

impl Bases {
    fn number(&mut self, corpus: &Corpus, path: String) -> Result<usize, Error> {
        if let Some(number) = self.numbers.get(&path) {
            return Ok(*number);
        }
        self.files.push((bytes_of(corpus, &path)?, path.clone()));
        self.numbers.insert(path, self.files.len() - 1);
        Ok(self.files.len() - 1)
    }
}

/// Renders a template of source code.
pub(super) fn fill(template: &str, values: Value) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment
        .set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?);
    Ok(environment.render_str(template, values)?)
}

fn bytes_of(corpus: &Corpus, path: &str) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut file = corpus.open_file(path).map_err(|error| format!("{path}: {error}"))?;
    file.read_to_end(&mut bytes).map_err(|error| format!("{path}: {error}"))?;
    Ok(bytes)
}

/// Returns the path of the file that a recipe changes.
fn base_path(corpus: &Corpus, recipe: &Recipe) -> Option<String> {
    Some(corpus.case(&recipe.base)?.files.first()?.path.clone())
}

fn recipe_edits(language: Language, recipe: &Recipe) -> Result<Vec<Value>, Error> {
    let edit = |edit: &torchproof_harness::corpus::Edit| {
        let now = HEXLOWER.decode(edit.now.as_bytes())?;
        Ok(context!(at => edit.at, remove => edit.was.len() / 2, insert => language.inserted(&now)))
    };
    recipe.edits.iter().map(edit).collect()
}

const fn role(role: Role) -> &'static str {
    match role {
        Role::Program => "program",
        Role::Data => "data",
        Role::Bundled => "bundled",
    }
}

/// Returns the explanation's first sentence.
fn reason(case: &Case) -> &str {
    case.why.split_inclusive(". ").next().unwrap_or_default().trim_end()
}

/// The names that a loader resolves when it prepares a method.
#[derive(Default)]
struct Names {
    operators: BTreeSet<String>,
    backends: BTreeSet<String>,
}

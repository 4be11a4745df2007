//! **The files that path arguments stand for**: files, folders and globs.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::io::Read;
use std::iter;
use std::mem;
use std::path::{Component, Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use torchproof::FileKind;
use torchproof_harness::disk::io_error::read_fault;
use torchproof_harness::disk::open::open_regular;
use torchproof_harness::text::escape::plain_name;
use walkdir::WalkDir;

/// The file name extensions that a folder search includes.
pub(crate) const SUFFIXES: [&str; 5] = ["pte", "ptd", "bpte", "bp", "ptn"];

/// An argument that matches no file, or an unreadable path below an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SourceError {
    pub(crate) path: PathBuf,
    /// The reason, in a few words.
    pub(crate) reason: String,
    /// `true` if the argument is a folder or glob that matches no file.
    pub(crate) unmatched: bool,
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", plain_name(&self.path.to_string_lossy()), self.reason)
    }
}

/// Returns the files of all arguments without duplicates, ordered by argument and then by path.
///
/// A folder, named or matched by a glob, stands for all files below it with an extension in [`SUFFIXES`]. The search is
/// lazy, follows links, and visits each folder only once per argument.
pub(crate) fn sources(arguments: Vec<PathBuf>) -> impl Iterator<Item = Result<PathBuf, SourceError>> {
    let mut seen = Seen::default();
    arguments.into_iter().flat_map(search).filter(move |found| found.as_ref().map_or(true, |path| seen.add(path)))
}

/// Returns one argument's files, with all paths that lead to them. A file or a missing path is returned unchanged.
pub(crate) fn search(argument: PathBuf) -> Box<dyn Iterator<Item = Result<PathBuf, SourceError>>> {
    if argument.is_dir() {
        return Box::new(Walk::new(argument.clone(), argument, None));
    }
    let text = argument.to_str().filter(|text| text.contains(GLOB) && argument.symlink_metadata().is_err());
    match text.and_then(Pattern::new) {
        Some((base, pattern)) => Box::new(Walk::new(argument, base, Some(pattern))),
        // The caller reports a missing file when it fails to open it.
        None => Box::new(iter::once(Ok(argument))),
    }
}

/// The characters that make an argument a glob, unless a file with exactly this path exists.
pub(super) const GLOB: [char; 4] = ['*', '?', '[', '{'];

#[derive(Debug)]
struct Walk {
    argument: PathBuf,
    base: PathBuf,
    pattern: Option<Pattern>,
    entries: walkdir::IntoIter,
    folders: Seen,
    /// `true` if the search has returned a file or an error.
    answered: bool,
}

impl Walk {
    fn new(argument: PathBuf, base: PathBuf, pattern: Option<Pattern>) -> Self {
        let root = if base.as_os_str().is_empty() { Path::new(".") } else { &base };
        let entries = WalkDir::new(root).follow_links(true).sort_by_file_name().into_iter();
        Self { argument, base, pattern, entries, folders: Seen::default(), answered: false }
    }

    /// Returns two paths for an entry: one for output, and one relative to the searched folder.
    fn names(&self, path: &Path) -> (PathBuf, PathBuf) {
        let path = if self.base.as_os_str().is_empty() { path.strip_prefix(".").unwrap_or(path) } else { path };
        let below = path.strip_prefix(&self.base).unwrap_or(path);
        (path.to_owned(), below.to_owned())
    }

    /// Returns whether the search includes a file. Other programs use the extension `.bp` too, so a `.bp` file counts
    /// only if it begins like a bundled program.
    fn selects(&self, path: &Path, below: &Path) -> bool {
        let suffix = below.extension().and_then(|suffix| suffix.to_str()).unwrap_or_default();
        let ours = SUFFIXES.iter().any(|own| suffix.eq_ignore_ascii_case(own));
        let ours = ours && (!suffix.eq_ignore_ascii_case("bp") || is_bundled(path));
        self.pattern.as_ref().map_or(ours, |pattern| pattern.whole.is_match(below) || ours && pattern.is_below(below))
    }

    fn not_found(&self) -> SourceError {
        let reason = match &self.pattern {
            Some(_) => "no file matches; check the pattern".to_owned(),
            None => {
                let suffixes = SUFFIXES.join(", .").replacen(", .ptn", " or .ptn", 1);
                format!("the folder has no .{suffixes} file; pass another folder, or a file")
            }
        };
        SourceError { path: self.argument.clone(), reason, unmatched: true }
    }
}

impl Iterator for Walk {
    type Item = Result<PathBuf, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let Some(entry) = self.entries.next() else {
                return (!mem::replace(&mut self.answered, true)).then(|| Err(self.not_found()));
            };
            match entry {
                Ok(entry) => {
                    let (path, below) = self.names(entry.path());
                    if entry.file_type().is_dir() {
                        let enter = self.pattern.as_ref().is_none_or(|pattern| pattern.leads(&below));
                        if !enter || !self.folders.add(entry.path()) {
                            self.entries.skip_current_dir();
                        }
                    } else if entry.file_type().is_file() && self.selects(entry.path(), &below) {
                        self.answered = true;
                        return Some(Ok(path));
                    }
                }
                // The search already visits the parent folder that the link leads to.
                Err(error) if error.loop_ancestor().is_some() => {}
                Err(error) => {
                    let (path, below) = self.names(error.path().unwrap_or(&self.argument));
                    // A glob whose base is missing matches no file. A dangling link is an error only if its name
                    // matches the glob.
                    let missing = error.io_error().is_some_and(|error| error.kind() == std::io::ErrorKind::NotFound);
                    if !missing || error.depth() > 0 && self.selects(&path, &below) {
                        self.answered = true;
                        return Some(Err(SourceError { path, reason: reason(&error), unmatched: false }));
                    }
                }
            }
        }
    }
}

/// Returns whether the file has the identifier of a bundled program, in any version.
fn is_bundled(path: &Path) -> bool {
    let mut head = [0; 8];
    let read = open_regular(path).and_then(|mut file| file.read_exact(&mut head));
    read.is_ok() && FileKind::of_head(&head) == FileKind::Bpte
}

fn reason(error: &walkdir::Error) -> String {
    error.io_error().map_or_else(|| error.to_string(), read_fault)
}

/// A glob relative to its base, the folder before the first component with a special character.
#[derive(Debug)]
pub(super) struct Pattern {
    /// The text before the first special character; all matches begin with it.
    head: String,
    whole: GlobMatcher,
    /// Globs for the folders that can contain a match, beginning directly below the base and ending before the first
    /// `**`. A pattern with a brace has none.
    folders: Vec<GlobMatcher>,
}

impl Pattern {
    /// Splits a glob into its base and the pattern below it, if it is valid.
    pub(super) fn new(text: &str) -> Option<(PathBuf, Self)> {
        let special = |part: &Component<'_>| {
            part.as_os_str().to_str().is_none_or(|part| part.contains(GLOB) || part.contains('\\'))
        };
        let parts: Vec<Component<'_>> = Path::new(text).components().collect();
        let first = parts.iter().position(special).unwrap_or(parts.len());
        let base: PathBuf = parts[..first].iter().collect();
        let rest: Vec<&str> = parts[first..].iter().filter_map(|part| part.as_os_str().to_str()).collect();
        let text_below = rest.join("/");
        let whole = matcher(&text_below)?;
        let head = text_below.split(|c: char| GLOB.contains(&c) || c == '\\').next().unwrap_or_default().to_owned();
        // Braces and `**` have no fixed depth: a brace can contain `/`, and `**` matches any number of folders.
        let depths = rest.iter().take_while(|part| !part.contains("**") && !text.contains('{')).count();
        let folders = (1..=depths).map(|depth| matcher(&rest[..depth].join("/")));
        Some((base, Self { head, whole, folders: folders.collect::<Option<_>>()? }))
    }

    pub(super) fn head(&self) -> &str {
        &self.head
    }

    /// Returns whether the pattern matches the file, or a folder that contains it.
    pub(super) fn matches(&self, file: &Path) -> bool {
        self.whole.is_match(file) || self.is_below(file)
    }

    /// Returns whether the pattern can match a path below this folder.
    pub(super) fn leads(&self, folder: &Path) -> bool {
        let depth = folder.components().count();
        depth == 0 || self.folders.get(depth - 1).is_none_or(|glob| glob.is_match(folder))
    }

    fn is_below(&self, file: &Path) -> bool {
        file.ancestors().skip(1).any(|folder| !folder.as_os_str().is_empty() && self.whole.is_match(folder))
    }
}

fn matcher(glob: &str) -> Option<GlobMatcher> {
    Some(GlobBuilder::new(glob).literal_separator(true).build().ok()?.compile_matcher())
}

/// The canonical paths seen so far, as digests to save memory.
#[derive(Debug, Default)]
struct Seen {
    digests: HashSet<(u64, u64)>,
    hashers: (RandomState, RandomState),
}

impl Seen {
    fn add(&mut self, path: &Path) -> bool {
        let place = path.canonicalize();
        let place = place.as_deref().unwrap_or(path);
        self.digests.insert((self.hashers.0.hash_one(place), self.hashers.1.hash_one(place)))
    }
}

//! **The settings file** `torchproof.toml`: settings of `check` and `gate`, and the findings that a project allows.

use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;
use toml::Spanned;

use crate::disk::io_error::cannot_read;
use crate::disk::open::{open_argument, text_up_to};
use crate::text::escape::{plain_line, plain_name};

/// The name of the settings file.
pub const SETTINGS_FILE: &str = "torchproof.toml";

/// The largest settings file in bytes.
const MAX_SETTINGS: u64 = 1 << 20;

/// The content of `torchproof.toml`.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct SettingsFile {
    #[serde(default)]
    check: CheckSettings,
    #[serde(default)]
    gate: GateSettings,
    /// The findings and differences that the project allows.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<AllowEntry>"))]
    allow: Vec<Spanned<AllowEntry>>,
}

/// Settings of `torchproof check`. An option on the command line has priority.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct CheckSettings {
    /// Whether should-rules count as must-rules.
    pub strict: bool,
    /// Whether programs with unresolved external tensors are rejected.
    pub require_data: bool,
    /// The glob of `--pairs`.
    pub pairs: Option<String>,
}

/// Settings of `torchproof gate`. An option on the command line has priority.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct GateSettings {
    /// Whether a difference that breaks only source code makes the command fail.
    pub strict: bool,
    /// Folders with included schemas, relative to the folder of `torchproof.toml`.
    pub include: Vec<PathBuf>,
}

/// A finding or a difference that the project allows.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct AllowEntry {
    /// The id of a rule, or of a kind of difference that `torchproof gate` prints in brackets, such as `field-removed`.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    rule: String,
    /// A glob for the path of the checked file, relative to the folder of `torchproof.toml`. A glob may begin with `..`. For a kind
    /// of difference between two runs, a glob for the ids of cases.
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    path: String,
    /// The reason, written by a person.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = r"\S")))]
    reason: String,
}

/// The settings of a project.
#[derive(Debug, Default)]
pub struct ProjectSettings {
    /// The settings of `check`.
    pub check: CheckSettings,
    /// The settings of `gate`.
    pub gate: GateSettings,
    path: PathBuf,
    allowed: Vec<Allowed>,
}

#[derive(Debug)]
struct Allowed {
    rule: String,
    paths: GlobMatcher,
    /// The folder that contains all files that the glob can match, relative to the folder of the settings.
    base: PathBuf,
    line: usize,
    /// Whether the command checked a file or case that the glob matches, or a folder that contains all possible matches.
    checked: AtomicBool,
    /// Whether the entry allowed a finding.
    used: AtomicBool,
}

impl ProjectSettings {
    /// Loads the settings file at the path `given`. If no path is given, loads the nearest `torchproof.toml` in the
    /// current folder or a parent folder.
    ///
    /// `is_known` returns whether an id names a rule or a kind of difference.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or parsed, if an entry has an unknown rule or no reason, or if a glob is invalid.
    pub fn load(given: Option<&Path>, is_known: impl Fn(&str) -> bool) -> Result<Self, String> {
        let nearest = || {
            let current = std::env::current_dir().ok()?;
            let found = current.ancestors().map(|folder| folder.join(SETTINGS_FILE)).find(|path| path.is_file())?;
            // In messages, name a file in the current folder without the folder.
            Some(found.strip_prefix(&current).map_or_else(|_| found.clone(), Path::to_owned))
        };
        let Some(path) = given.map(Path::to_owned).or_else(nearest) else { return Ok(Self::default()) };
        let text = open_argument(&path).and_then(|file| text_up_to(file, MAX_SETTINGS));
        let text = text.map_err(|error| cannot_read(&path, &error))?;
        Self::parse(&path, &text, is_known)
    }

    fn parse(path: &Path, text: &str, is_known: impl Fn(&str) -> bool) -> Result<Self, String> {
        let at = |offset: usize, message: &str| {
            format!("{}:{}: {message}", plain_name(&path.to_string_lossy()), line_of(text, offset))
        };
        let file: SettingsFile = toml::from_str(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            at(offset, &plain_line(error.message(), usize::MAX))
        })?;
        let allowed = file.allow.into_iter().map(|entry| {
            let offset = entry.span().start;
            let AllowEntry { rule, path, reason } = entry.into_inner();
            if !is_known(&rule) {
                let known = "`torchproof rules` lists the rules, and `torchproof gate` prints kinds in brackets";
                let message = format!("found no rule or kind of difference `{}`; {known}", plain_name(&rule));
                return Err(at(offset, &message));
            }
            if reason.trim().is_empty() {
                return Err(at(offset, "found an empty reason, expected why the finding is allowed"));
            }
            let glob = normal_glob(&path);
            let base: PathBuf = glob.split('/').take_while(|part| !part.contains(SPECIAL)).collect();
            let built = GlobBuilder::new(&glob).literal_separator(true).build();
            let paths = built.map_err(|error| at(offset, &error.to_string()))?.compile_matcher();
            let line = line_of(text, offset);
            Ok(Allowed { rule, paths, base, line, checked: AtomicBool::new(false), used: AtomicBool::new(false) })
        });
        Ok(Self {
            check: file.check,
            gate: file.gate,
            path: path.to_owned(),
            allowed: allowed.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the folder of the settings file.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    }

    /// Returns whether an entry allows a finding or a difference in the file at `path`. `rule` is the id of its rule or kind.
    #[must_use]
    pub fn allows(&self, rule: &str, path: &Path) -> bool {
        !self.allowed.is_empty() && self.allows_match(rule, &self.relative(path))
    }

    /// Returns whether an entry allows a difference in the results of a case. `kind` is the id of its kind.
    #[must_use]
    pub fn allows_case(&self, kind: &str, case: &str) -> bool {
        self.allows_match(kind, Path::new(case))
    }

    fn allows_match(&self, rule: &str, name: &Path) -> bool {
        let mut allows = false;
        for entry in self.allowed.iter().filter(|entry| entry.rule == rule && entry.paths.is_match(name)) {
            entry.used.store(true, Ordering::Relaxed);
            allows = true;
        }
        allows
    }

    /// Records that the command checks the file at `path`, or all files in the folder at `path`.
    pub fn record(&self, path: &Path) {
        if self.allowed.is_empty() {
            return;
        }
        let relative = self.relative(path);
        let is_folder = path.is_dir();
        for entry in &self.allowed {
            if if is_folder { entry.base.starts_with(&relative) } else { entry.paths.is_match(&relative) } {
                entry.checked.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Records that the command compares the results of a case.
    pub fn record_case(&self, case: &str) {
        for entry in self.allowed.iter().filter(|entry| entry.paths.is_match(case)) {
            entry.checked.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the path relative to the folder of the settings. The result contains no `.`, and contains `..` only at
    /// the start.
    fn relative(&self, path: &Path) -> PathBuf {
        let absolute = |path: &Path| normal_path(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
        let (path, folder) = (absolute(path), absolute(self.folder()));
        let common = path.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
        let up = folder.components().skip(common).map(|_| Component::ParentDir);
        up.chain(path.components().skip(common)).collect()
    }

    /// Returns an error for each entry that allowed no finding, although the command checked a file that the entry's
    /// glob matches. If the command checked the folder of all possible matches, an entry without a match is also an
    /// error. The function ignores entries for whose rule `is_own` returns false.
    pub fn unused(&self, is_own: impl Fn(&str) -> bool) -> Vec<String> {
        let is_unused = |entry: &&Allowed| {
            is_own(&entry.rule) && entry.checked.load(Ordering::Relaxed) && !entry.used.load(Ordering::Relaxed)
        };
        self.allowed
            .iter()
            .filter(is_unused)
            .map(|entry| {
                let path = plain_name(&self.path.to_string_lossy());
                let (line, rule) = (entry.line, &entry.rule);
                format!("{path}:{line}: the entry for `{rule}` allows nothing; remove it")
            })
            .collect()
    }
}

/// The characters with a special meaning in a glob.
const SPECIAL: [char; 5] = ['*', '?', '[', '{', '\\'];

/// Removes `.` and `..` from a path without access to the disk.
fn normal_path(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            part => normal.push(part),
        }
    }
    normal
}

/// Removes `.` and `..` from a glob. Keeps a `..` at the start or after a part with special characters.
fn normal_glob(glob: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in glob.split('/').filter(|part| *part != ".") {
        match parts.last() {
            Some(last) if part == ".." && *last != ".." && !last.contains(SPECIAL) => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the number of the line that contains a byte. The first line is 1.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ProjectSettings, String> {
        ProjectSettings::parse(Path::new("torchproof.toml"), text, |rule| rule == "a-rule" || rule == "field-type")
    }

    #[test]
    fn an_entry_allows_a_rule_in_matching_files() {
        let text =
            "[check]\nstrict = true\n\n[[allow]]\nrule = 'a-rule'\npath = 'models/*.pte'\nreason = 'old exporter'\n";
        let settings = parse(text).unwrap();
        assert!(settings.check.strict && !settings.gate.strict);
        for (rule, path) in [("other", "models/a.pte"), ("a-rule", "models/deep/a.pte"), ("a-rule", "a.pte")] {
            assert!(!settings.allows(rule, Path::new(path)), "{rule} {path}");
        }
        assert!(settings.unused(|_| true).is_empty());
        settings.record(Path::new("models/a.pte"));
        assert_eq!(settings.unused(|_| true), ["torchproof.toml:4: the entry for `a-rule` allows nothing; remove it"]);
        assert!(settings.unused(|rule| rule == "field-type").is_empty());
        for path in ["./models/a.pte", "models/deep/../b.pte"] {
            assert!(settings.allows("a-rule", Path::new(path)));
        }
        assert!(settings.unused(|_| true).is_empty());
    }

    #[test]
    fn paths_and_globs_can_have_dots() {
        let here = std::env::current_dir().unwrap();
        let here = here.file_name().unwrap().to_str().unwrap();
        for (glob, path, matches) in [
            ("./a.pte".to_owned(), "a.pte", true),
            ("b/../a.pte".to_owned(), "./c/../a.pte", true),
            ("../a.pte".to_owned(), "../a.pte", true),
            ("../*.pte".to_owned(), "a.pte", false),
            ("*.pte".to_owned(), "../a.pte", false),
            (format!("../{here}/a.pte"), "a.pte", false),
            ("a.pte".to_owned(), &format!("../{here}/a.pte"), true),
        ] {
            let settings = parse(&format!("[[allow]]\nrule = 'a-rule'\npath = '{glob}'\nreason = 'x'")).unwrap();
            assert_eq!(settings.allows("a-rule", Path::new(path)), matches, "{glob} {path}");
        }
    }

    #[test]
    fn a_folder_counts_for_the_globs_below_it() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("models/deep")).unwrap();
        let text = "[[allow]]\nrule = 'a-rule'\npath = 'models/*.pte'\nreason = 'x'";
        for (checked, counts) in [("", true), ("models", true), ("models/deep", false)] {
            let settings =
                ProjectSettings::parse(&folder.path().join(SETTINGS_FILE), text, |rule| rule == "a-rule").unwrap();
            settings.record(&folder.path().join(checked));
            assert_eq!(settings.unused(|_| true).len(), usize::from(counts), "{checked}");
        }
    }

    #[test]
    fn errors_name_the_line() {
        let errors: Vec<_> = [
            "[check]\nstrikt = true",
            "strict = true",
            "\n[[allow]]\nrule = 'b'\npath = '*'\nreason = 'x'",
            "[[allow]]\nrule = 'a-rule'\npath = '*'\nreason = ' '",
            "[[allow]]\nrule = 'a-rule'\npath = '['\nreason = 'x'",
            "[[allow]]\nrule = 'a-rule'\npath = '*'",
            "[",
        ]
        .into_iter()
        .map(|text| parse(text).unwrap_err())
        .collect();
        insta::assert_snapshot!(errors.join("\n"));
    }
}
